package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/uitest"
)

// rest runs a command for the events that it hands over; false where it hands
// over none at once.
func rest(cmd tea.Cmd) (resultMsg, bool) {
	got := make(chan resultMsg, 1)
	var run func(cmd tea.Cmd)
	run = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		switch msg := cmd().(type) {
		case resultMsg:
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
		return resultMsg{}, false
	}
}

// However much waits when the screen comes to it: one Update takes a bounded part
// of it, a key that comes meanwhile is on the screen before the rest, and nothing
// of it is lost.
func TestKeysComeBetweenPortions(t *testing.T) {
	text := uitest.Answer(2 << 20)
	m := chatting(120, 40)
	said := func() string {
		var b strings.Builder
		for _, it := range m.Front.Thread.Items {
			if it.Kind == thread.AgentMessage {
				b.Write(it.Text)
			}
		}
		return b.String()
	}
	_, cmd := m.Update(resultMsg{m.Front.Agent.NewBatch(
		event.TextArrived{Role: event.Agent, Text: text[:100]}, event.TextArrived{Role: event.Agent, Text: text[100:]})})
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
		t.Error("the text received differs from the text sent")
	}
	if !strings.Contains(m.View().Content, "quoted") {
		t.Error("the end is not on the screen")
	}
}
