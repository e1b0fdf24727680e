package transport

import (
	"fmt"
	"io"
	"time"
)

const (
	// leftBehind is how long children may take to notice by themselves that the program has exited, before they are
	// told: some agents leave one behind that still saves its state.
	leftBehind = 500 * time.Millisecond
	// killWait is how long a killed process may take to disappear; only one stuck in the kernel takes longer.
	killWait = 5 * time.Second
)

// Close ends the program: it closes its stdin, waits up to the grace time for the whole group to end, sends SIGTERM to
// the group, waits half of it, and kills what is left. Meanwhile output is read and dropped, so that the program
// cannot hang in a write. When Close returns nil, nothing of the group runs any more and all pipes are closed. Every
// call waits for that.
func (s *Stdio) Close() error {
	s.ending.Do(func() { s.ended = s.end() })
	return s.ended
}

func (s *Stdio) end() error {
	s.closed.Store(true)
	s.group.Track() // while the parents of those who left the group still live
	s.stdin.Close()
	s.stdout.SetReadDeadline(time.Now()) // wakes Recv; Windows cannot, there Recv wakes with the end of the process
	emptied := make(chan struct{})
	go func() {
		defer close(emptied)
		s.empty()
	}()

	if !s.leaves() {
		s.group.Track()
		s.group.Terminate()
		s.group.WaitGone(s.grace / 2)
	}
	err := s.group.Kill()
	if !s.group.WaitGone(killWait) && err == nil {
		err = fmt.Errorf("process %d does not end", s.Pid())
	}
	select {
	case <-s.exit:
	case <-time.After(killWait):
	}
	s.stdout.Close()
	s.errout.Close()
	if err != nil {
		return fmt.Errorf("close: %w", err) // something holds on; do not wait for the readers either
	}
	<-emptied
	<-s.stderrDone
	return nil
}

// leaves waits for the group to end by itself and reports whether it did.
func (s *Stdio) leaves() bool {
	timer := time.NewTimer(s.grace)
	defer timer.Stop()
	select {
	case <-s.group.Done():
		return s.group.WaitGone(min(s.grace, leftBehind))
	case <-timer.C:
		return false
	}
}

// empty reads the output of a closed connection until it ends.
func (s *Stdio) empty() {
	s.reading.Lock()
	defer s.reading.Unlock()
	s.stdout.SetReadDeadline(time.Time{})
	io.Copy(io.Discard, s.stdout)
}

// Kill ends the program and everything it started at once, without giving it time. Close still has to be called, or may
// be under way: it returns the sooner.
func (s *Stdio) Kill() {
	s.group.Track()
	s.group.Kill()
}
