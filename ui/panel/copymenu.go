package panel

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/text"
	"parley/ui/layer"
	"parley/ui/widget/box"
)

// CopyMenu offers what can be copied of an entry, each with a letter. The functions make
// the texts when they are needed; a nil function offers nothing.
type CopyMenu struct {
	base
	All, Patch, Command func() string
	Codes               []Code
}

// Code is a code block.
type Code struct{ Lang, Text string }

// Key takes all keys.
func (m *CopyMenu) Key(p layer.Press) (tea.Cmd, bool) {
	copied := func(text func() string) (tea.Cmd, bool) {
		m.host.Close(m)
		return m.out.Add(layer.Copy(text)), true
	}
	code := func(i int) (tea.Cmd, bool) {
		text := m.Codes[i].Text
		return copied(func() string { return text })
	}
	switch name := p.Name; {
	case name == "esc" || name == "q" || name == "ctrl+c":
		m.host.Back(m)
	case name == "y":
		return copied(m.All)
	case name == "c" && len(m.Codes) > 0:
		return code(len(m.Codes) - 1)
	case name == "d" && m.Patch != nil:
		return copied(m.Patch)
	case name == "m" && m.Command != nil:
		return copied(m.Command)
	case len(name) == 1 && name[0] >= '1' && name[0] <= '9':
		first, shown := m.shownCodes()
		if i := int(name[0] - '1'); i < shown && len(m.Codes) > 1 {
			return code(first + i)
		}
	}
	return nil, true
}

// maxCodes is how many code blocks have a digit. They are the last ones of a message.
const maxCodes = 9

func (m *CopyMenu) shownCodes() (first, n int) {
	n = min(len(m.Codes), maxCodes)
	return len(m.Codes) - n, n
}

// Rows implements layer.Overlayer.
func (m *CopyMenu) Rows(width, height int) ([]string, *tea.Cursor) {
	th := m.env.Theme
	inner := box.InnerWidth(width)
	option := func(key, what string) string { return th.Key.Paint(key) + " " + what }
	options := []string{option("y", "All of it")}
	if len(m.Codes) > 0 {
		what := "Code block"
		if len(m.Codes) > 1 {
			what = "Last code block"
		}
		options = append(options, option("c", what))
	}
	if m.Patch != nil {
		options = append(options, option("d", "Patch"))
	}
	if m.Command != nil {
		options = append(options, option("m", "Command"))
	}
	body := text.Wrap(strings.Join(options, "   "), inner)
	if first, n := m.shownCodes(); len(m.Codes) > 1 {
		n = min(n, max(0, height-2-len(body)))
		for i := range n {
			code := m.Codes[first+i]
			begin, _, _ := strings.Cut(strings.TrimSpace(code.Text), "\n")
			lang := code.Lang
			if lang == "" {
				lang = "text"
			}
			line := fmt.Sprintf("%s, %s  ", lang, text.Lines(code.Text))
			body = append(body, text.Truncate(option(fmt.Sprint(i+1), th.Dim.Paint(line)+begin), inner, "…"))
		}
	}
	return box.Box{Title: "Copy", Foot: "esc close", Body: body, Focused: true}.Rows(width, th), nil
}
