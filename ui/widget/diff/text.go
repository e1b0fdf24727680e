package diff

import (
	"fmt"
	"strings"

	"znkr.io/diff"
)

// Unified returns the diff as the hunks of a patch that git and patch can read; "" if nothing has changed or the texts were
// too large to compare. The caller adds the names of the file.
func (c *Computed) Unified() string {
	if c.TooLarge {
		return ""
	}
	var b strings.Builder
	first := max(c.first, 0)
	for _, h := range c.hunks {
		var body strings.Builder
		before, after := 0, 0
		for _, e := range h.Edits {
			sign, unfinished := byte(' '), e.LineNoX == c.lastOld && e.LineNoY == c.lastNew
			switch e.Op {
			case diff.Insert:
				sign, unfinished = '+', e.LineNoY == c.lastNew
				after++
			case diff.Delete:
				sign, unfinished = '-', e.LineNoX == c.lastOld
				before++
			default:
				before, after = before+1, after+1
			}
			body.WriteByte(sign)
			body.WriteString(strings.TrimSuffix(e.Line, "\n"))
			body.WriteByte('\n')
			if unfinished {
				body.WriteString("\\ No newline at end of file\n")
			}
		}
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", hunkRange(first+h.LineNoX, before), hunkRange(first+h.LineNoY, after))
		b.WriteString(body.String())
	}
	return b.String()
}

// hunkRange returns where a hunk begins, from line 1, and how many lines it has. One without lines names the line before
// it.
func hunkRange(line, n int) string {
	if n == 0 {
		return fmt.Sprintf("%d,0", line)
	}
	return fmt.Sprintf("%d,%d", line+1, n)
}

// Gutter returns how many cells the line numbers take in rows of that width. A diff that only adds lines, or only
// deletes them, has one column of numbers.
func (c *Computed) Gutter(width int) int {
	switch {
	case width < gutterWidth || c.first < 0 || c.note() != "":
		return 0
	case c.twoSided:
		return 2 * c.column()
	}
	return c.column()
}

// column is the width of a column of line numbers, with the space after it.
func (c *Computed) column() int { return max(c.lineNumber, 3) + 1 }

// PatchName returns a file's name as a patch has it; side is a/ or b/. A name with a space ends with a tab.
func PatchName(side, name string) string {
	name = side + strings.TrimPrefix(name, "/")
	if strings.Contains(name, " ") {
		name += "\t"
	}
	return name
}
