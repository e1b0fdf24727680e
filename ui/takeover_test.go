package ui

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
	"parley/permissions"
)

// lent records what a test lent the terminal to.
type lent struct {
	line string
	over chan error
}

func (*lent) SetStdin(io.Reader)  {}
func (*lent) SetStdout(io.Writer) {}
func (*lent) SetStderr(io.Writer) {}
func (l *lent) Run() error        { return <-l.over }

// lender is a machine that lends the user's keyboard.
type lender struct {
	workspace.Machine
	d        *driver
	attached []*lent
	taken    []string
	attended bool
	fails    error
}

func lends(d *driver) *lender {
	conn := d.m.Front.Agent.ConnForTest()
	l := &lender{Machine: conn.Machine, d: d}
	conn.Machine = l
	return l
}

func (l *lender) KillTerminal(string, string) error { return nil }
func (l *lender) Attended(string, string) bool      { return l.attended }

func (l *lender) TakeOver(_, id string) error {
	l.taken = append(l.taken, id)
	l.attended = l.fails == nil
	return l.fails
}

func (l *lender) Attach(_, _, line string) workspace.Command {
	a := &lent{line: line, over: make(chan error, 1)}
	l.attached = append(l.attached, a)
	return a
}

// commandAsked opens the chat with a question by parley about a command.
func commandAsked(t *testing.T, change func(*permissions.Question), f func(d *driver, l *lender, p *permissions.Pending)) {
	t.Helper()
	drive(t, nil, func(d *driver) {
		d.connected()
		l := lends(d)
		q := permissions.Question{Session: "s1", Origin: permissions.FromParley, Kind: "execute", Heading: "Run a command in /src", Attendable: true,
			Body:    []permissions.Part{{Kind: permissions.Command, Text: "sudo make install"}},
			Options: []permissions.Option{{ID: "once", Name: "Allow once", Kind: permissions.AllowOnce}, {ID: "reject", Name: "Reject", Kind: permissions.RejectOnce}}}
		if change != nil {
			change(&q)
		}
		p := d.m.Front.Agent.ConnForTest().Broker.Ask(q)
		d.wait(50 * time.Millisecond)
		f(d, l, p)
	})
}

// decided returns the answer to a question, if there is one yet.
func decided(d *driver, p *permissions.Pending) (permissions.Answer, bool) {
	done := make(chan permissions.Answer, 1)
	go func() { done <- p.Wait(d.t.Context()) }()
	d.wait(20 * time.Millisecond)
	select {
	case a := <-done:
		return a, true
	default:
		return permissions.Answer{}, false
	}
}

// t runs the command here. Like every answer, it does not accept type-ahead and works only
// after the whole question was shown.
func TestKeyboardInAQuestion(t *testing.T) {
	commandAsked(t, nil, func(d *driver, l *lender, p *permissions.Pending) {
		d.press("t") // too early
		d.sees("Too soon after another key: press t again")
		d.types("other") // the rest is a draft
		d.rest()
		d.press("t")
		d.draft("othert")
		if _, ok := decided(d, p); ok {
			t.Fatal("answered by what was typed ahead")
		}
		d.sees("t Run it here with my keyboard")
		d.press("ctrl+u", "alt+a", "t") // too soon after the last key
		if _, ok := decided(d, p); ok {
			t.Fatal("answered at once")
		}
		d.rest()
		d.press("t")
		if a, ok := decided(d, p); !ok || !a.Attended || a.OptionID != "once" || a.By != "you" {
			t.Errorf("got %+v", a)
		}
		d.misses("parley asks")
		d.m.Front.Agent.Post(event.TerminalStarted{For: event.For{Session: "s1"}, ID: "t1", Command: "sudo make install", Attended: true})
		d.wait(50 * time.Millisecond)
		if len(l.attached) != 1 || l.attached[0].line != "sudo make install" {
			t.Fatalf("attached %v", l.attached)
		}
		l.attached[0].over <- nil
		d.wait(20 * time.Millisecond)
		d.sees("Back in parley; the command has ended", "Ask the agent")
		d.types("secret\n") // the rest of what was typed for the command
		d.draft("")
		d.wait(500 * time.Millisecond)
		d.types("s") // still part of that typing
		d.draft("")
		d.rest()
		d.types("mine")
		d.draft("mine")
	})
	commandAsked(t, nil, func(d *driver, l *lender, p *permissions.Pending) {
		d.rest()
		d.press("j", "t") // possibly the beginning of a word
		d.sees("Too soon after another key")
		if _, ok := decided(d, p); ok {
			t.Fatal("answered by a word")
		}
		d.rest()
		d.press("t")
		if a, ok := decided(d, p); !ok || !a.Attended {
			t.Errorf("got %+v", a)
		}
	})
	commandAsked(t, func(q *permissions.Question) {
		q.Body = append(q.Body, permissions.Part{Kind: permissions.Text, Text: strings.Repeat("line\n", 60)})
	}, func(d *driver, l *lender, p *permissions.Pending) {
		d.rest()
		d.press("alt+a")
		d.rest()
		d.press("t")
		d.sees("Read to the end first", "(off)")
		if _, ok := decided(d, p); ok {
			t.Fatal("answered unread")
		}
	})
	commandAsked(t, func(q *permissions.Question) { q.Attendable = false }, func(d *driver, l *lender, p *permissions.Pending) {
		d.rest()
		d.misses("with my keyboard")
		d.press("alt+a")
		d.rest()
		d.press("t")
		d.sees("This command is run by the agent; it cannot take your keyboard")
		if _, ok := decided(d, p); ok {
			t.Fatal("answered")
		}
	})
}

