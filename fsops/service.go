// Package fsops reads and writes files for an agent. It implements fs/read_text_file and
// fs/write_text_file of ACP v1: access below the roots of a session, windows of lines and atomic
// replacement of files. It does not depend on JSON-RPC and asks no questions: a path outside the
// roots fails with [ErrOutsideRoot], and a caller that has the user's permission repeats the call
// with outside set.
//
// A [Service] is safe for concurrent use. Resolve, Read and Write block on the file system only,
// never on a FIFO, a device or a lock; Reserve never blocks. Files below a root are opened through
// [os.Root], so a link that changes between the check and the operation cannot lead outside.
package fsops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// The errors of this package. Some wrap an error of io/fs. A missing file is reported with an
// error that wraps fs.ErrNotExist.
var (
	// ErrOutsideRoot: the path, or the target of a link in it, is not below a root of the session.
	// It wraps fs.ErrPermission.
	ErrOutsideRoot = fmt.Errorf("outside the roots of the session: %w", fs.ErrPermission)
	// ErrRelative: the path is not absolute. It wraps fs.ErrInvalid.
	ErrRelative = fmt.Errorf("the path is not absolute: %w", fs.ErrInvalid)
	// ErrAmbiguous: the path names one file when ".." is removed from the text and another when
	// links are followed first. It wraps fs.ErrInvalid.
	ErrAmbiguous = fmt.Errorf(`the path has ".." after a symbolic link: %w`, fs.ErrInvalid)
	// ErrNotText: the file has a NUL byte or invalid UTF-8.
	ErrNotText = errors.New("not a text file")
	// ErrNotRegular: the file is a directory, FIFO, socket or device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge: the file is larger than Options allows.
	ErrTooLarge = errors.New("too large")
	// ErrUnknownSession: the session was not opened with OpenSession, or was closed.
	ErrUnknownSession = errors.New("unknown session")
)

// DefaultMax is the default of the limits in Options, in bytes.
const DefaultMax = 32 << 20

// Options are the limits of a Service.
type Options struct {
	MaxRead  int64 // bytes one Read may return; 0 means DefaultMax
	MaxWrite int64 // bytes one Write may hold; 0 means DefaultMax
}

// Service serves the file requests of any number of sessions.
type Service struct {
	opts Options

	mu       sync.Mutex
	sessions map[string]*session

	queueMu sync.Mutex
	queues  map[queueKey][]*Ticket
}

// session is one set of roots. It is immutable: OpenSession replaces it, and the old one is closed
// when the last operation that uses it has ended.
type session struct {
	roots []root

	// Guarded by Service.mu.
	users   int
	retired bool
}

type root struct {
	dir   *os.Root
	asked string // cleaned, as given to OpenSession
	real  string // the same directory without symbolic links
}

// New returns a Service without sessions.
func New(opts Options) *Service {
	if opts.MaxRead <= 0 {
		opts.MaxRead = DefaultMax
	}
	if opts.MaxWrite <= 0 {
		opts.MaxWrite = DefaultMax
	}
	return &Service{
		opts:     opts,
		sessions: map[string]*session{},
		queues:   map[queueKey][]*Ticket{},
	}
}

// OpenSession sets the roots of a session: absolute paths of existing directories. A second call
// replaces them; running operations keep the old ones. Without roots every path is outside. After
// an error the session is unchanged.
func (s *Service) OpenSession(id string, roots []string) error {
	next := &session{}
	for _, asked := range roots {
		r, err := openRoot(asked)
		if err != nil {
			next.close()
			return fmt.Errorf("root %q: %w", asked, err) // quoted: agents supply directories, too
		}
		next.roots = append(next.roots, r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retire(id)
	s.sessions[id] = next
	return nil
}

func openRoot(asked string) (root, error) {
	if !filepath.IsAbs(asked) {
		return root{}, ErrRelative
	}
	clean := filepath.Clean(asked)
	real, err := filepath.EvalSymlinks(clean)
	if err != nil {
		return root{}, cause(err)
	}
	dir, err := os.OpenRoot(real)
	if err != nil {
		return root{}, cause(err)
	}
	return root{dir: dir, asked: clean, real: real}, nil
}

// CloseSession forgets a session. Running operations complete.
func (s *Service) CloseSession(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retire(id)
}

// Close forgets every session.
func (s *Service) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.sessions {
		s.retire(id)
	}
}

// retire removes a session from the table. The caller holds s.mu.
func (s *Service) retire(id string) {
	old, ok := s.sessions[id]
	if !ok {
		return
	}
	delete(s.sessions, id)
	old.retired = true
	if old.users == 0 {
		old.close()
	}
}

// use returns a session whose roots stay open until release is called.
func (s *Service) use(id string) (sess *session, release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess, ok := s.sessions[id]
	if !ok {
		return nil, nil, fmt.Errorf("%w %q", ErrUnknownSession, id)
	}
	sess.users++
	return sess, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		sess.users--
		if sess.retired && sess.users == 0 {
			sess.close()
		}
	}, nil
}

func (sess *session) close() {
	for _, r := range sess.roots {
		r.dir.Close()
	}
}
