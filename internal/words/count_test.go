package words

import (
	"testing"
	"time"
)

func TestBytes(t *testing.T) {
	for n, want := range map[int]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 1234: "1.2 kB", 9949: "9.9 kB", 9950: "10 kB", 123_456: "123 kB", 999_499: "999 kB",
		999_500: "1.0 MB", 34_000_000: "34 MB", 5_600_000_000: "5.6 GB", 5_600_000_000_000: "5600 GB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 lines", 1: "1 line", 999: "999 lines", 6831: "6,831 lines", 1_234_567: "1,234,567 lines"} {
		if got := Count(n, "line"); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
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

func TestClock(t *testing.T) {
	now := time.Date(2026, 2, 27, 18, 5, 0, 0, time.Local)
	for add, want := range map[time.Duration]string{0: "18:05", 5 * time.Hour: "23:05", 6 * time.Hour: "Sat 00:05", -19 * time.Hour: "26 Feb 23:05", 5 * 24 * time.Hour: "Wed 18:05", 7 * 24 * time.Hour: "6 Mar 18:05"} {
		if got := Clock(now.Add(add), now); got != want {
			t.Errorf("%v later: %q, want %q", add, got, want)
		}
	}
}
