package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

// truncate makes the test binary truncate a file.
const truncate = "truncate-file"

// TestMain makes the test binary the program that Wrap puts in front.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		fmt.Fprintln(os.Stderr, Main(os.Args[2:]))
		os.Exit(126)
	}
	if len(os.Args) == 3 && os.Args[1] == truncate { // by the system call that opens no file
		if err := os.Truncate(os.Args[2], 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// needSandbox skips a test where programs cannot be restricted.
func needSandbox(t *testing.T) {
	t.Helper()
	if err := Check(); err != nil {
		t.Skip(err)
	}
}

// The error is one line that says what to do.
func TestRefusal(t *testing.T) {
	kernel := func(abi int, err error) func() (int, error) { return func() (int, error) { return abi, err } }
	for _, tc := range []struct {
		system  string
		version func() (int, error)
		want    string // "" for no refusal
	}{
		{"windows", kernel(0, errors.ErrUnsupported), "needs Linux or macOS"},
		{"darwin", kernel(0, errors.New("stat /usr/bin/sandbox-exec: no such file or directory")), "stat /usr/bin/sandbox-exec: no such file or directory: start without it"},
		{"darwin", kernel(minABI, nil), ""},
		{"linux", kernel(0, errors.New("function not implemented")), "this kernel has no Landlock (function not implemented): start without it"},
		{"linux", kernel(0, nil), "too old"},
		{"linux", kernel(2, nil), "does not keep files from being emptied (version 2, want 3"},
		{"linux", kernel(3, nil), ""},
		{"linux", kernel(99, nil), ""},
	} {
		err := check(tc.system, tc.version)
		if tc.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if !errors.As(err, new(*UnsupportedError)) || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %q", tc.system, err, tc.want)
		}
	}
}

// box is a sandbox with one root, and a directory outside it.
type box struct {
	t             *testing.T
	sandbox       *Sandbox
	root, outside string
}

func newBox(t *testing.T) box {
	t.Helper()
	needSandbox(t)
	self := must.Get(os.Executable())(t)
	base, outside := t.TempDir(), t.TempDir()
	for _, path := range []string{"file", "dir/file"} {
		os.MkdirAll(filepath.Join(outside, "dir"), 0o755)
		must.Do(t, os.WriteFile(filepath.Join(outside, path), []byte("precious"), 0o644))
	}
	t.Setenv("TMPDIR", t.TempDir()) // the directories of the test are below the real one
	s := must.Get(New(self, nil))(t)
	return box{t, s, base, outside}
}

// run runs a script in the root and returns what it printed and how it ended.
func (b box) run(script string, roots, own []string) (string, error) {
	b.t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "OUT="+b.outside, "SELF="+b.sandbox.self[0])
	must.Do(b.t, b.sandbox.Wrap(cmd, roots, own))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestWritesBelowTheRootsOnly(t *testing.T) {
	b := newBox(t)
	roots := []string{b.root}
	for script, want := range map[string]bool{
		"echo x > new && echo y >> new && : > new && rm new":                   true,
		"mkdir -p a/b && echo x > a/b/c && mv a/b/c d && ln -s d e && rm -r a": true, // between directories too
		"echo x > /dev/null":                              true,
		"f=$(mktemp) && rm \"$f\"":                        true,
		"cat \"$OUT/file\" && ls \"$OUT/dir\"":            true, // reading is free
		"echo x > \"$OUT/new\"":                           false,
		"echo x >> \"$OUT/file\"":                         false,
		": > \"$OUT/file\"":                               false,
		"\"$SELF\" " + truncate + " \"$OUT/file\"":        false,
		"rm \"$OUT/file\"":                                false,
		"mv \"$OUT/file\" stolen":                         false,
		"ln \"$OUT/file\" hard && echo x > hard":          false,
		"mv \"$OUT/file\" \"$OUT/other\"":                 false,
		"mkdir \"$OUT/new\"":                              false,
		"rm -r \"$OUT/dir\"":                              false,
		"ln -s x \"$OUT/link\"":                           false,
		"ln -s \"$OUT/file\" through && echo x > through": false,
		"echo x > ../../../../../../../../../../../../../../../../../parley-test": false,
		"sh -c 'setsid sh -c \"echo x > \\\"$OUT/new\\\"\"'":                      false, // nor what it starts
	} {
		out, err := b.run(script, roots, nil)
		if got := err == nil; got != want {
			t.Errorf("%s: worked %v, want %v: %s", script, got, want, out)
		}
		if !want && !strings.Contains(out, "ermission denied") && !strings.Contains(out, "cross-device") {
			t.Errorf("%s: refused for another reason: %s", script, out)
		}
		for _, name := range []string{"file", "dir/file"} {
			if text, err := os.ReadFile(filepath.Join(b.outside, name)); string(text) != "precious" {
				t.Fatalf("%s: %s holds %q, %v", script, name, text, err)
			}
		}
	}
	entries, err := os.ReadDir(b.outside)
	if err != nil || len(entries) != 2 {
		t.Errorf("outside there are %v, %v", entries, err)
	}
}

// Additional paths can be written, including single files; a missing one does not prevent the start.
func TestFurtherPlaces(t *testing.T) {
	b := newBox(t)
	file := filepath.Join(b.outside, "file")
	const script = "echo x > \"$OUT/file\" && : > \"$OUT/file\""
	for name, own := range map[string][]string{"a file": {file, b.outside + "/none"}, "a directory": {b.outside}} {
		if out, err := b.run(script, []string{b.root}, own); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
	if out, err := b.run("rm \"$OUT/file\"", []string{b.root}, []string{file}); err == nil {
		t.Errorf("a file that may be written could be removed: %s", out)
	}
	s := must.Get(New(b.sandbox.self[0], []string{b.outside}))(t)
	b.sandbox = s
	if out, err := b.run(script, []string{b.root}, nil); err != nil {
		t.Errorf("extra: %v: %s", err, out)
	}
	if _, err := New("x", []string{b.outside, b.outside + "/none"}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), b.outside+"/none: ") {
		t.Errorf("an extra place that is missing: %v", err)
	}
}

// An exact path grants nothing if a link is part of it.
func TestExactPlaces(t *testing.T) {
	b := newBox(t)
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(b.outside, link))
	for path, want := range map[string]bool{
		b.outside: true, filepath.Join(b.outside, "dir"): true, link: false, filepath.Join(link, "dir"): false, filepath.Join(b.outside, "none"): false,
	} {
		cmd := exec.Command("sh", "-c", "echo x >\"$OUT/dir/new\"")
		cmd.Dir, cmd.Env = b.root, append(os.Environ(), "OUT="+b.outside)
		must.Do(t, b.sandbox.Wrap(cmd, []string{b.root}, nil, path))
		if out, err := cmd.CombinedOutput(); (err == nil) != want {
			t.Errorf("%s: got %v, want that it works: %v: %s", path, err, want, out)
		}
	}
}

