// Package composer is where the user writes prompts: an editor with completion of commands
// and files, images, history and saved drafts.
//
// Each page has a Composer. A Store holds what all composers share. Code
// that may block runs in a tea.Cmd, everything else on the screen's goroutine.
package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/memory"
	"parley/internal/notes"
	"parley/ui/layer"
	"parley/ui/widget/editor"
)

// Effects that composers add to those of their page.
type (
	RestoreNotes   []notes.Note // add notes that were saved to those that the session has
	Typed          struct{}     // keys were typed in an editor: no question takes the next ones
	HistoryChanged struct{}     // Entries are others now
)

// State is what a composer knows of its page.
type State struct {
	ReadOnly   bool     // it is read from a log
	Connected  bool     // the agent is connected
	Images     bool     // the agent takes images
	Dir        string   // relative paths start here
	Unfocused  bool     // something else has the keys
	Queued     []string // prompts in the queue
	Notes      []notes.Note
	Draft      memory.Key // where the draft is saved
	DraftSaved bool       // the draft is saved

	Placeholder string   // of an empty composer
	Pending     []string // prompts that may have to be sent again, with their images
	Quitting    bool     // the screen is about to end
}

// Composer is where the prompts of a page are written.
type Composer struct {
	*editor.Editor
	env      *layer.Env
	out      *layer.Effects
	state    func() State
	store    *Store
	recall   recall
	commands commands
	mentions mentions
	images   attaching
	returned returnedPrompts
	saved    savedDraft
}

// New returns an empty composer. known returns the slash commands that can be typed.
func (s *Store) New(out *layer.Effects, state func() State, known func() []Command) *Composer {
	e := editor.New()
	e.SetVim(s.opts.Env.Keys.Vim())
	e.SetTokens(s.images.Label)
	c := &Composer{Editor: e, env: s.opts.Env, out: out, state: state, store: s}
	c.commands = commands{env: c.env, out: out, editor: e, known: known}
	c.mentions = mentions{env: c.env, out: out, editor: e, state: state, search: s.opts.FindFiles, ctx: s.opts.Context}
	c.images = attaching{editor: e, out: out, state: state, images: &s.images}
	c.recall.setOlder(s.history.entries, c.PortableText)
	return c
}

// Fit sets the composer's width and the height of the screen.
func (c *Composer) Fit(width, height int) {
	c.SetWidth(max(4, width))
	c.SetMaxRows(max(1, height/3))
}

// Draw draws the editor. Its cursor is at [editor.Editor.Cursor].
func (c *Composer) Draw() []string {
	look := editor.EditorLook{Theme: c.env.Theme, Placeholder: c.state().Placeholder}
	if shelling(c.Editor) {
		look.Prompt = "$ "
	}
	return c.Rows(look)
}

// shelling reports whether the draft is a shell command.
func shelling(e *editor.Editor) bool { return e.HasPrefix("!") }

// Type passes a key to the editor; false if the editor does not use it.
func (c *Composer) Type(p layer.Press) (tea.Cmd, bool) {
	if !c.Editor.Key(p.KeyPressMsg, c.env.Keys.Of(intent.Draft, p.Keystroke())) {
		return nil, false
	}
	c.Refresh()
	if line := c.BeforeCursor(); p.Text == " " && strings.HasSuffix(line, " ") {
		return c.images.typed(strings.TrimSuffix(line, " "), " "), true
	}
	return nil, true
}

// Paste inserts pasted text, or the images that it names.
func (c *Composer) Paste(text string) tea.Cmd {
	cmd, images := c.images.paste(text)
	if !images {
		c.InsertPaste(text)
	}
	c.Refresh()
	return cmd
}

// PasteImage inserts the image in the clipboard.
func (c *Composer) PasteImage() tea.Cmd { return c.images.clipboard() }

// AttachTyped replaces the image path before the cursor by the image.
func (c *Composer) AttachTyped() tea.Cmd { return c.images.typed(c.BeforeCursor(), "") }

// Clear empties the composer after its text was sent or dropped.
func (c *Composer) Clear() {
	c.Reset()
	c.commands.popup, c.commands.closed = nil, ""
	c.mentions.hide()
	c.returned = nil
}

// Refresh updates the popup of commands after a change of the text or the commands.
func (c *Composer) Refresh() { c.commands.refresh() }

// Hint returns the arguments of the command in the composer.
func (c *Composer) Hint() string { return c.commands.hint() }

// Popup returns the open popup, or nil.
func (c *Composer) Popup() *Popup {
	switch {
	case c.commands.popup != nil:
		return c.commands.popup
	case !c.mentions.hidden:
		return c.mentions.popup
	}
	return nil
}

// ClosePopup closes the popup to make room for something else.
func (c *Composer) ClosePopup() {
	c.commands.popup = nil
	c.mentions.hide()
}

// Prepend inserts a text before the draft.
func (c *Composer) Prepend(text string) {
	if !c.Empty() {
		text += "\n" + c.Value()
	}
	c.SetValue(text)
}

// Append adds text and, as if pasted, quotes after the draft. A draft that is a command goes into the
// history instead.
func (c *Composer) Append(pieces []notes.Piece) {
	var parts []editor.Part
	switch {
	case shelling(c.Editor) || c.HasPrefix("/"):
		c.AddDraftToHistory()
	case !c.Empty():
		parts = append(c.Parts(), editor.Part{Text: "\n\n"})
	}
	for _, p := range pieces {
		parts = append(parts, editor.Part{Text: p.Text, Pasted: p.Quote})
	}
	c.SetParts(parts)
	c.Refresh()
}

// DisplayText returns a text with the labels of its images.
func (c *Composer) DisplayText(text string) string { return c.store.images.Display(text) }

// PortableText returns a text as another run can use it: with the paths of its images.
func (c *Composer) PortableText(text string) string { return c.store.images.Portable(text) }
