package widget

import (
	"strconv"
	"strings"
)

// Grouped writes a number with commas: 6,831.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// RowsOf is "1 row" or "6,831 rows".
func RowsOf(n int) string {
	if n == 1 {
		return "1 row"
	}
	return Grouped(n) + " rows"
}

// MoreRows says how many rows come below those that are shown.
func MoreRows(n int) string { return strings.Replace(RowsOf(n), " ", " more ", 1) + " ↓" }
