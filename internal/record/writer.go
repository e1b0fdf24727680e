package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	batchBytes = 256 << 10       // written at once
	keepBytes  = 1 << 20         // buffers that grew larger are dropped
	markBytes  = 64              // of memory for each message besides its text
	closeWait  = 3 * time.Second // for a disk that hangs
)

// Writer appends to one log. Its methods may be called from any goroutine.
type Writer struct {
	path string
	wake chan struct{} // holds one token
	done chan struct{} // closed when the goroutine has ended
	max  int           // most bytes in the queue

	mu      sync.Mutex
	queue   batch
	syncs   []chan struct{} // closed when the queue has been written
	meta    Meta
	renewed bool // meta is newer than the one passed to the goroutine
	closing bool
	stopped bool // accepts no more messages: closed or broken
	err     error

	failed func(error) // may be nil
	log    log         // used only by the goroutine
}

// batch is a queue of messages, end to end in one buffer.
type batch struct {
	bytes []byte
	marks []mark // each counts as markBytes of the queue
	lost  int    // messages dropped after the last mark
}

type mark struct {
	at   time.Time
	dir  Direction
	n    uint64 // number of a received message
	size int
	lost int // messages dropped before this one
}

func (b *batch) reset() {
	if cap(b.bytes) > keepBytes || cap(b.marks) > keepBytes/markBytes {
		b.bytes, b.marks = nil, nil
	}
	b.bytes, b.marks, b.lost = b.bytes[:0], b.marks[:0], 0
}

// newWriter writes the head of a log and starts the goroutine that writes the rest and owns
// out from then on.
func newWriter(out io.WriteCloser, m Meta, opts Options) (*Writer, error) {
	opts = opts.orDefault()
	w := &Writer{wake: make(chan struct{}, 1), done: make(chan struct{}), max: opts.QueueBytes, meta: m, failed: opts.Failed}
	w.log = log{out: out, max: opts.MaxBytes}
	if err := w.log.begin(m); err != nil {
		return nil, err
	}
	go w.run()
	return w, nil
}

// Path returns the name of the file.
func (w *Writer) Path() string { return w.path }

// Message appends a copy of one message; n is the number of a received one in the
// connection, or 0. It waits only for a lock that is held briefly.
func (w *Writer) Message(dir Direction, n uint64, data []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	q := &w.queue
	// A message longer than the queue is accepted if the queue is empty.
	if len(data) > maxLine || len(q.marks) > 0 && len(q.bytes)+len(data)+markBytes*(len(q.marks)+1) > w.max {
		q.lost++
		return
	}
	q.marks = append(q.marks, mark{time.Now(), dir, n, len(data), q.lost})
	q.bytes = append(q.bytes, data...)
	q.lost = 0
	w.signal()
}

// Update changes the meta; several changes at once become one line. f runs under the lock
// of the Writer.
func (w *Writer) Update(f func(*Meta)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closing || w.err != nil {
		return
	}
	m := w.meta
	m.Roots = append([]string(nil), m.Roots...)
	f(&m)
	w.meta, w.renewed = m, true
	w.signal()
}

// Sync waits until everything passed in before is in the file, or never will be. It returns
// the error of writing, or that of ctx.
func (w *Writer) Sync(ctx context.Context) error {
	written := make(chan struct{})
	w.mu.Lock()
	w.syncs = append(w.syncs, written)
	w.signal()
	w.mu.Unlock()
	select {
	case <-written:
	case <-w.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return w.Err()
}

// Err returns the error that ended the writing, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close writes the queue and closes the file, and removes one without a message. Calling it
// again returns the same result. If the disk hangs for seconds it gives up and returns
// ErrBusy.
func (w *Writer) Close() error {
	w.mu.Lock()
	w.closing, w.stopped = true, true
	w.signal()
	w.mu.Unlock()
	hung := time.NewTimer(closeWait)
	defer hung.Stop()
	select {
	case <-w.done:
		return w.Err()
	case <-hung.C:
		return ErrBusy
	}
}

func (w *Writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run writes batches until the Writer is closed.
func (w *Writer) run() {
	defer close(w.done)
	var work batch
	for {
		work.reset()
		w.mu.Lock()
		work, w.queue = w.queue, work
		meta, renewed, closing, syncs := w.meta, w.renewed, w.closing, w.syncs
		w.renewed, w.syncs = false, nil
		w.mu.Unlock()

		idle := len(work.marks) == 0 && work.lost == 0 && !renewed && len(syncs) == 0
		if idle && !closing {
			<-w.wake
			continue
		}
		if renewed {
			w.log.meta = meta
		}
		var err error
		if !idle {
			err = w.restore()
		}
		if err == nil {
			err = w.log.write(&work, renewed)
		}
		if err == nil && !closing {
			w.finishBatch(false, nil)
			for _, s := range syncs {
				close(s)
			}
			continue
		}
		if err == nil {
			err = w.log.end()
		}
		err = errors.Join(err, w.log.out.Close())
		if w.log.empty && w.path != "" {
			err = errors.Join(err, os.Remove(w.path))
		}
		w.finishBatch(true, err)
		return
	}
}

func (w *Writer) finishBatch(stop bool, err error) {
	w.mu.Lock()
	if stop {
		w.stopped, w.queue = true, batch{}
	}
	if err != nil {
		err = fmt.Errorf("write the log of a session: %w", err)
		w.err = err
	}
	tell := err != nil && !w.closing && w.failed != nil
	w.mu.Unlock()
	if tell {
		w.failed(err)
	}
}
