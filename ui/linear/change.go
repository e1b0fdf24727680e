package linear

import (
	"fmt"
	"math"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"parley/ui/widget"
)

// maxCompared bounds the texts that are compared, in bytes of each; of longer
// ones all lines are written.
const maxCompared = 4 << 20

// change writes the lines that differ between two texts, and three around
// them, each with its number and what becomes of it.
func (p *printer) change(d widget.Diff) {
	path := oneLine(d.Path)
	if d.Old == d.New && !d.OldMissing {
		p.say("Change of %s: no changes.", path)
		return
	}
	if d.OldMissing && d.Old == "" {
		p.say("New file %s, %s:", path, count(linesIn(d.New), "line"))
	} else {
		p.say("Change of %s:", path)
	}
	for _, l := range changeLines(d) {
		p.lines(l)
	}
	p.say("End of the change.")
}

func linesIn(s string) int {
	if s == "" {
		return 0
	}
	return len(splitLines(s))
}

// changeLines are the lines of a change, in words.
func changeLines(d widget.Diff) []string {
	const around = 3
	opts := []textdiff.Option{diff.Context(around), textdiff.IndentHeuristic()}
	if max(len(d.Old), len(d.New)) > maxCompared {
		return append(allLines(d.First, "removed", d.Old), allLines(d.First, "added", d.New)...)
	}
	var out []string
	last := math.MaxInt
	for _, h := range textdiff.Hunks(d.Old, d.New, opts...) {
		if h.LineNoX > last {
			out = append(out, fmt.Sprintf("%s without a change.", count(h.LineNoX-last, "line")))
		}
		last = h.EndLineNoX
		for _, e := range h.Edits {
			switch e.Op {
			case diff.Delete:
				out = append(out, lineOf(d.First, e.LineNoX, ", removed", e.Line))
			case diff.Insert:
				out = append(out, lineOf(d.First, e.LineNoY, ", added", e.Line))
			default:
				out = append(out, lineOf(d.First, e.LineNoY, "", e.Line))
			}
		}
	}
	return out
}

func allLines(first int, what, text string) []string {
	var out []string
	i := 0
	for l := range strings.Lines(text) {
		out = append(out, lineOf(first, i, ", "+what, l))
		i++
	}
	return out
}

// lineOf is one line of a text, with its number from 0. Lines of a part of a file of
// which the place is not known have none that would help.
func lineOf(first, n int, what, line string) string {
	text, whole := strings.CutSuffix(line, "\n")
	switch {
	case first < 0:
		return fmt.Sprintf("Line%s: %s", what, text)
	case !whole:
		what += ", without a newline at its end"
	}
	return fmt.Sprintf("Line %d%s: %s", first+n+1, what, text)
}
