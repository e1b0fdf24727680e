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
	keepBytes  = 1 << 20         // buffers that grew beyond are dropped
	markBytes  = 64              // of memory for each message besides its text
	closeWait  = 3 * time.Second // for a disk that hangs
)

// Writer appends to one log. Its methods may be called from any goroutine.
type Writer struct {
	path string
	wake chan struct{} // holds one
	done chan struct{} // closed when the goroutine has ended
	max  int           // bytes the queue may hold

	mu      sync.Mutex
	queue   batch
	syncs   []chan struct{} // closed when what was in the queue is written
	meta    Meta
	renewed bool // meta is newer than what was handed to the goroutine
	closing bool
	deaf    bool // nothing more is taken: closed or broken
	err     error

	failed func(error) // may be nil
	log    log         // of the goroutine
}

// batch is messages that wait, end to end in one buffer.
type batch struct {
	bytes []byte
	marks []mark // each counts as markBytes of the queue
	lost  int    // messages dropped behind the last mark
}

type mark struct {
	at   time.Time
	dir  Direction
	n    uint64 // the ordinal of a received message
	size int
	lost int // messages dropped before this one
}

func (b *batch) reset() {
	if cap(b.bytes) > keepBytes || cap(b.marks) > keepBytes/markBytes {
		b.bytes, b.marks = nil, nil
	}
	b.bytes, b.marks, b.lost = b.bytes[:0], b.marks[:0], 0
}

// newWriter writes the head of a log and starts the goroutine for the rest, which
// owns out from then on.
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

// Path is the name of the file.
func (w *Writer) Path() string { return w.path }

// Message appends one message, of which it takes a copy; n is the ordinal of a
// received one among those of the connection, or 0. It waits for nothing but a
// lock that is never held during work of any length.
func (w *Writer) Message(dir Direction, n uint64, data []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.deaf {
		return
	}
	q := &w.queue
	// A message longer than the queue is taken when nothing else waits.
	if len(data) > maxLine || len(q.marks) > 0 && len(q.bytes)+len(data)+markBytes*(len(q.marks)+1) > w.max {
		q.lost++
		return
	}
	q.marks = append(q.marks, mark{time.Now(), dir, n, len(data), q.lost})
	q.bytes = append(q.bytes, data...)
	q.lost = 0
	w.rouse()
}

// Update changes the meta; several changes at once become one line. f runs under
// the lock of the Writer.
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
	w.rouse()
}

// Sync returns when everything that was handed in before is in the file, or never
// will be, as Err then tells. The error is that of the writing, or that of ctx.
func (w *Writer) Sync(ctx context.Context) error {
	written := make(chan struct{})
	w.mu.Lock()
	w.syncs = append(w.syncs, written)
	w.rouse()
	w.mu.Unlock()
	select {
	case <-written:
	case <-w.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return w.Err()
}

// Err is the error that ended the writing, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close writes what waits and closes the file, and removes one without a message;
// calling it again returns the same.
// A disk that hangs for seconds is left behind with ErrBusy.
func (w *Writer) Close() error {
	w.mu.Lock()
	w.closing, w.deaf = true, true
	w.rouse()
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

func (w *Writer) rouse() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run is the goroutine.
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
		err := w.log.write(&work, renewed)
		if err == nil && !closing {
			w.settle(false, nil)
			for _, s := range syncs {
				close(s)
			}
			continue
		}
		if err == nil {
			err = w.log.end()
		}
		err = errors.Join(err, w.log.out.Close())
		if w.log.blank && w.path != "" {
			err = errors.Join(err, os.Remove(w.path))
		}
		w.settle(true, err)
		return
	}
}

func (w *Writer) settle(deaf bool, err error) {
	w.mu.Lock()
	if deaf {
		w.deaf, w.queue = true, batch{}
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
