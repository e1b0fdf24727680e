package linear

import (
	"context"
	"os"
	"sync"
	"time"

	"parley/internal/workspace"
)

// tasks runs work on other goroutines and tells when the chat must look at everything again.
type tasks struct {
	w         *workspace.Workspace
	onNews    func(workspace.News)
	results   chan func() // called on the chat's goroutine
	running   sync.WaitGroup
	nextCheck time.Time // when to look again; zero: no time is set
}

// process starts the workspace's tasks and handles its news until there is none.
func (t *tasks) process() {
	for {
		for _, task := range t.w.Tasks() {
			t.run(func(context.Context) func() {
				r := task()
				return func() {
					for more := r != nil; more; {
						more = t.w.Done(r)
						t.process()
					}
				}
			})
		}
		n, ok := t.w.TakeNews()
		if !ok {
			return
		}
		t.onNews(n)
	}
}

// run runs work in a goroutine and passes what it returns to results. ctx ends when the
// workspace is closed.
func (t *tasks) run(work func(ctx context.Context) func()) {
	ctx := t.w.Context()
	t.running.Go(func() { t.results <- work(ctx) })
}

// wakeAt makes the chat look again at that time or earlier.
func (t *tasks) wakeAt(at time.Time) {
	if t.nextCheck.IsZero() || at.Before(t.nextCheck) {
		t.nextCheck = at
	}
}

// wake returns a channel that receives when it is time to look again.
func (t *tasks) wake() <-chan time.Time {
	if t.nextCheck.IsZero() {
		return nil
	}
	return time.After(time.Until(t.nextCheck))
}

// end closes the workspace and waits for running work. An interrupt calls soon.
func (t *tasks) end(interrupts <-chan os.Signal, soon func()) {
	over := make(chan struct{})
	go func() { t.w.Close(); t.running.Wait(); close(over) }()
	for {
		select {
		case <-t.results: // too late: ignored
		case <-interrupts:
			soon()
		case <-over:
			return
		}
	}
}
