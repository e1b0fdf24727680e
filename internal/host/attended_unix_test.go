//go:build unix

package host

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/must"
	"parley/internal/questions"
	"parley/permissions"
	"parley/terminal"
)

// withKeyboard is a rig whose front end can attach the user's keyboard.
func withKeyboard(t *testing.T, change func(*Options)) *rig {
	r := &rig{t: t, sink: newSink(), root: realDir(t), outside: realDir(t), keys: map[uint64]bool{}}
	opts := Options{Sink: r.sink, Agent: "test", Keyboard: true}
	if change != nil {
		change(&opts)
	}
	r.host = New(opts)
	t.Cleanup(r.host.Close)
	r.services = r.host.Services()
	must.Do(t, r.services.Sessions.OpenSession(theSession, []string{r.root}, false))
	return r
}

// onTTY prints whether the command has its own terminal.
var onTTY = wire.CreateTerminalRequest{Command: "sh", Args: []string{"-c", "if [ -t 0 ]; then echo tty; read -r x </dev/tty; echo got $x; else echo none; fi"}}

// A command that the user allows with the keyboard has a terminal; the settled event and the record say so.
func TestAllowedWithTheKeyboard(t *testing.T) {
	dir := t.TempDir()
	record := questions.NewRecord(dir, "run", nil, nil)
	r := withKeyboard(t, func(o *Options) { o.Record = record })
	g := r.create(onTTY)
	q := r.question()
	if !q.Attendable {
		t.Fatal("the keyboard is not offered")
	}
	for _, option := range []string{"session", "reject"} {
		if err := r.host.Broker().AnswerAttended(q.Key, option); !errors.Is(err, permissions.ErrNoAttend) {
			t.Errorf("%s: got %v", option, err)
		}
	}
	must.Do(t, r.host.Broker().AnswerAttended(q.Key, "once"))
	id := r.passes(g, "")
	started := find(t, r.sink, "start", func(e event.TerminalStarted) bool { return e.ID == id })
	settled := find(t, r.sink, "answer", func(e event.PermissionAnswered) bool { return e.Key == q.Key })
	if !started.Attended || settled.Decision != "Allow once, with the keyboard" || settled.By != "you" || !settled.Allowed {
		t.Errorf("%+v, %+v", started, settled)
	}
	a, err := r.host.Attach(theSession, id)
	if err != nil {
		t.Fatal(err)
	}
	find(t, r.sink, "output", func(e event.TerminalOutput) bool { return strings.Contains(string(e.Data), "tty") })
	io.WriteString(a, "this\r")
	if got := r.finish(id); !strings.HasPrefix(got, "tty\n") || !strings.HasSuffix(got, "got this\n") {
		t.Errorf("got %q", got)
	}
	r.host.Close()
	entries, err := questions.Read(dir, theSession, 10)
	if err != nil || len(entries) != 2 || !entries[0].Attended || entries[1].Attended || entries[1].Outcome != "started" {
		t.Errorf("%+v, %v", entries, err)
	}
}

// Only the user can give the keyboard, and only to a command that parley asks about.
func TestKeyboardIsTheUsersToGive(t *testing.T) {
	sure := func(q permissions.Question) (permissions.Answer, bool) {
		return permissions.Answer{OptionID: "once", By: "--approve-all", Attended: true}, true
	}
	for name, test := range map[string]struct {
		change func(*Options)
		answer string
		before func(r *rig)
	}{
		"a policy":           {func(o *Options) { o.Policy = sure }, "", nil},
		"a rule":             {nil, "", func(r *rig) { r.setRules("[[allow]]\ncommand = \"true\"\n") }},
		"the mode":           {nil, "", func(r *rig) { r.host.Broker().SetMode(theSession, permissions.AllMode) }},
		"the usual answer":   {nil, "once", nil},
		"for the session":    {nil, "session", nil},
		"without a keyboard": {func(o *Options) { o.Keyboard = false }, "once", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := withKeyboard(t, test.change)
			if test.before != nil {
				test.before(r)
			}
			req := onTTY
			if name == "a rule" { // no rule allows a shell
				req = wire.CreateTerminalRequest{Command: "true"}
			}
			g := r.create(req)
			if name == "without a keyboard" {
				q := r.question()
				delete(r.keys, q.Key)
				if err := r.host.Broker().AnswerAttended(q.Key, "once"); q.Attendable || !errors.Is(err, permissions.ErrNoAttend) {
					t.Errorf("%v, %v", q.Attendable, err)
				}
			}
			id := r.passes(g, test.answer)
			if got := r.finish(id); got != "none\n" && name != "a rule" {
				t.Errorf("got %q", got)
			}
			if find(t, r.sink, "start", func(e event.TerminalStarted) bool { return e.ID == id }).Attended {
				t.Error("it has the keyboard")
			}
		})
	}
	r := withKeyboard(t, nil)
	r.put(r.path("a"), "old")
	r.write(r.path("a"), "new")
	asked := ask(r.services, acpclient.Question{Session: theSession, Tool: tool("execute", "Run it", `{"command":"true"}`),
		Options: []wire.PermissionOption{{ID: "once", Name: "Yes", Kind: "allow_once"}}})
	for range 2 { // a write through parley, and a command that the agent runs itself
		q := r.question()
		if err := r.host.Broker().AnswerAttended(q.Key, "once"); q.Attendable || !errors.Is(err, permissions.ErrNoAttend) {
			t.Errorf("%s: %v, %v", q.Heading, q.Attendable, err)
		}
	}
	r.services.Permissions.CancelSession(theSession)
	asked.Wait(t.Context())
}

