package transcript

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/uitest"
)

// A message that is heard of first and speaks later parts from what follows it
// only then.
func TestBlankMessageSpeaks(t *testing.T) {
	th := thread.New("s")
	v := viewOf(th, "plain", 40, 12)
	for i, e := range []event.Event{
		event.MessageReplaced{For: in, MessageID: "1", KeepContent: true}, event.TextArrived{For: in, MessageID: "2", Text: "two"},
		event.TextArrived{For: in, MessageID: "1", Text: "one"}, event.MessageReplaced{For: in, MessageID: "1"},
	} {
		v.Changed(th.Apply(e))
		if got, afresh := uitest.Text(v.Rows()), uitest.Text(viewOf(th, "plain", 40, 12).Rows()); got != afresh {
			t.Errorf("step %d:\n%s\nafresh:\n%s", i, got, afresh)
		}
	}
}

// A message of v2 may be replaced: what is drawn then is what would be drawn
// afresh, whatever was drawn of it before, and an emptied one takes no row.
func TestReplacedMessage(t *testing.T) {
	th := thread.New("s")
	v := viewOf(th, "plain", 40, 12)
	replaced := func(text string) event.Event {
		return event.MessageReplaced{For: in, MessageID: "m", Text: text}
	}
	says := func(text string) event.Event {
		return event.TextArrived{For: in, MessageID: "m", Text: text}
	}
	for i, step := range []struct {
		event event.Event
		want  string
	}{
		{says("# head\n\nfirst `par"), "first"}, {replaced("second"), "second"}, {says(" goes on"), "second goes on"},
		{replaced("a\n\nb\n\nc\n\nd"), "d"}, {replaced("e"), "e"}, {replaced(""), ""}, {says("back"), "back"},
	} {
		v.Changed(th.Apply(step.event))
		got := uitest.Text(v.Rows())
		if afresh := uitest.Text(viewOf(th, "plain", 40, 12).Rows()); got != afresh {
			t.Errorf("step %d:\n%s\nafresh:\n%s", i, got, afresh)
		}
		if text := strings.TrimSpace(got); !strings.Contains(text, step.want) || step.want == "" && text != "" {
			t.Errorf("step %d: %s", i, fmt.Sprintf("%q", text))
		}
	}
}
