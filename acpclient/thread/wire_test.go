package thread_test

import (
	"fmt"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// at returns the For of an event that these messages caused.
func at(first, last uint64) event.For {
	return event.For{Session: "s", Wire: event.Span{First: first, Last: last}}
}

func text(first, last uint64, role event.Role, id, s string) event.Event {
	return event.TextArrived{For: at(first, last), Role: role, MessageID: id, Text: s}
}

func card(n uint64, id, status string) event.Event {
	return event.ToolChanged{For: at(n, n), ID: id, Status: &status}
}

// Items know the messages that they are made of, and prompts their requests.
func TestWire(t *testing.T) {
	show := []event.ToolContent{{Terminal: "x"}}
	for _, c := range []struct {
		name   string
		events []event.Event
		want   string // spans and request of each item
	}{
		{"a turn", []event.Event{event.TurnStarted{For: in, Text: "p", Request: 7}, text(1, 1, event.Agent, "", "a"), text(2, 4, event.Agent, "", "b"), event.TurnEnded{For: at(5, 5)}},
			"[] 7, [{1 4}] 0, [{5 5}] 0"},
		{"others between", []event.Event{text(1, 1, event.Agent, "m", "a"), card(2, "t", "pending"), text(3, 3, event.Agent, "m", "b"), card(9, "t", "completed")}, "[{1 1} {3 3}] 0, [{2 2} {9 9}] 0"},
		{"unnumbered", []event.Event{agent("a"), text(2, 2, event.Agent, "", "b")}, "[{2 2}] 0"},
		{"a question", []event.Event{card(3, "t", "pending"), event.PermissionRequested{For: at(3, 3), Key: 1, ToolID: "t"}, event.PermissionRequested{For: at(4, 4), Key: 2},
			event.PermissionAnswered{For: in, Key: 2}, event.PermissionAnswered{For: in, Key: 1, ToolID: "t"}}, "[{3 3}] 0, [{4 4}] 0, [{3 3}] 0"},
		{"bystanders", []event.Event{prompt("p"), card(1, "t", "in_progress"), event.TurnEnded{For: at(2, 2), StopReason: "refusal"}}, "[] 0, [{1 1}] 0, [{2 2}] 0"},
		{"no echo after all", []event.Event{prompt("hello"), text(1, 1, event.User, "u", "hel"), text(2, 2, event.User, "u", "p")}, "[] 0, [{1 2}] 0"},
		{"an echo and more", []event.Event{prompt("hello"), text(1, 1, event.User, "u", "hello"), text(2, 2, event.User, "u", "more")}, "[] 0, [{2 2}] 0"},
		{"a terminal", []event.Event{event.ToolChanged{For: at(1, 1), ID: "t", Content: &show}, event.TerminalOutput{For: at(2, 2), ID: "x"}, event.TerminalExited{For: at(4, 4), ID: "x"}}, "[{1 2} {4 4}] 0"},
		{"notices", []event.Event{event.UnknownArrived{For: at(1, 1)}, event.CompactionChanged{For: at(2, 2), ID: "c"}, event.CompactionChanged{For: at(3, 3), ID: "c"}, event.LogGap{For: in, Missing: 3}}, "[{1 1}] 0, [{2 3}] 0, [] 0"},
		{"v2: held, then told", []event.Event{event.PromptHeld{For: in, Key: 1, Text: "p", Request: 7}, event.MessageReplaced{For: at(1, 1), Role: event.User, MessageID: "u", Text: "p"},
			event.PromptAccepted{For: at(2, 2), Key: 1, MessageID: "u"}}, "[{1 1}] 7"},
		{"v2: accepted, then told", []event.Event{event.PromptHeld{For: in, Key: 1, Text: "p", Request: 7}, event.PromptAccepted{For: at(1, 1), Key: 1, MessageID: "u"},
			event.MessageReplaced{For: at(2, 2), Role: event.User, MessageID: "u", Text: "p", Attachments: []event.Content{{URI: "x"}}}}, "[{1 2}] 7, [{2 2}] 0"},
		{"v2: it only looked like it", []event.Event{event.PromptHeld{For: in, Key: 1, Text: "p", Request: 7}, event.MessageReplaced{For: at(1, 1), Role: event.User, MessageID: "other", Text: "p"},
			event.PromptAccepted{For: at(2, 2), Key: 1, MessageID: "u"}}, "[{1 1}] 0, [{2 2}] 7"},
	} {
		th := thread.New("s")
		for _, e := range c.events {
			th.Apply(e)
		}
		got := ""
		for i, it := range th.Items {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%v %d", it.Wire, it.Request)
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// The spans of an item are bounded: the last one grows.
func TestWireIsBounded(t *testing.T) {
	th := thread.New("s")
	for n := uint64(1); n < 2000; n += 2 {
		th.Apply(text(n, n, event.Agent, "m", "x"))
	}
	it := th.Items[0]
	if len(it.Wire) != 256 || it.Wire[0] != (event.Span{First: 1, Last: 1}) || it.Wire[255] != (event.Span{First: 511, Last: 1999}) {
		t.Errorf("%d spans, %v to %v", len(it.Wire), it.Wire[0], it.Wire[len(it.Wire)-1])
	}
}
