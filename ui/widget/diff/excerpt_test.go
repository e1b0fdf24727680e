package diff

import (
	"strings"
	"testing"
)

// An excerpt has the lines of a change or between two lines of a sheet, in the order of the diff,
// and says where they are.
func TestExcerpt(t *testing.T) {
	const before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n"
	const after = "a\nB\nBB\nc\nd\ne\nf\ng\nh\ni\nj\nl\nm\n"
	for _, whole := range []bool{false, true} {
		c := Compute(Diff{Path: "f", Old: before, New: after, Whole: whole})
		for i, want := range []Excerpt{{"-b\n+B\n+BB\n", 2, 3, false}, {"-k\n", 11, 11, true}, {}} {
			if got := c.Excerpt(i); got != want {
				t.Errorf("change %d, whole file %v: %+v, want %+v", i, whole, got, want)
			}
		}
	}
	c := Compute(Diff{Path: "f", Old: before, New: after})
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
	if got, want := beside.Excerpt(beside.Begin(0), beside.Begin(0)), (Excerpt{"-b\n+B\n", 2, 2, false}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := beside.Excerpt(beside.Begin(0)+1, beside.Begin(0)+1), (Excerpt{"+BB\n", 3, 3, false}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	below := NewSheet(c, false, nil)
	if got, want := below.Excerpt(below.Begin(0), below.Begin(0)), (Excerpt{"-b\n", 2, 2, true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
