//go:build unix

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// The signal that ends the context is the first. Another one closes the channel.
func TestASecondSignalHurries(t *testing.T) {
	caught := make(chan os.Signal, 100) // keep the test binary alive
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	now := secondSignal(ctx, over)
	syscall.Kill(os.Getpid(), syscall.SIGHUP)
	<-caught
	select {
	case <-now:
		t.Fatal("hurried by a signal before the end")
	default:
	}
	cancel()
	for deadline := time.After(patient); ; {
		syscall.Kill(os.Getpid(), syscall.SIGHUP) // repeat until it is listening
		select {
		case <-now:
			close(over)
			return
		case <-deadline:
			t.Fatal("not hurried")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
