package ui

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// rest runs a command for the events that it hands over; false where it hands
// over none at once.
func rest(cmd tea.Cmd) (eventsMsg, bool) {
	got := make(chan eventsMsg, 1)
	var run func(cmd tea.Cmd)
	run = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		switch msg := cmd().(type) {
		case eventsMsg:
			got <- msg
		case tea.BatchMsg:
			for _, c := range msg {
				go run(c)
			}
		}
	}
	run(cmd)
	select {
	case msg := <-got:
		return msg, true
	case <-time.After(10 * time.Second):
		return eventsMsg{}, false
	}
}

// However much waits when the screen comes to it: one Update takes a bounded part
// of it, a key that comes meanwhile is on the screen before the rest, and nothing
// of it is lost.
func TestKeysComeBetweenPortions(t *testing.T) {
	text := answer(2 << 20)
	m := chatting(120, 40)
	said := func() string {
		var b strings.Builder
		for _, it := range m.chat.thread.Items {
			if it.Kind == thread.AgentMessage {
				b.Write(it.Text)
			}
		}
		return b.String()
	}
	_, cmd := m.Update(eventsMsg{m.chat.link.queue, []event.Event{
		event.TextArrived{Role: event.Agent, Text: text[:100]}, event.TextArrived{Role: event.Agent, Text: text[100:]}}})
	before := 0
	typed := ""
	for portions := 1; ; portions++ {
		now := len(said())
		if now-before > maxPortion {
			t.Fatalf("portion %d has %d bytes", portions, now-before)
		}
		before = now
		if now == len(text) {
			if portions < 8 {
				t.Errorf("2 MB in %d portions", portions)
			}
			break
		}
		letter := string(rune('a' + portions))
		typed += letter
		m.Update(tea.KeyPressMsg{Text: letter, Code: rune(letter[0])})
		if !strings.Contains(m.View().Content, typed) {
			t.Fatalf("after portion %d the screen has not %q", portions, typed)
		}
		msg, ok := rest(cmd)
		if !ok {
			t.Fatalf("nothing comes after portion %d", portions)
		}
		_, cmd = m.Update(msg)
	}
	if said() != text {
		t.Error("what was said is not what came")
	}
	if !strings.Contains(m.View().Content, "quoted") {
		t.Error("the end is not on the screen")
	}
}

// Parts of a text are cut between letters, and what is not text is handed over
// whole and in its order.
func TestCutPortion(t *testing.T) {
	kind := "edit"
	events := []event.Event{
		event.TextArrived{Role: event.Agent, Text: strings.Repeat("日本語", 300)},
		event.ToolChanged{ID: "t", Kind: &kind},
		event.TextArrived{Role: event.User, Text: strings.Repeat("u", 3000)},
		event.TerminalOutput{ID: "x", Data: []byte(strings.Repeat("o", 3000))},
		event.TextArrived{Role: event.Agent, Text: "end"},
	}
	for most := 1; most < 3000; most += 7 {
		var text string
		var whole []event.Event
		left, rounds := events, 0
		for ; len(left) > 0; rounds++ {
			var portion []event.Event
			portion, left = cutPortion(left, most)
			if len(portion) == 0 {
				t.Fatalf("at most %d: nothing comes", most)
			}
			if len(portion) > 1 && weightOf(portion) > most {
				t.Fatalf("at most %d: %d", most, weightOf(portion))
			}
			for _, e := range portion {
				if said, ok := e.(event.TextArrived); ok && said.Role == event.Agent {
					if !utf8.ValidString(said.Text) {
						t.Fatalf("at most %d: a letter is cut", most)
					}
					text += said.Text
				} else {
					whole = append(whole, e)
				}
			}
		}
		if want := strings.Repeat("日本語", 300) + "end"; text != want || len(whole) != 3 {
			t.Fatalf("at most %d: %d bytes of text, %d other events", most, len(text), len(whole))
		}
	}
}
