package gateway

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
)

// Wherever a receiver says that it stopped, the next message is the following one. The
// counts stay right, and only the retained bytes are held.
func TestMailboxResumes(t *testing.T) {
	t.Parallel()
	var buffered, kept atomic.Int64
	m := newMailbox(1<<30, 1<<30, &buffered, nil)
	m.retention = retention{2000, 1500, &kept}
	m.attach()
	chance := rand.New(rand.NewPCG(1, 2))
	put, got, gone, ahead := 0, 0, 0, 0
	floor := 0 // what the receiver has certainly received
	for range 100_000 {
		for range chance.IntN(4) {
			put++
			m.put(fmt.Append(nil, put), nil)
		}
		batch, _ := m.peek(nil, chance.IntN(100))
		for i, msg := range batch {
			if want := fmt.Sprint(int(m.written()) + 1 + i); string(msg) != want {
				t.Fatalf("got %s, want %s", msg, want)
			}
		}
		written := chance.IntN(len(batch) + 1)
		got = int(m.written()) + written // as if everything had arrived
		m.ack(written)
		if kept.Load() != m.sentSize || kept.Load() > 1500 {
			t.Fatalf("%d bytes are retained, and %d", kept.Load(), m.sentSize)
		}
		switch chance.IntN(5) {
		case 0: // some were lost
			got -= chance.IntN(min(30, got-floor+1))
		case 1: // some of an unfinished write arrived
			got += chance.IntN(len(batch) - written + 1)
			ahead++
		default:
			continue
		}
		before := m.written()
		switch err := m.resume(uint64(got)); {
		case err == errExpired && before-uint64(got) > 20:
			gone++
			continue
		case err != nil || m.written() != uint64(got):
			t.Fatalf("resume after %d of %d: %v", got, before, err)
		}
		floor = got
	}
	if m.resume(uint64(put)+1) != errNoEvent {
		t.Error("resume succeeds after an event that was never sent")
	}
	if gone == 0 || ahead == 0 || buffered.Load() != m.size {
		t.Errorf("the test proves nothing: %d, %d; %d bytes of %d wait", gone, ahead, m.size, buffered.Load())
	}
	if m.dropWritten(); kept.Load() != 0 {
		t.Errorf("%d bytes are retained", kept.Load())
	}
}

// A stream continues after the last event that its client received, whatever was written to
// a stream that broke.
func TestStreamResumes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		var all []string
		for i := range 10 {
			all = append(all, update("s", fmt.Sprint(i)))
		}
		again := func(after, session string) *sse {
			for {
				s, status := c.tryOpen(session, "Last-Event-ID: "+after)
				if status == 409 { // the server has not yet noticed that the last receiver is gone
					continue
				}
				if status != 200 {
					t.Fatalf("again after %s: %d", after, status)
				}
				return s
			}
		}
		s := c.open("s")
		c.send("", saying("", all...))
		s.want(all...)
		for _, lost := range []int{0, 3, 10} { // a client that did not receive the last ones
			s.close()
			s = again(fmt.Sprint(10-lost), "s")
			s.want(all[10-lost:]...)
		}
		c.send("", saying("", update("s", "next")))
		s.want(update("s", "next"))
		s.close()
		again("11", "s").close()
		for _, odd := range []string{"12", "-1", "x", "18446744073709551616"} {
			for {
				_, status := c.tryOpen("s", "Last-Event-ID: "+odd)
				if status == 409 {
					continue
				}
				if status != 400 {
					t.Errorf("after %s: %d", odd, status)
				}
				break
			}
		}
		again("0", "other").close()
	})
}

// If a client has missed messages that are no longer retained, the connection ends and the
// client must start again.
func TestStreamCannotResume(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		main, s := c.open(""), c.open("s")
		large := update("s", strings.Repeat("x", 3000))
		c.send("", saying("", update("s", "first"), large, update("s", "last")))
		s.want(update("s", "first"), large, update("s", "last"))
		s.close()
		for {
			_, status := c.tryOpen("s", "Last-Event-ID: 1")
			if status == 409 {
				continue
			}
			if status != 410 {
				t.Errorf("answered %d", status)
			}
			break
		}
		r.log.wait(t, "the client has missed messages that are no longer retained", 1)
		for {
			if _, ok := <-main.events; !ok {
				break
			}
		}
		if got := c.post("", note); got.status != 404 {
			t.Errorf("got %+v", got)
		}
	}, func(o *Options) { o.Limits.SessionBuffer = 16_000 })
}
