package thread_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

var v2for = event.For{Session: "s"}

// wholeV2 is the state that portrait leaves out.
func wholeV2(t *thread.Thread) string {
	var b strings.Builder
	fmt.Fprintln(&b, portrait(t), t.Plans, t.Held, t.Background)
	for _, it := range t.Items {
		fmt.Fprint(&b, it.Generation, it.Blank())
		if it.Tool == nil {
			continue
		}
		for _, c := range it.Tool.Content {
			if term := t.TerminalOf(it, c.Terminal); term != nil {
				fmt.Fprintf(&b, " %q %d %v %d", term.Command, term.Total, term.Gap, term.Cols)
			}
		}
	}
	return b.String()
}

// eventsV2 turns bytes into events of a v2 agent.
func eventsV2(data []byte) (out []event.Event) {
	pick := func(n int) int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b) % n
	}
	texts := []string{"", "a", "ab", "b", "hello", "hel", "lo", "\n"}
	ids := []string{"1", "2", "3", ""}
	key := uint64(0)
	for len(data) > 0 {
		role, id, text := event.Role(pick(3)), ids[pick(3)], texts[pick(len(texts))]
		at := time.Unix(int64(len(out)), 0)
		switch pick(12) {
		case 0:
			out = append(out, event.MessageReplaced{For: v2for, Role: role, MessageID: id, Text: text, At: at})
		case 1:
			out = append(out, event.MessageReplaced{For: v2for, Role: role, MessageID: id, KeepContent: true, At: at})
		case 2:
			out = append(out, event.MessageReplaced{For: v2for, Role: role, MessageID: id, Text: text, Attachments: []event.Content{{Kind: event.LinkContent, URI: text}}})
		case 3:
			key++
			out = append(out, event.PromptHeld{For: v2for, Key: key, Text: text, At: at})
		case 4:
			out = append(out, event.PromptAccepted{For: v2for, Key: uint64(pick(int(key) + 1)), MessageID: ids[pick(4)]})
		case 5:
			out = append(out, event.PromptFailed{For: v2for, Key: uint64(pick(int(key) + 1))})
		case 6:
			out = append(out, event.StateChanged{For: v2for, State: []string{"running", "idle", "requires_action", "_x"}[pick(4)], Background: []event.BackgroundWork{{Type: "tool_call", ID: id}}})
		case 7:
			out = append(out, []event.Event{event.TurnStarted{For: v2for, At: at, SeparatePrompts: true}, event.TurnEnded{For: v2for, At: at}, event.TurnCancelled{For: v2for}}[pick(3)])
		case 8:
			out = append(out, event.ToolChanged{For: v2for, ID: id, AppendContent: []event.ToolContent{{Terminal: id}}, At: at})
		case 9:
			out = append(out, event.TerminalReplaced{For: v2for, ID: id, Data: []byte(text)}, event.TerminalOutput{For: v2for, ID: id, Data: []byte(text)})
		case 10:
			out = append(out, event.PlanChanged{For: v2for, PlanID: id, Entries: make([]event.PlanEntry, pick(3))})
		default:
			out = append(out, event.TextArrived{For: v2for, Role: role, MessageID: id, Text: text + "x"})
		}
	}
	return out
}

// playV2 applies a sequence of events of v2. It must make the same thread one by one and
// merged, and when applied twice.
func playV2(t *testing.T, data []byte, seed uint8) {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	events := eventsV2(data)
	check(t, events, func() int { return r.IntN(1 + int(seed)) })
	a, b := thread.New("s"), thread.New("s")
	for _, e := range events {
		a.Apply(e)
		b.Apply(e)
	}
	if one, two := wholeV2(a), wholeV2(b); one != two {
		t.Fatalf("once\n%s\ntwice\n%s", one, two)
	}
}

func noiseV2(seed uint64, n int) (data []byte, portion uint8) {
	data = make([]byte, n)
	r := rand.New(rand.NewPCG(seed, 11))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data, uint8(r.Uint32())
}

func TestApplyV2(t *testing.T) {
	for seed := range uint64(8) {
		data, portion := noiseV2(seed, 800)
		playV2(t, data, portion)
	}
}

// FuzzApplyV2 takes short inputs, so that there can be many.
func FuzzApplyV2(f *testing.F) {
	for seed := range uint64(8) {
		data, portion := noiseV2(seed, 40)
		f.Add(data, portion)
	}
	f.Fuzz(func(t *testing.T, data []byte, portion uint8) {
		playV2(t, data[:min(len(data), 80)], portion)
	})
}

// Text grows in place while the Generation is unchanged, and only then: a view that has
// drawn the first n bytes may continue from there (case 145).
func TestGenerationV2(t *testing.T) {
	th := thread.New("s")
	text := func(s string) event.Event {
		return event.TextArrived{For: v2for, MessageID: "m", Text: s}
	}
	whole := func(s string) event.Event {
		return event.MessageReplaced{For: v2for, MessageID: "m", Text: s}
	}
	before, generation := "", 0
	for i, e := range []event.Event{text("a"), text("b"), whole("ab"), whole("abc"), text("d"), whole(""), text("e"), event.MessageReplaced{For: v2for, MessageID: "m", KeepContent: true}} {
		th.Apply(e)
		it := th.Items[0]
		if it.Generation == generation && !strings.HasPrefix(string(it.Text), before) {
			t.Errorf("%d: %q became %q", i, before, it.Text)
		}
		before, generation = string(it.Text), it.Generation
	}
	if before != "e" || generation != 2 || len(th.Items) != 1 {
		t.Errorf("%q, generation %d, %d items", before, generation, len(th.Items))
	}
}

// A list of content that came with an event is never written to.
func TestAppendedContentV2(t *testing.T) {
	list := make([]event.ToolContent, 1, 8)
	for _, id := range []string{"x", "y"} {
		th := thread.New("s")
		th.Apply(event.ToolChanged{For: v2for, ID: "c", Content: &list})
		for range 3 {
			th.Apply(event.ToolChanged{For: v2for, ID: "c", AppendContent: []event.ToolContent{{Terminal: id}}})
		}
		if c := th.Tool("c").Content; len(c) != 4 || c[3].Terminal != id || list[:4][1].Terminal != "" {
			t.Errorf("%+v, and the event's has %+v", c, list[:4])
		}
	}
}