// A command is taken over from the list of running work. parley asks first only if the command
// must be restarted, not if it only needs to be attached.
func TestTakeOverFromTheList(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Agent.Update("s1", `{"sessionUpdate":"tool_call","toolCallId":"own","title":"Install","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"t1"}]}`)
			t.Agent.Update("s1", `{"sessionUpdate":"tool_call","toolCallId":"a","title":"Look around","kind":"search","status":"in_progress"}`)
			t.Agent.Update("s1", `{"sessionUpdate":"tool_call","toolCallId":"b","title":"Build","kind":"execute","status":"in_progress"}`)
			t.Wait(time.Hour)
			return "cancelled"
		})
	}, func(d *driver) {
		d.connected()
		l := lends(d)
		d.types("go\n")
		d.soon()
		post := d.m.Front.Agent.Post
		in := event.For{Session: "s1"}
		post(event.TerminalStarted{For: in, ID: "t1", Command: "sudo make install"})
		post(event.NoticeArrived{For: in, Severity: "warning", Title: "A command waits for a password", Description: "sudo make install", Terminal: "t1"})
		d.soon()
		d.sees("A command waits for a password (f3, ctrl+r to take over): sudo")
		d.press("f3")
		d.sees("Install", "ctrl+r take over", "ctrl+r take over")
		d.types("look")
		d.press("ctrl+r", "ctrl+r")
		d.sees("This cannot take your keyboard")
		d.press("esc")
		d.types("build")
		d.press("ctrl+r")
		d.sees("This command is run by the agent; it cannot take your keyboard")
		d.press("esc")
		d.types("inst")
		d.press("ctrl+r")
		d.sees("It is stopped and run again from the start with your keyboard")
		if len(l.taken) != 0 {
			t.Fatal("taken over without the second key")
		}
		d.press("down", "ctrl+r") // another key in between
		if len(l.taken) != 0 {
			t.Fatal("taken over without the second key")
		}
		l.fails = errors.New("no pseudo terminal")
		d.press("ctrl+r")
		d.soon()
		d.sees("No pseudo terminal")
		l.fails = nil
		d.press("f3")
		d.types("inst")
		d.press("ctrl+r", "ctrl+r")
		d.soon()
		if len(l.taken) != 2 || l.taken[1] != "t1" || len(l.attached) != 1 {
			t.Fatalf("taken %q, attached %d", l.taken, len(l.attached))
		}
		l.attached[0].over <- workspace.ErrTakenBack
		d.soon()
		d.sees("Back in parley; the command continues (f3, ctrl+r to take over)")
		d.misses("Running")
		d.types("x") // nothing is dropped: the user has stopped typing
		d.draft("x")
		d.press("backspace", "f3")
		d.types("inst")
		d.press("ctrl+r") // it is attended now
		d.soon()
		if len(l.taken) != 2 || len(l.attached) != 2 {
			t.Fatalf("taken %q, attached %d", l.taken, len(l.attached))
		}
		l.attached[1].over <- errors.New("write to the terminal: gone")
		d.soon()
		d.sees("Write to the terminal: gone")
		post(event.TerminalExited{For: in, ID: "t1"})
		d.soon()
		d.press("f3")
		d.types("inst")
		d.press("ctrl+r", "ctrl+r")
		d.soon()
		d.sees("This command has ended")
	})
}
