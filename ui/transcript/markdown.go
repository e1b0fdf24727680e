package transcript

import (
	"parley/ui/theme"
	"parley/ui/transcript/markdown"
)

// Markdown renders a text that stands for itself, such as a plan. It is drawn as one that
// still grows, which is quick enough for every frame.
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
