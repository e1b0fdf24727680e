package transcript

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/text"
	"parley/ui/uitest"
)

// telling is text of a role in one message.
func telling(role event.Role, text string) event.Event {
	return event.TextArrived{For: in, Role: role, MessageID: "long", Text: text}
}

// calling is a running call with text of so many bytes.
func calling(n int) event.Event {
	ptr := func(s string) *string { return &s }
	return event.ToolChanged{For: in, ID: "a", Title: ptr("run"), Kind: ptr("execute"), Status: ptr("in_progress"), Content: &[]event.ToolContent{
		{Content: &event.Content{Kind: event.TextContent, Text: strings.Repeat("a line of text here.\n", n/21)}}}}
}

// A frame in which an item changes costs no more where it holds a megabyte than
// where it holds little: what comes in of it, or its clock.
func TestItemsThatGrow(t *testing.T) {
	words := func(n int) string { return strings.Repeat("a thought of some words.\n", n/25) }
	for _, c := range []struct {
		name    string
		density Density
		start   func(size int) event.Event
		more    event.Event // nil: the clock moves
	}{
		{"an open thought", Everything, func(n int) event.Event { return telling(event.Thought, words(n)) }, telling(event.Thought, "twenty bytes of text")},
		{"a user's message", Normal, func(n int) event.Event { return telling(event.User, words(n)) }, telling(event.User, "twenty bytes of text")},
		{"an open user's message", Everything, func(n int) event.Event { return telling(event.User, words(n)) }, telling(event.User, "twenty bytes of text")},
		{"the clock of a call", Normal, calling, nil},
		{"the clock of an open call", Everything, calling, nil},
	} {
		var few int
		for _, size := range []int{1 << 12, 1 << 20} {
			th := thread.New("s")
			th.Apply(event.TurnStarted{For: in, Text: "p", At: uitest.Start})
			th.Apply(c.start(size))
			v := viewOf(th, "dark", 100, 40)
			v.SetDensity(c.density)
			v.Rows()
			var all []int
			for range 9 {
				var a, b runtime.MemStats
				runtime.ReadMemStats(&a)
				if c.more == nil {
					v.Tick(uitest.Now)
				} else {
					v.Changed(th.Apply(c.more))
				}
				v.Rows()
				runtime.ReadMemStats(&b)
				all = append(all, int(b.TotalAlloc-a.TotalAlloc))
			}
			slices.Sort(all)
			if few == 0 {
				few = all[4]
			}
			if all[4] > 2*few+4096 {
				t.Errorf("%s of 1 MB: %d bytes a frame, of 4 kB %d", c.name, all[4], few)
			}
		}
	}
}

// In an open fence a line more makes a few rows, not all of the piece.
func TestOpenFenceMakesFewRows(t *testing.T) {
	for _, lang := range []string{"go", ""} {
		line := "\tif err := run(ctx, \"x\", 12); err != nil { // why\n"
		th := thread.New("s")
		th.Apply(event.TextArrived{For: in, MessageID: "last", Text: "```" + lang + "\n" + strings.Repeat(line, 2000)})
		v := viewOf(th, "dark", 100, 40)
		v.Rows()
		worst, sum := 0, 0
		for range 192 {
			was := v.tailRows()
			v.chunkCost(line)
			fresh := 0
			for k, rows := range v.tailRows() {
				for n, r := range rows {
					if old := was[k]; n >= len(old) || len(r) != len(old[n]) || unsafe.StringData(r) != unsafe.StringData(old[n]) {
						fresh++
					}
				}
			}
			worst, sum = max(worst, fresh), sum+fresh
		}
		if t.Logf("lang %q: at worst %d rows, %d in all", lang, worst, sum); sum > 2*192 || worst > 8 {
			t.Errorf("lang %q: 192 lines made %d rows again, at worst %d", lang, sum, worst)
		}
	}
}

