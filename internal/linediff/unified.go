package linediff

import (
	"fmt"
	"strings"

	"znkr.io/diff"
)

// Unified returns the diff as the hunks of a patch that git and patch can read; "" if nothing has changed or the texts were
// too large to compare. The caller adds the names of the file.
func (c *Diff) Unified() string {
	if c.TooLarge {
		return ""
	}
	var b strings.Builder
	first := max(c.First, 0)
	for _, h := range c.Hunks {
		var body strings.Builder
		before, after := 0, 0
		for _, e := range h.Edits {
			sign, unfinished := byte(' '), e.LineNoX == c.LastOld && e.LineNoY == c.LastNew
			switch e.Op {
			case diff.Insert:
				sign, unfinished = '+', e.LineNoY == c.LastNew
				after++
			case diff.Delete:
				sign, unfinished = '-', e.LineNoX == c.LastOld
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

// PatchName returns a file's name as a patch has it; side is a/ or b/. A name with a space ends with a tab.
func PatchName(side, name string) string {
	name = side + strings.TrimPrefix(name, "/")
	if strings.Contains(name, " ") {
		name += "\t"
	}
	return name
}
