// Package threadtest makes conversations for tests. It turns any bytes into a sequence
// of events such as the engine posts, so that a fuzzer can look for sequences that break
// something. The same bytes always make the same events.
package threadtest

import (
	"errors"
	"strings"
	"time"

	"parley/acpclient/event"
)

// Start is the time of the first event; each event comes Step after the one before.
var Start = time.Date(2026, 3, 1, 10, 42, 0, 0, time.UTC)

// Step is the time between two events.
const Step = 700 * time.Millisecond

// texts are the texts of messages: pieces that mean something at the border of two
// chunks, and characters that are hard to lay out.
var texts = []string{"word ", "hel", "lo", "hello", "\n", "\n\n", "# head\n", "- item\n", "```go\n", "x := 1\n", "```\n", "| a | b |\n|---|---|\n",
	"*emph", "** ", "日本語", "👩‍👩‍👧", "e\u0301", "\t", "a very long word-" + strings.Repeat("x", 90), "   ", "> quote\n", "1. one\n", "~~~\n", "\ufffd", "---\n"}

var outputs = []string{"line\n", "no end", "\r50%", "\x1b[31mred\x1b[0m\n", "\x1b[2J", "\x1b[A", "\x1b]0;t\a", "\x1b]52;c;aGk=\a", "wide 漢字\n", "\b\b", "\x1b[?1049h", strings.Repeat("z", 300)}

var (
	ids      = []string{"", "1", "2", "3"}
	statuses = []string{"pending", "in_progress", "completed", "failed", "frozen"}
	kinds    = []string{"read", "edit", "execute", "search", "other", "novel"}
	stops    = []string{"end_turn", "cancelled", "refusal", "max_tokens", "max_turn_requests", "bored", ""}
	raws     = []string{"", "{}", `{"command":"ls -l"}`, `{"path":"/w/a","n":[1,2]}`, `"text\nof two lines"`, `{"stdout":"out\n"}`, "{broken"}
)

// reader takes choices from bytes, and zeros when there are no more.
type reader struct {
	data []byte
	now  time.Time
	key  uint64
}

