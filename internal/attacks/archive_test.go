//go:build unix

package attacks

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"parley/acpclient/acptest"
	"parley/internal/must"
)

// attack is one file of testdata/attacks.
type attack struct {
	name    string
	archive *acptest.Archive
	script  []string
	checks  []string
	user    string
	setup   []string
}

const attackDir = "../../testdata/attacks"

// readAttack reads a file and rejects members that have no effect.
func readAttack(path string) (*attack, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a := &attack{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), archive: acptest.ParseArchive(data)}
	if strings.TrimSpace(string(a.archive.Comment)) == "" {
		return nil, fmt.Errorf("it does not say what is tried")
	}
	for _, f := range a.archive.Files {
		switch top, _, below := strings.Cut(f.Name, "/"); {
		case below && (top == "in" || top == "out"):
		case f.Name == "script":
			a.script = lines(f.Data)
		case f.Name == "holds":
			a.checks = lines(f.Data)
		case f.Name == "setup":
			a.setup = lines(f.Data)
		case f.Name == "user":
			a.user = strings.TrimSpace(string(f.Data))
		case f.Name == "hello", f.Name == "session":
		case f.Name == "protocol" && strings.TrimSpace(string(f.Data)) == "2":
		default:
			return nil, fmt.Errorf("its file %s has no meaning", f.Name)
		}
	}
	if a.user != "" && a.user != "rejects" && a.user != "allows" {
		return nil, fmt.Errorf("a user who %s is not known", a.user)
	}
	if len(a.script) == 0 || !a.hasOwnCheck() {
		return nil, fmt.Errorf("no check mentions what it tries")
	}
	return a, nil
}

// hasOwnCheck reports whether an attack has a check of its own, beyond those made for every attack.
func (a *attack) hasOwnCheck() bool {
	if len(a.checks) == 0 {
		return false
	}
	for _, l := range a.checks {
		if l != "lives" {
			return true
		}
	}
	for _, l := range a.script {
		if word, _, _ := strings.Cut(l, " "); word == "answered" || word == "asked" {
			return true
		}
	}
	return false
}

// lines returns the lines of a file without empty lines and comments.
func lines(data []byte) (out []string) {
	for l := range strings.Lines(string(data)) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			out = append(out, l)
		}
	}
	return out
}

// place holds the directories of an attack.
type place struct {
	in, out  string
	terminal string // the id of the newest terminal
}

func newPlace(t *testing.T, a *attack) place {
	t.Helper()
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	p := place{in: filepath.Join(root, "in"), out: filepath.Join(root, "out")}
	for _, dir := range []string{p.in, p.out} {
		must.Do(t, os.Mkdir(dir, 0o755))
	}
	for _, f := range a.archive.Files {
		if strings.HasPrefix(f.Name, "in/") || strings.HasPrefix(f.Name, "out/") {
			must.Do(t, p.change("write", f.Name+" "+strconv.Quote(string(f.Data))))
		}
	}
	for _, l := range a.setup {
		do, arg, _ := strings.Cut(l, " ")
		if err := p.change(do, arg); err != nil {
			t.Fatalf("%s: got %v", l, err)
		}
	}
	return p
}

// at returns the path for a name that begins with in/ or out/.
func (p place) at(name string) string {
	return filepath.Join(filepath.Dir(p.in), filepath.FromSlash(name))
}

// change changes the disk.
func (p place) change(do, arg string) error {
	name, rest, _ := strings.Cut(arg, " ")
	path := p.at(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	switch do {
	case "write":
		text, err := strconv.Unquote(rest)
		if err != nil {
			return fmt.Errorf("%s is not quoted", rest)
		}
		return os.WriteFile(path, []byte(text), 0o644)
	case "link":
		return os.Symlink(p.expand(rest), path)
	case "fifo":
		return syscall.Mkfifo(path, 0o644)
	case "mkdir":
		return os.MkdirAll(path, 0o755)
	case "remove":
		return os.RemoveAll(path)
	case "move":
		return os.Rename(path, p.at(rest))
	}
	return fmt.Errorf("unknown change %s", do)
}

var repeated = regexp.MustCompile(`\$\{(.+?)\*([0-9]+)\}`)

// expand replaces the variables of a script.
func (p place) expand(s string) string {
	s = strings.NewReplacer("$IN", p.in, "$OUT", p.out, "$HOME", os.Getenv("HOME"), "$TERMINAL", p.terminal).Replace(s)
	return repeated.ReplaceAllStringFunc(s, func(m string) string {
		parts := repeated.FindStringSubmatch(m)
		n, _ := strconv.Atoi(parts[2])
		return strings.Repeat(parts[1], n)
	})
}
