package transcript

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// searched runs a search to its end.
func searchedFor(v *View, text string) *Search {
	s := v.Find(text)
	for p := s.Portion(); p != nil; p = s.Portion() {
		p.Run()
		s.AddMatches(p)
	}
	return s
}

func FuzzQuery(f *testing.F) {
	for _, s := range [][2]string{{"aAbB", "ab"}, {"Größe GRÖSSE", "größe"}, {"ééÉ", "é"}, {"日本日本", "日本"}, {"aaaa", "aa"}, {"xKx", "k"}, {"a.b", "."}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, s, text string) {
		if !utf8.ValidString(s) || !utf8.ValidString(text) || text == "" {
			return
		}
		q := newQuery(text)
		last := 0
		var got []string
		q.each(s, func(from, to int) bool {
			if from < last || to <= from || to > len(s) {
				t.Fatalf("%q in %q: %d to %d after %d", text, s, from, to, last)
			}
			last = to
			got = append(got, s[from:to])
			return true
		})
		for _, g := range got {
			if g != text && !strings.EqualFold(g, text) {
				t.Errorf("%q is no match of %q", g, text)
			}
		}
		if isASCII(s) && isASCII(text) {
			expr := regexp.QuoteMeta(text)
			if q.fold {
				expr = "(?i)" + expr
			}
			if want := regexp.MustCompile(expr).FindAllString(s, -1); fmt.Sprint(want) != fmt.Sprint(got) {
				t.Errorf("%q in %q: %q, want %q", text, s, got, want)
			}
		}
	})
}

// A capital counts, small letters stand for both.
func TestQueryCase(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{{"error", 3}, {"Error", 2}, {"ERROR", 0}, {"größe", 2}, {"Größe", 1}, {"日本", 1}} {
		n := 0
		newQuery(c.text).each("Error error Error Größe GRÖßE 日本", func(int, int) bool { n++; return true })
		if n != c.want {
			t.Errorf("%q: %d matches, want %d", c.text, n, c.want)
		}
	}
}

// Everything there is is found, whatever of it is shown.
func TestSearchFinds(t *testing.T) {
	for _, d := range []Density{Normal, Everything, Quiet} {
		v := viewOf(uitest.Gallery(), "plain", 80, 24)
		v.SetDensity(d)
		for text, want := range map[string]int{
			"make the parser return": 1, // a prompt
			"tokenizer":              2, // a message and a thought
			"go test ./parser":       1, // a command
			"parser/lex 0.3s":        1, // its output
			"no rule to make":        1,
			"and more":               1, // a diff
			"line 17 of the file":    3,
			"Look up Parse":          1, // a title
			"Run tests":              1, // one that is not shown
			"ast.go":                 1, // a path
			"parser.go:40":           1, // raw output
			"hologram":               2, // a notice and its detail
			"goroutine 1":            1, // an error
			"[32m":                   0, // no escapes
			"nowhere to be found":    0,
		} {
			if got := len(searchedFor(v, text).Hits()); got != want {
				t.Errorf("%s: %q: %d matches, want %d", d, text, got, want)
			}
		}
	}
}

// Every match that can be shown is shown, and painted; what is closed is opened
// for it and closed again after it.
func TestSearchShows(t *testing.T) {
	for _, width := range []int{24, 40, 80, 160} {
		for _, text := range []string{"line", "parse", "Parse()", "the", "o", "日本", "漢字", "returned errors", "error that"} {
			v := viewOf(uitest.Gallery(), "plain", width, 14)
			v.Select(true)
			before := fmt.Sprint(len(v.layout.thread.Items), v.layout.choices)
			v.Mark(text)
			s := searchedFor(v, text)
			seen := map[string]bool{}
			for n, h := range s.Hits() {
				ok := v.Show(h)
				rows := v.Rows()
				uitest.CheckRows(t, rows, width)
				if it := v.Selected(); it == nil || it.Index != h.item {
					t.Fatalf("%d %q: match %d selects %v", width, text, n, it)
				}
				if !ok {
					continue
				}
				got, at := now(v, rows)
				if !strings.EqualFold(strings.ReplaceAll(got, " ", ""), strings.ReplaceAll(text, " ", "")) {
					t.Fatalf("%d %q: match %d of %d, %+v: %q is painted\n%s", width, text, n, len(s.Hits()), h, got, uitest.Text(rows))
				}
				where := fmt.Sprint(h.item, v.places[at], got, strings.Index(rows[at], theme.Plain().Selected.On()))
				if v.layout.thread.Items[h.item].Kind != thread.AgentMessage && seen[where] {
					t.Errorf("%d %q: two matches at %s", width, text, where)
				}
				seen[where] = true
			}
			v.Mark("")
			if after := fmt.Sprint(len(v.layout.thread.Items), v.layout.choices); after != before || v.layout.peek != 0 {
				t.Errorf("the search has changed what is open: %s, was %s", after, before)
			}
		}
	}
}

