package transport

import (
	"slices"
	"testing"
	"testing/synctest"

	"parley/internal/must"
)

// Waited distinguishes messages that arrived together from those that Recv waited for.
func TestHTTPWaited(t *testing.T) {
	h := &HTTP{inbox: newInbox(maxUnread)}
	var got []string
	var waited []bool
	for _, together := range [][]string{{"one", "two", "three"}, {"four"}, {"five", "six"}} {
		for _, data := range together {
			h.inbox.push([]byte(data), nil)
		}
		for range together {
			data := must.Get(h.Recv())(t)
			got, waited = append(got, string(data)), append(waited, h.Waited())
		}
	}
	if want := []string{"one", "two", "three", "four", "five", "six"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if want := []bool{true, false, false, true, true, false}; !slices.Equal(waited, want) {
		t.Errorf("got %v", waited)
	}
}

// The inbox is bounded so tightly that its buffers are kept: a flood does not allocate them
// again and again.
func TestInboxKeepsItsBuffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newInbox(maxUnread)
		go func() {
			for b.push(make([]byte, 200), nil) {
			}
		}()
		for range 3 {
			synctest.Wait() // the inbox is full
			if n := b.fresh.size(); n < maxUnread/2 || b.fresh.large() {
				t.Errorf("%d bytes wait, in buffers of %d and %d", n, cap(b.fresh.buf), markSize*cap(b.fresh.ends))
			}
			for range len(b.fresh.ends) {
				must.Get(b.take())(t)
			}
		}
		b.close()
	})
}