// What is seen first of an item costs what is seen, however much it holds.
func TestFirstSightOfLongItems(t *testing.T) {
	ptr := func(s string) *string { return &s }
	quoted := func(n int) string { return `"` + strings.Repeat(`words of it\n`, n/13) + `"` }
	raw := func(input, output string) event.Event {
		return event.ToolChanged{For: in, ID: "a", Title: ptr("run"), Kind: ptr("execute"), Status: ptr("completed"), RawInput: ptr(input), RawOutput: ptr(output)}
	}
	for name, ev := range map[string]func(n int) event.Event{
		"prompt":         func(n int) event.Event { return telling(event.User, strings.Repeat("a line.\n", n/8)) },
		"prompt, a line": func(n int) event.Event { return telling(event.User, strings.Repeat("words ", n/6)) },
		"thought":        func(n int) event.Event { return telling(event.Thought, strings.Repeat("a line.\n", n/8)) },
		"text of a call": calling,
		"raw input":      func(n int) event.Event { return raw(`{"a":`+quoted(n)+`}`, "") },
		"a command":      func(n int) event.Event { return raw(`{"command":`+quoted(n)+`}`, "") },
		"raw output":     func(n int) event.Event { return raw("", `{"output":`+quoted(n)+`}`) },
	} {
		for _, density := range []Density{Normal, Everything} {
			var few int
			for _, size := range []int{512 << 10, 4 << 20} {
				th := thread.New("s")
				th.Apply(ev(size))
				v := viewOf(th, "dark", 100, 40)
				v.SetDensity(density)
				var a, b runtime.MemStats
				runtime.ReadMemStats(&a)
				v.Rows()
				runtime.ReadMemStats(&b)
				got := int(b.TotalAlloc - a.TotalAlloc)
				if few == 0 {
					few = got
				}
				if got > few+few/2+512<<10 { // where it is cut takes 16 bytes a piece
					t.Errorf("%s, %v: 4 MB take %d bytes, 512 kB %d", name, density, got, few)
				}
			}
		}
	}
}

// longNoise is text of lines short and very long, with blank ones among them.
func longNoise(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		switch r.IntN(8) {
		case 0:
			b.WriteString(strings.Repeat("\n", r.IntN(90)))
		case 1:
			b.WriteString(strings.Repeat("日本語 and words ", r.IntN(700)))
		case 2:
			b.WriteString(strings.Repeat("x", r.IntN(9000)))
		default:
			b.WriteString(strings.Repeat("\ta line of it \n", r.IntN(70)))
		}
	}
	return b.String()
}

// Prompts and thoughts that come in parts look as if they had come whole, and
// what is read, searched and copied of them is what was written.
func TestPiecesGrow(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 5))
		role := []event.Role{event.User, event.Thought}[seed%2]
		text := longNoise(r, 24_000)
		th := thread.New("s")
		v := viewOf(th, "dark", 50, 13)
		v.SetDensity(Everything)
		p := &player{t: t, v: v, th: th, now: uitest.Start}
		for at := 0; at < len(text); {
			n := min(len(text), at+1+r.IntN(3000))
			v.Changed(th.Apply(telling(role, strings.ToValidUTF8(text[at:n], ""))))
			at = n
			p.do(byte(r.IntN(256)))
			p.compare()
		}
	}
}

// Where a text is cut depends on the text, not on how it came; nothing is lost.
func TestPiecesOfAText(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 6))
		text := []byte(longNoise(r, 60_000))
		var whole, grown pieces
		whole.grow(text, len(text))
		for at := 0; at < len(text); {
			at = min(len(text), at+1+r.IntN(5000))
			grown.grow(text[:at], at)
		}
		if !slices.Equal(whole.starts, grown.starts) {
			t.Fatalf("cut at %v, in parts at %v", whole.starts, grown.starts)
		}
		for k := range whole.starts {
			if from, to := whole.span(k); to-from > pieceBytes+maxWhole || strings.Count(string(text[from:to]), "\n") > pieceLines {
				t.Errorf("piece %d has %d bytes", k, to-from)
			}
		}
	}
}

// The first and the last rows of a text are those that it has when it is wrapped
// whole, and their number is right where it is not long.
func TestFirstAndLastRows(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		var lines []string
		for range r.IntN(60) {
			lines = append(lines, strings.Repeat("日本 words\tof it ", r.IntN(30)))
		}
		s := strings.Join(lines, "\n")
		width, most := 10+r.IntN(80), 1+r.IntN(40)
		all := text.Wrap(s, width)
		if n := countRows(s, width); n != len(all) {
			t.Errorf("%d rows counted of %d", n, len(all))
		}
		first, rest := firstRows(s, width, most)
		if len(first) < min(most, len(all)) || !slices.Equal(first, all[:len(first)]) || rest != "" && len(first)+countRows(rest, width) != len(all) {
			t.Errorf("the first %d rows of %d: %q, and %d after them", most, len(all), first, countRows(rest, width))
		}
		if last := lastRows(s, width, most); !slices.Equal(last, all[max(0, len(all)-most):]) {
			t.Errorf("the last %d rows of %d: %q", most, len(all), last)
		}
	}
}
