package fsops

import (
	"io/fs"
	"time"
)

// State identifies a version of a file: if two states are equal, the file was not written in
// between, as far as its directory shows.
type State struct {
	Exists bool
	Size   int64
	Time   time.Time // of the last change
	Mode   fs.FileMode
}

// Stat returns the state of a file inside the session's roots, links followed. A file that is
// missing or cannot be examined has the zero State.
func (s *Service) Stat(session, path string) State {
	sess, release, err := s.use(session)
	if err != nil {
		return State{}
	}
	defer release()
	p, err := sess.locate(path, false)
	if err != nil {
		return State{}
	}
	defer p.close()
	info, err := p.root.Lstat(p.rel)
	if err != nil {
		return State{}
	}
	return State{Exists: true, Size: info.Size(), Time: info.ModTime(), Mode: info.Mode()}
}
