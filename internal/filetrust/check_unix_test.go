//go:build unix

package filetrust

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

// place is a chain of directories, "config/parley", with a file in it.
type place struct {
	checker
	t    *testing.T
	root string // real
	file string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	p := &place{t: t, root: root, file: filepath.Join(root, "config", "parley", "rules.toml")}
	p.checker = checker{uid: os.Geteuid(), home: root, readOnly: func(string) bool { return false }, private: func(int, int) bool { return false }}
	p.mkdir("config/parley")
	must.Do(t, os.WriteFile(p.file, nil, 0o600))
	return p
}

func (p *place) at(name string) string { return filepath.Join(p.root, name) }

func (p *place) mkdir(name string) {
	p.t.Helper()
	must.Do(p.t, os.MkdirAll(p.at(name), 0o700))
}

func (p *place) link(target, name string) {
	p.t.Helper()
	must.Do(p.t, os.Symlink(target, p.at(name)))
}

// mode sets a mode regardless of the umask.
func (p *place) mode(name string, mode os.FileMode) {
	p.t.Helper()
	must.Do(p.t, os.Chmod(p.at(name), mode))
}

// want checks the file, or the path given: "" for nothing wrong.
func (p *place) want(want string, path ...string) {
	p.t.Helper()
	file := p.file
	if len(path) > 0 {
		file = p.at(path[0])
	}
	err := p.check(file)
	if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
		p.t.Errorf("%s: got %v, want %q", file, err, want)
	}
}

func TestModes(t *testing.T) {
	for name, test := range map[string]struct {
		change  string
		mode    os.FileMode
		private bool
		want    string // %s is what was changed
	}{
		"nobody else":                     {"config/parley/rules.toml", 0o644, false, ""},
		"the file, by the group":          {"config/parley/rules.toml", 0o664, false, "others can write it, so it is not read: chmod go-w %s"},
		"the file, by others":             {"config/parley/rules.toml", 0o606, false, "others can write it, so it is not read: chmod go-w %s"},
		"its directory, by group":         {"config/parley", 0o770, false, "others can write in %[1]s, so it is not read: chmod go-w %[1]s"},
		"its directory, by others":        {"config/parley", 0o757, false, "others can write in %[1]s, so it is not read: chmod go-w %[1]s"},
		"a directory above":               {"config", 0o777, false, "others can write in %[1]s, so it is not read: chmod go-w %[1]s"},
		"a directory with the sticky bit": {"config", 0o777 | os.ModeSticky, false, ""},
		"the home directory":              {"", 0o775, false, "others can write in %[1]s, so it is not read: chmod go-w %[1]s"},
		"a private group":                 {"config", 0o775, true, ""},
		"its file":                        {"config/parley/rules.toml", 0o664, true, ""},
		"a private group is not others": {"config", 0o777, true,
			"others can write in %[1]s, so it is not read: chmod go-w %[1]s"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.private = func(int, int) bool { return test.private }
			p.mode(test.change, test.mode)
			if strings.Contains(test.want, "%") {
				test.want = fmt.Sprintf(test.want, p.at(test.change))
			}
			p.want(test.want)
			p.readOnly = func(string) bool { return true }
			p.want("")
		})
	}
}

