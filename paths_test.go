package main

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/must"
)

// machinePath matches paths to places that real machines have: a top-level system directory, the
// home directory, a drive. The paths in examples are others, such as /w, /p or /elsewhere.
var machinePath = regexp.MustCompile(`(?:^|file://|[^\w.$%~/*?\\])(` +
	`/(?:bin|boot|dev|etc|home|lib|lib64|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var|Applications|Library|System|Users|Volumes|private)(?:/[^\s"'` + "`" + `,;<>|&()\x00]*|\b)` +
	`|~(?:/[^\s"'` + "`" + `,;<>|&()]*|$)` +
	`|[A-Z]:\\[^\s"'` + "`" + `]*)`)

// userDirs are functions that return a directory of the user.
var userDirs = []string{"os.UserHomeDir", "os.UserConfigDir", "os.UserCacheDir", "user.Current", "user.Lookup"}

// reasons explain why tests may name such a place. The patterns match the beginning of the place
// and of the name of the file that contains it.
var reasons = []struct{ why, place, file string }{
	{"devices that keep nothing", `/dev(/(null|zero|stdin|tty|tcp/.*|fd)?)?$`, ``},
	{"processes that the test has started, or itself", `/proc(/|$)`, ``},
	{"programs, and where they are looked for", `(/usr(/local)?)?/s?bin(/|$|:)`, ``},
	{"people and projects of the examples, which exist nowhere", `(/home/ada|/home/u|/srv|/opt)(/|$)`, ``},
	{"not expanded, or the test sets the home directory", `~`, `acpclient/transport/http_|fsops/|permissions/|terminal/(command|form)_|ui/|internal/(agents|cli|config|finder|host|picture|programs|toolserver)/|testdata/attacks/`},
	{"judged by rules or searched for secrets, as text", `/`, `permissions/|fsops/fsops_|internal/redact/`},
	{"shown or said, never opened", `/(tmp|etc|home|lib|run)`, `ui/|internal/interop/|testdata/acp/`},
	{"paths of Windows, as text", `[A-Z]:`, `internal/(cli/editor|mention/mention)_|ui/transcript/markdown/|testdata/attacks/unc-`},
	{"the path of a socket must be short", `/tmp$`, `internal/toolserver/accept_`},
	{"places in the documentation, replaced before they are used", `/etc/(ssl|haproxy)/`, `internal/balancer/`},
	{"compared, not opened", `os.UserConfigDir`, `internal/config/`},
	{"SDKs of others, installed on request and kept", `os.UserCacheDir`, `internal/interop/install_`},
}

// Tests name no file outside their own temporary directory: a test run by root could overwrite it.
func TestPathsOfTests(t *testing.T) {
	type pattern struct{ place, file *regexp.Regexp }
	var patterns []pattern
	for _, r := range reasons {
		patterns = append(patterns, pattern{regexp.MustCompile(`^(` + r.place + `)`), regexp.MustCompile(`^(` + r.file + `)`)})
	}
	used := make([]bool, len(reasons))
	check := func(file string, line int, place string) {
		i := slices.IndexFunc(patterns, func(p pattern) bool { return p.place.MatchString(place) && p.file.MatchString(file) })
		if i < 0 {
			t.Errorf("%s:%d: %s leads out of the test: use a file below t.TempDir(), or an example such as /elsewhere", file, line, place)
			return
		}
		used[i] = true
	}
	for _, s := range sources(t) {
		if !s.test || s.path == "paths_test.go" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if n.Kind != token.STRING {
					break
				}
				text := must.Get(strconv.Unquote(n.Value))(t)
				for _, place := range places(text) {
					check(s.path, s.fset.Position(n.Pos()).Line, place)
				}
			case *ast.SelectorExpr:
				if of, ok := n.X.(*ast.Ident); ok && slices.Contains(userDirs, of.Name+"."+n.Sel.Name) {
					check(s.path, s.fset.Position(n.Pos()).Line, of.Name+"."+n.Sel.Name)
				}
			}
			return true
		})
	}
	scripts, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range scripts {
		text := must.Get(os.ReadFile(name))(t)
		for n, line := range strings.Split(string(text), "\n") {
			for _, place := range places(line) {
				check(filepath.ToSlash(name), n+1, place)
			}
		}
	}
	for i, r := range reasons {
		if !used[i] {
			t.Errorf("no test needs the reason %q", r.why)
		}
	}
}

func places(text string) (out []string) {
	for _, m := range machinePath.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// The pattern must match, or the test above checks nothing.
func TestPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"/etc/passwd": "/etc/passwd", "/etc": "/etc", "cat /etc/passwd >x": "/etc/passwd", "echo x >/tmp/y; rm /var/z": "/tmp/y /var/z", "a\x00/etc/x\x00b": "/etc/x",
		`{"path":"/mnt/x"}`: "/mnt/x", "file:///etc/hosts": "/etc/hosts", "~/.bashrc": "~/.bashrc", "rm -r ~": "~", "HOME=/home/u": "/home/u", "--dir=/usr": "/usr", `C:\Users\x`: `C:\Users\x`,
		"a/etc/b": "", "../etc": "", "$IN/etc": "", "/w/etc": "", "/etcetera": "", "https://example.com/etc": "", "a~b": "", "either/or": "", "~5": "",
	} {
		if got := strings.Join(places(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
