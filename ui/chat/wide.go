package chat

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/thread"
	"parley/ui/chat/markdown"
	"parley/ui/theme"
	"parley/ui/widget"
)

// unwrapped is a width at which hardly anything is wrapped, in cells.
const unwrapped = 1 << 16

// prose is how wide running text gets where there are so many cells.
func prose(width int) int {
	if width > unwrapped/2 {
		return width
	}
	return min(width, maxProse)
}

// wide is the same view at a width at which nothing is wrapped: what it draws
// tells which rows of the screen are one line. It is good for a moment, and draws
// no messages.
func (v *View) wide() *View {
	return &View{thread: v.thread, cwd: v.cwd, th: v.th, width: unwrapped, height: 1, density: v.density, choices: v.choices, peek: v.peek,
		entries: map[int]*entry{}, terminals: v.terminals, diffs: v.diffs, patches: v.patches, patchLines: v.patchLines, now: v.now, spin: v.spin, measured: true}
}

// srcLine is a line before it is wrapped.
type srcLine struct {
	text   string
	raw    string // as it was written, where that is something else
	gutter int    // cells before it on the screen, in its first row
	aside  bool   // it says something about the item and is no part of it
}

// srcLines are the lines of which the rows of a segment are made; nil where they
// cannot be told.
func (v *View) srcLines(i, k int) []srcLine {
	it := v.thread.Items[i]
	switch it.Kind {
	case thread.AgentMessage:
		if v.closed(i) {
			return nil
		}
		e := v.entry(i)
		return v.blockLines(e, k, e.segs[k].rows)
	case thread.UserMessage, thread.ThoughtMessage:
		return v.proseLines(it, k)
	case thread.ToolCall, thread.ShellCommand:
		return v.callLines(it)
	}
	w := v.wide()
	rows, _ := w.item(it)
	var out []srcLine
	for _, r := range rows {
		r = ansi.Strip(r)
		text := strings.TrimLeft(r, " ")
		out = append(out, srcLine{text: text, gutter: len(r) - len(text)})
	}
	return out
}

// proseLines are the lines of a prompt or a thought, or of a piece of one.
func (v *View) proseLines(it *thread.Item, k int) []srcLine {
	gutter := len(indent)
	if it.Kind == thread.ThoughtMessage {
		gutter += 2
	}
	if v.pieced(it.Index) {
		text, ok := v.entry(it.Index).plain.text(it.Text, k)
		if k == 0 && it.Kind == thread.ThoughtMessage {
			text = strings.TrimLeftFunc(text, unicode.IsSpace)
		}
		if !ok {
			return nil
		}
		return plainLines(text, gutter)
	}
	if it.Kind == thread.ThoughtMessage {
		return nil // its one line says how long it took
	}
	own := ownWords(it.Text)
	return plainLines(string(bytes.TrimRight(own[:firstPiece(own)], "\n")), gutter)
}

func plainLines(text string, gutter int) []srcLine {
	var out []srcLine
	for line := range strings.SplitSeq(text, "\n") {
		shown := expandTabs(line)
		out = append(out, srcLine{text: shown, raw: unless(line, shown), gutter: gutter})
	}
	return out
}

func unless(raw, shown string) string {
	if raw == shown {
		return ""
	}
	return raw
}

// expandTabs is what the widgets show of tabs.
func expandTabs(s string) string { return strings.ReplaceAll(s, "\t", "    ") }

// quoteBar stands before the lines of a quote.
const quoteBar = "│ "

// blockLines are the lines of a block of a message that has such rows; nil for a
// table whose cells are wrapped: its rows are what they are.
func (v *View) blockLines(e *entry, k int, rows []string) []srcLine {
	if v.wideRenderer == nil {
		v.wideRenderer = markdown.NewRenderer(unwrapped, theme.Plain())
	}
	b := e.block(k)
	var out []srcLine
	for _, r := range v.wideRenderer.Rows(b) {
		line := srcLine{text: ansi.Strip(r), gutter: len(indent)}
		switch b.Kind {
		case markdown.Fence, markdown.Code:
			if rest, ok := strings.CutPrefix(line.text, "  "); ok {
				line.text, line.gutter = rest, line.gutter+2
			}
		case markdown.Quote:
			for strings.HasPrefix(line.text, quoteBar) {
				line.text, line.gutter = line.text[len(quoteBar):], line.gutter+2
			}
		}
		out = append(out, line)
	}
	if b.Kind == markdown.Table && !b.Open {
		n := 0
		for _, r := range rows {
			if strings.TrimSpace(r) != "" {
				n++
			}
		}
		if n != len(out) {
			return nil
		}
	}
	written := b.Lines()
	for len(written) > 0 && strings.TrimSpace(written[0]) == "" { // the renderer drops blank rows at the ends
		written = written[1:]
	}
	for n := 0; n < len(out) && n < len(written); n++ {
		if strings.TrimSpace(strings.ReplaceAll(written[n], "\t", "")) == "" || strings.HasPrefix(strings.TrimLeft(out[n].text, " "), firstWord(written[n])) {
			out[n].raw = unless(written[n], out[n].text)
		}
	}
	return out
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(s, " \t"), "\t")
	return word
}

// The sign before the numbers of a diff's lines, in rows of a measured view, and
// the one behind how many cells they take.
const (
	numbersBegin = "\x01"
	numbersEnd   = "\x02"
)

// numbered says in rows of a measured view how many cells of line numbers a diff
// has, and how many here.
func (v *View) numbered(rows []string, c *widget.Computed) []string {
	if !v.measured {
		return rows
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = numbersBegin + strings.Repeat("x", c.Gutter(unwrapped)) + numbersEnd + r
	}
	return out
}

// callLines are the lines of a tool call or of a command of the user's.
func (v *View) callLines(it *thread.Item) []srcLine {
	w := v.wide()
	rows, _ := w.item(it)
	narrow := v.width-len(bodyInset) < minNumbered
	var out []srcLine
	for n, r := range rows {
		r = ansi.Strip(r)
		if n == 0 { // a sign stands before what it is
			_, text, _ := strings.Cut(strings.TrimLeft(r, " "), " ")
			out = append(out, srcLine{text: text, gutter: len(indent) + 2})
			continue
		}
		text, ok := strings.CutPrefix(r, bodyInset)
		line := srcLine{text: text, gutter: len(bodyInset)}
		if !ok {
			line.text = strings.TrimLeft(r, " ")
			line.gutter = len(r) - len(line.text)
		}
		if rest, ok := strings.CutPrefix(line.text, numbersBegin); ok {
			numbers, rest, _ := strings.Cut(rest, numbersEnd)
			line.text = rest[min(len(numbers), len(rest)):]
			if !narrow {
				line.gutter += len(numbers)
			}
		}
		line.aside = strings.HasPrefix(line.text, "▸ ") || strings.HasPrefix(line.text, "… ")
		out = append(out, line)
	}
	return out
}

// minNumbered is how wide a diff has to be to show the numbers of its lines.
const minNumbered = 60
