package text

import (
	"testing"
	"time"
)

func TestMoreRows(t *testing.T) {
	for n, want := range map[int]string{1: "1 more row ↓", 2: "2 more rows ↓", 6831: "6,831 more rows ↓"} {
		if got := MoreRows(n); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	for before, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 min ago", 59 * time.Minute: "59 min ago", 90 * time.Minute: "1 h ago",
		25 * time.Hour: "1 day ago", 29 * 24 * time.Hour: "29 days ago", 30 * 24 * time.Hour: "2026-04-04", -time.Hour: "2026-05-04",
	} {
		if got := Ago(now.Add(-before), now); got != want {
			t.Errorf("%v before: %q, want %q", before, got, want)
		}
	}
}
