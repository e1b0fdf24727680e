package panel

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/ui/uitest"
)

// What is written is handed over with enter; esc leaves it, and a text that has changed is not lost.
func TestWriting(t *testing.T) {
	var done, left string
	opens := func(text string) (*page, *Writing) {
		w := NewWriting(text)
		w.Title, w.Quote, w.Diff = "Note on a.go:3", "-a\n+b\x1b[31m\n"+strings.Repeat(" c\n", 20), true
		w.Done = func(text string) tea.Cmd { done = text; return nil }
		w.Left = func(text string) tea.Cmd { left = text; return nil }
		return opened(w), w
	}
	p, w := opens("")
	p.press("h", "i", "ctrl+j", "y", "o", "enter")
	if done != "hi\nyo" || left != "" || p.open != nil {
		t.Errorf("done %q, left %q", done, left)
	}
	for _, height := range []int{12, 8, 5, 3} {
		w.Saw(40, height)
		rows, cursor := w.Rows(40, height)
		uitest.CheckRows(t, rows, 40)
		s := uitest.Text(rows)
		if len(rows) > height || cursor == nil || cursor.Y >= len(rows) || !strings.Contains(strings.Split(s, "\n")[cursor.Y], "yo") {
			t.Errorf("%d rows of %d, cursor %+v:\n%s", len(rows), height, cursor, s)
		}
		if height == 12 && (!strings.Contains(s, "+b") || !strings.Contains(s, "… 17 more lines")) {
			t.Errorf("the quote is not shown:\n%s", s)
		}
	}
	for _, head := range []string{"", "diff --git a/x b/x\n--- a/x\n+++ b/x\n"} {
		w.Quote = head + "@@ -28,7 +28,7 @@\n line 28\n line 29\n line 30\n-line two alpha\n+line two BETA\n line 32\n line 33"
		rows, _ := w.Rows(40, 12)
		if s := uitest.Text(rows); !strings.Contains(s, "-line two alpha") || !strings.Contains(s, "+line two BETA") || strings.Contains(s, "more") {
			t.Errorf("the change is not shown:\n%s", s)
		}
	}
	p, _ = opens("before")
	p.press("esc")
	if left != "" || p.open != nil {
		t.Errorf("left %q", left)
	}
	p, w = opens("before")
	w.Paste(", a\nb")
	p.press("esc")
	if left != "before, a\nb" {
		t.Errorf("left %q", left)
	}
}
