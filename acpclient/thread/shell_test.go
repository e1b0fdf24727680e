package thread

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
)

// A user's command appears where it was entered and does not split the agent's message.
func TestShell(t *testing.T) {
	th := New("s")
	at := time.Unix(100, 0)
	th.Apply(event.TurnStarted{Text: "go", At: at})
	th.Apply(event.TextArrived{Role: event.Agent, Text: "half a "})
	th.Apply(ShellAsked{Key: 7, Command: "go test", Dir: "/src", At: at})
	th.Apply(ShellAsked{Key: 8, Command: "ls"})
	if s := th.Shell(7); !s.Waiting() || !s.Live() || s.Dir != "/src" || th.State != Running {
		t.Errorf("%+v, %v", s, th.State)
	}
	if got := th.Apply(ShellStarted{Key: 7, Dir: "/src", At: at}); !slices.Equal(got, []int{2}) {
		t.Errorf("changed %v", got)
	}
	th.Apply(ShellOutput{Key: 7, Data: []byte("ok\n")})
	th.Apply(event.TextArrived{Role: event.Agent, Text: "sentence"})
	th.Apply(ShellOutput{Key: 7, Data: []byte("done\n"), Cut: true})
	code := 1
	th.Apply(ShellEnded{Key: 7, Code: &code, At: at.Add(time.Second)})
	th.Apply(ShellEnded{Key: 7, Stopped: true, At: at.Add(time.Hour)}) // too late
	s := th.Shell(7)
	if string(s.Terminal.Output) != "ok\ndone\n" || !s.Terminal.Gap || s.Live() || s.Stopped || *s.Terminal.Code != 1 || s.Ended.Sub(s.Started) != time.Second {
		t.Errorf("got %+v", s)
	}
	if got := string(th.Items[1].Text); got != "half a sentence" || len(th.Items) != 4 {
		t.Errorf("%q, %d items", got, len(th.Items))
	}
	for _, e := range []event.Event{ShellStarted{Key: 9}, ShellOutput{Key: 9}, ShellEnded{Key: 9}} {
		if got := th.Apply(e); len(got) != 0 {
			t.Errorf("%T of no command changed %v", e, got)
		}
	}
}

// Commands continue whatever happens to the agent, and their output is bounded.
func TestShellOutlivesConnection(t *testing.T) {
	th := New("s")
	th.Apply(ShellAsked{Key: 1, Command: "server"})
	th.Apply(ShellAsked{Key: 2, Command: "over"})
	th.Apply(ShellEnded{Key: 2})
	th.Apply(event.Disconnected{Err: event.ErrClosed})
	th.Attach("other", 0)
	if n := len(th.Items); n != 2 {
		t.Errorf("%d items: nothing was said that could be forgotten", n)
	}
	th.Apply(ShellOutput{Key: 1, Data: []byte(strings.Repeat("x", 3*maxTerminal))})
	if term := th.Shell(1).Terminal; len(term.Output) > 2*maxTerminal || term.Total != 3*maxTerminal {
		t.Errorf("%d bytes kept of %d", len(term.Output), term.Total)
	}
	rebuilt := New("s")
	rebuilt.CarryShells(th)
	if len(rebuilt.Items) != 1 || rebuilt.Shell(1) != th.Shell(1) {
		t.Errorf("carried %d", len(rebuilt.Items))
	}
}