// The program gets the name, arguments and environment of the command, and the same pid.
func TestProgramIsWhatWasMeant(t *testing.T) {
	b := newBox(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: sh, Args: []string{"--", "-c", `echo "$0|$1|$2|$MINE|$LATER|$$"; exit 7`, "--write", "a b", ""}, Env: []string{"MINE=yes", "LATER=no"}, Dir: b.root}
	must.Do(t, b.sandbox.Wrap(cmd, []string{b.root}, nil))
	cmd.Env = append(cmd.Env, "LATER=added") // as the mark of what parley starts
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Fatalf("%v: %s", err, out)
	}
	if want := fmt.Sprintf("--write|a b||yes|added|%d\n", cmd.Process.Pid); string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

// A program that cannot be restricted completely does not start.
func TestStartsBoundOrNotAtAll(t *testing.T) {
	b := newBox(t)
	out, err := b.run("echo started", []string{b.root, b.root + "/none"}, nil)
	if err == nil || strings.Contains(out, "started") || !strings.Contains(out, "none: no such file") {
		t.Errorf("a root that is missing: %v: %s", err, out)
	}
	if err := b.sandbox.Wrap(&exec.Cmd{Path: "sh"}, nil, nil); err == nil {
		t.Error("a program without its path was taken")
	}
	for _, args := range [][]string{nil, {"--"}, {"--", "/bin/sh"}, {"--write"}, {"--write", "x", "--", "/bin/sh", "sh"}, {"--rule", "/x", "--", "/bin/sh", "sh"}} {
		if err := Main(args); err == nil || strings.Contains(err.Error(), "Landlock") {
			t.Errorf("%q: got %v", args, err)
		}
	}
}

