package panel

import (
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/theme"
)

// UsageRows shows what a session has used, and what the agents took today.
func UsageRows(session [][2]string, today []memory.AgentUsage, width int, th *theme.Theme) (rows []string) {
	column := 12
	for _, a := range today {
		column = max(column, min(width/3, text.Width(words.OneLine(a.Agent))+2))
	}
	line := func(about, said string) {
		for i, r := range text.Wrap(said, max(1, width-column)) {
			if i > 0 {
				about = ""
			}
			rows = append(rows, th.Dim.Paint(text.Pad(about, column))+r)
		}
	}
	for _, r := range session {
		line(r[0], r[1])
	}
	if len(session) == 0 {
		rows = append(rows, "The agent has not reported any usage")
	}
	if len(today) > 0 {
		rows = append(rows, "", th.Strong.Paint("Today, all sessions"))
	}
	for _, a := range today {
		line(text.Truncate(words.OneLine(a.Agent), column-1, "…"), a.String())
	}
	return rows
}
