// Package composer is where prompts are written: an editor, and what helps to fill it,
// which is the completion of commands and files, images, and what was typed before.
//
// Each page has a Composer and is its Host. What all composers share is in a Store.
// Whatever may wait runs in a tea.Cmd, and everything else on the goroutine of the screen.
package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/widget/editor"
)

// Host is the page that a composer belongs to.
type Host interface {
	Say(text string) tea.Cmd
	Submit() tea.Cmd // enter
	// Typed notes that keys were pressed just now: they are not meant for what is asked.
	Typed()
	Session() Session
	// Commands returns the slash commands that can be typed.
	Commands() []Command
	// Invitation is what an empty composer says.
	Invitation() string
	// Unsettled are the prompts of which the user may yet need all.
	Unsettled() []string
}

// Session is what a composer has to know of the session that it writes for.
type Session struct {
	ReadOnly  bool     // there is only a log
	Connected bool     // there is an agent
	Images    bool     // which takes images
	Dir       string   // where paths begin
	Away      bool     // the keys are not the composer's
	Queued    []string // prompts that wait
	Draft     DraftKey // where the draft belongs
	Kept      bool     // the draft is kept there
}

// Composer is where the prompts of a page are written.
type Composer struct {
	*editor.Editor
	env      *layer.Env
	host     Host
	store    *Store
	recall   recall
	commands commands
	mentions mentions
	images   attaching
	returned returned
	kept     kept
}

// New makes an empty composer.
func (s *Store) New(host Host) *Composer {
	e := editor.New()
	e.SetVim(s.opts.Env.Keys.Vim())
	e.SetTokens(s.images.label)
	c := &Composer{Editor: e, env: s.opts.Env, host: host, store: s}
	c.commands = commands{env: c.env, editor: e, host: host}
	c.mentions = mentions{env: c.env, editor: e, host: host, files: s.opts.Files, context: s.opts.Screen.Context}
	c.images = attaching{editor: e, host: host, images: &s.images}
	c.recall.before(s.past.entries, c.Lasting)
	return c
}

// Fit gives the composer so many cells in a row, of a screen of so many rows.
func (c *Composer) Fit(width, height int) {
	c.SetWidth(max(4, width))
	c.SetMaxRows(max(1, height/3))
}

// Draw draws the editor. Its cursor is at [editor.Editor.Cursor].
func (c *Composer) Draw() []string {
	look := editor.EditorLook{Theme: c.env.Theme, Placeholder: c.host.Invitation()}
	if shelling(c.Editor) {
		look.Prompt = "$ "
	}
	return c.Rows(look)
}

// shelling tells whether what is typed is a command for the shell.
func shelling(e *editor.Editor) bool { return e.HasPrefix("!") }

// Type hands a key to the editor; false where it has no use for it.
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

// Paste puts pasted text, or the images that it names, at the cursor.
func (c *Composer) Paste(text string) tea.Cmd {
	cmd, images := c.images.paste(text)
	if !images {
		c.InsertPaste(text)
	}
	c.Refresh()
	return cmd
}

// PasteImage puts the image in the clipboard at the cursor.
func (c *Composer) PasteImage() tea.Cmd { return c.images.clipboard() }

// AttachTyped makes an image of the path before the cursor.
func (c *Composer) AttachTyped() tea.Cmd { return c.images.typed(c.BeforeCursor(), "") }

// Clear empties the composer, which is done with its text.
func (c *Composer) Clear() {
	c.Reset()
	c.commands.popup, c.commands.closed = nil, ""
	c.mentions.hide()
	c.returned = nil
}

// Refresh looks which commands can be meant, after the text or the commands have changed.
func (c *Composer) Refresh() { c.commands.refresh() }

// Hint is what the command in the composer takes after its name.
func (c *Composer) Hint() string { return c.commands.hint() }

// Popup is what completes the text; nil for nothing.
func (c *Composer) Popup() *Popup {
	switch {
	case c.commands.popup != nil:
		return c.commands.popup
	case !c.mentions.hidden:
		return c.mentions.popup
	}
	return nil
}

// ClosePopup has the popup make room for something else.
func (c *Composer) ClosePopup() {
	c.commands.popup = nil
	c.mentions.hide()
}

// Prepend puts a text before the draft.
func (c *Composer) Prepend(text string) {
	if !c.Empty() {
		text += "\n" + c.Value()
	}
	c.SetValue(text)
}

// Words is a text with its images in words.
func (c *Composer) Words(text string) string { return c.store.images.words(text) }

// Lasting is what of a text means something to another run.
func (c *Composer) Lasting(text string) string { return c.store.images.lasting(text) }
