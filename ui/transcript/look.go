package transcript

import (
	"fmt"
	"time"

	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/theme"
)

// maxProse is how wide running text gets, in cells.
const maxProse = 100

// indent precedes everything but prompts, and bodyInset the content of calls.
const (
	indent    = "  "
	bodyInset = "    "
)

// look is what all rows depend on besides their item.
type look struct {
	th      *theme.Theme
	width   int
	columns int           // of the terminal that output of commands is played on
	cwd     string        // shortens paths
	agent   func() string // the agent's name; nil if it is not known
	now     time.Time
	ticks   int  // counts ticks of the clock
	short   bool // rows end with their text (see Written)
	measure bool // rows are not for the screen (see pen.wide)
}

// tick moves spinners and clocks.
func (l *look) tick(now time.Time) {
	l.now = now
	l.ticks++
}

// indented returns wrapped text in one ink.
func (l *look) indented(ink theme.Ink, text string) []string {
	return paint(ink, indent, text, l.width)
}

// promptWidth is the width of a prompt's text.
func (l *look) promptWidth() int { return max(1, min(l.width-2, maxProse)) }

// bodyWidth is the width of a call's content.
func (l *look) bodyWidth() int { return max(1, l.width-len(bodyInset)) }

// body indents rows, and adds one that counts the hidden ones.
func (l *look) body(rows []string, more int) []string {
	out := make([]string, 0, len(rows)+1)
	for _, r := range rows {
		out = append(out, bodyInset+r)
	}
	if more > 0 {
		out = append(out, bodyInset+l.moreRows(more))
	}
	return out
}

// moreRows returns the row that replaces n hidden ones.
func (l *look) moreRows(n int) string { return l.th.Dim.Paint(fmt.Sprintf("▸ %d more", n)) }

// inked returns rows of a body in one ink.
func (l *look) inked(rows []string, ink theme.Ink) []string {
	out := make([]string, 0, len(rows)+1)
	for _, r := range rows {
		out = append(out, bodyInset+ink.Paint(r))
	}
	return out
}

func (l *look) dim(rows []string) []string { return l.inked(rows, l.th.Dim) }

// leftOut returns the row that replaces hidden lines in the middle of a body.
func (l *look) leftOut(lines int) string {
	return bodyInset + l.th.Dim.Paint("… "+words.Count(lines, "line"))
}

// cut keeps the first and the last rows of a long body.
func (l *look) cut(rows []string) []string {
	if len(rows) < doneHead+doneTail+leastHidden {
		return l.body(rows, 0)
	}
	out := append(l.body(rows[:doneHead], 0), l.leftOut(len(rows)-doneHead-doneTail))
	return append(out, l.body(rows[len(rows)-doneTail:], 0)...)
}

// head returns the first rows of a text as rows of a body, and how many follow.
func (l *look) head(text string, most int, ink theme.Ink) (rows []string, left int) {
	rows, rest := firstRows(text, l.bodyWidth(), most)
	if rest != "" {
		left = countRows(rest, l.bodyWidth())
	}
	left += max(0, len(rows)-most)
	return l.inked(rows[:min(len(rows), most)], ink), left
}

// paint returns wrapped text in one ink after what comes before each row.
func paint(ink theme.Ink, before, s string, width int) []string {
	left := text.Width(before)
	return text.WrapInk(ink.Paint, s, before, left+prose(width-left))
}
