package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// said is a view of one message, at its end.
func said(text string) *View {
	th := thread.New("s")
	th.Apply(event.TextArrived{For: in, MessageID: "m", Text: text})
	return viewOf(th, "dark", 120, 38)
}

// returns returns a fence of so many lines of Go, each of which has a keyword.
func returns(lines int) string {
	var b strings.Builder
	b.WriteString("```go\n")
	for i := range lines {
		fmt.Fprintf(&b, "\treturn fmt.Errorf(\"%%d: %%w\", n, errors.ErrUnsupported) // %d\n", i)
	}
	return b.String() + "```\n\nthe end\n"
}

// uncoloured returns the first row of code without colours, "" if all have some.
func uncoloured(rows []string) string {
	keyword := strings.TrimPrefix(theme.Dark().Keyword.On(), "\x1b[")
	for _, r := range rows {
		if strings.Contains(r, "return") && !strings.Contains(r, keyword) {
			return r
		}
	}
	return ""
}

// A fence that comes into sight is drawn before its code is analysed, however long it
// is. The analysis is asked for as far as it is near, and changes nothing but colours.
func TestCodeIsColouredElsewhere(t *testing.T) {
	v := said(returns(2000))
	for page := range 4 {
		plain := slices.Clone(v.Rows())
		jobs := v.Uncoloured()
		bytes := 0
		for _, j := range jobs {
			for _, l := range j.code {
				bytes += l.Len()
			}
		}
		if len(jobs) == 0 || bytes > 4*4096 { // a piece of a fence has 4096 at most
			t.Fatalf("page %d: asks for %d pieces of code, %d bytes", page, len(jobs), bytes)
		}
		for _, j := range jobs {
			j.Run()
			v.Coloured(j)
		}
		rows := slices.Clone(v.Rows())
		if uitest.Text(rows) != uitest.Text(plain) || slices.Equal(rows, plain) {
			t.Fatalf("page %d: the colours have changed the text, or nothing", page)
		}
		if r := uncoloured(rows); r != "" {
			t.Fatalf("page %d: no colours: %q", page, r)
		}
		if again := v.Uncoloured(); len(again) > 0 {
			t.Fatalf("page %d: asks twice", page)
		}
		v.Page(-2) // to another piece of the fence
	}
}

// Code that has left the screen is not analysed until it is in sight again.
func TestCodeOutOfSightIsLeft(t *testing.T) {
	v := said(returns(2000))
	for range 20 {
		v.Page(-1)
		v.Rows()
	}
	if jobs := v.Uncoloured(); len(jobs) > 5 {
		t.Errorf("asks for %d pieces of code, on %d rows", len(jobs), v.window.height)
	}
	v.End()
	colour(v)
	if r := uncoloured(v.Rows()); r != "" {
		t.Errorf("no colours: %q", r)
	}
}

// While a fence grows as models speak, its lines have their colours with the
// frame they come in; and it keeps them when it closes, until all of it was
// analysed.
func TestGrowingFenceKeepsItsColours(t *testing.T) {
	colour(said("```go\nreturn\n```\n")) // the language was met
	v := viewOf(turnOf(says("so:\n\n")), "dark", 100, 40)
	feed := func(text string) []string {
		v.Changed(v.layout.thread.Apply(event.TextArrived{For: in, MessageID: "m", Text: text}))
		return v.Rows()
	}
	feed("```go\n")
	for i := range 5 {
		if r := uncoloured(feed(fmt.Sprintf("return %d\n", i))); r != "" {
			t.Errorf("it grows: %q", r)
		}
	}
	if jobs := v.Uncoloured(); len(jobs) > 0 {
		t.Errorf("asks for what it has")
	}
	if r := uncoloured(feed("```\n\nand then")); r != "" {
		t.Errorf("it closes: %q", r)
	}
	if jobs := v.Uncoloured(); len(jobs) != 1 {
		t.Errorf("asks for %d pieces of a fence that has closed", len(jobs))
	}
}

// Many lines that come at once do not delay the frame.
func TestFloodedFence(t *testing.T) {
	colour(said("```go\nreturn\n```\n"))
	v := said(strings.TrimSuffix(returns(60), "```\n\nthe end\n"))
	n := 0
	for _, r := range v.Rows() {
		if strings.Contains(r, strings.TrimPrefix(theme.Dark().Keyword.On(), "\x1b[")) {
			n++
		}
	}
	if n > 8 {
		t.Errorf("%d lines were analysed while they were drawn", n)
	}
	colour(v)
	if r := uncoloured(v.Rows()); r != "" {
		t.Errorf("no colours: %q", r)
	}
}

// A page renders what it shows, and hardly more.
func TestPageRendersWhatItShows(t *testing.T) {
	v := said(uitest.Answer(256 << 10))
	v.Rows()
	pages := 0
	for ; v.window.top != (place{}); pages++ {
		before := v.layout.rendered
		v.Page(-1)
		v.Rows()
		v.Uncoloured()
		if n := v.layout.rendered - before; n > v.window.height {
			t.Fatalf("page %d renders %d segments for %d rows", pages, n, v.window.height)
		}
	}
	if pages < 50 {
		t.Errorf("only %d pages", pages)
	}
}

// A page that was made ready renders nothing when it is turned to.
func TestAhead(t *testing.T) {
	v := said(uitest.Answer(256 << 10))
	v.Rows()
	v.Page(-1)
	for page := range 30 {
		dir := -1
		if page >= 20 {
			dir = 1
		}
		rows := slices.Clone(v.Rows())
		if v.PreparePage(dir); !slices.Equal(rows, v.Rows()) {
			t.Fatalf("page %d: making the next one ready changes this one", page)
		}
		before := v.layout.rendered
		v.Page(dir)
		v.Rows()
		if n := v.layout.rendered - before; n > 0 || v.Following() {
			t.Fatalf("page %d in direction %d renders %d segments", page, dir, n)
		}
	}
}

// BenchmarkPageUp goes page by page through 100,000 rows, from the end to the
// start, as the screen does; max-ms is the slowest page.
func BenchmarkPageUp(b *testing.B) {
	text := uitest.Answer(5 << 20)
	for b.Loop() {
		v := said(text)
		v.Rows()
		var longest, sum time.Duration
		rows, pages := len(v.rows), 0
		for ; v.window.top != (place{}); pages++ {
			began := time.Now()
			v.Page(-1)
			v.Rows()
			v.Uncoloured() // its colours come from elsewhere
			took := time.Since(began)
			v.PreparePage(-1) // while idle
			longest, sum, rows = max(longest, took), sum+took, rows+v.window.height-2
		}
		b.ReportMetric(float64(longest.Microseconds())/1000, "max-ms")
		b.ReportMetric(float64(sum.Microseconds())/1000/float64(pages), "mean-ms")
		b.ReportMetric(float64(rows), "rows")
	}
}
