package transcript

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/emulator"
	"parley/internal/linediff"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/ui/transcript/markdown"
)

// Copyable is what can be copied of an item: its source, without what the screen
// adds. Its functions may take a while and may run on any goroutine; nil means that
// there is nothing to copy.
type Copyable struct {
	All     func() string
	Codes   []markdown.Piece // the fenced code blocks of a message
	Patch   func() string    // the changes of a tool call as a unified diff
	Command func() string    // of a tool call that runs one
}

// copyable returns what can be copied of the item.
func (p *pen) copyable() Copyable {
	var c Copyable
	parts := p.source()
	c.All = func() string { return parts.join() }
	switch p.it.Kind {
	case thread.UserMessage, thread.AgentMessage, thread.ThoughtMessage:
		c.Codes = markdown.Fences(string(p.it.Text))
	case thread.ShellCommand:
		command := p.it.Shell.Terminal.Command
		c.Command = func() string { return command }
	case thread.ToolCall:
		if command := p.command(); command != "" {
			c.Command = func() string { return command }
		}
		if patches := p.patchesOf(); len(patches) > 0 {
			c.Patch = func() string { return texts(patches).join() + "\n" } // git takes no other end
		}
	}
	return c
}

// texts are pieces of an item's source, in the order in which they are shown. Each
// is made on demand, from data that no longer changes.
type texts []func() string

