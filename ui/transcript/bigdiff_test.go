package transcript

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/uitest"
)

// bigDiff is a call that has changed every seventh of 10,000 lines of code.
func bigDiff() *thread.Thread {
	var old, now strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&old, "\tresult = append(result, transform(input[%d], options)) // as before\n", i)
		word := "options"
		if i%7 == 0 {
			word = "opts, ctx"
		}
		fmt.Fprintf(&now, "\tresult = append(result, transform(input[%d], %s)) // as before\n", i, word)
	}
	th := thread.New("s")
	kind, title, status := "edit", "Edit", "completed"
	th.Apply(event.ToolChanged{For: in, ID: "t", Title: &title, Kind: &kind, Status: &status,
		Content: &[]event.ToolContent{{Diff: &event.Diff{Path: uitest.Dir + "/big.go", Old: old.String()[:1<<19], New: now.String()[:1<<19]}}}})
	return th
}

// A diff of 10,000 lines: when it first comes into sight, when it is opened, side
// by side, and while one scrolls through it. Its colours come from elsewhere.
func BenchmarkBigDiff(b *testing.B) {
	th := bigDiff()
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			viewOf(th, "dark", 160, 50).Rows()
		}
	})
	for _, width := range []int{100, 160} {
		b.Run(fmt.Sprint("open/", width), func(b *testing.B) {
			v := viewOf(th, "dark", width, 50)
			v.layout.choose(0, true)
			for b.Loop() {
				v.SetTheme(v.layout.th)
				v.Rows()
			}
		})
	}
	b.Run("scroll", func(b *testing.B) {
		v := viewOf(th, "dark", 160, 50)
		v.layout.choose(0, true)
		colour(v)
		for n := 0; b.Loop(); n++ {
			v.Scroll(1 - n/1000%2*2)
			v.Rows()
		}
	})
}

// The code of what is drawn is looked at, and no more of it.
func TestBigDiffAsksForWhatItShows(t *testing.T) {
	v := viewOf(bigDiff(), "dark", 160, 50)
	v.Rows()
	jobs := v.Uncoloured()
	if len(jobs) != 1 || jobs[0].lines != diffRows {
		t.Fatalf("%d diffs to colour, the first %d lines", len(jobs), jobs[0].lines)
	}
	before := uitest.Text(v.Rows())
	plain := strings.Join(v.Rows(), "\n")
	jobs[0].Run()
	v.Coloured(jobs[0])
	if uitest.Text(v.Rows()) != before || strings.Join(v.Rows(), "\n") == plain {
		t.Error("the colours have changed the text, or nothing")
	}
	if jobs = v.Uncoloured(); len(jobs) != 0 {
		t.Errorf("asks again for what it has")
	}
	v.layout.choose(0, true)
	v.dirty = true
	v.Rows()
	if jobs = v.Uncoloured(); len(jobs) != 1 || jobs[0].lines != maxShown {
		t.Errorf("opened it asks for %d diffs", len(jobs))
	}
	v.Rows()
	if jobs = v.Uncoloured(); len(jobs) != 0 {
		t.Errorf("asks twice")
	}
	v = viewOf(bigDiff(), "ansi", 160, 50)
	v.Rows()
	if jobs = v.Uncoloured(); len(jobs) != 0 {
		t.Errorf("asks for colours that the theme does not show")
	}
}
