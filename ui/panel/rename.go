package panel

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/widget/box"
	"parley/ui/widget/editor"
)

// rename edits a text in the row of an item.
type rename struct {
	text              *editor.Editor
	placeholder, foot string
	item              any // the value of the item
	save              func(string) tea.Cmd
}

// Rename lets the user edit the title of a session in the row of the selected item. save gets the new one.
func (l *List) Rename(title string, save func(string) tea.Cmd) {
	l.Edit(title, "Name of the session", "enter save · leave empty to use the agent's title · esc cancel", save)
}

// Edit lets the user edit a text in the row of the selected item. save gets the new one. foot is the bottom
// border meanwhile.
func (l *List) Edit(text, placeholder, foot string, save func(string) tea.Cmd) {
	it, ok := l.List.Selected()
	if !ok {
		return
	}
	e := editor.New()
	e.SetMaxRows(1)
	e.SetValue(text)
	l.renames = &rename{e, placeholder, foot, it.Value, save}
	l.fitRename()
}

// fitRename sets the width of the row that is edited.
func (l *List) fitRename() {
	if l.renames != nil && l.width > 0 {
		l.renames.text.SetWidth(box.InnerWidth(l.width))
	}
}

// renaming returns the editor of the selected row, nil if none is being edited.
func (l *List) renaming() *rename {
	if l.renames == nil {
		return nil
	}
	if it, ok := l.List.Selected(); !ok || l.Same != nil && !l.Same(it.Value, l.renames.item) { // it is gone
		return nil
	}
	return l.renames
}

// Saw implements layer.Viewer.
func (l *List) Saw(width, height int) {
	l.base.Saw(width, height)
	l.fitRename()
}

// press handles a key; done says to leave the row.
func (r *rename) press(p layer.Press, keys *intent.Keymap) (cmd tea.Cmd, done bool) {
	switch p.String() {
	case "enter":
		return r.save(r.text.Value()), true
	case "esc", "ctrl+c":
		return nil, true
	}
	if want := keys.Of(intent.Draft, p.Keystroke()); want != intent.Newline {
		r.text.Key(p.KeyPressMsg, want)
	}
	return nil, false
}

// draw draws the text that is edited over one of the rows of a list, and returns the column of
// the cursor.
func (r *rename) draw(rows []string, at, width int, th *theme.Theme) (x int) {
	rows[at] = text.Truncate(r.text.Rows(editor.EditorLook{Theme: th, Placeholder: r.placeholder})[0], width, "")
	x, _ = r.text.Cursor()
	return max(0, min(x, width-1))
}
