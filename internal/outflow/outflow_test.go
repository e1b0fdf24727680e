package outflow

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// Data leaves in order while nobody waits; WaitForRoom waits for it.
func TestWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		w := New(here, here, time.Minute, func(err error) { t.Errorf("failed: %v", err) })
		var want []byte
		for i := range 300 {
			part := bytes.Repeat([]byte{byte(i)}, 1000)
			if n, err := w.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
			want = append(want, part...)
		}
		if w.Pending() != len(want) {
			t.Errorf("%d bytes wait", w.Pending())
		}
		got := make([]byte, len(want))
		go func() {
			io.ReadFull(there, got[:270_000])
			time.Sleep(50 * time.Second)
			io.ReadFull(there, got[270_000:])
		}()
		if err := w.WaitForRoom(100_000); err != nil || w.Pending() > 100_000 || w.Pending() < 30_000 {
			t.Errorf("%v, %d bytes wait", err, w.Pending())
		}
		if err := w.WaitForRoom(0); err != nil || w.Pending() != 0 || !bytes.Equal(got, want) {
			t.Errorf("%v, %d bytes wait", err, w.Pending())
		}
	})
}

// Only a connection that accepts nothing for the whole time is given up.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer here.Close()
		failed := make(chan error, 1)
		w := New(here, here, time.Minute, func(err error) { failed <- err })
		w.Write(make([]byte, 10))
		for range 10 { // a byte every 50 seconds, of one piece
			time.Sleep(50 * time.Second)
			there.Read(make([]byte, 1))
		}
		if err := w.WaitForRoom(0); err != nil {
			t.Error(err)
		}
		w.Write(make([]byte, 10))
		began := time.Now()
		if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if err := w.WaitForRoom(0); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		if _, err := w.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
	})
}

// A confirmation of the peer counts even while the network accepts nothing.
func TestTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer here.Close()
		failed := make(chan error, 1)
		w := New(here, here, time.Minute, func(err error) { failed <- err })
		w.Write(make([]byte, 10))
		for range 5 {
			time.Sleep(50 * time.Second)
			w.Confirm()
		}
		there.Read(make([]byte, 10))
		if err := w.WaitForRoom(0); err != nil {
			t.Error(err)
		}
		w.Write(make([]byte, 10))
		w.Confirm()
		began := time.Now()
		if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) > time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// A stalled connection can be given a last moment for the rest.
func TestFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer here.Close()
		var w *Writer
		w = New(here, here, time.Minute, func(err error) {
			w.Write([]byte("bye"))
			w.Finish(time.Second)
		})
		w.Write([]byte("hello "))
		time.Sleep(time.Minute + time.Second/2)
		got := make([]byte, 9)
		if _, err := io.ReadFull(there, got); err != nil || string(got) != "hello bye" {
			t.Errorf("%q, %v", got, err)
		}
		w.Write([]byte("x"))
		if err := w.WaitForRoom(0); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
	})
}