func (t texts) join() string {
	var out []string
	for _, part := range t {
		if s := strings.Trim(part(), "\n"); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}

func fixed(s string) func() string { return func() string { return s } }

// source returns the text of the item: the first piece identifies it, the others are
// its content.
func (p *pen) source() texts {
	switch p.it.Kind {
	case thread.UserMessage, thread.AgentMessage, thread.ThoughtMessage:
		text := p.it.Text // later text is appended and not part of it
		return texts{func() string { return string(text) }}
	case thread.ToolCall:
		return append(texts{fixed(p.headText())}, p.bodySource()...)
	case thread.ShellCommand:
		return texts{fixed("$ " + p.it.Shell.Terminal.Command), output(p.it.Shell.Terminal)}
	case thread.Notice:
		return texts{fixed(string(p.it.Text)), fixed(p.it.Detail)}
	case thread.Attachment:
		if p.it.Attachment.Kind == event.ResourceContent && p.it.Attachment.Text != "" {
			return texts{fixed(attachment(p.it.Attachment)), fixed(p.it.Attachment.Text)}
		}
	}
	rows := p.wide().item()
	for i := range rows {
		rows[i] = strings.TrimSpace(ansi.Strip(rows[i]))
	}
	return texts{fixed(strings.Join(rows, "\n"))}
}

// headText returns what identifies a tool call: its command, its files, or its
// title.
func (p *pen) headText() string {
	if command := p.command(); command != "" {
		return "$ " + command
	}
	return p.subject()
}

// command returns what a tool call runs; "" if that is unknown.
func (p *pen) command() string {
	t := p.it.Tool
	if t.Kind != "execute" {
		return ""
	}
	if c := describe.Command(t.RawInput); c != "" {
		return c
	}
	for _, c := range t.Content {
		if term := p.thread.TerminalOf(p.it, c.Terminal); c.Terminal != "" && term != nil && term.Command != "" {
			return safetext.Clean(term.Command)
		}
	}
	if inner, ok := strings.CutPrefix(t.Title, "`"); ok && strings.HasSuffix(inner, "`") && strings.Count(inner, "`") == 1 {
		return strings.TrimSuffix(inner, "`")
	}
	return ""
}

// bodySource returns the content of a tool call.
func (p *pen) bodySource() texts {
	var out texts
	for _, c := range p.it.Tool.Content {
		switch {
		case c.Diff != nil:
			out = append(out, p.patchOf(c.Diff))
		case c.Changes != nil:
			out = append(out, changesText(c.Changes, p.cwd))
		case c.Terminal != "":
			if term := p.thread.TerminalOf(p.it, c.Terminal); term != nil {
				out = append(out, output(term))
			}
		case c.Content != nil && (c.Content.Kind == event.TextContent || c.Content.Text != ""):
			text := c.Content.Text
			out = append(out, func() string { return unfenced(text) })
		case c.Content != nil:
			out = append(out, fixed(attachment(c.Content)))
		}
	}
	if len(out) == 0 {
		t := p.it.Tool
		if raw := t.RawInput; raw != "" && raw != "{}" && (t.Kind != "execute" || p.cache.command(t) == "") {
			out = append(out, fixed(raw))
		}
		raw := t.RawOutput
		out = append(out, func() string { return rawText(raw) })
	}
	return out
}

// patchesOf returns the changes of a tool call, one text per file.
func (p *pen) patchesOf() texts {
	t := p.it.Tool
	var out texts
	for _, c := range t.Content {
		switch {
		case c.Diff != nil && c.Diff.Old != c.Diff.New:
			out = append(out, p.patchOf(c.Diff))
		case c.Changes != nil && c.Changes.Patch != "":
			out = append(out, fixed(c.Changes.Patch))
		}
	}
	return out
}

// patchOf writes a change as a unified diff that git and patch can read. The
// lines are numbered as in the agent's text, which need not be the whole file.
func (p *pen) patchOf(d *event.Diff) func() string {
	known := p.cache.diffs[d]
	name := filepath.ToSlash(words.RelativePath(d.Path, p.cwd))
	return func() string {
		c := known
		if c == nil {
			c = linediff.Compare(d.Texts())
		}
		hunks := c.Unified()
		if hunks == "" {
			return name
		}
		before, after := linediff.PatchName("a/", name), linediff.PatchName("b/", name)
		if d.OldMissing && d.Old == "" {
			before = "/dev/null"
		}
		if d.Deleted && d.New == "" {
			after = "/dev/null"
		}
		return fmt.Sprintf("--- %s\n+++ %s\n%s", before, after, hunks)
	}
}

// changesText returns the changes of a v2 tool call: its patch, or else the files.
func changesText(c *event.Changes, cwd string) func() string {
	return func() string {
		if c.Patch != "" {
			return c.Patch
		}
		var out []string
		for _, f := range c.Files {
			out = append(out, f.Operation+" "+words.RelativePath(f.Path, cwd))
		}
		return strings.Join(out, "\n")
	}
}

// Output of a command is played on an emulator up to these bounds, since that keeps no
// more; beyond them escape sequences are only removed.
const (
	maxPlayed      = 256 << 10
	maxPlayedLines = 2000
)

// output returns the output of a command without escape sequences, not wrapped.
func output(term *thread.Terminal) func() string {
	raw := term.Output
	return func() string {
		if len(raw) > maxPlayed || bytes.Count(raw, newline) >= maxPlayedLines {
			return flat(string(raw))
		}
		_, rows := played(raw, outputCols)
		return strings.Join(rows, "\n")
	}
}

// played plays output on a terminal and returns its rows, not wrapped.
func played(raw []byte, columns int) (screen *emulator.Terminal, rows []string) {
	screen = emulator.New(columns)
	screen.Write(raw)
	rows = screen.Rows(unwrapped, 0)
	for i := range rows {
		rows[i] = strings.TrimRight(ansi.Strip(rows[i]), " ")
	}
	return screen, rows
}

// outputCols is the width of the grid for programs that address one.
const outputCols = 200

// flat removes escape sequences from output. Of a line that was overwritten it keeps
// the last version.
func flat(raw string) string {
	lines := strings.Split(strings.ReplaceAll(raw, "\r\n", "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		if at := strings.LastIndexByte(line, '\r'); at >= 0 {
			line = line[at+1:]
		}
		lines[i] = line
	}
	return safetext.Clean(strings.Join(lines, "\n"))
}
