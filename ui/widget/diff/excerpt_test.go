package diff

import (
	"strings"
	"testing"

	"parley/internal/linediff"
)

// An excerpt has the lines of a change or between two lines of a sheet, in the order of the diff,
// and says where they are.
func TestExcerpt(t *testing.T) {
	const before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n"
	const after = "a\nB\nBB\nc\nd\ne\nf\ng\nh\ni\nj\nl\nm\n"
	c := linediff.Compare(linediff.Texts{Path: "f", Old: before, New: after})
	for _, sides := range []bool{false, true} {
		s := NewSheet(c, sides, nil)
		if s.HasText(s.Head(0)) || !s.HasText(s.Begin(0)) || s.HasText(-1) || s.HasText(s.Len()) {
			t.Error("the row above a change counts as a line, or its first line does not")
		}
		if got, want := s.Excerpt(0, s.Len()-1), strings.ReplaceAll(" a|-b|+B|+BB| c| d| e| h| i| j|-k| l| m|", "|", "\n"); got.Text != want || got.From != 1 || got.To != 13 {
			t.Errorf("all of it, side by side %v: %+v, want %q", sides, got, want)
		}
	}
	beside := NewSheet(c, true, nil)
	if got, want := beside.Excerpt(beside.Begin(0), beside.Begin(0)), (linediff.Excerpt{Text: "-b\n+B\n", From: 2, To: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := beside.Excerpt(beside.Begin(0)+1, beside.Begin(0)+1), (linediff.Excerpt{Text: "+BB\n", From: 3, To: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	below := NewSheet(c, false, nil)
	if got, want := below.Excerpt(below.Begin(0), below.Begin(0)), (linediff.Excerpt{Text: "-b\n", From: 2, To: 2, Old: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
