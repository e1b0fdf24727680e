package transport

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	"parley/internal/must"
)

func TestPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		got := make(chan string)
		go func() {
			defer close(got)
			for {
				data, err := b.Recv()
				if err != nil {
					got <- err.Error()
					return
				}
				got <- string(data)
			}
		}()
		synctest.Wait() // the reader waits for the first message
		data := []byte("one")
		for _, word := range []string{"one", "two", "six"} {
			copy(data, word)
			must.Do(t, a.Send(Message{Data: data}))
		}
		a.Close()
		for _, want := range []string{"one", "two", "six", io.EOF.Error()} {
			if s := <-got; s != want {
				t.Fatalf("got %q, want %q", s, want)
			}
		}
		if err := a.Send(Message{}); !errors.Is(err, ErrClosed) {
			t.Errorf("Send on the closed end: %v", err)
		}
		if err := b.Send(Message{}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Send to the closed end: %v", err)
		}
		if _, err := a.Recv(); !errors.Is(err, ErrClosed) {
			t.Errorf("Recv on the closed end: %v", err)
		}
	})
}

func TestPipeCloseUnblocksBothReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		errs := [2]error{}
		for i, end := range []Conn{a, b} {
			go func() { _, errs[i] = end.Recv() }()
		}
		synctest.Wait()
		a.Close()
		a.Close()
		synctest.Wait()
		if !errors.Is(errs[0], ErrClosed) || errs[1] != io.EOF {
			t.Fatalf("got %v and %v", errs[0], errs[1])
		}
	})
}

// Case 30, the transport's part: nothing is lost, the order is kept, and the writer never
// blocks.
func TestPipeBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		const n = 50_000
		for i := range n {
			a.Send(Message{Data: fmt.Append(nil, i)})
		}
		a.Close()
		for i := range n {
			if data, err := b.Recv(); err != nil || string(data) != fmt.Sprint(i) {
				t.Fatalf("message %d: %q, %v", i, data, err)
			}
		}
		if _, err := b.Recv(); err != io.EOF {
			t.Fatal(err)
		}
	})
}
