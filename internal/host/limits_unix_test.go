//go:build unix

package host

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/must"
	"parley/permissions"
	"parley/terminal"
)

// limited is a rig whose host starts commands as c says.
func limited(t *testing.T, c Commands, box ...*Sandbox) *rig {
	r := &rig{t: t, sink: newSink(), root: realDir(t), outside: realDir(t), keys: map[uint64]bool{}}
	policy := permissions.ApproveAll("test")
	opts := Options{Sink: r.sink, Agent: "test", Commands: c, Policy: policy}
	for _, b := range box {
		opts.Sandbox = b
	}
	r.host = New(opts)
	t.Cleanup(r.host.Close)
	r.services = r.host.Services()
	must.Do(t, r.services.Sessions.OpenSession(theSession, []string{r.root, r.outside}, false))
	return r
}

// The user ends one command; the agent sees a signal and keeps the terminal.
func TestKillTerminal(t *testing.T) {
	r := newRig(t)
	leader, child := r.sleeper()
	started := find(t, r.sink, "TerminalStarted", func(event.TerminalStarted) bool { return true })
	must.Do(t, errors.Join(r.host.KillTerminal(theSession, started.ID), r.host.KillTerminal(theSession, started.ID)))
	gone(t, leader)
	gone(t, child)
	status, err := r.services.Terminals.WaitForExit(t.Context(), wire.TerminalRef{SessionID: theSession, TerminalID: started.ID})
	if err != nil || status.Signal == nil || *status.Signal != "SIGTERM" {
		t.Errorf("%+v, %v", status, err)
	}
	for _, who := range [][2]string{{"other", started.ID}, {theSession, "x"}} {
		if err := r.host.KillTerminal(who[0], who[1]); err == nil {
			t.Errorf("%q: no error", who)
		}
	}
}

// An agent that exceeds a limit gets an error that names it, and the user is not asked.
func TestTooManyCommands(t *testing.T) {
	r := limited(t, Commands{})
	var err error
	for n := 0; err == nil && n < 100; n++ {
		err = r.create(wire.CreateTerminalRequest{Command: "sleep", Args: []string{"1000"}}).wait().err
	}
	var wired *jsonrpc.Error
	if !errors.As(err, &wired) || wired.Code != jsonrpc.CodeInternalError || !strings.Contains(wired.Message, "32 at a time are the most of a session") {
		t.Errorf("got %v", err)
	}
	before := count[permissions.Asked](r.sink)
	r.host.broker = permissions.NewBroker(func(e permissions.Event) { r.sink.Post(e) }, nil) // from now on the user is asked
	if o := r.create(wire.CreateTerminalRequest{Command: "true"}).wait(); o.err == nil || count[permissions.Asked](r.sink) != before {
		t.Errorf("%v, after %d questions", o.err, count[permissions.Asked](r.sink)-before)
	}
}

// A command starts with the configured environment and sandbox, or not at all.
func TestCommandsAreConfined(t *testing.T) {
	var bound []string
	r := limited(t, Commands{Environ: []string{"PATH=/usr/bin:/bin", "ONLY=this"}}, bounded("", func(cmd *exec.Cmd, roots []string) error {
		bound = roots
		if cmd.Args[0] == "false" {
			return errors.New("cannot be bound")
		}
		return nil
	}))
	o := r.create(wire.CreateTerminalRequest{Command: "env"}).wait()
	if o.err != nil {
		t.Fatal(o.err)
	}
	names := strings.Fields(r.finish(o.text))
	if !slices.Contains(names, "ONLY=this") || slices.ContainsFunc(names, func(v string) bool { return strings.HasPrefix(v, "HOME=") }) {
		t.Errorf("got %q", names)
	}
	if !slices.Equal(bound, []string{r.root, r.outside}) {
		t.Errorf("bound to %q", bound)
	}
	if o := r.create(wire.CreateTerminalRequest{Command: "false"}).wait(); o.err == nil || !strings.Contains(o.err.Error(), "cannot be bound") {
		t.Errorf("got %v", o.err)
	}
}

// A command that waits for input causes a notice that is safe to show.
func TestWaitingCommandIsANotice(t *testing.T) {
	r := newRig(t)
	id := terminal.Change{Session: theSession, ID: "t"}
	for _, c := range []terminal.Change{{Started: &terminal.Command{Command: "ssh", Args: []string{"a\x1b[2Jb"}}}, {Waiting: terminal.WaitPassword}, {Released: true}} {
		c.Session, c.ID = id.Session, id.ID
		r.host.terminalChanged(c)
	}
	n := find(t, r.sink, "notice", func(event.NoticeArrived) bool { return true })
	if n.Session != theSession || n.Severity != "warning" || n.Title != "A command waits for a password, which nobody can give it" ||
		!strings.HasPrefix(n.Description, "ssh ") || strings.Contains(n.Description, "\x1b") {
		t.Errorf("got %+v", n)
	}
	if len(r.host.commands) != 0 {
		t.Errorf("%v are kept", r.host.commands)
	}
}
