package words

import "testing"

func TestClip(t *testing.T) {
	for n, want := range []string{"", "", "é", "éx", "éx", "éx", "éx日"} {
		if got := Clip("éx日", n); got != want {
			t.Errorf("at most %d bytes: got %q, want %q", n, got, want)
		}
	}
}
