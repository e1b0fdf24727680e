//go:build unix

package filetrust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"parley/internal/safetext"
)

// Check returns an error of one line, which says what to type, where somebody other than the user and root can change a
// file or directory, or put another one in its place: by its mode, or by that of a directory or link on the way to it.
// As sshd does with StrictModes, it trusts what lies above the home directory of those below it: whoever can replace the
// home directory needs no file of parley's. The path must be absolute. Windows has no such modes: there it finds nothing
// wrong.
func Check(path string) error {
	c := checker{uid: os.Geteuid(), readOnly: readOnly, private: private}
	if home, err := os.UserHomeDir(); err == nil {
		c.home = home
	}
	if c.uid == 0 {
		c.before, _ = strconv.Atoi(os.Getenv("SUDO_UID")) // 0 is root, who is trusted anyway
	}
	return c.check(path)
}

// checker is what counts besides the files.
type checker struct {
	uid    int    // who we are
	before int    // who root was before sudo: a home directory that sudo leaves set is that of this user
	home   string // "" for none
	// readOnly tells whether nobody can write to a file because of how its file system is mounted: in a container, files
	// that are mounted read-only may belong to anybody, and have any mode.
	readOnly func(path string) bool
	private  func(owner, group int) bool
}

// maxLinks bounds the links on the way to a file, as the kernel does.
const maxLinks = 40

// check follows the path as the kernel does, from the root down: once a directory is found to be ours alone, nobody else
// can have changed what it holds.
func (c checker) check(path string) error {
	home, _ := filepath.EvalSymlinks(c.home)
	at, ahead := "/", strings.Split(path, "/")
	var above, wrong error // what is wrong above the home directory, until that is reached; what is wrong for certain
	for links := 0; len(ahead) > 0; {
		name := ahead[0]
		ahead = ahead[1:]
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name) // a name may be empty
		info, err := os.Lstat(next)
		if err != nil {
			return err
		}
		if next == home || next == c.home {
			above = nil
		}
		above = first(above, c.judge(next, info))
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return errors.New("too many links")
		}
		target, err := os.Readlink(next)
		if err != nil {
			return err
		}
		if filepath.IsAbs(target) {
			at, wrong, above = "/", first(wrong, above), nil
		}
		ahead = append(strings.Split(target, "/"), ahead...)
	}
	return first(wrong, above)
}

// first returns the first error of two.
func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// judge says what is wrong with one file, directory or link.
func (c checker) judge(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	mode, owner := info.Mode(), int(stat.Uid)
	link := mode&fs.ModeSymlink != 0
	shared := mode.IsDir() && mode&fs.ModeSticky != 0 // only owners remove or rename their files there
	foreign := owner != 0 && owner != c.uid && owner != c.before
	open := !link && !shared && (mode&0o002 != 0 || mode&0o020 != 0 && !c.private(owner, int(stat.Gid)))
	mount := path
	if link { // of which statfs(2) tells where it leads
		mount = filepath.Dir(path)
	}
	if !foreign && !open || c.readOnly(mount) {
		return nil
	}
	shown := safetext.Line(path, 500)
	switch {
	case foreign:
		return fmt.Errorf("%s belongs to another user (uid %d), so it is not read: chown %d %s", shown, owner, c.uid, shown)
	case mode.IsDir():
		return fmt.Errorf("others can write in %s, so it is not read: chmod go-w %s", shown, shown)
	}
	return fmt.Errorf("others can write it, so it is not read: chmod go-w %s", shown)
}

// private tells whether a group is the owner's alone. Many systems give every user a group of their own and let that
// write (umask 002), home directories included. Users and groups that are not in the files of this machine are not
// looked up: a directory service may be slow, or not there, and a group that bears the user's number is theirs in
// practice.
func private(owner, group int) bool {
	users, _ := os.ReadFile("/etc/passwd")
	groups, _ := os.ReadFile("/etc/group")
	return privateIn(string(users), string(groups), owner, group)
}

// privateIn is private, by the texts of passwd(5) and group(5).
func privateIn(users, groups string, owner, group int) bool {
	user, primary := "", false
	for line := range strings.Lines(users) {
		f := strings.Split(strings.TrimSpace(line), ":") // name:password:uid:gid:…
		if len(f) < 4 {
			continue
		}
		theirs := f[3] == strconv.Itoa(group)
		if f[2] != strconv.Itoa(owner) {
			if theirs {
				return false
			}
			continue
		}
		user, primary = f[0], theirs
	}
	named := false
	for line := range strings.Lines(groups) {
		f := strings.Split(strings.TrimSpace(line), ":") // name:password:gid:member,member…
		if len(f) < 4 || f[2] != strconv.Itoa(group) {
			continue
		}
		if slices.ContainsFunc(strings.Split(f[3], ","), func(member string) bool { return member != "" && member != user }) {
			return false
		}
		named = named || f[0] == user
	}
	return group == owner || primary && named
}
