package transport

import (
	"fmt"
	"io"
	"time"
)

const (
	// childGrace is how long children may take to notice that the program has exited before
	// they get a signal: some agents leave a child that still saves their state.
	childGrace = 500 * time.Millisecond
	// killWait is how long a killed process may take to disappear; only one stuck in the
	// kernel takes longer.
	killWait = 5 * time.Second
)

// Close ends the program. It closes stdin, waits up to the grace time for the whole group
// to end, sends SIGTERM to the group, waits half as long again, and kills the rest.
// Meanwhile it reads and drops the output, so that the program never blocks while writing.
// When Close returns nil, no process of the group is left and all pipes are closed. Every
// call waits for that.
func (s *Stdio) Close() error {
	s.ending.Do(func() { s.ended = s.endGroup() })
	return s.ended
}

func (s *Stdio) endGroup() error {
	s.closed.Store(true)
	s.group.Track() // while the parents of processes that left the group are still alive
	s.stdin.Close()
	s.stdout.SetReadDeadline(time.Now()) // wakes Recv; on Windows Recv wakes only when the process ends
	emptied := make(chan struct{})
	go func() {
		defer close(emptied)
		s.drain()
	}()

	if !s.waitForGroup() {
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
		return fmt.Errorf("close: %w", err) // a process holds the pipes, so the readers may not end either
	}
	<-emptied
	<-s.stderrDone
	return nil
}

// waitForGroup waits for the group to end without a signal and reports whether it did.
func (s *Stdio) waitForGroup() bool {
	timer := time.NewTimer(s.grace)
	defer timer.Stop()
	select {
	case <-s.group.Done():
		return s.group.WaitGone(min(s.grace, childGrace))
	case <-timer.C:
		return false
	}
}

// drain drains the output of a closed connection.
func (s *Stdio) drain() {
	s.reading.Lock()
	defer s.reading.Unlock()
	s.stdout.SetReadDeadline(time.Time{})
	io.Copy(io.Discard, s.stdout)
}

// Kill ends the program and everything it started at once, without a grace time. Close must
// still be called, or may already be running; it returns sooner then.
func (s *Stdio) Kill() {
	s.group.Track()
	s.group.Kill()
}
