package gateway

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// sink is a log that tests can wait for.
type sink struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed when more has been written
}

func newSink() *sink { return &sink{more: make(chan struct{})} }

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	close(s.more)
	s.more = make(chan struct{})
	return len(p), nil
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits until the log contains a text so many times.
func (s *sink) wait(t *testing.T, text string, times int) {
	t.Helper()
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		n, more := strings.Count(s.text.String(), text), s.more
		s.mu.Unlock()
		if n >= times {
			return
		}
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("the log has %q %d times; want %d", text, n, times)
		}
	}
}
