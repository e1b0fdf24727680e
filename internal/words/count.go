// Package words writes numbers, sizes, times and paths as a person reads them.
package words

import (
	"fmt"
	"strings"
	"time"
)

// CountLines counts the lines of text; a last newline ends a line, it does not begin one.
func CountLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// Count returns a number with its noun: "1 line", "6,831 lines".
func Count(n int, noun string) string { return Plural(n, noun, noun+"s") }

// Plural is Count for a noun with another plural: "1 process", "2 processes".
func Plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + more
}

// Thousands writes a number with commas: 6,831.
func Thousands[N int | uint64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Bytes writes a size: "512 B", "1.2 kB", "34 MB".
func Bytes[N int | int64](n N) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	size, unit := float64(n)/1e3, "kB"
	for _, larger := range []string{"MB", "GB"} {
		if size < 999.5 {
			break
		}
		size, unit = size/1e3, larger
	}
	if size < 9.95 {
		return fmt.Sprintf("%.1f %s", size, unit)
	}
	return fmt.Sprintf("%.0f %s", size, unit)
}

// Ago says how long before now something was: "just now", "3 min ago", "5 h ago", "2 days
// ago". What is older than a month, or later than now, is written as a date.
func Ago(at, now time.Time) string {
	switch d := now.Sub(at); {
	case d < 0 || d >= 30*24*time.Hour:
		return at.Local().Format("2006-01-02")
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	default:
		return Count(int(d.Hours())/24, "day") + " ago"
	}
}

// Clock returns a time as a person reads it: "14:00", with the day if that is not today.
func Clock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	switch away := at.Sub(now); {
	case at.Format(time.DateOnly) == now.Format(time.DateOnly):
		return at.Format("15:04")
	case away > 0 && away < 6*24*time.Hour:
		return at.Format("Mon 15:04")
	}
	return at.Format("2 Jan 15:04")
}

// Tokens formats a number of tokens: "850", "12k", "1.2M".
func Tokens(n uint64) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}
