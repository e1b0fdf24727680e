package gateway

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// The order stays whatever is taken and put, and the count of waiting bytes returns to
// zero.
func TestMailboxOrder(t *testing.T) {
	t.Parallel()
	var buffered atomic.Int64
	m := newMailbox(1<<20, 1<<20, &buffered, nil)
	m.attach()
	put, next := 0, 0
	rnd := rand.New(rand.NewPCG(1, 2))
	for put < 10_000 || next < put {
		for range rnd.IntN(200) {
			if put < 10_000 {
				m.put(fmt.Append(nil, put), nil)
				put++
			}
		}
		batch, _ := m.peek(nil, rnd.IntN(300))
		if (len(batch) == 0) != (next == put) {
			t.Fatalf("%d messages of %d", len(batch), put-next)
		}
		for i, msg := range batch {
			if string(msg) != fmt.Sprint(next+i) {
				t.Fatalf("got %s, want %d", msg, next+i)
			}
		}
		taken := rnd.IntN(len(batch) + 1) // the rest was not written and is returned again
		m.ack(taken)
		next += taken
	}
	if buffered.Load() != 0 || m.size != 0 || !func() bool { m.detach(); return m.unused() }() {
		t.Errorf("%d and %d bytes are left", buffered.Load(), m.size)
	}
}

func TestMailboxBatches(t *testing.T) {
	t.Parallel()
	var buffered atomic.Int64
	m := newMailbox(1<<20, 1<<20, &buffered, nil)
	for _, size := range []int{10, 500, 20, 30} {
		m.put(make([]byte, size), nil)
	}
	var got []int
	for {
		batch, _ := m.peek(nil, 100)
		if len(batch) == 0 {
			break
		}
		got = append(got, len(batch))
		m.ack(len(batch))
	}
	if fmt.Sprint(got) != "[1 1 2]" { // the large one alone
		t.Errorf("got %v", got)
	}
}

// A put waits for a receiver, and for nothing else.
func TestMailboxWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var buffered atomic.Int64
		m := newMailbox(100, 100, &buffered, nil)
		msg := make([]byte, 30) // one fits, two do not
		if !m.put(msg, nil) || m.put(msg, nil) {
			t.Fatal("put succeeds without a receiver")
		}
		m.attach()
		stop := make(chan struct{})
		var ended atomic.Int32
		puts := func() { go func() { m.put(msg, stop); ended.Add(1) }() }
		check := func(what string, want int32) {
			t.Helper()
			synctest.Wait()
			if got := ended.Load(); got != want {
				t.Errorf("%s: %d have ended, want %d", what, got, want)
			}
		}
		puts()
		check("nothing was taken", 0)
		m.ack(1)
		check("one was taken", 1)
		puts()
		check("full again", 1)
		close(stop)
		check("the connection is over", 2)
		stop = make(chan struct{})
		left := make(chan bool, 1)
		go func() { left <- m.put(msg, stop) }()
		synctest.Wait()
		m.detach()
		if <-left {
			t.Error("put succeeds although the receiver has gone")
		}
		m.attach()
		go func() { left <- m.put(msg, stop) }()
		synctest.Wait()
		m.finish()
		if !<-left {
			t.Error("put reports an overflow after stop")
		}
	})
}
