package linediff

import "testing"

// An excerpt has the lines of a change, in the order of the diff, and says where they are.
func TestExcerpt(t *testing.T) {
	const before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n"
	const after = "a\nB\nBB\nc\nd\ne\nf\ng\nh\ni\nj\nl\nm\n"
	for _, whole := range []bool{false, true} {
		c := Compare(Texts{Path: "f", Old: before, New: after, Whole: whole})
		for i, want := range []Excerpt{{"-b\n+B\n+BB\n", 2, 3, false}, {"-k\n", 11, 11, true}, {}} {
			if got := c.Excerpt(i); got != want {
				t.Errorf("change %d, whole file %v: %+v, want %+v", i, whole, got, want)
			}
		}
	}
}
