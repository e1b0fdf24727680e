package terminal

import (
	"bytes"
	"io"
	"sync"
	"time"
)

const (
	// startCols and startRows are the size of a command's terminal until a front end attaches.
	startCols, startRows = 80, 24
	// attachedBefore is how much of the earlier output a front end is shown, in bytes.
	attachedBefore = 16 << 10
	// attachedChunks is how many pieces of output, of at most readBuffer bytes, are queued for a
	// front end. Then the command blocks until the front end reads or detaches.
	attachedChunks = 8
	// typedChunks is how many pieces of input, of at most typedChunk bytes, are queued for the
	// command.
	typedChunks, typedChunk = 64, 4 << 10
)

// Attachment connects a front end to an attended command. Read returns what the command writes to
// its terminal, Write sends what the user types. Read must be called from one goroutine; the other
// methods are safe for concurrent use.
type Attachment struct {
	process *Process
	run     *run
	before  []byte
	data    chan []byte
	rest    []byte      // of Read
	keys    chan []byte // to the command
	closed  chan struct{}
	once    sync.Once
	typed   chan struct{} // closed when no more input is written to the command

	mu         sync.Mutex
	cols, rows int // 0 until Resize
}

// Attended reports whether a command is attended and running, so that Attach can succeed.
func (s *Service) Attended(sessionID, id string) bool {
	p, err := s.find(sessionID, id)
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cur.attended && !p.ended
}

// Attach connects a front end to an attended command until the Attachment is closed. Errors are
// ErrUnknown, ErrExited, ErrNotAttended and ErrAttached.
func (s *Service) Attach(sessionID, id string) (*Attachment, error) {
	p, err := s.find(sessionID, id)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.dropped:
		return nil, ErrUnknown
	case p.exit != nil || p.ended && p.cur.isOver():
		return nil, ErrExited
	case !p.cur.attended:
		return nil, ErrNotAttended
	case p.front != nil:
		return nil, ErrAttached
	}
	a := &Attachment{process: p, run: p.cur, data: make(chan []byte, attachedChunks), keys: make(chan []byte, typedChunks), closed: make(chan struct{}), typed: make(chan struct{})}
	if p.cur.begun {
		a.before = p.out.since(p.cur.begins, attachedBefore)
	}
	p.front = a
	go a.typing()
	return a, nil
}

// attached reports whether a front end is attached.
func (p *Process) attached() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.front != nil
}

// EarlierOutput returns the end of what the command had written when the front end attached: raw, with
// control sequences, possibly cut within one, and with newlines as line breaks. Read continues
// after it.
func (a *Attachment) EarlierOutput() []byte { return a.before }

// Read returns what the command writes, for a terminal. It returns io.EOF at the end of the command
// and io.ErrClosedPipe after Close.
func (a *Attachment) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		select {
		case <-a.closed:
			return 0, io.ErrClosedPipe
		default:
		}
		select {
		case a.rest = <-a.data:
			continue
		case <-a.closed:
			return 0, io.ErrClosedPipe
		case <-a.process.exited:
		case <-a.process.released:
		}
		select {
		case a.rest = <-a.data:
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// give passes output to the front end. It waits for a slow front end, but not for one that has
// detached, nor after the command has ended.
func (a *Attachment) give(p []byte, over <-chan struct{}) {
	select {
	case a.data <- p:
	case <-a.closed:
	case <-over:
	}
}

// Write sends keys to the command without waiting for it to read them. It returns ErrInputFull, and
// how many bytes it accepted, if the command has not read earlier keys.
func (a *Attachment) Write(p []byte) (n int, err error) {
	for n < len(p) {
		select {
		case <-a.closed:
			return n, io.ErrClosedPipe
		default:
		}
		piece := bytes.Clone(p[n:min(len(p), n+typedChunk)])
		select {
		case a.keys <- piece:
			n += len(piece)
		default:
			return n, ErrInputFull
		}
	}
	return n, nil
}

// typing writes queued keys to the command and does not keep them.
func (a *Attachment) typing() {
	defer close(a.typed)
	for {
		select {
		case <-a.closed:
			return
		case <-a.process.exited:
			return
		case <-a.process.released:
			return
		case p := <-a.keys:
			_, err := a.run.stream.Write(p)
			clear(p)
			if err != nil {
				return
			}
		}
	}
}

// Resize sets the size of the command's terminal, in cells. It ignores sizes that are not positive.
func (a *Attachment) Resize(cols, rows int) error {
	const most = 1<<16 - 1
	if cols < 1 || rows < 1 || cols > most || rows > most {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cols, a.rows = cols, rows
	return SetSize(a.run.stream, cols, rows)
}

// Close detaches the front end. The command continues, and its output is kept for the agent. Keys
// that it has not read are dropped. The error is always nil.
func (a *Attachment) Close() error {
	a.once.Do(func() {
		close(a.closed)
		// A command that does not read can block the writer. Where deadlines are not supported it stays blocked.
		if a.run.stream.SetWriteDeadline(time.Now()) == nil {
			<-a.typed
			a.run.stream.SetWriteDeadline(time.Time{})
		}
		// A full-screen program redraws when its size changes: the next front end sets another one.
		a.mu.Lock()
		if a.rows > 2 {
			SetSize(a.run.stream, a.cols, a.rows-1)
		}
		a.mu.Unlock()
		a.process.mu.Lock()
		a.process.front = nil
		a.process.mu.Unlock()
	})
	return nil
}