// A running command is taken over: the agent's wait continues, and returns the second exit.
func TestTakeOver(t *testing.T) {
	dir := t.TempDir()
	r := withKeyboard(t, func(o *Options) { o.Record = questions.NewRecord(dir, "run", nil, nil) })
	script := `if [ -t 0 ]; then echo again; read -r x; exit 3; fi; echo first; exec sleep 1000`
	id := r.passes(r.create(wire.CreateTerminalRequest{Command: "sh", Args: []string{"-c", script}}), "once")
	ref := wire.TerminalRef{SessionID: theSession, TerminalID: id}
	find(t, r.sink, "output", func(e event.TerminalOutput) bool { return strings.Contains(string(e.Data), "first") })
	if r.host.Attended(theSession, id) {
		t.Error("attended from the start")
	}
	must.Do(t, r.host.TakeOver(theSession, id))
	said := find(t, r.sink, "word of it", func(e event.PermissionAnswered) bool { return strings.HasPrefix(e.Decision, "Run again") })
	if said.Decision != "Run again, with the keyboard" || !said.Allowed || said.By != "you" || !strings.HasPrefix(said.Subject, "sh -c ") {
		t.Errorf("got %+v", said)
	}
	if err := r.host.TakeOver(theSession, id); err != nil || !r.host.Attended(theSession, id) {
		t.Errorf("again: %v", err)
	}
	a, err := r.host.Attach(theSession, id)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	io.WriteString(a, "go\r")
	status, err := r.services.Terminals.WaitForExit(t.Context(), ref)
	if err != nil || status.ExitCode == nil || *status.ExitCode != 3 {
		t.Errorf("%+v, %v", status, err)
	}
	if out, err := r.services.Terminals.Output(ref); err != nil || !strings.HasPrefix(out.Output, "first\n[the user has started this command again") || !strings.Contains(out.Output, "\nagain\n") {
		t.Errorf("%+v, %v", out, err)
	}
	for _, who := range [][2]string{{"other", id}, {theSession, "x"}} {
		if err := r.host.TakeOver(who[0], who[1]); !errors.Is(err, terminal.ErrUnknown) {
			t.Errorf("%q: got %v", who, err)
		}
		if _, err := r.host.Attach(who[0], who[1]); !errors.Is(err, terminal.ErrUnknown) {
			t.Errorf("%q: got %v", who, err)
		}
	}
	if n := count[event.PermissionAnswered](r.sink); n != 2 {
		t.Errorf("%d answers were reported", n)
	}
	r.host.Close()
	entries, _ := questions.Read(dir, theSession, 10)
	if len(entries) != 3 || entries[2].Outcome != "started again, with the user's keyboard" || entries[2].Key != entries[0].Key {
		t.Errorf("got %+v", entries)
	}
}

// Typed keys are in no event and no record.
func TestKeysAreKeptNowhere(t *testing.T) {
	dir := t.TempDir()
	r := withKeyboard(t, func(o *Options) { o.Record = questions.NewRecord(dir, "run", nil, nil) })
	script := `stty -echo; printf 'Password: '; read -r x; echo; echo "read ${#x}"`
	g := r.create(wire.CreateTerminalRequest{Command: "sh", Args: []string{"-c", script}})
	must.Do(t, r.host.Broker().AnswerAttended(r.question().Key, "once"))
	id := r.passes(g, "")
	find(t, r.sink, "prompt", func(e event.TerminalOutput) bool { return strings.Contains(string(e.Data), "Password: ") })
	a := must.Get(r.host.Attach(theSession, id))(t)
	defer a.Close()
	io.WriteString(a, "hush-4711\r")
	if got := r.finish(id); got != "Password: \nread 9\n" {
		t.Errorf("got %q", got)
	}
	r.host.Close()
	r.sink.mu.Lock()
	for _, e := range r.sink.events {
		if out, ok := e.(event.TerminalOutput); ok && strings.Contains(string(out.Data), "4711") {
			t.Errorf("the agent got output %q", out.Data)
		}
	}
	r.sink.mu.Unlock()
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range files {
		if text, _ := os.ReadFile(name); strings.Contains(string(text), "4711") {
			t.Errorf("%s has it", name)
		}
	}
	if len(files) == 0 {
		t.Error("there is no record")
	}
}

// The notice about a waiting command has its terminal, so that the front end can show how to take it over.
func TestWaitingCommandCanBeTakenOver(t *testing.T) {
	r := withKeyboard(t, nil)
	for _, c := range []terminal.Change{{Started: &terminal.Command{Command: "ssh", Args: []string{"a"}}}, {Waiting: terminal.WaitPassword}, {Released: true}} {
		c.Session, c.ID = theSession, "t"
		r.host.terminalChanged(c)
	}
	n := find(t, r.sink, "notice", func(event.NoticeArrived) bool { return true })
	if n.Title != "A command waits for a password" || n.Description != "ssh a" || n.Terminal != "t" {
		t.Errorf("got %+v", n)
	}
}
