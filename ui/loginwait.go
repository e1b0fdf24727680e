package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/elicit"
	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/widget"
)

// loginAddress is the address that the agent has named last for a login; not that of a
// server on this machine, where it waits for the browser to come back to, if there is another.
func loginAddress(lines []string) (found elicit.Link) {
	for _, line := range lines {
		for rest := line; ; {
			i := strings.Index(rest, "http")
			if i < 0 {
				break
			}
			word := rest[i:]
			if end := strings.IndexAny(word, " \t\"'<>`"); end >= 0 {
				word = word[:end]
			}
			rest = rest[i+len("http"):]
			link := elicit.ParseLink(strings.TrimRight(word, ".,;:!?)]}"))
			if link.OK && (!found.OK || !local(link)) {
				found = link
			}
		}
	}
	return found
}

func local(a elicit.Link) bool {
	return strings.HasPrefix(a.Host, "localhost") || strings.HasPrefix(a.Host, "127.") || strings.HasPrefix(a.Host, "[::1]")
}

// loginRows are the newest of these lines, whole, as many as fit, and what is odd about
// the address.
func (m *Model) loginRows(a *workspace.Agent, width, most int) []string {
	th := m.Theme
	var odd []string
	lines := a.LoginLines()
	for _, w := range loginAddress(lines).Warnings {
		odd = append(odd, wrapInk(th.Bad.Paint, "! "+w, "  ", width)...)
	}
	var rows []string
	for i := len(lines) - 1; i >= 0; i-- {
		more := wrapInk(th.Text.Paint, lines[i], "  ", width)
		if len(rows) > 0 && len(more)+len(rows)+len(odd) > most {
			break
		}
		rows = append(more, rows...)
	}
	return append(rows, odd...)
}

// addressKeys are the keys of the address of a login.
func addressKeys(link elicit.Link, th *theme.Theme) []string {
	return []string{th.Key.Paint("o") + th.Dim.Paint(" open "+link.Host), th.Key.Paint("y") + th.Dim.Paint(" copy the address")}
}

// loginKeys is the line about the keys of a login under way.
func (m *Model) loginKeys(a *workspace.Agent) string {
	th := m.Theme
	var parts []string
	if link := loginAddress(a.LoginLines()); link.OK {
		parts = addressKeys(link, th)
	}
	add := func(key, does string) {
		if key != "" {
			parts = append(parts, th.Key.Paint(key)+th.Dim.Paint(" "+does))
		}
	}
	add(m.label(intent.ToggleLog), "log")
	add(m.label(intent.Stop), "give up")
	return strings.Join(parts, "   ")
}

// addressShown tells whether a login is under way and nothing else wants the user.
func (c *chat) addressShown() bool {
	return c.Agent.LoggingIn() != "" && c.overlay == noOverlay && c.picker == nil && !c.question.Open() && c.elicits.InSight() == nil
}

// rows are what the agent has printed for the login; nil where there is nothing.
func (l address) Rows(width, height int) ([]string, *tea.Cursor) {
	c, a := l.c, l.c.Agent
	if len(a.LoginLines()) == 0 {
		return nil, nil
	}
	inner := widget.InnerWidth(width)
	keys := widget.Wrap(c.m.loginKeys(a), inner)
	body := append(c.m.loginRows(a, inner, height-2-len(keys)), keys...)
	return widget.Box{Title: "log in to " + a.Name() + ": " + a.LoggingIn(), Body: fit(body, max(1, height-2))}.Rows(width, c.m.Theme), nil
}

// address is that of a login under way.
type address struct{ c *chat }

func (l address) Key(p layer.Press) (tea.Cmd, bool) {
	return l.c.addressKey(p, loginAddress(l.c.Agent.LoginLines()))
}

// addressKey handles the keys of an address. They count while nothing is typed, nor was a
// moment ago.
func (c *chat) addressKey(p layer.Press, link elicit.Link) (tea.Cmd, bool) {
	m := c.m
	switch {
	case !link.OK, !c.composer.Empty(), m.Now().Sub(c.lastKey) < layer.Quiet:
	case p.Name == "y":
		return c.copyText(func() string { return link.URL }), true
	case p.Name == "o" && m.opts.OpenURL != nil:
		return func() tea.Msg { return openedURLMsg{c, m.opts.OpenURL(link.URL)} }, true
	}
	return nil, false
}

// addressed is the address of the login that failed, while its keys are no text.
func (p *picker) addressed() elicit.Link {
	if p.step != nil || p.list.Filter() != "" {
		return elicit.Link{}
	}
	return p.link
}
