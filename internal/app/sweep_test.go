package app

import "testing"

func TestSweptLine(t *testing.T) {
	for _, test := range []struct {
		found, left int
		want        string
	}{
		{0, 0, ""},
		{1, 0, "a parley that was killed had left 1 process behind: it was ended"},
		{3, 0, "a parley that was killed had left 3 processes behind: they were ended"},
		{3, 1, "a parley that was killed had left 3 processes behind; 1 of them cannot be ended"},
		{1, 1, "a parley that was killed had left 1 process behind; it cannot be ended"},
	} {
		if got := sweptLine(test.found, test.left); got != test.want {
			t.Errorf("%d, %d: %q", test.found, test.left, got)
		}
	}
}
