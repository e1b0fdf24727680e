// Package glyphs knows how many cells of the terminal text takes.
//
// Terminals measure text in one of two ways: by grapheme clusters, where they have
// mode 2027, or rune by rune. Which one holds is a fact of the terminal and the
// same for the whole process. Everything that lays out text must measure with this
// package, and begin again when Measure says that the way has changed.
package glyphs

import (
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// clusters tells that the terminal measures by grapheme clusters.
var clusters atomic.Bool

// Measure says how the terminal measures text, and reports whether that is news.
// Until it is called runes are added up.
func Measure(byClusters bool) bool { return clusters.Swap(byClusters) != byClusters }

// ByClusters reports how text is measured.
func ByClusters() bool { return clusters.Load() }

func method() ansi.Method {
	if clusters.Load() {
		return ansi.GraphemeWidth
	}
	return ansi.WcWidth
}

// Whole returns the grapheme cluster that s begins with and its width, for those
// who edit text.
func Whole[T string | []byte](s T) (cluster T, width int) {
	return ansi.FirstGraphemeCluster(s, method())
}

// First returns the grapheme cluster that s begins with and its width. A terminal
// that adds up runes shows the emoji of a joined sequence side by side: there each
// is a cluster, with the joiner after it.
func First[T string | []byte](s T) (cluster T, width int) {
	cluster, width = Whole(s)
	if width > 2 && !ByClusters() {
		if n := joined(string(cluster)); n > 0 {
			cluster = cluster[:n]
			width = Width(string(cluster))
		}
	}
	return cluster, width
}

const joiner = "\u200d"

// joined returns the length of the first emoji of a sequence with its joiner; 0
// where s is no such.
func joined(s string) int {
	for n := 0; ; {
		i := strings.Index(s[n:], joiner)
		if i < 0 {
			return 0
		}
		n += i + len(joiner)
		if r, _ := utf8.DecodeRuneInString(s[n:]); pictured(r) {
			return n
		}
	}
}

// pictured reports the runes that joiners make pictures of.
func pictured(r rune) bool {
	return r >= 0x1f000 && r < 0x20000 || r >= 0x2190 && r < 0x2c00
}

// Width returns the width of s, which may be styled and has one line.
func Width(s string) int { return method().StringWidth(s) }

// Truncate cuts a styled line to a width. What was cut is marked by tail.
func Truncate(s string, width int, tail string) string { return method().Truncate(s, width, tail) }

// TruncateLeft takes so many cells off the beginning of a styled line.
func TruncateLeft(s string, cells int) string { return method().TruncateLeft(s, cells, "") }

// Hardwrap breaks a styled line after so many cells, blanks included.
func Hardwrap(s string, width int) string { return method().Hardwrap(s, width, true) }
