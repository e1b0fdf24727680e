package sandbox

import (
	"fmt"
	"strings"
)

// alwaysWritable are the devices of macOS whose names are not known before. Every program tells the last one
// of itself when it starts.
const alwaysWritable = `(regex #"^/dev/ttys[0-9]+$") (regex #"^/dev/fd/") (literal "/dev/dtracehelper")`

// profile returns the profile for the sandbox-exec of macOS that forbids writing elsewhere than below places,
// which are free of links. isDir reports whether a place is a directory, which includes everything below it.
func profile(places []string, isDir func(path string) bool) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n(allow file-write* " + alwaysWritable)
	for _, place := range places {
		filter := "literal"
		if isDir(place) {
			filter = "subpath"
		}
		fmt.Fprintf(&b, "\n\t(%s %s)", filter, quoted(place))
	}
	b.WriteString(")\n")
	return b.String()
}

// quoted returns a string of the profile's language, in which only these two characters mean something.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// confinable returns the places that a profile can grant: those that are what they were resolved to, without
// a link, and those without control characters, which would change or end the profile.
func confinable(places []string, real func(path string) (string, error)) (out []string) {
	for _, place := range places {
		if now, err := real(place); err == nil && now == place && !strings.ContainsFunc(place, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			out = append(out, place)
		}
	}
	return out
}
