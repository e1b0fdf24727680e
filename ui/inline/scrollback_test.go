package inline

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/intent"
	"parley/ui/layer"
	"parley/ui/theme"
)

// sheet is a screen that keeps what is printed.
type sheet struct{ rows []string }

func (s *sheet) Print(rows ...string) {
	for _, r := range rows {
		s.rows = append(s.rows, ansi.Strip(r))
	}
}

// story is a conversation of rows that are finished.
type story struct {
	rows []string
	at   int
	old  int // entries that are too much
}

func (s *story) Begun() bool    { return s.at > 0 }
func (s *story) Skip(int) int   { n := s.old; s.old = 0; return n }
func (s *story) Rest() []string { rows, _ := s.Take(len(s.rows)); return rows }
func (s *story) Take(most int) (rows []string, more bool) {
	end := min(len(s.rows), s.at+most)
	rows, s.at = s.rows[s.at:end], end
	return rows, end < len(s.rows)
}

func TestScrollback(t *testing.T) {
	out := &sheet{}
	s := NewScrollback(&layer.Env{Keys: intent.Default, Theme: theme.Plain()}, true)
	if s.Writes() {
		t.Error("it writes without a terminal")
	}
	s.SetScreen(out.Print)
	wrote := func(p Page, want ...string) {
		t.Helper()
		out.rows = nil
		if s.Write(p); !slices.Equal(out.rows, want) {
			t.Errorf("wrote %q, want %q", out.rows, want)
		}
	}
	one := &story{rows: []string{"a", "b"}}
	first := Page{Key: 1, Name: "fake", About: "in  ~/src", Width: 60, Conversation: one}
	wrote(first, "── fake · in ~/src ──", "", "a", "b")
	wrote(first)
	second := Page{Key: 2, Name: "other", About: "a title", Width: 60, Conversation: &story{rows: []string{"c"}, old: 3}}
	wrote(second, "", "── other · a title ──", "", "  … 3 earlier entries: pgup shows them", "c")
	one.rows = append(one.rows, "d", "e")
	if got := ansi.Strip(strings.Join(s.Last(first), "\n")); got != "\n── fake · in ~/src ──\nd\ne" {
		t.Errorf("wrote last %q", got)
	}
	if said := s.Toggle(); s.Writes() || said == "" {
		t.Errorf("it is on still, and says %q", said)
	}
}
