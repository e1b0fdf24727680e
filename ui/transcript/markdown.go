package transcript

import (
	"parley/ui/theme"
	"parley/ui/transcript/markdown"
)

// Markdown draws a text outside the transcript, such as a plan. It is drawn like one that
// still grows, which is fast enough for every frame.
func Markdown(text string, width int, th *theme.Theme) []string {
	var s markdown.Stream
	s.Append([]byte(text))
	s.Finish()
	r := markdown.NewRenderer(width, th)
	var rows []string
	for k := range s.Len() {
		b := s.Block(k, []byte(text))
		b.Open = true
		if len(rows) > 0 && !b.Continued {
			rows = append(rows, "")
		}
		rows = append(rows, r.Rows(b)...)
	}
	return rows
}
