package terminal

import "fmt"

// again is the line between the output of a command that was taken over and that of its second life.
const again = "[the user has started this command again from the beginning, at a terminal of the user's own]\n"

// TakeOver has a command attended, for the user: one that is not is ended with all it has started, the polite way first,
// and started anew from the beginning, with the same directory and environment (but see Options.Attended). Its terminal
// stays the same: pending waits go on, its output goes on behind a line that says so, and it ends as the second one does.
// It may take seconds; then the command can be attached to. One that is attended already is left alone. Errors are
// ErrUnknown, ErrExited, ErrAttached (somebody else is taking it over), ErrNoPTY, and those of Create about what cannot be
// started. After ErrNoPTY and errors about what to start, the command goes on; only where starting fails late is it gone.
func (s *Service) TakeOver(sessionID, id string) error {
	p, err := s.find(sessionID, id)
	if err != nil {
		return err
	}
	p.mu.Lock()
	old := p.cur
	switch {
	case p.gone:
		err = ErrUnknown
	case p.again != nil && !old.attended:
		err = ErrAttached
	case p.ended || old.isOver():
		err = ErrExited
	}
	if err != nil || old.attended {
		p.mu.Unlock()
		return err
	}
	second := make(chan *run, 1)
	p.again = second
	p.mu.Unlock()

	r, err := p.restart(old)
	second <- r
	if err != nil {
		p.mu.Lock()
		if p.again == second { // the first one goes on, or its end was not seen yet
			p.again = nil
		}
		p.mu.Unlock()
	}
	return err
}

// restart ends one life of a command and begins another, attended one. All that can go wrong is tried before.
func (p *Process) restart(old *run) (*run, error) {
	c := p.command
	c.Attended = true
	cmd, err := p.service.prepare(p.id.Session, c)
	if err != nil {
		return nil, err
	}
	streams, err := openStreams(true)
	if err != nil {
		return nil, err
	}
	if old.isOver() {
		streams.close()
		return nil, ErrExited
	}
	old.end(p.service.o.Grace)

	p.mu.Lock() // so that whoever ends the command ends this one, or keeps it from starting
	defer p.mu.Unlock()
	if p.ended || p.gone {
		streams.close()
		return nil, ErrExited
	}
	r, err := streams.start(cmd)
	if err != nil {
		return nil, fmt.Errorf("run %s again: %w", Line(c), err)
	}
	p.cur = r
	return r, nil
}

// begins tells that a command has begun again.
func (p *Process) begins(r *run) {
	line := []byte(again)
	p.mu.Lock()
	if p.out.total > 0 && p.out.last != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	p.out.write(line)
	r.begins, r.begun = p.out.total, true
	p.mu.Unlock()
	p.notify(Change{Data: line})
}
