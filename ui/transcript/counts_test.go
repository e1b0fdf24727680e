package transcript

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// cost is what a chunk costs, counted: neither a busy machine nor a fast one
// changes it.
type cost struct {
	segments int // rendered
	rows     int // that they have
	bytes    int // allocated
}

// chunkCost is that of a chunk of the last message, from the event to the rows of the
// screen.
func (v *View) chunkCost(text string) cost {
	before, was := v.tailRows(), v.layout.rendered
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	v.Changed(v.layout.thread.Apply(event.TextArrived{For: in, MessageID: "last", Text: text}))
	v.Rows()
	runtime.ReadMemStats(&to)
	c := cost{segments: v.layout.rendered - was, bytes: int(to.TotalAlloc - from.TotalAlloc)}
	for k, rows := range v.tailRows() {
		old := before[k]
		if len(rows) == len(old) && unsafe.SliceData(rows) == unsafe.SliceData(old) {
			continue
		}
		c.rows += len(rows)
	}
	return c
}

// tailRows are those that are kept of the last segments of the last item, by
// segment.
func (v *View) tailRows() map[int][]string {
	out := map[int][]string{}
	if e := v.layout.entries[len(v.layout.thread.Items)-1]; e != nil {
		for k := max(0, len(e.segs)-8); k < len(e.segs); k++ {
			if s := e.segs[k]; s != nil {
				out[k] = s.rows
			}
		}
	}
	return out
}

// chunkCosts are those of n chunks, each for itself.
func (v *View) chunkCosts(n int, text func(n int) string) (all []cost) {
	for i := range n {
		all = append(all, v.chunkCost(text(i)))
	}
	return all
}

// most is the highest of a figure, usual the median: a buffer that doubles its
// room is in the one and not in the other.
func most(all []cost, of func(cost) int) int {
	return of(slices.MaxFunc(all, func(a, b cost) int { return of(a) - of(b) }))
}

func usual(all []cost, of func(cost) int) int {
	all = slices.SortedFunc(slices.Values(all), func(a, b cost) int { return of(a) - of(b) })
	return of(all[len(all)/2])
}

func segmentsIn(c cost) int { return c.segments }
func rowsIn(c cost) int     { return c.rows }
func bytesIn(c cost) int    { return c.bytes }

// What a chunk costs depends neither on the message nor on the transcript: the
// same chunks after more of either render the same segments and as many rows.
func TestChunkCostsTheSame(t *testing.T) {
	prose := func(n int) string {
		if n%10 == 9 {
			return "the end of it.\n\n"
		}
		return "twenty bytes of text"
	}
	var want []cost
	for _, c := range []struct{ items, bytes int }{{10, 1 << 10}, {10, 1 << 20}, {100_000, 1 << 10}} {
		v := viewOf(filled(c.items, c.bytes), "dark", 100, 40)
		v.Rows()
		v.chunkCosts(10, prose)
		all := v.chunkCosts(40, prose)
		name := fmt.Sprintf("%d items, a message of %d kB", c.items, c.bytes>>10)
		t.Logf("%s: at most %d segments of %d rows, mostly %d bytes", name, most(all, segmentsIn), most(all, rowsIn), usual(all, bytesIn))
		if most(all, segmentsIn) > 2 || most(all, rowsIn) > 16 {
			t.Errorf("%s: a chunk rendered %d segments, and %d rows", name, most(all, segmentsIn), most(all, rowsIn))
		}
		if want == nil {
			want = all
		}
		for n, c := range all {
			if c.segments != want[n].segments || c.rows != want[n].rows {
				t.Errorf("%s: chunk %d rendered %d segments of %d rows, in a short message %d of %d", name, n, c.segments, c.rows, want[n].segments, want[n].rows)
			}
		}
		if got, few := usual(all, bytesIn), usual(want, bytesIn); got > few+few/4 {
			t.Errorf("%s: a chunk allocates %d bytes, in a short message %d", name, got, few)
		}
	}
}