// now is the text that is painted as the match of the moment, and its row.
func now(v *View, rows []string) (text string, row int) {
	row = -1
	for n, r := range rows {
		_, rest, ok := strings.Cut(r, v.layout.th.Selected.On())
		if !ok {
			continue
		}
		part, _, _ := strings.Cut(rest, v.layout.th.Selected.Off())
		text += ansi.Strip(part)
		if row < 0 {
			row = n
		}
	}
	return text, row
}

// A match far down in the output of a command that is cut is shown by opening
// it, and one in a message of any length by going to its block.
func TestSearchOpens(t *testing.T) {
	th := worked()
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "Paragraph %d says something.\n\n", i)
	}
	th.Apply(event.TextArrived{For: in, MessageID: "m", Text: b.String()})
	v := viewOf(th, "plain", 60, 20)
	v.Select(true)
	v.Mark("wide")
	s := searchedFor(v, "wide")
	if len(s.Hits()) != 50 {
		t.Fatalf("%d matches", len(s.Hits()))
	}
	for _, h := range s.Hits() {
		if !v.Show(h) {
			t.Fatalf("match %+v is not shown", h)
		}
	}
	rendered := v.layout.rendered
	v.Mark("paragraph 2345 ")
	if s = searchedFor(v, "paragraph 2345 "); len(s.Hits()) != 1 || !v.Show(s.Hits()[0]) {
		t.Fatalf("got %+v", s.Hits())
	}
	if !strings.Contains(uitest.Text(v.Rows()), "Paragraph 2345 says") {
		t.Error(uitest.Text(v.Rows()))
	}
	if n := v.layout.rendered - rendered; n > 300 {
		t.Errorf("%d blocks were rendered for it", n)
	}
	if got, _ := now(v, v.Rows()); got != "Paragraph 2345 " {
		t.Errorf("%q is painted", got)
	}
}

// The match that one is at stays in sight when the size changes.
func TestSearchStays(t *testing.T) {
	v := viewOf(worked(), "plain", 80, 12)
	v.Select(true)
	v.Mark("last")
	s := searchedFor(v, "last")
	if len(s.Hits()) != 1 || !v.Show(s.Hits()[0]) {
		t.Fatalf("got %+v", s.Hits())
	}
	for _, size := range [][2]int{{24, 6}, {200, 5}, {40, 30}, {80, 12}, {30, 8}} {
		v.SetSize(size[0], size[1])
		if got, _ := now(v, v.Rows()); got != "last" {
			t.Errorf("%v: %q is painted\n%s", size, got, uitest.Text(v.Rows()))
		}
	}
	v.Home()
	v.SetSize(60, 8) // but not where one has gone away from it
	if got, _ := now(v, v.Rows()); got != "" {
		t.Errorf("%q is painted", got)
	}
}

// rowsOf is a transcript of so many rows: messages, output, diffs.
func rowsOf(n int) *thread.Thread {
	th := thread.New("s")
	kind, status := "execute", "completed"
	for i := 0; n > 0; i++ {
		th.Apply(event.TurnStarted{For: in, Text: fmt.Sprintf("prompt %d", i), At: uitest.Start})
		th.Apply(event.TextArrived{For: in, MessageID: fmt.Sprint(i), Text: strings.Repeat("A sentence of an answer that goes on for about a row of the screen, and ends here.\n", 60)})
		title, edit := fmt.Sprintf("make %d", i), "edit"
		th.Apply(event.ToolChanged{For: in, ID: fmt.Sprint(i), Kind: &kind, Status: &status, Title: &title, Content: &[]event.ToolContent{{Content: &event.Content{Text: strings.Repeat("a row of output that some command has written at some time or other\n", 100)}}}})
		lines := strings.Repeat("the same line\n", 20)
		th.Apply(event.ToolChanged{For: in, ID: fmt.Sprint("e", i), Kind: &edit, Status: &status, Title: &title, Content: &[]event.ToolContent{{Diff: &event.Diff{Path: "/x.go", Old: lines + "a\n" + lines, New: lines + fmt.Sprintf("changed in %d\n", i) + lines}}}})
		th.Apply(event.TurnEnded{For: in, StopReason: "end_turn", At: uitest.Now})
		n -= 170
	}
	return th
}

// The whole of 100,000 rows, looked through for what is at their end: first, and
// while the text of tool calls is known.
func BenchmarkSearch(b *testing.B) {
	th := rowsOf(100_000)
	last := fmt.Sprintf("changed in %d", len(th.Items)/5)
	for _, text := range []string{"nowhere", "e", last} {
		for _, known := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/known=%v", strings.Fields(text)[0], known), func(b *testing.B) {
				v := viewOf(th, "dark", 100, 40)
				v.Rows()
				searchedFor(v, "x")
				b.ReportAllocs()
				portions := 0
				for b.Loop() {
					if !known {
						v.searched = searched{}
					}
					s := v.Find(text)
					portions = 0
					for p := s.Portion(); p != nil; p = s.Portion() {
						p.Run()
						s.AddMatches(p)
						portions++
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*max(1, portions)), "µs/portion")
			})
		}
	}
}
