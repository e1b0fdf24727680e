package glyphs

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/charmbracelet/x/ansi"
)

// Screen rewrites styled rows so that Bubble Tea's cells keep all of their text. Unchanged
// they would lose a combining mark after ASCII, and a cluster of more than four cells. Such a
// mark is composed with its letter if there is a rune for both; else a stand-in replaces the
// letter, and Writer restores it.
func Screen(rows string) string { return draw(rows, true) }

// Row is Screen for a row that is written to the terminal directly.
func Row(row string) string { return draw(row, false) }

// standIn is added to an ASCII character. The runes are in a private use area without known
// uses; such runes in a text are not shown.
const standIn = 0x10ff00

// apart separates two parts of a cluster: a sequence without effect, which Bubble Tea does
// not pass on.
const apart = "\x1b[10m"

const maxCell = 4 // the widest cell of Bubble Tea, in columns

func draw(s string, screen bool) string {
	var b strings.Builder
	done := 0
	for i, base := 0, -1; i < len(s); {
		c := s[i]
		switch {
		case c == 0x1b:
			i, base = i+escape(s[i:]), -1
			continue
		case c < 0x20:
			i, base = i+1, -1
			continue
		case c < utf8.RuneSelf:
			for i < len(s) && s[i] >= 0x20 && s[i] < utf8.RuneSelf {
				i++
			}
			base = i - 1
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if usual(r) {
			base = i
			i += size
			continue
		}
		if base < 0 {
			base = i
		}
		cluster, _ := Whole(s[base:])
		if base+len(cluster) <= i { // r belongs to the next cluster
			base = i
			cluster, _ = Whole(s[i:])
		}
		if shown := cell(cluster, screen); shown != cluster {
			b.WriteString(s[done:base])
			b.WriteString(shown)
			done = base + len(cluster)
		}
		i, base = base+max(len(cluster), 1), -1
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// escape returns the length of the sequence that s begins with.
func escape(s string) int {
	if len(s) > 1 && s[1] == '[' { // most are styles
		for i := 2; i < len(s) && s[i] >= 0x20 && s[i] < 0x7f; i++ {
			if s[i] >= 0x40 {
				return i + 1
			}
		}
	}
	_, _, n, _ := ansi.DecodeSequence(s, ansi.NormalState, nil)
	return max(n, 1)
}

// usual reports whether a rune takes its own cells and joins no others. It may miss some.
func usual(r rune) bool {
	switch {
	case r < 0x300, r >= 0x2010 && r <= 0x2027, r >= 0x2030 && r <= 0x205e, r >= 0x2100 && r <= 0x2bff,
		r >= 0x3001 && r <= 0x3029, r >= 0x3041 && r <= 0x3096, r >= 0x309b && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3,
		r >= 0x1f300 && r <= 0x1f3fa, r >= 0x1f400 && r <= 0x1faff:
		return true
	}
	return false
}

// cell returns what is written for a cluster.
func cell(s string, screen bool) string {
	m := method()
	width := m.StringWidth(s)
	if composed := norm.NFC.String(s); m.StringWidth(composed) == width {
		s = composed
	}
	if strings.ContainsFunc(s, standsIn) {
		s = strings.Map(func(r rune) rune {
			if standsIn(r) {
				return utf8.RuneError
			}
			return r
		}, s)
	}
	if m == ansi.WcWidth {
		s = unjoined(s)
	}
	if !screen {
		return s
	}
	if s != "" && s[0] < utf8.RuneSelf && len(s) > 1 {
		s = string(rune(standIn+int(s[0]))) + s[1:]
	}
	if width > maxCell {
		return parted(s)
	}
	return s
}

func standsIn(r rune) bool { return r >= standIn+0x20 && r < standIn+0x7f }

// unjoined removes the joiners from a sequence of emoji. A terminal that adds up the widths
// of runes has cells for each of them; if it joined them nevertheless, some cells would never
// be written.
func unjoined(s string) string {
	for n := joined(s); n > 0; n = joined(s) {
		s = s[:n-len(joiner)] + s[n:]
	}
	return s
}

// parted separates the runes of a cluster that take cells, so that each is a cell.
func parted(s string) string {
	var b strings.Builder
	for i, r := range s {
		if i > 0 && ansi.WcWidth.StringWidth(string(r)) > 0 {
			b.WriteString(apart)
		}
		b.WriteRune(r)
	}
	return b.String()
}
