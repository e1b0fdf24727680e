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

// Process is one terminal: a command, the output kept of it, and how it ended.
//
// Two goroutines serve it. The reader reads and keeps output until the stream ends or the terminal
// is released. The other one, run, reports the events in order: only it calls Notify.
type Process struct {
	service *Service
	home    *session
	id      Change // Session and ID only
	command Command

	exited   chan struct{} // closed when exit is set, never after released
	released chan struct{}

	mu        sync.Mutex
	cur       *run
	out       tail
	exit      *ExitStatus
	dropped   bool        // released by the agent; exit no longer changes
	ended     bool        // killed or exited: it is not restarted
	restarted chan *run   // not nil while TakeOver restarts it; delivers the new run, or nil
	front     *Attachment // nil when no front end is attached
}

func start(s *Service, home *session, id Change, c Command, cmd *exec.Cmd) (*Process, error) {
	limit := s.o.MaxOutput
	if c.OutputLimit != nil && *c.OutputLimit < uint64(limit) {
		limit = int(*c.OutputLimit)
	}
	streams, err := openStreams(c.Attended)
	if err != nil {
		return nil, err
	}
	r, err := streams.start(cmd)
	if err != nil {
		return nil, err
	}
	r.begun = true
	return &Process{
		service: s, home: home, id: id, command: c, cur: r, out: tail{limit: limit},
		exited: make(chan struct{}), released: make(chan struct{}),
	}, nil
}

// run reports the events of a terminal until it is released.
func (p *Process) run(r *run) {
	defer p.service.runs.Done()
	c := p.command
	p.notify(Change{Started: &c})
	for r != nil {
		go p.read(r)
		p.follow(r, r.group.Done())
		close(r.unwanted)
		status := statusOf(r.group.Wait())
		next := p.next()
		if next != nil {
			r.stream.Close() // a process that left the group may still hold the other end
			p.begins(next)
		} else {
			p.finish(status)
			p.service.finished(p)
			p.notify(Change{Exit: &status})
		}
		r = next
	}
	<-p.released
	p.notify(Change{Released: true})
}

// next waits for the second run of a command that is being taken over; nil if there is none. After
// that no further one can start.
func (p *Process) next() *run {
	p.mu.Lock()
	again := p.restarted
	p.ended = p.ended || again == nil
	p.mu.Unlock()
	if again == nil {
		return nil
	}
	r := <-again
	p.mu.Lock()
	defer p.mu.Unlock()
	p.restarted, p.ended = nil, p.ended || r == nil
	return r
}

// follow reports output until it is complete, and reports when a running command seems to wait for
// input.
func (p *Process) follow(r *run, done <-chan struct{}) {
	var overdue <-chan time.Time
	var end lineEnd
	late, quiet := 0, time.NewTimer(quietWait)
	defer quiet.Stop()
	for {
		select {
		case chunk, ok := <-r.chunks:
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
			if what := end.waitsFor(); what != "" && done != nil && !p.attached() {
				p.notify(Change{Waiting: what})
			}
		case <-done:
			done, late = nil, 0
			overdue = time.After(drainWait)
		case <-overdue:
			select { // a slow Notify must not cost the end of the output
			case chunk, ok := <-r.chunks:
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

// read keeps the output. It sends a copy to run only if Notify is set.
func (p *Process) read(r *run) {
	defer close(r.chunks)
	defer r.stream.Close()
	buf := make([]byte, readBuffer)
	for {
		n, err := r.stream.Read(buf)
		kept := buf[:n]
		if r.attended {
			kept = r.breaks.add(kept)
			if err != nil {
				kept = append(kept, r.breaks.rest()...)
			}
		}
		if n > 0 || len(kept) > 0 {
			p.mu.Lock()
			p.out.write(kept)
			front := p.front
			p.mu.Unlock()
			if front != nil && n > 0 {
				front.give(bytes.Clone(buf[:n]), r.unwanted)
			}
			p.tell(r, kept)
		}
		if err != nil {
			return
		}
	}
}

// tell passes output to run, unless run no longer wants it.
func (p *Process) tell(r *run, kept []byte) {
	if p.service.o.Notify == nil || len(kept) == 0 {
		return
	}
	select {
	case <-r.unwanted:
	default:
		select {
		case r.chunks <- bytes.Clone(kept):
		case <-r.unwanted:
		}
	}
}

func statusOf(state *os.ProcessState) ExitStatus {
	status := ExitStatus{Signal: process.SignalName(state)}
	if status.Signal == "" {
		code := state.ExitCode()
		status.Code = &code
	}
	return status
}

// finish publishes how the command ended.
func (p *Process) finish(status ExitStatus) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dropped {
		p.exit = &status
		close(p.exited)
	}
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
		case <-p.exited: // it exited before the release
		default:
			return ExitStatus{}, ErrReleased
		}
	case <-ctx.Done():
		return ExitStatus{}, context.Cause(ctx)
	}
	return *p.exit, nil
}

// kill ends the command and its process group. A command that is being taken over is not restarted.
func (p *Process) kill() {
	p.mu.Lock()
	p.ended = true
	r := p.cur
	p.mu.Unlock()
	r.end(p.service.o.Grace)
}

// release is called once, by the caller that removed the terminal from its session.
func (p *Process) release() {
	p.mu.Lock()
	p.dropped = true
	p.mu.Unlock()
	close(p.released)
	p.kill()
	p.cur.stream.Close() // a process that left the group may still hold the other end; cur stays once ended is set
	p.shrink(0)
}
