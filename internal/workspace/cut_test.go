package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
)

var (
	at   = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	lost = &event.LostError{URL: "wss://host/acp", Cause: errors.New("reset")}
)

func sent(text string) event.Event { return event.TurnStarted{Text: text, At: at, Request: 1} }
func said(role event.Role, text string) event.Event {
	return event.TextArrived{Role: role, Text: text}
}
func ended(err error) event.Event {
	return event.TurnEnded{StopReason: "end_turn", Err: err, At: at}
}

func threadOf(events ...event.Event) *thread.Thread {
	t := thread.New("s")
	for _, e := range events {
		t.Apply(e)
	}
	return t
}

// history returns a conversation as an agent replays it, from lines "user: …" and "agent: …".
func history(lines ...string) *thread.Thread {
	events := []event.Event{event.HistoryBegan{}}
	for _, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		role := event.Agent
		if who == "user" {
			role = event.User
		}
		events = append(events, said(role, text))
	}
	return threadOf(append(events, event.HistoryEnded{})...)
}

// marked marks a history and returns the resulting offers.
func marked(c *InterruptedTurn, t *thread.Thread) UnconfirmedPrompts {
	var o UnconfirmedPrompts
	o.Add(c)
	c.Mark(t, &o)
	return o
}

func sketch(t *thread.Thread) (lines []string) {
	for _, it := range t.Items {
		switch it.Kind {
		case thread.UserMessage:
			lines = append(lines, "user: "+string(it.Text))
		case thread.AgentMessage:
			lines = append(lines, "agent: "+string(it.Text))
		case thread.Notice:
			lines = append(lines, strings.TrimSuffix("note: "+string(it.Text)+" | "+it.Detail, " | "))
		}
	}
	return lines
}

// Mark adds what the agent does not know to its history: where the turn was interrupted, and a
// prompt that it may not have.
func TestMark(t *testing.T) {
	before := []event.Event{sent("first"), said(event.Agent, "done"), ended(nil)}
	told := []string{"user: first", "agent: done"}
	for name, c := range map[string]struct {
		turn    []event.Event // as parley saw it
		history []string      // what the agent replays after the first turn
		want    []string      // the end of the conversation
		missing string
	}{
		"never arrived":         {[]event.Event{sent("go"), ended(lost)}, nil, []string{"user: go", "note: " + unconfirmed}, "go"},
		"arrived, no answer":    {[]event.Event{sent("go"), ended(lost)}, []string{"user: go"}, []string{"user: go", "note: " + cutHere}, ""},
		"arrived, and answered": {[]event.Event{sent("go"), ended(lost)}, []string{"user: go", "agent: there"}, []string{"agent: there", "note: " + continued}, ""},
		"cut as it was":         {[]event.Event{sent("go"), said(event.Agent, "half an"), ended(lost)}, []string{"user: go", "agent: half an"}, []string{"agent: half an", "note: " + cutHere}, ""},
		"went on":               {[]event.Event{sent("go"), said(event.Agent, "half an"), ended(lost)}, []string{"user: go", "agent: half an answer"}, []string{"agent: half an answer", "note: " + continued}, ""},
		"has less":              {[]event.Event{sent("go"), said(event.Agent, "half an"), ended(lost)}, []string{"user: go", "agent: half"}, []string{"agent: half", "note: " + shorter + " | half an"}, ""},
		"has forgotten it":      {[]event.Event{sent("go"), said(event.Agent, "half an"), ended(lost)}, nil, []string{"user: go", "note: " + forgotten + " | half an"}, "go"},
		"the same words again":  {[]event.Event{sent("first"), ended(lost)}, nil, []string{"user: first", "note: " + unconfirmed}, "first"},
		"the same words twice":  {[]event.Event{sent("first"), ended(lost)}, []string{"user: first"}, []string{"user: first", "note: " + cutHere}, ""},
		"with more around it":   {[]event.Event{sent("go on"), ended(lost)}, []string{"user: <context/>\n go  on"}, []string{"user: <context/>\n go  on", "note: " + cutHere}, ""},
		"no part of a word":     {[]event.Event{sent("go"), ended(lost)}, []string{"user: ongo going"}, []string{"user: go", "note: " + unconfirmed}, "go"},
		"nothing was cut":       {[]event.Event{sent("go"), ended(nil), event.Disconnected{Err: lost}}, []string{"user: go"}, []string{"agent: done", "user: go"}, ""},
		"an error of the agent": {[]event.Event{sent("go"), ended(errors.New("no model")), event.Disconnected{Err: lost}}, []string{"user: go"}, []string{"agent: done", "user: go"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var cut InterruptedTurn
			cut.AddTurn(threadOf(append(slices.Clone(before), c.turn...)...), Prompt{Text: ""})
			now := history(append(slices.Clone(told), c.history...)...)
			missing := ""
			for _, p := range marked(&cut, now) {
				missing += p.Draft
			}
			got := sketch(now)
			if tail := got[max(0, len(got)-len(c.want)):]; !slices.Equal(tail, c.want) || missing != c.missing {
				t.Errorf("missing %q, page\n%s", missing, strings.Join(got, "\n"))
			}
		})
	}
}

