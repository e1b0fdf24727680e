//go:build !unix

package undo

import (
	"io"
	"os"
)

// statter examines the files of many directories below an open one, without following links.
type statter struct {
	walker
	dir *os.Root
}

func newStatter(top *os.Root) (*statter, error) {
	return &statter{walker: walker{top: top}, dir: top}, nil
}

// enter goes to the directory with a slash-separated name; "." is the top.
func (s *statter) enter(name string) (stamp, error) {
	dir, err := s.walker.enter(name)
	if err != nil {
		return stamp{}, err
	}
	s.dir = dir
	info, err := dir.Stat(".")
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

// lstat examines a name in the directory.
func (s *statter) lstat(base string) (stamp, error) {
	info, err := s.dir.Lstat(base)
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

// list returns the names in the directory, unless there are too many.
func (s *statter) list(most int) ([]string, error) {
	f, err := s.dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(most + 1)
	if len(names) > most {
		return nil, tooMany(most)
	}
	if err == io.EOF {
		err = nil
	}
	return names, err
}

func (s *statter) close() { s.leave(0) }
