package thread_test

import (
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// A huge text is not copied, whether it arrives whole or in pieces, and text that follows does not
// change it.
func TestHugeText(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 2<<20)
	at := len(text) / 3
	for name, events := range map[string][]event.TextArrived{
		"whole":                 {{Text: text}},
		"in pieces":             {{Text: text[:at], Whole: text}, {Text: text[at:], Whole: text}},
		"after other text":      {{Text: "before "}, {Text: text[:at], Whole: text}, {Text: text[at:], Whole: text}},
		"without its beginning": {{Text: text[at:], Whole: text}},
		"twice":                 {{Text: text}, {Text: text}},
	} {
		th, want := thread.New("s"), ""
		for _, e := range append(events, event.TextArrived{Text: " and more"}) {
			e.For, e.Role = in, event.Agent
			th.Apply(e)
			want += e.Text
		}
		if got := string(th.Items[0].Text); len(th.Items) != 1 || got != want {
			t.Errorf("%s: %d items, %d bytes, want %d", name, len(th.Items), len(got), len(want))
		}
	}
	if strings.Trim(text, "0123456789abcdef") != "" {
		t.Error("the text was written to")
	}
}
