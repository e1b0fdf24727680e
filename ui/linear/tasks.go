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
	due     time.Time // when to look again; zero: when something happens
}

// settle runs what the workspace wants done, and hears what has happened in it.
func (t *tasks) settle() {
	for {
		for _, task := range t.w.Tasks() {
			t.run(func(context.Context) func() {
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
	t.running.Go(func() { t.results <- work(ctx) })
}

// wakeAt has the chat look again, then or before.
func (t *tasks) wakeAt(at time.Time) {
	if t.due.IsZero() || at.Before(t.due) {
		t.due = at
	}
}

// wake yields when it is time to look again.
func (t *tasks) wake() <-chan time.Time {
	if t.due.IsZero() {
		return nil
	}
	return time.After(time.Until(t.due))
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
