package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
	"parley/ui/widget/editor"
	"parley/ui/widget/list"
)

// Command is a slash command. Its texts are safe to show.
type Command struct {
	Name string // without the slash
	Help string
	Args string // what it takes, "" if nothing
	From string // whose it is
}

// commands completes the slash command that is being typed.
type commands struct {
	env    *layer.Env
	editor *editor.Editor
	out    *layer.Effects
	known  func() []Command // what can be typed
	popup  *Popup
	closed string // the text for which the popup was closed
}

// refresh opens, narrows or closes the popup.
func (c *commands) refresh() {
	was := c.popup
	c.popup = nil
	text := ""
	if !c.editor.Empty() && strings.HasPrefix(c.editor.BeforeCursor(), "/") {
		text = c.editor.Value()
	}
	if text == "" || strings.ContainsAny(text, " \n") {
		c.closed = ""
		return
	}
	if c.closed != "" && strings.HasPrefix(text, c.closed) {
		return
	}
	var items []list.Item
	for _, cmd := range c.known() {
		items = append(items, list.Item{Title: "/" + cmd.Name, Detail: cmd.Help, More: cmd.Args, Hint: cmd.From, Value: cmd})
	}
	p := &Popup{env: c.env, foot: completes(c.env), list: list.New(items)}
	if was != nil && was.moved && was.list.Filter() == strings.TrimPrefix(text, "/") { // the commands have changed, not what was typed
		p.list, p.moved = was.list, true
		p.list.SetItems(items)
	}
	p.onEnd = func(key string) tea.Cmd { return c.endPopup(p, text, key) }
	p.list.SetFilter(strings.TrimPrefix(text, "/"))
	if p.list.Len() > 0 {
		c.popup = p
	}
}

// endPopup handles the keys that end the popup: it closes it for this text, completes, or sends.
func (c *commands) endPopup(p *Popup, opened, key string) tea.Cmd {
	it, ok := p.list.Selected()
	if key == "esc" {
		c.closed, c.popup = opened, nil
		return nil
	}
	if text := c.editor.Value(); key == "enter" && (!ok || it.Title == text || !p.moved && !strings.HasPrefix(it.Title, text)) {
		return c.out.Add(layer.Do(intent.Send)) // the user did not mean a command that only resembles the text
	}
	if !ok {
		return nil
	}
	text := it.Title
	c.closed, c.popup = text, nil
	if it.Value.(Command).Args != "" {
		text += " "
	}
	c.editor.SetValue(text)
	return nil
}

// hint returns the arguments that the command takes, until one is typed.
func (c *commands) hint() string {
	name, rest, _ := strings.Cut(c.editor.BeforeCursor(), " ")
	if !strings.HasPrefix(name, "/") || strings.TrimSpace(rest) != "" {
		return ""
	}
	for _, cmd := range c.known() {
		if "/"+cmd.Name == name {
			return cmd.Args
		}
	}
	return ""
}
