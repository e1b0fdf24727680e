package text

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// FormatThousands writes a number with commas: 6,831.
func FormatThousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// RowsOf returns "1 row" or "6,831 rows".
func RowsOf(n int) string {
	if n == 1 {
		return "1 row"
	}
	return FormatThousands(n) + " rows"
}

// MoreRows says how many rows follow below those that are shown.
func MoreRows(n int) string { return strings.Replace(RowsOf(n), " ", " more ", 1) + " ↓" }

// ByteCount formats a size: 12.3 kB.
func ByteCount(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
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
	case d < 48*time.Hour:
		return "1 day ago"
	default:
		return fmt.Sprintf("%d days ago", int(d.Hours())/24)
	}
}

// WordRune reports whether a character is part of a word.
func WordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// OneLine makes plain text fit on one row.
func OneLine(s string) string {
	if strings.IndexByte(s, '\n') >= 0 {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	return Visible(s)
}
