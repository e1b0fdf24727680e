package panel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/internal/linediff"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/ui/theme"
	"parley/ui/widget/diff"
)

// Message is one logged JSON-RPC message. It is not safe to show.
type Message struct {
	At            time.Time
	Out           bool // parley sent it
	JSON          []byte
	CutBytes      int // bytes missing at the end
	OmittedBefore int // messages left out before this one
}

// Line is a line of text. A Head is dim and about the lines that follow.
type Line struct {
	Text string
	Head bool
}

// maxMessage is how many bytes of one message are shown.
const maxMessage = 256 << 10

// Messages lays out messages, one JSON member per line.
func Messages(shown []Message) []Line {
	var lines []Line
	head := func(format string, args ...any) { lines = append(lines, Line{fmt.Sprintf(format, args...), true}) }
	for _, s := range shown {
		who := "from the agent"
		if s.Out {
			who = "from parley"
		}
		if s.OmittedBefore > 0 {
			head("… %d more messages", s.OmittedBefore)
		}
		head("%s  %s", s.At.Local().Format("15:04:05.000"), who)
		text := indented(s.JSON)
		if over := len(text) - maxMessage; over > 0 {
			text, s.CutBytes = strings.ToValidUTF8(text[:maxMessage], ""), s.CutBytes+over
		}
		for l := range strings.SplitSeq(safetext.Clean(text), "\n") {
			lines = append(lines, Line{l, false})
		}
		if s.CutBytes > 0 {
			head("… %d more bytes", s.CutBytes)
		}
	}
	return lines
}

// indented returns indented JSON, or data itself if it is no JSON.
func indented(data []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return string(data)
	}
	return b.String()
}

// Source shows lines that never change and, below them, a diff unless it is nil. They are
// laid out again only for another width or theme.
func Source(title string, lines []Line, d *linediff.Diff) *Reading {
	var laid struct {
		width int
		theme *theme.Theme
		rows  []string
	}
	return &Reading{Title: title, Body: func(width int, th *theme.Theme) []string {
		if laid.rows != nil && laid.width == width && laid.theme == th {
			return laid.rows
		}
		var rows []string
		for _, l := range lines {
			ink := th.Text
			if l.Head {
				ink = th.Dim
			}
			rows = append(rows, text.WrapInk(ink.Paint, l.Text, "", width)...)
		}
		if d != nil {
			drawn, _ := diff.Draw(d, diff.Look{Width: width, Theme: th})
			rows = append(rows, drawn...)
		}
		laid.width, laid.theme, laid.rows = width, th, rows
		return rows
	}}
}
