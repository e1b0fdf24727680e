package shell

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/layer"
)

// bench is the commands of a page, and what was told of them. The test says what becomes
// of a command.
type bench struct {
	*Commands
	told    []string
	stopped []string
}

func newBench() *bench {
	b := &bench{}
	b.Commands = New(&layer.Env{Now: func() time.Time { return time.Unix(1000, 0) }}, nil, func(e event.Event) {
		switch e := e.(type) {
		case thread.ShellAsked:
			b.told = append(b.told, fmt.Sprintf("asked %d %s in %s", e.Key, e.Command, e.Dir))
		case thread.ShellStarted:
			b.told = append(b.told, fmt.Sprintf("started %d in %s", e.Key, e.Dir))
		case thread.ShellOutput:
			b.told = append(b.told, fmt.Sprintf("%d says %s", e.Key, e.Data))
		case thread.ShellEnded:
			b.told = append(b.told, fmt.Sprintf("ended %d %v %v", e.Key, e.Stopped, e.Err))
		}
	})
	return b
}

// begins has the first command begin, ends has it end.
func (b *bench) begins(err error) {
	r := b.All()[0]
	if cmd := (startedMsg{r, func() { b.stopped = append(b.stopped, r.Line) }, err}).Handle(); cmd != nil && r.stopping {
		cmd()
	}
}

func (b *bench) ends() {
	r := b.All()[0]
	r.feed.put(Output{Ended: true})
	newsMsg{r}.Handle()
}

func (b *bench) wants(t *testing.T, want ...string) {
	t.Helper()
	if got := strings.Join(b.told, "|"); got != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, strings.Join(want, "|"))
	}
	b.told = nil
}

// Commands run one after another.
func TestCommandsInOrder(t *testing.T) {
	b := newBench()
	b.Add("one", "/w")
	b.Add("two", "/v")
	b.wants(t, "asked 1 one in /w", "started 1 in /w", "asked 2 two in /v")
	b.begins(nil)
	b.All()[0].feed.put(Output{Data: []byte("out")})
	newsMsg{b.All()[0]}.Handle()
	b.ends()
	b.wants(t, "1 says out", "ended 1 false <nil>", "started 2 in /v")
	b.begins(errors.New("no such directory"))
	b.wants(t, "ended 2 false no such directory")
	if b.Running() || b.Of(2) != nil {
		t.Error("something runs")
	}
}

// Stop ends the command that runs, and those that wait are never run. That counts for a
// command that is only being started, too.
func TestCommandsStopped(t *testing.T) {
	for _, early := range []bool{false, true} {
		b := newBench()
		b.Add("one", "/w")
		b.Add("two", "/w")
		b.told = nil
		if !early {
			b.begins(nil)
		}
		if cmd := b.Stop(); cmd != nil {
			cmd()
		}
		b.wants(t, "ended 2 true <nil>")
		if early {
			b.begins(nil)
		}
		b.ends()
		b.wants(t, "ended 1 true <nil>")
		if b.Running() || strings.Join(b.stopped, "|") != "one" {
			t.Errorf("runs %v, stopped %q", b.Running(), b.stopped)
		}
	}
}

// A waiting command can be stopped alone; one that has ended cannot.
func TestCommandStopped(t *testing.T) {
	b := newBench()
	b.Add("one", "/w")
	b.Add("two", "/w")
	b.told = nil
	two := b.Of(2)
	if _, ok := two.Stop(); !ok {
		t.Error("it is over")
	}
	b.wants(t, "ended 2 true <nil>")
	if _, ok := two.Stop(); ok || len(b.All()) != 1 {
		t.Error("it is not over")
	}
	if newBench().Stop() != nil {
		t.Error("something is done where nothing runs")
	}
}

// A command begins with the directory and the environment that the one before has left.
func TestCommandsKeep(t *testing.T) {
	b := newBench()
	leaves := func(dir string, env ...string) {
		r := b.All()[0]
		r.feed.put(Output{Ended: true, Dir: dir, Env: env})
		newsMsg{r}.Handle()
	}
	b.Add("cd /there", "/w")
	b.Add("two", "/w")
	b.told = nil
	leaves("/there", "A=1")
	b.wants(t, "ended 1 false <nil>", "started 2 in /there")
	leaves("") // it was stopped, and left nothing
	if b.Dir("/w") != "/there" || b.env[0] != "A=1" {
		t.Errorf("in %q with %q", b.Dir("/w"), b.env)
	}
	if got := b.Dir("/other"); got != "/other" {
		t.Errorf("the session has moved, and the next command runs in %q", got)
	}
	b.Add("three", "/w")
	b.begins(errors.New("no such directory"))
	if got := b.Dir("/w"); got != "/w" {
		t.Errorf("the directory is gone, and the next command runs in %q", got)
	}
}
