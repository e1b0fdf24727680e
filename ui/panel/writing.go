package panel

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/ui/layer"
	"parley/ui/widget/box"
	"parley/ui/widget/editor"
)

// Writing is a few lines to write, about something that is quoted above them.
type Writing struct {
	base
	Title, Foot string
	Placeholder string
	Quote       string                    // safe to show
	Diff        bool                      // Quote is a diff
	Tall        bool                      // the text may take all of the page
	Beneath     bool                      // it is about the question, which is drawn above it
	At          int                       // the row of the page to begin at, if there is room below; 0: at the bottom
	Done        func(text string) tea.Cmd // enter; it closes the panel
	Left        func(text string) tea.Cmd // esc, if the text has changed

	editor *editor.Editor
	before string // the text at the beginning
}

// NewWriting returns a panel with a text to begin with.
func NewWriting(text string) *Writing {
	w := &Writing{editor: editor.New(), before: text}
	w.editor.SetValue(text)
	return w
}

// Rows of the parts; of a low screen they get less.
const (
	mostQuoted  = 6
	mostWritten = 6
)

// Open implements Panel.
func (w *Writing) Open(env *layer.Env, out *layer.Effects, on Host) {
	w.base.Open(env, out, on)
	w.editor.SetVim(env.Keys.Vim())
}

// Saw implements layer.Viewer.
func (w *Writing) Saw(width, height int) {
	w.base.Saw(width, height)
	w.editor.SetWidth(box.InnerWidth(width))
	most := height - 2
	if !w.Tall {
		most = min(mostWritten, most)
	}
	w.editor.SetMaxRows(max(1, most))
}

// Key takes all keys.
func (w *Writing) Key(p layer.Press) (tea.Cmd, bool) {
	want := w.env.Keys.Of(intent.Draft, p.Keystroke())
	if w.editor.Key(p.KeyPressMsg, want) {
		return nil, true
	}
	switch p.String() {
	case "enter":
		w.host.Close(w)
		return w.Done(strings.TrimSpace(w.editor.Value())), true
	case "esc", "ctrl+c":
		w.host.Back(w)
		if text := strings.TrimSpace(w.editor.Value()); text != "" && text != strings.TrimSpace(w.before) {
			return w.Left(text), true
		}
	}
	return nil, true
}

// Paste implements layer.Paster.
func (w *Writing) Paste(text string) (tea.Cmd, bool) {
	w.editor.Insert(text)
	return nil, true
}

// Rows implements layer.Overlayer.
func (w *Writing) Rows(width, height int) ([]string, *tea.Cursor) {
	th, inner := w.env.Theme, box.InnerWidth(width)
	written := w.editor.Rows(editor.EditorLook{Theme: th, Placeholder: w.Placeholder})
	body := w.quoted(inner, min(mostQuoted, height-2-len(written)-1))
	if len(body) > 0 {
		body = append(body, box.Separator)
	}
	x, y := w.editor.Cursor()
	cursor := tea.NewCursor(min(width-1, (width-inner)/2+x), 1+len(body)+y)
	return box.Box{Title: w.Title, Foot: w.Foot, Body: append(body, written...), Focused: true}.Rows(width, th), cursor
}

// quoted draws the quote, as far as there is room: a diff from its first change on.
func (w *Writing) quoted(width, most int) (rows []string) {
	if w.Quote == "" || most < 1 {
		return nil
	}
	th := w.env.Theme
	lines := strings.Split(strings.TrimRight(w.Quote, "\n"), "\n")
	if len(lines) > most && w.Diff {
		changed := func(line string) bool {
			return (strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-")) && !strings.HasPrefix(line, "+++ ") && !strings.HasPrefix(line, "--- ")
		}
		lines = lines[max(0, slices.IndexFunc(lines, changed)):]
	}
	more := ""
	if n := len(lines) - most + 1; n > 1 {
		more = fmt.Sprintf("… %d more lines", n)
		lines = lines[:most-1]
	}
	for _, line := range lines {
		ink := th.Dim
		switch {
		case w.Diff && strings.HasPrefix(line, "+"):
			ink = th.Good
		case w.Diff && strings.HasPrefix(line, "-"):
			ink = th.Bad
		}
		rows = append(rows, ink.Paint(text.Truncate(text.CleanInput(line), width, "…")))
	}
	if more != "" {
		rows = append(rows, th.Dim.Paint(text.Truncate(more, width, "…")))
	}
	return rows
}
