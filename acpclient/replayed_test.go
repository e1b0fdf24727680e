package acpclient_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/acpclient/acptest"
	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// shown is the visible state of a thread, with the messages it is made of. It leaves out
// what is not in the messages:
//
//   - who decided a question (PermissionAnswered.By), and so who allowed a call
//     (Tool.Trust);
//   - what parley wrote to files (Thread.Added, Removed);
//   - terminals that parley runs: the services of a script report nothing about them,
//     and a replay only what the agent asked for. See TestReplayedTerminals.
func shown(t *thread.Thread) []string {
	out := []string{fmt.Sprintf("%s %q %v %v %q %v %v %v turn %d background %v", t.State, t.Title, t.Plans, t.Commands, t.Mode, t.Modes, t.Config,
		t.Usage.Used, t.Turn, t.Background)}
	for _, h := range t.Held {
		out = append(out, fmt.Sprintf("held %q %v request %d", h.Text, h.At, h.Request))
	}
	for _, it := range t.Items {
		out = append(out, shownItem(t, it))
	}
	// Simultaneous decisions have no order: each has its own goroutine.
	decided := func(line string) bool { return strings.Contains(line, " settled ") }
	for i := 0; i < len(out); i++ {
		end := i
		for end < len(out) && decided(out[end]) {
			end++
		}
		slices.Sort(out[i:end])
		i = max(i, end-1)
	}
	return out
}

func shownItem(t *thread.Thread, it *thread.Item) string {
	var b strings.Builder
	fmt.Fprintf(&b, "turn %d kind %d %q %q %v %v excluded %v detail %q wire %v request %d", it.Turn, it.Kind, it.MessageID, it.Text,
		it.At, it.Until, it.Excluded, it.Detail, it.Wire, it.Request)
	if it.Attachment != nil {
		fmt.Fprintf(&b, " attachment %+v", *it.Attachment)
	}
	if s := it.Answer; s != nil {
		fmt.Fprintf(&b, " settled %q %q %q %v", s.ToolID, s.Subject, s.Decision, s.Allowed)
	}
	if it.End != nil {
		fmt.Fprintf(&b, " end %q %v %v", it.End.StopReason, it.End.Err, it.End.Duration)
	}
	if it.Tool != nil {
		tool := *it.Tool
		tool.Content, tool.Trust, tool.Answer = nil, thread.Harmless, nil // the answer is an item, too
		fmt.Fprintf(&b, " tool %+v", tool)
		for _, c := range it.Tool.Content {
			switch {
			case c.Diff != nil:
				d := *c.Diff
				d.Context = nil // it depends on the file as it is now
				fmt.Fprintf(&b, " diff %+v", d)
			case c.Content != nil:
				fmt.Fprintf(&b, " content %+v", *c.Content)
			case c.Changes != nil:
				fmt.Fprintf(&b, " changes %+v", *c.Changes)
			default:
				fmt.Fprintf(&b, " terminal %q", c.Terminal)
				if term := t.TerminalOf(it, c.Terminal); term != nil && term.Foreign {
					fmt.Fprintf(&b, " %q %v %v %q", term.Output, term.Exited, term.Code != nil, term.Signal)
				}
			}
		}
	}
	return b.String()
}

// eventList is a Sink.
type eventList []event.Event

func (l *eventList) Post(e event.Event) { *l = append(*l, e) }

// threadOf returns the thread of one session, with those of its sub-agents.
func threadOf(session string, events []event.Event) *thread.Thread {
	th := thread.New(session)
	for _, e := range events {
		if id := e.EventSession(); id == session || th.Subagent(id) != nil {
			th.Apply(e)
		}
	}
	return th
}

// checkReplay replays what a tap has seen of a session and compares the result with the
// live thread. over is the reason if the connection has ended. Nothing may be open at
// the end.
func checkReplay(t *testing.T, session string, protocol int, live *thread.Thread, over error, tapped []acptest.Tapped) {
	t.Helper()
	var events eventList
	r := acpclient.NewReplay(session, protocol, &events)
	for _, m := range tapped {
		r.Message(m.At, m.Out, m.N, m.Data)
	}
	if over != nil {
		r.End()
	}
	replayed := shown(threadOf(session, events))
	for i := range replayed {
		if over != nil { // the messages do not have the reason
			replayed[i] = strings.ReplaceAll(replayed[i], acpclient.ErrLogEnds.Error(), over.Error())
		}
	}
	if d := cmp.Diff(shown(live), replayed); d != "" {
		t.Errorf("session %s: replayed (+) differs from live (-):\n%s", session, d)
	}
	if over == nil {
		r.End()
	}
	th := threadOf(session, events)
	if th.State != thread.Idle || len(th.Held) > 0 {
		t.Errorf("session %s is %v after the end of the log, held %v", session, th.State, th.Held)
	}
	for _, e := range events {
		if id := e.EventSession(); id != session && th.Subagent(id) == nil {
			t.Errorf("an event of the session %q: %#v", e.EventSession(), e)
		}
	}
}

// unknowable are scripts whose end is not in the messages.
var unknowable = map[string]string{
	"case79_closed_without_the_capability": "a session is closed without a word to the agent, and what still comes for it is dropped",
}

// The replay of a tap has the same result as the live connection.
func TestReplayOfScripts(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			if why := unknowable[name]; why != "" {
				t.Skip(why)
			}
			r := acptest.Run(t, acptest.Read(t, path))
			var sessions, subagents []string
			var over error
			for _, e := range r.Events {
				if e, ok := e.(event.SubagentChanged); ok {
					subagents = append(subagents, e.ID)
				}
				if e, ok := e.(event.Disconnected); ok {
					over = e.Err
				}
				if id := e.EventSession(); id != "" && !slices.Contains(append(sessions, subagents...), id) {
					sessions = append(sessions, id)
				}
			}
			for _, id := range sessions {
				checkReplay(t, id, 1, threadOf(id, r.Events), over, r.Tapped)
			}
		})
	}
}