// A dropped offer is not offered again after another loss.
func TestOffers(t *testing.T) {
	var cut InterruptedTurn
	cut.AddTurn(threadOf(sent("go"), said(event.Agent, "half"), ended(lost)), Prompt{Text: ""})
	var o UnconfirmedPrompts
	o.Add(&cut)
	if len(o) != 0 {
		t.Errorf("it has arrived: %+v", o)
	}
	cut.Mark(history(), &o)
	p, ok := o.Remove(true)
	if !ok || p.Reason() != "not in the agent's history" {
		t.Errorf("got %+v", p)
	}
	if cut.Mark(history(), &o); len(o) != 0 {
		t.Errorf("offered again: %+v", o)
	}
	for _, text := range []string{"one", "two", "one"} {
		cut.AddHeld(threadOf(), Prompt{Text: text})
	}
	o.Add(&cut)
	first, _ := o.Remove(false)
	last, _ := o.Remove(true)
	if _, more := o.Remove(true); first.Draft != "one" || last.Draft != "two" || more || last.Reason() != "may not have arrived" {
		t.Errorf("%+v, %+v, more: %v", first, last, more)
	}
}

// A second loss before any new prompt changes nothing.
func TestMarkAgain(t *testing.T) {
	var cut InterruptedTurn
	live := threadOf(sent("go"), ended(lost), event.Disconnected{Err: lost})
	cut.AddTurn(live, Prompt{Text: "go, as it was typed"})
	first := history()
	marked(&cut, first)
	first.Apply(event.Disconnected{Err: lost})
	cut.AddTurn(first, Prompt{Text: ""})
	again := history()
	missing := marked(&cut, again)
	if len(missing) != 1 || missing[0].Draft != "go, as it was typed" || !slices.Equal(sketch(again), []string{"user: go", "note: " + unconfirmed}) {
		t.Errorf("%+v, %q", missing, sketch(again))
	}
	// The prompt is sent and interrupted again: the copy that parley added does not count as
	// the agent's.
	first.Revive("")
	for _, e := range []event.Event{sent("go"), ended(lost)} {
		first.Apply(e)
	}
	cut = InterruptedTurn{}
	cut.AddTurn(first, Prompt{Text: ""})
	if missing := marked(&cut, history("user: go")); len(missing) != 0 {
		t.Errorf("got %+v", missing)
	}
}

// If nothing was said, no turn was interrupted.
func TestIdle(t *testing.T) {
	var cut InterruptedTurn
	cut.AddTurn(threadOf(event.Disconnected{Err: lost}), Prompt{Text: ""})
	now := history("user: go")
	if missing := marked(&cut, now); cut.Exists() || len(missing) > 0 || len(now.Items) != 1 {
		t.Errorf("%+v, %q", missing, sketch(now))
	}
}

// Prompts that an agent of version 2 held may not have arrived; the one that it worked on has.
func TestHeld(t *testing.T) {
	live := threadOf(event.TurnStarted{SeparatePrompts: true, At: at}, event.PromptHeld{Key: 1, Text: "one", At: at}, event.MessageReplaced{Role: event.User, MessageID: "u1", Text: "one"},
		event.PromptAccepted{Key: 1, MessageID: "u1"}, said(event.Agent, "half"), event.PromptHeld{Key: 2, Text: "two", At: at}, event.PromptFailed{Key: 2, Err: lost})
	var cut InterruptedTurn
	cut.AddHeld(live, Prompt{Text: "two"})
	live.Apply(ended(lost))
	cut.AddTurn(live, Prompt{Text: "two"})
	if cut.Prompts[0].Draft != "one" {
		t.Errorf("got %+v", cut.Prompts)
	}
	if got := cut.Unconfirmed(); len(got) != 1 || got[0].Draft != "two" {
		t.Errorf("got %+v", got)
	}
	now := history("user: one", "agent: half")
	if missing := marked(&cut, now); len(missing) != 1 || missing[0].Draft != "two" {
		t.Errorf("got %+v", missing)
	}
	if want := []string{"user: one", "agent: half", "note: " + cutHere, "user: two", "note: " + unconfirmed}; !slices.Equal(sketch(now), want) {
		t.Errorf("got %q", sketch(now))
	}
}

// Text of an earlier session does not count.
func TestOtherSession(t *testing.T) {
	live := threadOf(sent("go"), ended(nil))
	live.Attach("s2", 0)
	live.Apply(sent("go"))
	live.Apply(ended(lost))
	var cut InterruptedTurn
	cut.AddTurn(live, Prompt{Text: ""})
	if missing := marked(&cut, history("user: go")); len(missing) != 0 {
		t.Errorf("got %+v", missing)
	}
}

func TestOutcome(t *testing.T) {
	for want, errs := range map[outcome][]error{
		outcomeOpened: {nil},
		outcomeGone:   {&event.AgentError{Code: -32002}, &event.AgentError{Code: -32603}, fmt.Errorf("load: %w", &event.AgentError{Code: -32602}), acpclient.ErrUnsupported},
		outcomeLogin:  {&event.AgentError{Code: -32000}},
		outcomeLost:   {lost, fmt.Errorf("load: %w", event.ErrClosed)},
		outcomeFailed: {errors.New("no such directory")},
	} {
		for _, err := range errs {
			if got := outcomeOf(err); got != want {
				t.Errorf("%v: got %v, want %v", err, got, want)
			}
		}
	}
	for want, a := range map[reopenMethod]event.AgentInfo{reopenNone: {}, reopenByLoading: {LoadSession: true, Resume: true}, reopenByResuming: {Resume: true}} {
		if got := reopenMethodOf(a); got != want {
			t.Errorf("%+v: got %v", a, got)
		}
	}
}