// A link that a confined program could have made lets the next one write nowhere else; a link of the
// user's does.
func TestLinksToPlaces(t *testing.T) {
	b := newBox(t)
	target := filepath.Join(b.outside, "dir")
	for name, tc := range map[string]struct {
		place string // below the root, which may be written, too
		plant string
		must  bool // the place is a root of its own
	}{
		"a root":           {"a/root", "mv a/root a/moved; ln -s \"$OUT/dir\" a/root", true},
		"above a root":     {"a/dir", "mv a moved; ln -s \"$OUT\" a", true},
		"relative":         {"a/root", "rm -r a/root; ln -s \"../../../../../../../../..$OUT/dir\" a/root", true},
		"an own place":     {"own", "ln -s \"$OUT/dir\" own", false},
		"in two steps":     {"own", "ln -s \"$OUT/dir\" two; ln -s two own", false},
		"a loop":           {"own", "ln -s own own", false},
		"a file by a link": {"own", "ln -s \"$OUT/file\" own", false},
	} {
		t.Run(name, func(t *testing.T) {
			base, nested := t.TempDir(), strings.HasPrefix(tc.place, "a/")
			b := b
			b.t, b.root = t, base
			if nested {
				must.Do(t, os.MkdirAll(filepath.Join(base, tc.place), 0o755))
			}
			if out, err := b.run(tc.plant, []string{base}, nil); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			roots, own := []string{base}, []string{filepath.Join(base, tc.place)}
			if tc.must {
				roots, own = append(roots, own...), nil
			}
			out, err := b.run("echo started; echo x >\"$OUT/dir/file\"; echo x >\"$OUT/file\"; true", roots, own)
			if started := strings.Contains(out, "started"); started == tc.must || (err == nil) == tc.must || tc.must && !strings.Contains(out, "name where it leads") {
				t.Errorf("got %v: %s", err, out)
			}
			for _, name := range []string{"file", "dir/file"} {
				if text, err := os.ReadFile(filepath.Join(b.outside, name)); string(text) != "precious" {
					t.Fatalf("%s holds %q, %v", name, text, err)
				}
			}
			if b.sandbox.Writable(filepath.Join(target, "x"), roots, own) {
				t.Error("parley would write there")
			}
		})
	}
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(b.root, link))
	for _, roots := range [][]string{{link}, {b.root, link}} {
		if out, err := b.run("echo x >new && rm new", roots, nil); err != nil {
			t.Errorf("%q: %v: %s", roots, err, out)
		}
		if !b.sandbox.Writable(filepath.Join(b.root, "new"), roots, nil) {
			t.Errorf("%q: parley would not write there", roots)
		}
	}
}

func TestUserCache(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{{"darwin", "/elsewhere/x/T", "/elsewhere/x/C"}, {"darwin", "/elsewhere", "/elsewhere"}, {"linux", "/elsewhere/T", "/elsewhere/T"}} {
		if got := userCache(c[0], c[1]); got != c[2] {
			t.Errorf("%s: got %s", c, got)
		}
	}
}
