package panel

import (
	"fmt"
	"strings"

	"parley/acpclient/event"
	"parley/ui/theme"
	"parley/ui/widget"
)

// LogRows are the lines of an agent's log that are kept, of so many.
func LogRows(lines []event.LogLine, total, width int, th *theme.Theme) []string {
	if total == 0 {
		return []string{th.Dim.Paint("nothing so far")}
	}
	var rows []string
	if total > len(lines) {
		rows = append(rows, th.Dim.Paint(fmt.Sprintf("… %d older lines", total-len(lines))))
	}
	for _, l := range lines {
		before := th.Dim.Paint(l.At.Format("15:04:05 ")) + th.Faint.Paint(fmt.Sprintf("%-8s ", l.Source))
		ink := th.Text
		if l.Source == event.LogProtocol {
			ink = th.Warn
		}
		for i, r := range widget.Wrap(l.Text, max(1, width-18)) {
			if i > 0 {
				before = strings.Repeat(" ", 18)
			}
			rows = append(rows, before+ink.Paint(r))
		}
	}
	return rows
}
