package gateway

import (
	"testing"
	"time"
)

// However much each connection may hold, the total is bounded, and busy connections leave
// something to the others.
func TestTotalBuffer(t *testing.T) {
	t.Parallel()
	const total, message = 8 << 20, 64 << 10
	bubble(t, []string{"h1"}, func(t *testing.T, r *rig) {
		greedy := make([]*socketClient, 6)
		for i := range greedy {
			greedy[i] = r.socket()
			greedy[i].send(note) // and no one reads
		}
		most := int64(0)
		for deadline := time.Now().Add(patience); r.server.budget.used.Load() < total/2; {
			if time.Now().After(deadline) {
				t.Fatalf("only %d bytes wait", r.server.budget.used.Load())
			}
			time.Sleep(time.Millisecond)
		}
		other := r.connect()
		s := other.open("s")
		other.send("", note)
		want := padded("s", message)
		for range 400 {
			s.want(want)
			most = max(most, r.server.budget.used.Load())
		}
		if bound := int64(total + 7*(message+1000)); most > bound {
			t.Errorf("%d bytes waited, %d over the limit", most, most-bound)
		}
		for range 400 { // the agents of the others have waited
			greedy[0].want(want)
		}
		r.end()
		if left := r.server.budget.used.Load(); left != 0 {
			t.Errorf("%d bytes are still counted after the end", left)
		}
	}, flooding, func(o *Options) { o.Limits = Limits{Connections: 8, TotalBuffer: total} })
}

// The reserved share of a connection fits, whatever others use.
func TestBudget(t *testing.T) {
	t.Parallel()
	b := newBudget(800, 10) // 600 shared, and 10 for each connection in each direction
	one, two := &account{budget: b}, &account{budget: b}
	one.add(600)
	for _, c := range []struct {
		own, more int64
		want      bool
	}{{0, 10, true}, {0, 11, false}, {5, 5, true}, {5, 6, false}} {
		if got := two.fits(c.own, c.more); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
	one.release()
	one.add(-100) // written after release, which has returned it already
	if !two.fits(100, 500) || two.fits(100, 601) || b.used.Load() != 0 {
		t.Errorf("%d are used", b.used.Load())
	}
	var none *account
	if none.add(5); !none.fits(1<<60, 1) {
		t.Error("a nil account has a limit")
	}
}
