package transcript

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"parley/acpclient/event"
	"parley/internal/linediff"
	"parley/internal/text"
	"parley/internal/words"
)

// How much of the changes of one call is shown, in rows, unless it is opened.
const (
	changedFiles = 20
	changedRows  = 60 // of all its diffs
	maxWords     = 3  // of what is said of a file
)

// maxLine bounds what is shown of a line that could not be read, in bytes.
const maxLine = 4096

// changes draws the changes of a v2 tool call: every file, with its part of the
// patch.
func (p *pen) changes(c *event.Changes, full bool) []string {
	made := p.cache.patched(c, p.cwd)
	width := p.bodyWidth()
	files, each, left := changedFiles, diffRows, changedRows
	if full {
		files, each, left = maxShown, maxShown, maxShown
	}
	var rows []string
	for i := range made.changes {
		if i == files {
			rows = append(rows, p.moreFiles(made.changes[i:], width))
			break
		}
		change := &made.changes[i]
		if !p.saidAbove(made) {
			rows = append(rows, p.changeHead(change, left <= 0, width)...)
		}
		for _, part := range change.parts {
			if part.Diff == nil || left <= 0 {
				continue
			}
			drawn, hidden := p.drawn(part.Diff, width, min(each, left), full)
			rows, left = append(rows, drawn...), left-len(drawn)
			rows = p.andMore(rows, hidden)
		}
	}
	for i, s := range made.text {
		if i == 0 && len(rows) > 0 {
			rows = append(rows, p.th.Dim.Paint(text.Truncate("cannot be read:", width, "…")))
		}
		if left <= 0 {
			rows = p.andMore(rows, countLines(s))
			continue
		}
		drawn, hidden := p.unread(s, width, min(each, left))
		rows, left = append(rows, drawn...), left-len(drawn)
		rows = p.andMore(rows, hidden)
	}
	if len(rows) == 0 {
		rows = append(rows, p.th.Dim.Paint("no changes"))
	}
	return p.body(rows, 0)
}

// saidAbove reports whether the call's own line says all about its only file except
// the changed lines.
func (p *pen) saidAbove(made *patched) bool {
	t := p.it.Tool
	if len(t.Content) != 1 || len(made.changes) != 1 {
		return false
	}
	c := &made.changes[0]
	return len(c.parts) == 1 && c.parts[0].Diff != nil && partNote(c, c.parts[0]) == "" && !c.Stray &&
		c.Operation == "modify" && (c.FileType == "" || c.FileType == "text") && p.subject() == p.paths()
}

// andMore appends the row that replaces n hidden lines, if there are any.
func (l *look) andMore(rows []string, n int) []string {
	if n == 0 {
		return rows
	}
	return append(rows, l.moreRows(n))
}

// moreFiles returns the row that replaces files that are not listed. It says how many
// of them are in the patch only.
func (l *look) moreFiles(files []change, width int) string {
	stray := 0
	for _, f := range files {
		if f.Stray {
			stray++
		}
	}
	row := l.th.Dim.Paint(fmt.Sprintf("▸ %d more files", len(files)))
	if stray > 0 {
		row += l.th.Warn.Paint(fmt.Sprintf(", ⚠ %d only in the patch", stray))
	}
	return text.Truncate(row, width, "…")
}

// changeHead names a file and says what happened to it, below the name if there is no
// room beside it. folded means that its lines are not shown.
func (l *look) changeHead(c *change, folded bool, width int) []string {
	ink, words := l.th.Dim, l.changeWords(c)
	if c.Stray {
		ink, words = l.th.Warn, "⚠ only in the patch: "+words
	}
	right, lines := "", 0
	for _, part := range c.parts {
		if d := part.Diff; d != nil && d.Added+d.Removed > 0 {
			right = join(right, l.changed(d.Added, d.Removed))
			lines += d.Lines()
		}
		if note := partNote(c, part); note != "" {
			right = join(right, l.th.Dim.Paint(note))
		}
	}
	if folded && lines > 0 {
		right = join(right, l.th.Dim.Paint(foldedLines(lines)))
	}
	rows := text.Wrap(words, width)
	if len(rows) > maxWords {
		rows = append(rows[:maxWords-1], text.Truncate(strings.Join(rows[maxWords-1:], ""), width, "…"))
	}
	last := len(rows) - 1
	beside := right != "" && text.Width(rows[last])+text.Width(pad(right)) <= width
	for i := range rows {
		rows[i] = ink.Paint(rows[i])
	}
	switch {
	case beside:
		rows[last] += pad(right)
	case right != "":
		rows = append(rows, text.Truncate(pad(right), width, "…"))
	}
	return rows
}

var operations = map[string]bool{"add": true, "delete": true, "modify": true, "move": true, "copy": true}

// changeWords says what happened to which file.
func (l *look) changeWords(c *change) string {
	said := c.Operation + " "
	if !operations[c.Operation] {
		said = "changed "
	}
	if c.OldPath != "" {
		said += words.RelativePath(c.OldPath, l.cwd) + " to "
	}
	said += words.RelativePath(c.Path, l.cwd)
	if !operations[c.Operation] && c.Operation != "" {
		said += " (" + c.Operation + ")"
	}
	if c.FileType != "" && c.FileType != "text" {
		said += " (" + c.FileType + ")"
	}
	return said
}

// partNote says what a part of a patch does besides changing lines.
func partNote(c *change, part linediff.PatchFile) string {
	note := ""
	switch {
	case part.OldMode != "" && part.Binary:
		note = "binary, mode " + part.OldMode + " → " + part.NewMode
	case part.OldMode != "":
		note = "mode " + part.OldMode + " → " + part.NewMode
	case part.Binary && c.FileType != "binary":
		note = "binary"
	case part.Binary || part.Diff != nil:
	case c.Operation == "add":
		note = "empty file"
	case c.Operation == "modify":
		note = "no changes"
	}
	return note
}

// unread draws lines of a patch that could not be parsed, or whose format is
// unknown.
func (l *look) unread(s string, width, limit int) (rows []string, hidden int) {
	s = strings.TrimRight(s, "\n")
	for line := range strings.SplitSeq(s, "\n") {
		if len(rows) >= limit {
			return rows, hidden + countLines(s)
		}
		s = s[min(len(line)+1, len(s)):]
		ink := l.th.DiffContext
		switch {
		case strings.HasPrefix(line, "+"):
			ink = l.th.DiffAdd
		case strings.HasPrefix(line, "-"):
			ink = l.th.DiffDel
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "diff "):
			ink = l.th.DiffHunk
		}
		if len(line) > maxLine {
			cut := maxLine
			for !utf8.RuneStart(line[cut]) {
				cut--
			}
			line = line[:cut] + "…"
		}
		for _, r := range text.Wrap(line, width) {
			if len(rows) == limit {
				hidden = 1
				break
			}
			rows = append(rows, ink.Paint(r))
		}
	}
	return rows, hidden
}

// countLines returns how many lines a text has, without empty ones at its ends.
func countLines(s string) int {
	s = strings.Trim(s, "\n")
	if strings.TrimSpace(s) == "" {
		return 0
	}
	return strings.Count(s, "\n") + 1
}
