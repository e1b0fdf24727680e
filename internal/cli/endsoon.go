package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"parley/internal/process"
)

// lastGrace is how long agents may take to end after the user has asked for it twice.
const lastGrace = time.Second

// EndSoon returns a function to be called when the user has asked twice to end: what parley has
// started and is still ending after lastGrace is killed, unless stop is called first.
func EndSoon() (soon func(), stop func() bool) {
	kill := time.AfterFunc(lastGrace, process.KillAll)
	kill.Stop()
	var once sync.Once
	return func() { once.Do(func() { kill.Reset(lastGrace) }) }, kill.Stop
}

// endSoonOnSecondSignal is EndSoon for a signal that follows the one that ended ctx. stop must be
// called.
func endSoonOnSecondSignal(ctx context.Context) (stop func()) {
	soon, cancel := EndSoon()
	over := make(chan struct{})
	second := secondSignal(ctx, over)
	go func() {
		select {
		case <-second:
			soon()
		case <-over:
		}
	}()
	return func() {
		close(over)
		cancel()
	}
}

// secondSignal returns a channel that is closed when another signal follows the one that ended ctx.
func secondSignal(ctx context.Context, over <-chan struct{}) <-chan struct{} {
	now := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-over:
			return
		}
		again := make(chan os.Signal, 1)
		signal.Notify(again, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer signal.Stop(again)
		select {
		case <-again:
			close(now)
		case <-over:
		}
	}()
	return now
}
