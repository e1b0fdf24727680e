package app

import (
	"context"
	"errors"
	"sync"
	"testing"

	"parley/internal/cli"
)

// held is a context that ends when the test says so. Whoever asks it waits.
type held struct {
	context.Context
	asked func()
	end   chan struct{}
}

func (c held) Err() error {
	c.asked()
	<-c.end
	return context.Canceled
}

func (c held) Done() <-chan struct{} {
	c.asked()
	<-c.end
	return c.end
}

// A chat that ends while work trees are made waits for them: git would leave half of one.
func TestLeaveWaitsForTrees(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	asked := make(chan struct{})
	ctx := held{context.Background(), sync.OnceFunc(func() { close(asked) }), make(chan struct{})}
	all, made := &trees{}, make(chan error)
	go func() {
		_, err := all.make(ctx, cli.Directories{Cwd: t.TempDir()}, []string{"fake", "other"})
		made <- err
	}()
	<-asked
	if all.mu.TryLock() {
		t.Error("the chat can end")
		all.mu.Unlock()
	}
	close(ctx.end)
	if err := <-made; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := all.leave(context.Background(), cli.Streams{}, nil); err != nil {
		t.Error(err)
	}
}