func (r *reader) pick(n int) int {
	if len(r.data) == 0 {
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return int(b) % n
}

func (r *reader) of(s []string) string { return s[r.pick(len(s))] }

func (r *reader) maybe(s []string) *string {
	if r.pick(2) == 0 {
		return nil
	}
	v := r.of(s)
	return &v
}

// Events turns bytes into at most 150 events of the session "s".
func Events(data []byte) []event.Event {
	r := &reader{data: data, now: Start}
	var out []event.Event
	for len(r.data) > 0 && len(out) < 150 {
		r.now = r.now.Add(Step)
		out = append(out, r.event())
	}
	return out
}

func (r *reader) event() event.Event {
	s := event.For{Session: "s"}
	switch r.pick(16) {
	case 0, 1, 2, 3, 4:
		return r.text(s)
	case 5, 6, 7:
		return r.tool(s)
	case 8:
		return event.TerminalOutput{For: s, ID: r.of(ids), Data: []byte(r.of(outputs))}
	case 9:
		return r.terminal(s)
	case 10:
		return event.TurnStarted{For: s, Text: r.of(texts) + r.of(texts), At: r.now}
	case 11:
		return r.turn(s)
	case 12:
		return r.question(s)
	case 13:
		return event.ContentArrived{For: s, Role: event.Role(r.pick(3)), MessageID: r.of(ids),
			Content: event.Content{Kind: event.ContentKind(r.pick(6)), Text: r.of(texts), Name: r.of(ids), URI: "file:///w/a", MimeType: "image/png", Bytes: r.pick(256) * 4000}}
	}
	return r.rare(s)
}

func (r *reader) text(s event.For) event.Event {
	e := event.TextArrived{For: s, Role: event.Role(r.pick(3)), MessageID: r.of(ids), Text: r.of(texts)}
	if e.Role == event.Thought && r.pick(8) > 0 {
		e.At = r.now
	}
	return e
}

func (r *reader) tool(s event.For) event.Event {
	e := event.ToolChanged{For: s, ID: r.of(ids), Title: r.maybe(texts), Name: r.maybe(kinds), Kind: r.maybe(kinds), Status: r.maybe(statuses),
		RawInput: r.maybe(raws), RawOutput: r.maybe(raws), At: r.now}
	if n := r.pick(5); n > 0 {
		var items []event.ToolContent
		for range n - 1 {
			items = append(items, r.content())
		}
		e.Content = &items
	}
	if n := r.pick(3); n > 0 {
		e.Locations = &[]event.Location{{Path: "/w/" + r.of(kinds), Line: n - 1}}
	}
	return e
}

func (r *reader) content() event.ToolContent {
	switch r.pick(4) {
	case 0:
		return event.ToolContent{Terminal: ids[1+r.pick(3)]}
	case 1:
		return event.ToolContent{Diff: &event.Diff{Path: "/w/" + r.of(kinds), Old: strings.Repeat(r.of(texts), r.pick(12)), New: strings.Repeat(r.of(texts), r.pick(12)), OldMissing: r.pick(2) == 0}}
	}
	return event.ToolContent{Content: &event.Content{Kind: event.ContentKind(r.pick(6)), Text: strings.Repeat(r.of(texts), r.pick(12))}}
}

func (r *reader) terminal(s event.For) event.Event {
	switch r.pick(3) {
	case 0:
		return event.TerminalStarted{For: s, ID: r.of(ids), Command: r.of(kinds), Cwd: "/w", Foreign: r.pick(2) == 0}
	case 1:
		code := r.pick(3)
		return event.TerminalExited{For: s, ID: r.of(ids), Code: &code}
	}
	return event.TerminalExited{For: s, ID: r.of(ids), Signal: "SIGKILL"}
}

func (r *reader) turn(s event.For) event.Event {
	switch r.pick(6) {
	case 0:
		return event.TurnCancelled{For: s}
	case 1:
		return event.TurnEnded{For: s, Err: errors.New("went wrong"), At: r.now}
	}
	return event.TurnEnded{For: s, StopReason: r.of(stops), At: r.now}
}

func (r *reader) question(s event.For) event.Event {
	if r.key == 0 || r.pick(2) == 0 {
		r.key++
		return event.PermissionRequested{For: s, Key: r.key, ToolID: r.of(ids)}
	}
	return event.PermissionAnswered{For: s, Key: 1 + uint64(r.pick(int(r.key))), ToolID: r.of(ids), Subject: r.of(kinds), Decision: r.of(texts[:1]), Allowed: r.pick(2) == 0, By: "you", At: r.now}
}

func (r *reader) rare(s event.For) event.Event {
	switch r.pick(8) {
	case 0:
		entries := make([]event.PlanEntry, r.pick(4))
		for i := range entries {
			entries[i] = event.PlanEntry{Content: r.of(kinds), Status: r.of(statuses)}
		}
		return event.PlanChanged{For: s, Entries: entries}
	case 1:
		return event.CommandsChanged{For: s, Commands: []event.Command{{Name: r.of(kinds)}}}
	case 2:
		return event.UsageChanged{For: s, Used: uint64(r.pick(256)), Size: uint64(r.pick(200)), Currency: []string{"", "USD"}[r.pick(2)], Cost: 1}
	case 3:
		return event.SessionInfoChanged{For: s, Title: r.maybe(kinds)}
	case 4:
		return event.CompactionChanged{For: s, ID: r.of(ids), Status: r.of(statuses), Summary: r.maybe(texts), Append: r.of(texts), Error: r.maybe(texts)}
	case 5:
		return event.UnknownArrived{For: s, Kind: r.of(kinds), JSON: r.of(raws)}
	case 6:
		return event.ModeChanged{For: s, ModeID: r.of(ids)}
	}
	return event.FileWritten{For: s, Path: "/w/a", Added: r.pick(9), Removed: r.pick(9)}
}
