// Package glyphs measures how many cells of the terminal a text takes.
//
// Terminals measure text in one of two ways: by grapheme clusters, if they have mode 2027, or
// rune by rune. The way is a property of the terminal and the same for the whole process.
// Everything that lays out text must measure with this package, and lay it out again when
// Measure reports a change.
package glyphs

import (
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// clusters says that the terminal measures by grapheme clusters.
var clusters atomic.Bool

// Measure sets how the terminal measures text, and reports whether that is a change. Until it
// is called the widths of runes are added up.
func Measure(byClusters bool) bool { return clusters.Swap(byClusters) != byClusters }

// ByClusters reports how text is measured.
func ByClusters() bool { return clusters.Load() }

func method() ansi.Method {
	if clusters.Load() {
		return ansi.GraphemeWidth
	}
	return ansi.WcWidth
}

// Whole returns the first grapheme cluster of s and its width, for editing text.
func Whole[T string | []byte](s T) (cluster T, width int) {
	return ansi.FirstGraphemeCluster(s, method())
}

// First returns the first grapheme cluster of s and its width. A terminal that adds up the
// widths of runes shows the emoji of a joined sequence side by side; for these, each emoji
// with the joiner after it is a cluster.
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

// joined returns the length of the first emoji of a joined sequence with its joiner; 0 if s
// does not begin with one.
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

// pictured reports whether a rune can be part of a joined sequence of emoji.
func pictured(r rune) bool {
	return r >= 0x1f000 && r < 0x20000 || r >= 0x2190 && r < 0x2c00
}

// Width returns the width of s, one line that may be styled.
func Width(s string) int { return method().StringWidth(s) }

// Truncate cuts a styled line to a width and marks the cut with tail.
func Truncate(s string, width int, tail string) string { return method().Truncate(s, width, tail) }
