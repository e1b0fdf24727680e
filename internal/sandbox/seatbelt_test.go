package sandbox

import (
	"errors"
	"path"
	"strings"
	"testing"
)

// The profile names each place as it is, whatever characters it has, and forbids everything else.
func TestProfile(t *testing.T) {
	got := profile([]string{"/elsewhere/a project", `/elsewhere/"quoted" \ (paren`, "/dev/null"}, func(p string) bool { return path.Dir(p) != "/dev" })
	want := `(version 1)
(allow default)
(deny file-write*)
(allow file-write* ` + alwaysWritable + `
	(subpath "/elsewhere/a project")
	(subpath "/elsewhere/\"quoted\" \\ (paren")
	(literal "/dev/null"))
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A name cannot end its string, whatever it is.
	for _, name := range []string{`"`, `\`, `\"`, `")(allow file-write*)("`, `\\"`} {
		line := strings.Split(profile([]string{"/" + name}, func(string) bool { return true }), "\n")[4]
		inside, escaped, quotes := 0, false, 0
		for _, r := range line {
			switch {
			case escaped:
				escaped = false
			case r == '\\':
				escaped = true
			case r == '"':
				quotes++
			case quotes != 1 && (r == '(' || r == ')'):
				inside++
			}
		}
		if quotes != 2 || inside != 3 { // (subpath …) and the end of the list
			t.Errorf("%s: %s", name, line)
		}
	}
}

// A place that has become a link, is gone, or would break the profile grants nothing.
func TestConfinable(t *testing.T) {
	real := func(p string) (string, error) {
		switch p {
		case "/link":
			return "/elsewhere", nil
		case "/gone":
			return "", errors.New("no such file")
		}
		return p, nil
	}
	if got := confinable([]string{"/a", "/link", "/gone", "/new\nline", "/b c"}, real); strings.Join(got, ",") != "/a,/b c" {
		t.Errorf("got %q", got)
	}
}
