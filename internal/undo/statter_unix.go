//go:build unix

package undo

import (
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// statter examines the files of many directories below an open one, without following links. It does what a
// walker, Lstat and Readdirnames do with fewer calls and allocations: scans spend most of their time here.
type statter struct {
	top   *os.File
	names []string
	dirs  []int // open, below the top
	buf   []byte
}

func newStatter(top *os.Root) (*statter, error) {
	f, err := top.Open(".")
	return &statter{top: f}, err
}

// enter goes to the directory with a slash-separated name; "." is the top.
func (s *statter) enter(name string) (stamp, error) {
	var parts []string
	if name != "." {
		parts = strings.Split(name, "/")
	}
	common := 0
	for common < len(parts) && common < len(s.names) && parts[common] == s.names[common] {
		common++
	}
	s.leave(common)
	for _, part := range parts[common:] {
		fd, err := unix.Openat(s.here(), part, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if err != nil {
			if st, failed := s.lstat(part); failed == nil && !st.mode.IsDir() {
				err = errInTheWay
			}
			return stamp{}, err
		}
		s.names, s.dirs = append(s.names, part), append(s.dirs, fd)
	}
	var st unix.Stat_t
	err := unix.Fstat(s.here(), &st)
	return statStamp(&st), err
}

func (s *statter) here() int {
	if n := len(s.dirs); n > 0 {
		return s.dirs[n-1]
	}
	return int(s.top.Fd())
}

// lstat examines a name in the directory.
func (s *statter) lstat(base string) (stamp, error) {
	var st unix.Stat_t
	err := unix.Fstatat(s.here(), base, &st, unix.AT_SYMLINK_NOFOLLOW)
	return statStamp(&st), err
}

// list returns the names in the directory, unless there are too many.
func (s *statter) list(most int) (names []string, err error) {
	if s.buf == nil {
		s.buf = make([]byte, leastBuf)
	}
	if _, err := unix.Seek(s.here(), 0, 0); err != nil {
		return nil, err
	}
	for {
		n, err := unix.ReadDirent(s.here(), s.buf)
		if n <= 0 || err != nil {
			return names, err
		}
		if _, _, names = unix.ParseDirent(s.buf[:n], -1, names); len(names) > most {
			return nil, tooMany(most)
		}
	}
}

// leave closes all but the first n directories below the top.
func (s *statter) leave(n int) {
	for _, fd := range s.dirs[n:] {
		unix.Close(fd)
	}
	s.names, s.dirs = s.names[:n], s.dirs[:n]
}

func (s *statter) close() {
	s.leave(0)
	s.top.Close()
}

// statStamp is stampOf, with the modes that a scan distinguishes.
func statStamp(st *unix.Stat_t) stamp {
	mode := fs.FileMode(st.Mode & 0o777)
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	default:
		mode |= fs.ModeIrregular
	}
	return stamp{size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), dev: uint64(st.Dev), ino: uint64(st.Ino), mode: mode}
}
