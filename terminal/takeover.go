package terminal

import "fmt"

// again separates the output of the first run of a command from that of the second.
const again = "[the user has started this command again from the beginning, at a terminal of the user's own]\n"

// TakeOver restarts a running command as an attended one, for the user. It ends the command with
// its process group and starts it from the beginning in the same directory and environment (but see
// Options.Attended). The terminal stays the same: pending waits continue, the new output follows a
// line that says so, and the exit status is that of the second run. When TakeOver returns, which
// may take seconds, Attach can be used. A command that is attended already is left alone.
//
// Errors are ErrUnknown, ErrExited, ErrAttached (another call is taking it over), ErrNoPTY, and
// those of Create. After ErrNoPTY and errors about what to start, the first run continues; only if
// starting itself fails, the command has ended.
func (s *Service) TakeOver(sessionID, id string) error {
	p, err := s.find(sessionID, id)
	if err != nil {
		return err
	}
	p.mu.Lock()
	old := p.cur
	switch {
	case p.dropped:
		err = ErrUnknown
	case p.restarted != nil && !old.attended:
		err = ErrAttached
	case p.ended || old.isOver():
		err = ErrExited
	}
	if err != nil || old.attended {
		p.mu.Unlock()
		return err
	}
	second := make(chan *run, 1)
	p.restarted = second
	p.mu.Unlock()

	r, err := p.restart(old)
	second <- r
	if err != nil {
		p.mu.Lock()
		if p.restarted == second { // the first run continues, or its end was not seen yet
			p.restarted = nil
		}
		p.mu.Unlock()
	}
	return err
}

// restart ends one run of a command and starts an attended one. Everything that can fail is tried
// first.
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

	p.mu.Lock() // so that kill ends this run, or prevents its start
	defer p.mu.Unlock()
	if p.ended || p.dropped {
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

// begins reports that a command has been restarted.
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
