package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/ui/layer"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// maxOSC52 bounds what is sent to the terminal's clipboard, in bytes: terminals
// drop what is longer, and do not say so.
const maxOSC52 = 1 << 20

// copyPatience is how long a program of this machine may take to copy.
const copyPatience = 3 * time.Second

// copiedMsg says what became of copying with a program of this machine.
type copiedMsg struct {
	chat *chat
	text string
	tool string
	err  error
}

// copyText copies a text: with a program of this machine where there is one that
// can, else by asking the terminal. What is said afterwards names the way.
func (c *chat) copyText(make func() string) tea.Cmd {
	copier := c.m.opts.Copy
	return func() tea.Msg {
		text := make()
		msg := copiedMsg{chat: c, text: text}
		if copier != nil && text != "" {
			ctx, stop := context.WithTimeout(c.m.w.Context(), copyPatience)
			defer stop()
			msg.tool, msg.err = copier(ctx, text)
		}
		return msg
	}
}

// handle says how it went; where no program has copied the terminal is asked.
func (msg copiedMsg) handle(m *Model) tea.Cmd {
	c := msg.chat
	size := sizeWord(msg.text)
	switch {
	case msg.text == "":
		return c.say("there is nothing to copy")
	case msg.err == nil && msg.tool != "":
		return c.say("copied " + size + " with " + msg.tool)
	case len(msg.text) > maxOSC52:
		return c.say(fmt.Sprintf("not copied: %s are %d kB, more than the 1024 kB that go by OSC 52", size, len(msg.text)>>10))
	}
	word := "copied " + size + " by OSC 52"
	if m.opts.Multiplexer != "" {
		word += " (" + m.opts.Multiplexer + ")"
	}
	word += ": whether it arrived cannot be known"
	if msg.err != nil {
		word = "copied " + size + " by OSC 52, since " + msg.err.Error()
	}
	return tea.Batch(m.osc52(msg.text), c.say(word))
}

// osc52 asks the terminal to take a text. Inside a multiplexer it is asked twice:
// it takes the text itself if it is set up so, and hands the other on if it is
// set up so.
func (m *Model) osc52(text string) tea.Cmd {
	switch m.opts.Multiplexer {
	case "tmux":
		return tea.Batch(tea.SetClipboard(text), tea.Raw(ansi.TmuxPassthrough(ansi.SetSystemClipboard(text))))
	case "screen":
		const chunk = 600 // of one string that screen takes, in bytes
		return tea.Raw(ansi.ScreenPassthrough(ansi.SetSystemClipboard(text), chunk))
	}
	return tea.SetClipboard(text)
}

// sizeWord is how much a text is.
func sizeWord(text string) string {
	n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// copyMenu offers what can be copied of an entry.
type copyMenu struct {
	c *chat
	transcript.Copyable
}

// showCopy opens the menu for the selected entry.
func (c *chat) showCopy() tea.Cmd {
	it := c.view.Selected()
	if it == nil {
		return nil
	}
	c.copying = &copyMenu{c, c.view.Copyable(it)}
	return nil
}

// key takes all keys while the menu is open.
func (menu *copyMenu) Key(p layer.Press) (tea.Cmd, bool) {
	return menu.choose(p.Name), true
}

func (menu *copyMenu) choose(name string) tea.Cmd {
	c := menu.c
	copied := func(text func() string) tea.Cmd {
		c.copying = nil
		return c.copyText(text)
	}
	code := func(i int) tea.Cmd {
		text := menu.Codes[i].Text
		return copied(func() string { return text })
	}
	switch {
	case name == "esc" || name == "q" || name == "ctrl+c":
		c.copying = nil
	case name == "y":
		return copied(menu.All)
	case name == "c" && len(menu.Codes) > 0:
		return code(len(menu.Codes) - 1)
	case name == "d" && menu.Patch != nil:
		return copied(menu.Patch)
	case name == "m" && menu.Command != nil:
		return copied(menu.Command)
	case len(name) == 1 && name[0] >= '1' && name[0] <= '9':
		first, shown := menu.shownCodes()
		if i := int(name[0] - '1'); i < shown && len(menu.Codes) > 1 {
			return code(first + i)
		}
	}
	return nil
}

// maxCodes is how many code blocks have a digit: the last ones of a message.
const maxCodes = 9

func (menu *copyMenu) shownCodes() (first, n int) {
	n = min(len(menu.Codes), maxCodes)
	return len(menu.Codes) - n, n
}

func (menu *copyMenu) Rows(width, height int) ([]string, *tea.Cursor) {
	th := menu.c.m.Theme
	inner := widget.InnerWidth(width)
	option := func(key, what string) string { return th.Key.Paint(key) + " " + what }
	options := []string{option("y", "all of it")}
	if len(menu.Codes) > 0 {
		what := "the code block"
		if len(menu.Codes) > 1 {
			what = "the last code block"
		}
		options = append(options, option("c", what))
	}
	if menu.Patch != nil {
		options = append(options, option("d", "the patch"))
	}
	if menu.Command != nil {
		options = append(options, option("m", "the command"))
	}
	body := widget.Wrap(strings.Join(options, "   "), inner)
	if first, n := menu.shownCodes(); len(menu.Codes) > 1 {
		n = min(n, max(0, height-2-len(body)))
		for i := range n {
			code := menu.Codes[first+i]
			begin, _, _ := strings.Cut(strings.TrimSpace(code.Text), "\n")
			line := fmt.Sprintf("%s, %s  ", orText(code.Lang), sizeWord(code.Text))
			body = append(body, widget.Truncate(option(fmt.Sprint(i+1), th.Dim.Paint(line)+begin), inner, "…"))
		}
	}
	return widget.Box{Title: "copy", Foot: "esc closes", Body: body, Focused: true}.Rows(width, th), nil
}

func orText(lang string) string {
	if lang == "" {
		return "text"
	}
	return lang
}
