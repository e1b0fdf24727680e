package terminal

import (
	"bytes"
	"io"
	"sync"
	"time"
)

const (
	// startCols and startRows are the size of a command's terminal before somebody attaches.
	startCols, startRows = 80, 24
	// attachedBefore is how much of the output so far a front end is shown, in bytes.
	attachedBefore = 16 << 10
	// attachedChunks is how many pieces of output, of at most readBuffer bytes, wait for a front end. Then the command
	// waits, as with any terminal, until it reads or lets go.
	attachedChunks = 8
	// typedChunks is how many pieces of what was typed, of at most typedChunk bytes, wait for the command.
	typedChunks, typedChunk = 64, 4 << 10
)

// Attachment is the user's side of an attended command: what the command writes to its terminal is read, what the user
// types is written. Read is for one goroutine, the others for any.
type Attachment struct {
	process *Process
	run     *run
	before  []byte
	data    chan []byte
	rest    []byte      // of Read
	keys    chan []byte // to the command
	closed  chan struct{}
	once    sync.Once
	typed   chan struct{} // closed when nothing is written to the command any more

	mu         sync.Mutex
	cols, rows int // 0 until they are told
}

// Attended tells whether a command is attended: whether it runs and can be attached to.
func (s *Service) Attended(sessionID, id string) bool {
	p, err := s.find(sessionID, id)
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cur.attended && !p.ended
}

// Attach gives a front end the keyboard of an attended command, until it is closed. Errors are ErrUnknown, ErrExited,
// ErrNotAttended, ErrAttached.
func (s *Service) Attach(sessionID, id string) (*Attachment, error) {
	p, err := s.find(sessionID, id)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.gone:
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

// attached tells whether somebody is.
func (p *Process) attached() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.front != nil
}

// Before is the end of what the command had written when it was attached to, as it is kept: control sequences and all,
// perhaps cut within one, with newlines for line breaks. What Read brings goes on behind it.
func (a *Attachment) Before() []byte { return a.before }

// Read takes what the command writes, as it comes: it is for a terminal. io.EOF is the end of the command,
// io.ErrClosedPipe that of the attachment.
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

// give hands output over. It waits for a front end that is slow, but neither for one that has let go nor when the
// command is over.
func (a *Attachment) give(p []byte, over <-chan struct{}) {
	select {
	case a.data <- p:
	case <-a.closed:
	case <-over:
	}
}

// Write types keys. It does not wait for the command to read them: ErrInputFull says that it has not read those before,
// and that of these only the first n were taken.
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

// typing writes the keys to the command, and forgets them.
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

// Resize tells the command how large the user's terminal is, in cells. What is no size is left out.
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

// Exit is how the command has ended; nil while it runs.
func (a *Attachment) Exit() *ExitStatus {
	a.process.mu.Lock()
	defer a.process.mu.Unlock()
	return a.process.exit // never changed once it is set
}

// Close lets go: the command goes on, and what it writes is kept for the agent alone. Keys that the command has not
// taken are dropped. The error is always nil.
func (a *Attachment) Close() error {
	a.once.Do(func() {
		close(a.closed)
		// A command that does not read can keep the writer waiting. Where deadlines cannot be set it goes on to.
		if a.run.stream.SetWriteDeadline(time.Now()) == nil {
			<-a.typed
			a.run.stream.SetWriteDeadline(time.Time{})
		}
		// One that draws a whole screen does so again when it hears of another size: that of whoever attaches next.
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
