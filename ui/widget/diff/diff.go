// Package diff compares texts and draws the difference: unified or side by side, with
// hunks to pick from.
package diff

import (
	"strconv"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"parley/ui/theme"
	"parley/ui/widget/text"
)

// A text over either limit is not compared: the diff is a row that says so.
const (
	diffMaxBytes = 8 << 20
	diffMaxLines = 200_000
)

// diffMaxCost bounds the search for the shortest result: the lines of both texts times those that a quick comparison finds
// changed, at about 2 ns each.
const diffMaxCost = 3_000_000

const diffContext = 3

// Diff is a change of one file. OldMissing says that there was no file before.
type Diff struct {
	Path       string
	Old, New   string
	OldMissing bool
	// First is how many lines of the file come before the texts. -1: the texts are an unknown part of it. Then rows have no
	// numbers, and an end without a newline means nothing.
	First int
	Whole bool // all lines are context, not only those next to a change
}

// Computed is a Diff with its edit script, which can be drawn at any width without comparing again. It keeps the parts of
// both texts that it shows. It does not change once made, so goroutines may share it.
type Computed struct {
	Path           string
	Added, Removed int // lines; of a text that is too large: an upper bound
	TooLarge       bool

	hunks      []textdiff.Hunk[string]
	oldMissing bool
	oldSize    int
	newSize    int
	showCR     bool // carriage returns differ, so they are shown
	lastOld    int  // the number of the last line of each text that lacks a newline; -1: it has one
	lastNew    int
	lineNumber int  // digits of the highest line number
	first      int  // lines of the file before the first; -1: not known
	twoSided   bool // it has lines of the old text and of the new one
}

// Compute compares the two texts of d. It takes less than 10 ms for 20,000 lines, a tenth of a second near the limits.
func Compute(d Diff) *Computed {
	oldLines, newLines := text.CountLines(d.Old), text.CountLines(d.New)
	c := &Computed{
		Path: d.Path, oldMissing: d.OldMissing, oldSize: len(d.Old), newSize: len(d.New), first: d.First, lastOld: -1, lastNew: -1,
		lineNumber: len(strconv.Itoa(max(d.First, 0) + max(oldLines, newLines, 1))),
	}
	if d.First >= 0 {
		c.lastOld, c.lastNew = unfinished(d.Old, oldLines), unfinished(d.New, newLines)
	}
	switch {
	case d.Old == d.New:
		return c
	case max(len(d.Old), len(d.New)) > diffMaxBytes || max(oldLines, newLines) > diffMaxLines:
		c.TooLarge = true
		c.Removed, c.Added = changedMiddle(d.Old, d.New)
		return c
	}
	context := diffContext
	if d.Whole {
		context = max(oldLines, newLines)
	}
	c.hunks = textdiff.Hunks(d.Old, d.New, diff.Context(context), textdiff.IndentHeuristic(), diff.Fast())
	if c.count(); (c.Added+c.Removed)*(oldLines+newLines) <= diffMaxCost {
		c.hunks = textdiff.Hunks(d.Old, d.New, diff.Context(context), textdiff.IndentHeuristic())
		c.count()
	}
	oldCR, newCR := strings.Contains(d.Old, "\r\n"), strings.Contains(d.New, "\r\n")
	c.showCR = (oldCR || newCR) && (oldCR != newCR || mixedEnds(d.Old) || mixedEnds(d.New))
	return c
}

// count counts the lines that are added and removed.
func (c *Computed) count() {
	c.Added, c.Removed = 0, 0
	context := 0
	for _, h := range c.hunks {
		for _, e := range h.Edits {
			switch e.Op {
			case diff.Insert:
				c.Added++
			case diff.Delete:
				c.Removed++
			default:
				context++
			}
		}
	}
	c.twoSided = context > 0 || c.Added > 0 && c.Removed > 0
}

// Summarise counts the lines that d adds and removes.
func Summarise(d Diff) (added, removed int) {
	c := Compute(d)
	return c.Added, c.Removed
}

// RenderDiff compares and draws d. See [Computed.Rows].
func RenderDiff(d Diff, width, maxLines int, th *theme.Theme) (rows []string, more int) {
	return Compute(d).Rows(width, maxLines, th)
}

// unfinished returns the number of the last line if no newline ends it, else -1.
func unfinished(s string, lines int) int {
	if s == "" || strings.HasSuffix(s, "\n") {
		return -1
	}
	return lines - 1
}

func mixedEnds(s string) bool {
	return strings.Count(s, "\n") != strings.Count(s, "\r\n")
}

// changedMiddle counts the lines between the first and the last that differ.
func changedMiddle(a, b string) (removed, added int) {
	n := 0
	for limit := min(len(a), len(b)); n < limit && a[n] == b[n]; {
		n++
	}
	n = strings.LastIndexByte(a[:n], '\n') + 1
	a, b = a[n:], b[n:]
	n = 0
	for limit := min(len(a), len(b)); n < limit && a[len(a)-1-n] == b[len(b)-1-n]; {
		n++
	}
	// Only whole lines of the common end may go.
	tail := a[len(a)-n:]
	if i := strings.IndexByte(tail, '\n'); i >= 0 {
		n -= i + 1
	} else {
		n = 0
	}
	return text.CountLines(a[:len(a)-n]), text.CountLines(b[:len(b)-n])
}
