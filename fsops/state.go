package fsops

import (
	"io/fs"
	"time"
)

// State tells whether a file is still what it was: two that are equal mean that
// nobody has written it in between, as far as its directory can tell.
type State struct {
	Exists bool
	Size   int64
	Time   time.Time // of the last change
	Mode   fs.FileMode
}

// Stat returns the state of a file inside of the session's roots, links followed.
// What cannot be looked at has the zero State, as a file that is not there.
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
