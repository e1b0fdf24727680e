package fsops

import (
	"context"
	"fmt"
	"path/filepath"
)

// queueKey is a name, not a file: looking up the file could block.
type queueKey struct{ session, path string }

// Ticket is a place in the queue of one path of one session.
type Ticket struct {
	s        *Service
	key      queueKey
	ready    chan struct{} // closed when all earlier tickets are done
	released bool          // guarded by s.queueMu
}

// Reserve queues an operation on a path of a session. Operations on one path run in the order of
// their Reserve calls (PROTOCOL 1.8), so call it in wire order. It never blocks. Call Wait or Done
// on every ticket, else later ones never start.
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

// Wait blocks until every earlier ticket of the path is done. If ctx ends first, Wait returns its
// cause and the ticket is done.
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

// Done lets the next ticket continue. It may be called more than once. A ticket that is done before
// its turn gives up its place; the order of the others stays.
func (t *Ticket) Done() {
	s := t.s
	s.queueMu.Lock()
	defer s.queueMu.Unlock()
	if t.released {
		return
	}
	t.released = true
	queue := s.queues[t.key]
	if queue[0] != t {
		return // it leaves when its turn comes
	}
	for len(queue) > 0 && queue[0].released {
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