// unending are blocks that do not end: how each begins, and what comes in each
// chunk.
var unending = []struct{ name, head, line string }{
	{"fence", "```go\n", "\tif err := run(ctx, \"x\", 12); err != nil { // why\n"},
	{"fence of no language", "```\n", "what some command has printed, a line of it\n"},
	{"short lines", "```\n", "}\n"},
	{"list", "", "- an item of a list with `code` in it\n"},
	{"loose list", "", "- an item of a list with `code` in it\n\n"},
	{"list in a list", "- its only item\n", "  - an item of a list with `code` in it\n"},
	{"fence in a list", "- its only item\n\n  ```go\n", "  x := 1 // as code in lists is\n"},
	{"table", "| a | b | c |\n|---|---|---|\n", "| one | two | `three` |\n"},
	{"quote", "", "> words that somebody has *said* and that go on\n"},
	{"paragraph", "", "words with `code` and **bold** in them, 漢字 and 🎉, "},
	{"one word", "", "wordsofnoendatallthatcannotbewrapped"},
	{"HTML", "<div>\n", "<p>text of a page</p>\n"},
	{"blank lines", "", "\n\n\n\n"},
}

// A block that does not end costs a chunk no more at its 2,000th line than at
// the beginning: it is cut into pieces, and of a piece no more is rendered than
// fits into it.
func TestChunkInALongBlock(t *testing.T) {
	for _, c := range unending {
		t.Run(c.name, func(t *testing.T) {
			cycle := max(64, 4096/len(c.line)+1) // chunks until a piece is full
			at := func(lines int) []cost {
				th := thread.New("s")
				th.Apply(event.TextArrived{For: in, MessageID: "last", Text: c.head + strings.Repeat(c.line, lines)})
				v := viewOf(th, "dark", 100, 40)
				v.Rows()
				return v.chunkCosts(cycle, func(int) string { return c.line })
			}
			early, late := at(2*cycle), at(2000+2*cycle)
			t.Logf("at most %d segments of %d rows, mostly %d rows and %d bytes", most(late, segmentsIn), most(late, rowsIn), usual(late, rowsIn), usual(late, bytesIn))
			if n := most(late, segmentsIn); n > 2 {
				t.Errorf("a chunk rendered %d segments", n)
			}
			if few, many := most(early, rowsIn), most(late, rowsIn); many > few+few/10 || many > 256 {
				t.Errorf("a chunk rendered %d rows, at the beginning %d", many, few)
			}
			if few, many := usual(early, bytesIn), usual(late, bytesIn); many > few+few/2+256 {
				t.Errorf("a chunk allocates %d bytes, at the beginning %d", many, few)
			}
		})
	}
}

// After another width only what is seen is rendered again, however long the
// transcript is.
func TestResizeCostsTheSame(t *testing.T) {
	var want []int
	for _, items := range []int{200, 20_000} {
		v := viewOf(long(items), "dark", 100, 40)
		v.Rows()
		v.Page(-3)
		var got []int
		for _, width := range []int{99, 60, 120, 100} {
			was := v.layout.rendered
			v.SetSize(width, 40)
			v.Rows()
			got = append(got, v.layout.rendered-was)
		}
		if slices.Max(got) > 60 {
			t.Errorf("%d items: other widths rendered %v segments", items, got)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d items: other widths rendered %v segments, of a short transcript %v", items, got, want)
		}
	}
}

// Chunks between two frames are one layout, and each rows once: what the last of
// them leaves.
func TestChunksOfAFrame(t *testing.T) {
	th := filled(10, 1<<10)
	v := viewOf(th, "dark", 100, 40)
	v.Rows()
	rendered, frames := v.layout.rendered, v.frames
	for range 500 {
		v.Changed(th.Apply(twenty))
	}
	for range 5 {
		v.Rows()
	}
	if v.frames-frames != 1 || v.layout.rendered-rendered > 5 {
		t.Errorf("500 chunks: %d layouts, %d segments rendered", v.frames-frames, v.layout.rendered-rendered)
	}
}
