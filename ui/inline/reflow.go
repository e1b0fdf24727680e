package inline

import "strings"

// Reflows guesses whether a terminal rewraps long lines when it gets narrower. Most do.
func Reflows(environ []string) bool {
	env := map[string]string{}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	if env["TMUX"] != "" {
		return true
	}
	for _, name := range []string{"XTERM_VERSION", "STY"} { // xterm, screen
		if env[name] != "" {
			return false
		}
	}
	for _, kind := range []string{"linux", "screen", "st", "vt100", "vt220", "dumb"} {
		if t := env["TERM"]; t == kind || strings.HasPrefix(t, kind+"-") {
			return false
		}
	}
	return true
}

// above counts the rows between the first live row and the cursor, on a terminal that has
// cols columns now. One that reflows has made several rows of each long one, and the cursor
// has stayed with its text.
func (t *Terminal) above(cols int) int {
	n := t.y
	if !t.reflows || cols >= t.size.cols || cols <= 0 {
		return n
	}
	for _, r := range t.live[:min(t.y, len(t.live))] {
		n += max(0, r.cells-1) / cols
	}
	return n + t.x/cols
}