// The directories on the path to a link count, and those on the path to its target.
func TestLinks(t *testing.T) {
	p := newPlace(t)
	p.mkdir("dotfiles")
	p.mkdir("open/inner")
	p.mode("open", 0o777)
	wrong := fmt.Sprintf("others can write in %[1]s, so it is not read: chmod go-w %[1]s", p.at("open"))
	p.link("../config/parley/rules.toml", "dotfiles/relative")
	p.want("", "dotfiles/relative")
	p.link(p.file, "dotfiles/absolute")
	p.want("", "dotfiles/absolute")
	p.link(p.file, "open/inner/out")
	p.want(wrong, "open/inner/out")
	must.Do(t, os.WriteFile(p.at("open/inner/file"), nil, 0o600))
	p.link("../open/inner/file", "dotfiles/in")
	p.want(wrong, "dotfiles/in")
	p.link(p.at("open/inner"), "dotfiles/dir")
	p.want(wrong, "dotfiles/dir/file")
	p.link("dotfiles/dir/../../config/parley", "through") // for the kernel, .. is relative to open/inner
	p.want(wrong, "through/rules.toml")
	p.link("round", "round")
	p.want("too many links", "round")
	if err := p.check(p.at("none")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// What is above the home directory only counts for paths that are not below it; a link may lead to one.
func TestHome(t *testing.T) {
	p := newPlace(t)
	p.mode("config", 0o777)
	wrong := fmt.Sprintf("others can write in %[1]s, so it is not read: chmod go-w %[1]s", p.at("config"))
	p.home = p.at("config/parley")
	p.want("")
	p.home = p.at("elsewhere")
	p.want(wrong)
	p.home = ""
	p.want(wrong)
	p.link("config/parley", "alias")
	p.home = p.at("alias")
	p.want("")
	p.want("", "alias/rules.toml")
	p.mkdir("out")
	p.mode("out", 0o777)
	p.link(p.file, "out/link")
	p.want(fmt.Sprintf("others can write in %[1]s, so it is not read: chmod go-w %[1]s", p.at("out")), "out/link")
}

// Files must belong to the user or root; for root, also to the user who became root.
func TestOwners(t *testing.T) {
	p := newPlace(t)
	const other = 12345
	p.link("parley", "config/link")
	foreign := fmt.Sprintf("%[1]s belongs to another user (uid %[2]d), so it is not read: chown %[3]d %[1]s", p.root, os.Geteuid(), other)
	if os.Geteuid() == 0 {
		for _, name := range []string{"", "config", "config/parley", "config/parley/rules.toml"} {
			foreign = fmt.Sprintf("%[1]s belongs to another user (uid %[2]d), so it is not read: chown 0 %[1]s", p.at(name), other)
			must.Do(t, os.Lchown(p.at(name), other, other))
			p.want(foreign)
			p.before = other
			p.want("")
			p.before = 0
			must.Do(t, os.Lchown(p.at(name), 0, 0))
		}
		must.Do(t, os.Lchown(p.at("config/link"), other, other))
		p.want("")
		p.want(fmt.Sprintf("%[1]s belongs to another user (uid %[2]d), so it is not read: chown 0 %[1]s", p.at("config/link"), other), "config/link/rules.toml")
		return
	}
	p.uid = other // now these files belong to another user
	p.want(foreign)
}

func TestPrivateGroups(t *testing.T) {
	const users = `root:x:0:0:root:/:/bin/sh
games:x:5:60:games:/games:/bin/false
ada:x:1000:1000:,,,:/:/bin/sh
bob:x:1001:1007::/:/bin/sh
eve:x:1002:100::/:/bin/sh
joe:x:1003:100::/:/bin/sh
kim:x:1004:1004::/:/bin/sh
`
	const groups = `root:x:0:
users:x:100:
staff:x:50:ada
ada:x:1000:ada
bob:x:1007:
kim:x:1004:eve
team:x:2000:
`
	for _, test := range []struct {
		who          string
		owner, group int
		want         bool
	}{
		{"root", 0, 0, true},
		{"a user with a group of the same number and name", 1000, 1000, true},
		{"a user with a group of the same name", 1001, 1007, true},
		{"a group that is everybody's first", 1002, 100, false},
		{"one's own group, which somebody has joined", 1004, 1004, false},
		{"a group that one has joined", 1000, 50, false},
		{"a group without known members", 1000, 2000, false},
		{"a user id without a name, as in containers", 4711, 4711, true},
		{"such a number, and another group", 4711, 4712, false},
		{"another user's group", 1000, 1007, false},
	} {
		if got := privateIn(users, groups, test.owner, test.group); got != test.want {
			t.Errorf("%s: got %v", test.who, got)
		}
	}
	if privateIn("", "", 1000, 100) || !privateIn("", "", 1000, 1000) {
		t.Error("without the files")
	}
}
