package fsops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestReserveKeepsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		var mu sync.Mutex
		var order []int
		var tickets []*Ticket
		for range 50 {
			tickets = append(tickets, s.Reserve("s", "/p/f"))
		}
		// The later the ticket, the earlier its goroutine gets to wait.
		for i, ticket := range slices.Backward(tickets) {
			go func() {
				defer ticket.Done()
				if err := ticket.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Second) // give others time to overtake
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
			}()
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(order) != 50 || !slices.IsSorted(order) {
			t.Errorf("order %v", order)
		}
		if len(s.queues) != 0 {
			t.Errorf("%d queues left", len(s.queues))
		}
	})
}

func TestReserveOtherPathsDoNotWait(t *testing.T) {
	s := New(Options{})
	held := s.Reserve("s", "/p/f")
	defer held.Done()
	for _, other := range []*Ticket{s.Reserve("s", "/p/g"), s.Reserve("t", "/p/f")} {
		if err := other.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		other.Done()
	}
	// The same path in other words.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	same := s.Reserve("s", "/p/./x/../f")
	wantErr(t, same.Wait(ctx), context.Canceled)
}

func TestReserveAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		why := errors.New("turn cancelled")
		ctx, cancel := context.WithCancelCause(t.Context())
		first, second, third := s.Reserve("s", "/f"), s.Reserve("s", "/f"), s.Reserve("s", "/f")
		var gaveUp error
		passed := false
		go func() { gaveUp = second.Wait(ctx) }()
		go func() {
			if third.Wait(t.Context()) == nil {
				passed = true
				third.Done()
			}
		}()
		cancel(why)
		synctest.Wait()
		if !errors.Is(gaveUp, why) {
			t.Errorf("abandoned: %v", gaveUp)
		}
		if passed {
			t.Error("the third passed the first")
		}
		second.Done()
		first.Done()
		first.Done()
		synctest.Wait()
		if !passed {
			t.Error("an abandoned ticket holds up the next")
		}
	})
}

// With tickets, the last write in wire order is the one that stays.
func TestReserveOrdersWrites(t *testing.T) {
	tr := newTree(t, Options{})
	file := tr.in("f")
	var wg sync.WaitGroup
	for i := range 40 {
		ticket := tr.Reserve("s", file)
		wg.Go(func() {
			defer ticket.Done()
			if err := ticket.Wait(t.Context()); err != nil {
				t.Error(err)
				return
			}
			got, err := tr.Write("s", file, fmt.Sprint(i), false)
			if want := fmt.Sprint(i - 1); err != nil || i > 0 && got.Old != want {
				t.Errorf("write %d found %q, %v", i, got.Old, err)
			}
		})
	}
	wg.Wait()
	tr.wantFile(file, "39")
}
