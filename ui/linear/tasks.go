package linear

import (
	"context"
	"sync"
	"time"

	"parley/internal/workspace"
)

// tasks are what runs on goroutines of its own while the chat waits, and when the chat is
// to look at everything again by itself.
type tasks struct {
	w       *workspace.Workspace
	hear    func(workspace.News)
	results chan func() // of what was done, to be called by the chat
	running sync.WaitGroup
	wake    *time.Timer
	due     time.Time // when wake goes off; zero: it does not
}

func newTasks(w *workspace.Workspace, hear func(workspace.News)) *tasks {
	return &tasks{w: w, hear: hear, results: make(chan func()), wake: time.NewTimer(time.Hour)}
}

// settle runs what the workspace wants done, and hears what has happened in it.
func (t *tasks) settle() {
	for {
		for _, task := range t.w.Tasks() {
			t.start(func() func() {
				r := task()
				return func() {
					for more := r != nil; more; {
						more = t.w.Done(r)
						t.settle()
					}
				}
			})
		}
		n, ok := t.w.TakeNews()
		if !ok {
			return
		}
		t.hear(n)
	}
}

// run has work done, and then what it returns here. It gives up when the workspace is
// closed.
func (t *tasks) run(work func(ctx context.Context) func()) {
	ctx := t.w.Context()
	t.start(func() func() { return work(ctx) })
}

func (t *tasks) start(work func() func()) {
	t.running.Go(func() { t.results <- work() })
}

// wakeAt has the chat look again, then or before.
func (t *tasks) wakeAt(at time.Time) {
	if t.due.IsZero() || at.Before(t.due) {
		t.due = at
	}
}

// arm sets the timer.
func (t *tasks) arm() {
	if t.due.IsZero() {
		t.wake.Stop()
	} else {
		t.wake.Reset(time.Until(t.due))
	}
}

// end closes the workspace, and waits for what is under way.
func (t *tasks) end() {
	over := make(chan struct{})
	go func() { t.w.Close(); t.running.Wait(); close(over) }()
	for {
		select {
		case <-t.results: // nothing more comes of it
		case <-over:
			return
		}
	}
}
