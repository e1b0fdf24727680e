package thread

import (
	"cmp"
	"strings"

	"parley/acpclient/event"
)

// relay is a message between this session and another.
type relay struct {
	from, to string // ids
	item     *Item
}

// relayed keeps one line for each message between sessions, whose detail is its text.
func (t *Thread) relayed(e event.SessionMessage) {
	m := t.relays[e.ID]
	if m == nil {
		m = &relay{item: t.add(&Item{Kind: Notice})}
		t.relays[e.ID] = m
	} else {
		t.touch(m.item)
	}
	if e.From != "" {
		m.from = e.From
	}
	if e.To != "" {
		m.to = e.To
	}
	it := m.item
	it.from(e.Wire)
	if e.Replaces {
		it.Detail = ""
	}
	if len(it.Detail) < maxTerminal {
		it.Detail += e.Text
	}
	line := "message"
	switch {
	case m.to != "" && m.to != t.Session:
		line += " to " + t.called(m.to)
	case m.from != "":
		line += " from " + t.called(m.from)
	}
	it.rewrite(line + ": " + firstWords(it.Detail))
}

// firstWords returns the first line of a text that is more than markup, such as claude puts before an answer.
func firstWords(text string) (first string) {
	for line := range strings.SplitSeq(text[:min(len(text), maxRelayed)], "\n") {
		line = strings.TrimSpace(strings.ToValidUTF8(line, ""))
		first = cmp.Or(first, line)
		if line != "" && !strings.HasPrefix(line, "<") {
			return line
		}
	}
	return first
}

// maxRelayed is how many bytes of a message's first line are in its line.
const maxRelayed = 300

// called names a session of the family.
func (t *Thread) called(session string) string {
	if s := t.family.byID[session]; s != nil {
		return s.Name()
	}
	if t.parent != nil {
		return "the session"
	}
	return "a sub-agent"
}
