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

// Check returns an error of one line, with the command to type, if somebody other than the user and
// root can change a file or directory, or replace it: by its mode or owner, or by that of a
// directory or link on its path. Like sshd with StrictModes it ignores what is above the home
// directory for paths below it: an attacker who can replace the home directory needs no file of
// parley's. The path must be absolute. On Windows, which has no such modes, Check returns nil.
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

// checker holds what the result depends on besides the files.
type checker struct {
	uid    int    // the user
	before int    // the user who ran sudo, whose home directory $HOME may still be
	home   string // "" for none
	// readOnly reports whether a file system is mounted read-only: in a container such files may
	// have any owner and mode.
	readOnly func(path string) bool
	private  func(owner, group int) bool
}

// maxLinks bounds the links followed for one path, as in the kernel.
const maxLinks = 40

// check follows the path from the root down, as the kernel does: once a directory belongs to the
// user alone, nobody else can have changed what it contains.
func (c checker) check(path string) error {
	home, _ := filepath.EvalSymlinks(c.home)
	at, ahead := "/", strings.Split(path, "/")
	var above, wrong error // above: errors that count unless the home directory follows; wrong: errors that always count
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

// first returns the first error that is not nil.
func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// judge returns what is wrong with one file, directory or link.
func (c checker) judge(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	mode, owner := info.Mode(), int(stat.Uid)
	link := mode&fs.ModeSymlink != 0
	shared := mode.IsDir() && mode&fs.ModeSticky != 0 // only the owner of a file can remove or rename it there
	foreign := owner != 0 && owner != c.uid && owner != c.before
	open := !link && !shared && (mode&0o002 != 0 || mode&0o020 != 0 && !c.private(owner, int(stat.Gid)))
	mount := path
	if link { // statfs(2) would describe its target
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

// private reports whether a group is the owner's alone. Many systems give every user a group that
// may write (umask 002). Users and groups that are not in local files are not looked up, since a
// directory service may be slow or absent; a group with the number of the user counts as the
// user's.
func private(owner, group int) bool {
	users, _ := os.ReadFile("/etc/passwd")
	groups, _ := os.ReadFile("/etc/group")
	return privateIn(string(users), string(groups), owner, group)
}

// privateIn is private for the given texts of passwd(5) and group(5).
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
