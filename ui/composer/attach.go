package composer

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/attach"
	"parley/internal/picture"
	"parley/ui/layer"
	"parley/ui/widget/editor"
)

// attaching puts images into a draft: from the clipboard, or from a path that was typed or
// pasted.
type attaching struct {
	editor *editor.Editor
	out    *layer.Effects
	state  func() State
	images *images
}

// clipboard puts the image in the clipboard at the cursor.
func (t attaching) clipboard() tea.Cmd {
	read, s := t.images.clipboard, t.state()
	switch {
	case read == nil:
		return t.out.Say("parley cannot read the clipboard here")
	case s.ReadOnly || !s.Connected:
		return t.out.Say("No agent to send it to")
	case !s.Images:
		return t.out.Say(attach.NoImages)
	}
	ctx := t.images.ctx
	return t.put("clipboard", "", func() (picture.Image, error) { return read(ctx) })
}

// put puts an image at the cursor. text replaces it if load fails.
func (t attaching) put(name, text string, load func() (picture.Image, error)) tea.Cmd {
	a, cmd := t.images.add(name, text, load)
	if a != nil {
		t.editor.InsertToken(a.Token)
	}
	return cmd
}

// off reports whether paths of images are plain text.
func (t attaching) off(s State) bool {
	return t.images.open == nil || s.ReadOnly || !s.Connected || shelling(t.editor)
}

// paste attaches the images of a paste that consists only of their paths, as from dropped
// files; false for any other paste.
func (t attaching) paste(text string) (tea.Cmd, bool) {
	s := t.state()
	if t.off(s) {
		return nil, false
	}
	paths := picture.Paths(text)
	if len(paths) == 0 {
		return nil, false
	}
	if !s.Images {
		return t.sayNoImages(paths[0], s.Dir), false
	}
	var cmds []tea.Cmd
	for i, path := range paths {
		if i > 0 {
			t.editor.Insert(" ")
		}
		instead := path
		if len(paths) == 1 {
			instead = strings.TrimSpace(text)
		}
		cmds = append(cmds, t.put(filepath.Base(path), instead, t.images.file(path, s.Dir)))
	}
	return tea.Batch(cmds...), true
}

// typed replaces the image path at the end of line by the image. after is the text between
// it and the cursor.
func (t attaching) typed(line, after string) tea.Cmd {
	word := line[strings.LastIndexByte(line, ' ')+1:]
	if !picture.Typed(word) {
		return nil
	}
	s := t.state()
	if t.off(s) {
		return nil
	}
	path := picture.Path(word)
	if !s.Images {
		return t.sayNoImages(path, s.Dir)
	}
	t.editor.ReplaceBefore(len(word)+len(after), "")
	cmd := t.put(filepath.Base(path), word, t.images.file(path, s.Dir))
	t.editor.Insert(after)
	return cmd
}

// noImagesMsg says that the agent does not take images.
type noImagesMsg struct{ out *layer.Effects }

// Handle implements layer.Message.
func (msg noImagesMsg) Handle() tea.Cmd {
	return msg.out.Say(attach.NoImages + ": the path is kept as text")
}

// sayNoImages says that the agent does not take images if there is one at a path.
func (t attaching) sayNoImages(path, dir string) tea.Cmd {
	load := t.images.file(path, dir)
	return func() tea.Msg {
		if _, err := load(); err != nil {
			return nil
		}
		return noImagesMsg{t.out}
	}
}
