package transcript

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/thread"
	"parley/ui/theme"
	"parley/ui/transcript/markdown"
)

// unwrapped is a width at which hardly anything is wrapped, in cells.
const unwrapped = 1 << 16

// prose returns the width of running text in so many cells.
func prose(width int) int {
	if width > unwrapped/2 {
		return width
	}
	return min(width, maxProse)
}

// srcLine is a line before it is wrapped.
type srcLine struct {
	text   string
	raw    string // as it was written, if that differs
	gutter int    // cells before it on the screen, in its first row
	aside  bool   // it says something about the item and is not part of it
}

// srcLines returns the lines that the rows of a segment were made of; nil if they are
// unknown.
func (l *layout) srcLines(i, k int) []srcLine {
	e := l.entry(i)
	switch e.item.Kind {
	case thread.AgentMessage:
		if e.key.closed() {
			return nil
		}
		return l.blockLines(e.block(k), e.segs[k].rows)
	case thread.UserMessage, thread.ThoughtMessage:
		return e.proseLines(k)
	case thread.ToolCall, thread.ShellCommand:
		return l.pen(e.item).callLines()
	}
	var out []srcLine
	for _, r := range l.pen(e.item).wide().item() {
		r = ansi.Strip(r)
		text := strings.TrimLeft(r, " ")
		out = append(out, srcLine{text: text, gutter: len(r) - len(text)})
	}
	return out
}

// proseLines returns the lines of a prompt or a thought, or of a piece of one.
func (e *entry) proseLines(k int) []srcLine {
	it := e.item
	gutter := len(indent)
	if it.Kind == thread.ThoughtMessage {
		gutter += 2
	}
	if pieced(it, e.key.extent) {
		text, ok := e.plain.text(it.Text, k)
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
	own := promptText(it.Text)
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

// expandTabs replaces tabs as the widgets do.
func expandTabs(s string) string { return strings.ReplaceAll(s, "\t", "    ") }

// quoteBar comes before the lines of a quote.
const quoteBar = "│ "

// blockLines returns the lines of a block of a message; nil for a table whose cells
// are wrapped, which has no lines but its rows.
func (l *layout) blockLines(b markdown.Block, rows []string) []srcLine {
	if l.wideRenderer == nil {
		l.wideRenderer = markdown.NewRenderer(unwrapped, theme.Plain())
	}
	var out []srcLine
	for _, r := range l.wideRenderer.Rows(b) {
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
	if b.Kind == markdown.Fence && !b.Continued && b.Lang != "" && len(out) > 0 {
		out[0].aside = true // it names the language
		written = append([]string{out[0].text}, written...)
	}
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

// callLines returns the lines of a tool call or of a command of the user's.
func (p *pen) callLines() []srcLine {
	narrow := p.width-len(bodyInset) < minNumbered
	var out []srcLine
	for n, r := range p.wide().item() {
		r = ansi.Strip(r)
		if n == 0 { // its text comes after the sign
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
		line.aside = isAside(line.text)
		out = append(out, line)
	}
	return out
}

// minNumbered is the narrowest diff that shows line numbers.
const minNumbered = 60
