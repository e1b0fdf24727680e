package transcript

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/seeds"
)

// weighed is what the view keeps, by its own measure.
func (v *View) weighed() int {
	n := 0
	for _, e := range v.layout.entries {
		n += entryWeight
		for _, s := range e.segs {
			if s != nil {
				n += weight(s.rows)
			}
		}
	}
	return n
}

// essay is about so many bytes of an answer of all kinds of blocks.
func essay(bytes int) string {
	var b strings.Builder
	for n := 1; b.Len() < bytes; n++ {
		fmt.Fprintf(&b, "## Step %d\n\n", n)
		for range 4 {
			b.WriteString(strings.Repeat("A sentence of plain words, and then `code()` in one of them, 日本語. ", 5) + "\n\n")
		}
		b.WriteString("- one of the points that there are to be made\n- another *one* of them, and the last\n\n```text\n")
		for i := range 12 {
			fmt.Fprintf(&b, "line %d of the output of what was run in step %d: nothing was found\n", i, n)
		}
		b.WriteString("```\n\n> a quote of somebody who said nothing else\n\n")
	}
	return b.String()
}

// liveHeap is how many bytes are in use.
func liveHeap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what had a finalizer
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A long answer takes little besides its text: 1.0 to 1.25 times that is the text
// of the thread, which grows by a quarter; up to 0.2 what the queue keeps for the
// next run; 0.1 the blocks and the segments, some 30 bytes of each; and the rest
// the rows of what was seen last, at most maxCached, with what draws them.
func TestMemoryOfALongAnswer(t *testing.T) {
	if seeds.Raced {
		t.Skip("the race detector has memory of its own")
	}
	const chunk, frame = 20, 40_000
	size := max(seeds.Of(5<<20), 1<<20)
	text := essay(size)
	before := liveHeap()
	queue, th := event.NewQueue(), thread.New("s")
	v := viewOf(th, "dark", 120, 40)
	draw := func() {
		v.Rows()
		v.Uncoloured() // as the screen does
	}
	take := func() {
		for _, e := range queue.Drain() {
			v.Changed(th.Apply(e))
		}
		draw()
	}
	for at := 0; at < len(text); at += chunk {
		queue.Post(event.TextArrived{For: in, Role: event.Agent, Text: text[at:min(at+chunk, len(text))]})
		if at%frame == 0 {
			take()
		}
	}
	take()
	most := int64(size + size/2 + 2<<20) // what is kept of the rows does not grow with the text
	check := func(when string) {
		t.Helper()
		n := int64(liveHeap() - before)
		if t.Logf("%s: %.2f times the text", when, float64(n)/float64(size)); n > most {
			t.Errorf("%s: %d bytes, want at most %d", when, n, most)
		}
	}
	check("at the end")

	pages := 0
	for ; v.window.top != (place{}); pages++ {
		v.Page(-1)
		draw()
	}
	if pages < size/6000 {
		t.Fatalf("the first row after %d pages", pages)
	}
	check("after paging to the start")
	for ; !v.Following(); pages-- {
		v.Page(1)
		draw()
	}
	check("after paging back to the end")
	if n := v.weighed(); n > maxCached+100_000 {
		t.Errorf("%d bytes of rows kept", n)
	}
	runtime.KeepAlive(queue)
	runtime.KeepAlive(text)
}
