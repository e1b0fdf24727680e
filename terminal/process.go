package terminal

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"sync"
	"time"

	"parley/internal/process"
)

// Process is one terminal: a command, what is kept of its output, and how it ended.
//
// Two goroutines serve it. The reader takes output from the pipe until the last holder of the pipe has ended or the
// terminal is released, and keeps it. The other one (run) tells the story in order: it alone calls Notify.
type Process struct {
	service *Service
	home    *session
	id      Change // Session and ID only
	group   *process.Group
	pipe    *os.File

	chunks   chan []byte   // from the reader to run; closed at the end of the output
	told     chan struct{} // closed when run wants no more chunks
	exited   chan struct{} // closed when exit is set, never after released
	released chan struct{}

	mu   sync.Mutex
	out  tail
	exit *ExitStatus
	gone bool // released; exit stays as it is
}

func start(s *Service, home *session, id Change, c Command, cmd *exec.Cmd) (*Process, error) {
	limit := s.o.MaxOutput
	if c.OutputLimit != nil && *c.OutputLimit < uint64(limit) {
		limit = int(*c.OutputLimit)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	group, err := process.Start(cmd)
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	return &Process{
		service: s, home: home, id: id, group: group, pipe: r, out: tail{limit: limit},
		chunks: make(chan []byte), told: make(chan struct{}),
		exited: make(chan struct{}), released: make(chan struct{}),
	}, nil
}

// run tells the story of a terminal until it was released.
func (p *Process) run(c Command) {
	defer p.service.runs.Done()
	p.notify(Change{Started: &c})
	go p.read()
	p.follow(p.group.Done())
	close(p.told)
	status := p.finish(p.group.Wait())
	p.service.finished(p)
	p.notify(Change{Exit: &status})
	<-p.released
	p.notify(Change{Released: true})
}

// follow passes output on until it is complete, and tells when a command that is not done seems to wait for somebody.
func (p *Process) follow(done <-chan struct{}) {
	var overdue <-chan time.Time
	var end lineEnd
	late, quiet := 0, time.NewTimer(quietWait)
	defer quiet.Stop()
	for {
		select {
		case chunk, ok := <-p.chunks:
			if !ok {
				return
			}
			end.add(chunk)
			quiet.Reset(quietWait)
			p.notify(Change{Data: chunk})
			if late += len(chunk); done == nil && late > drainLimit {
				return
			}
		case <-quiet.C:
			if what := end.waitsFor(); what != "" && done != nil {
				p.notify(Change{Waiting: what})
			}
		case <-done:
			done, late = nil, 0
			overdue = time.After(drainWait)
		case <-overdue:
			select { // a slow Notify must not cost the end of the output
			case chunk, ok := <-p.chunks:
				if !ok {
					return
				}
				p.notify(Change{Data: chunk})
				overdue = time.After(drainWait)
				if late += len(chunk); late > drainLimit {
					return
				}
			default:
				return
			}
		}
	}
}

func (p *Process) notify(c Change) {
	if p.service.o.Notify != nil {
		c.Session, c.ID = p.id.Session, p.id.ID
		p.service.o.Notify(c)
	}
}

// read keeps the output. What it hands to run is a copy, and only made when somebody listens.
func (p *Process) read() {
	defer close(p.chunks)
	defer p.pipe.Close()
	buf := make([]byte, readBuffer)
	told := p.told
	for {
		n, err := p.pipe.Read(buf)
		if n > 0 {
			p.mu.Lock()
			p.out.write(buf[:n])
			p.mu.Unlock()
			if told != nil && p.service.o.Notify != nil {
				select {
				case p.chunks <- bytes.Clone(buf[:n]):
				case <-told:
					told = nil
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// finish publishes how the command ended.
func (p *Process) finish(state *os.ProcessState) ExitStatus {
	status := ExitStatus{Signal: process.SignalName(state)}
	if status.Signal == "" {
		code := state.ExitCode()
		status.Code = &code
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		p.exit = &status
		close(p.exited)
	}
	return status
}

func (p *Process) current() Output {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := Output{Text: p.out.text(p.exit == nil), Truncated: p.out.truncated}
	if p.exit != nil {
		status := *p.exit
		out.Exit = &status
	}
	return out
}

func (p *Process) shrink(limit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out.shrink(limit)
}

func (p *Process) wait(ctx context.Context) (ExitStatus, error) {
	select {
	case <-p.exited:
	case <-p.released:
		select {
		case <-p.exited: // before the release, which is what the waiter asked for
		default:
			return ExitStatus{}, ErrReleased
		}
	case <-ctx.Done():
		return ExitStatus{}, context.Cause(ctx)
	}
	return *p.exit, nil
}

// kill ends the group, the polite way first.
func (p *Process) kill() {
	if grace := p.service.o.Grace; grace > 0 && p.group.Alive() {
		p.group.Track()
		p.group.Terminate()
		p.group.WaitGone(grace)
	}
	p.group.Kill()
	p.group.WaitGone(endWait)
}

// release is called once, by whoever took the terminal out of the books.
func (p *Process) release() {
	p.mu.Lock()
	p.gone = true
	p.mu.Unlock()
	close(p.released)
	p.kill()
	p.pipe.Close() // somebody who escaped may still hold the other end
	p.shrink(0)
}
