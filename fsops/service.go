// Package fsops serves the file requests of ACP v1 (fs/read_text_file and
// fs/write_text_file): rooted reads and writes, windows of lines, atomic
// replacement. It knows nothing of JSON-RPC and asks nobody: the caller decides
// what to do with ErrOutsideRoot, and says so with outside.
//
// A Service may be used from any goroutine. Resolve, Read and Write block on the
// file system only, never on a FIFO, a device or a lock; Reserve never blocks.
// What is inside a session's roots goes through os.Root, so a link that changes
// between the look and the act cannot lead out of them.
package fsops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// The errors of this package. Those that wrap an error of io/fs say so; a missing
// file is reported as an error that wraps fs.ErrNotExist.
var (
	// ErrOutsideRoot: the path, or what it leads to, is not below a root of the
	// session. Wraps fs.ErrPermission.
	ErrOutsideRoot = fmt.Errorf("outside the roots of the session: %w", fs.ErrPermission)
	// ErrRelative: the path is not absolute. Wraps fs.ErrInvalid.
	ErrRelative = fmt.Errorf("the path is not absolute: %w", fs.ErrInvalid)
	// ErrAmbiguous: the path names one file when ".." is taken literally and
	// another when links are followed first. Wraps fs.ErrInvalid.
	ErrAmbiguous = fmt.Errorf(`the path has ".." behind a symbolic link: %w`, fs.ErrInvalid)
	// ErrNotText: a NUL byte or invalid UTF-8.
	ErrNotText = errors.New("not a text file")
	// ErrNotRegular: a directory, FIFO, socket or device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge: more than Options allows.
	ErrTooLarge = errors.New("too large")
	// ErrUnknownSession: OpenSession was not called, or CloseSession was.
	ErrUnknownSession = errors.New("unknown session")
)

// DefaultMax is the limit in bytes where Options leaves one out.
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

// session is one set of roots. It is never changed: OpenSession replaces it, and
// the old one closes when the last operation that uses it has ended.
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

// OpenSession gives a session its roots: absolute paths of existing directories.
// Called again it replaces them; operations under way keep the old ones. Without
// roots every path is outside. On an error the session is as it was.
func (s *Service) OpenSession(id string, roots []string) error {
	next := &session{}
	for _, asked := range roots {
		r, err := openRoot(asked)
		if err != nil {
			next.close()
			return fmt.Errorf("root %q: %w", asked, err) // agents name directories, too
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

// CloseSession forgets a session. Operations under way end normally.
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

// retire takes a session out of the table. The caller holds s.mu.
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
