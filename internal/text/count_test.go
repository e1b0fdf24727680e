package text

import (
	"testing"
)

func TestMoreRows(t *testing.T) {
	for n, want := range map[int]string{1: "1 more row ↓", 2: "2 more rows ↓", 6831: "6,831 more rows ↓"} {
		if got := MoreRows(n); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
