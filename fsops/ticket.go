package fsops

import (
	"context"
	"fmt"
	"path/filepath"
)

// queueKey is by name, not by file: finding the file could block.
type queueKey struct{ session, path string }

// Ticket is a place in the queue of one path of one session.
type Ticket struct {
	s     *Service
	key   queueKey
	ready chan struct{} // closed when all earlier tickets are done
	over  bool          // guarded by s.queueMu
}

// Reserve keeps the operations on one path of a session in the order in which it
// is called (PROTOCOL 1.8): call it in wire order. It never blocks. Every ticket
// must be waited for or Done, else those behind it never start.
func (s *Service) Reserve(session, path string) *Ticket {
	t := &Ticket{
		s:     s,
		key:   queueKey{session, filepath.Clean(path)},
		ready: make(chan struct{}),
	}
	s.queueMu.Lock()
	defer s.queueMu.Unlock()
	if len(s.queues[t.key]) == 0 {
		close(t.ready)
	}
	s.queues[t.key] = append(s.queues[t.key], t)
	return t
}

// Wait blocks until every earlier ticket of the path is done. If ctx ends first,
// its cause is returned and the ticket is done.
func (t *Ticket) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
	default:
		select {
		case <-t.ready:
			return nil
		case <-ctx.Done():
		}
	}
	t.Done()
	return fmt.Errorf("wait for an earlier operation on %s: %w", t.key.path, context.Cause(ctx))
}

// Done lets the next ticket on. More than once is harmless. A ticket that is done
// before its turn gives up its place; the order of the others stays.
func (t *Ticket) Done() {
	s := t.s
	s.queueMu.Lock()
	defer s.queueMu.Unlock()
	if t.over {
		return
	}
	t.over = true
	queue := s.queues[t.key]
	if queue[0] != t {
		return // it leaves when its turn comes
	}
	for len(queue) > 0 && queue[0].over {
		queue[0] = nil
		queue = queue[1:]
	}
	if len(queue) == 0 {
		delete(s.queues, t.key)
		return
	}
	s.queues[t.key] = queue
	close(queue[0].ready)
}
