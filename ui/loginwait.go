package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/elicit"
	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/widget"
)

// loginAddress is the address that the agent has named last for a login; not that of a
// server on this machine, where it waits for the browser to come back to, if there is another.
func loginAddress(a *workspace.Agent) (found elicit.Link) {
	for _, line := range a.LoginLines() {
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
	th := m.th
	var odd []string
	for _, w := range loginAddress(a).Warnings {
		odd = append(odd, wrapInk(th.Bad.Paint, "! "+w, "  ", width)...)
	}
	var rows []string
	lines := a.LoginLines()
	for i := len(lines) - 1; i >= 0; i-- {
		more := wrapInk(th.Text.Paint, lines[i], "  ", width)
		if len(rows) > 0 && len(more)+len(rows)+len(odd) > most {
			break
		}
		rows = append(more, rows...)
	}
	return append(rows, odd...)
}

// loginKeys is the line about the keys of a login under way.
func (m *Model) loginKeys(a *workspace.Agent) string {
	th := m.th
	var parts []string
	add := func(key, does string) {
		if key != "" {
			parts = append(parts, th.Key.Paint(key)+th.Dim.Paint(" "+does))
		}
	}
	if link := loginAddress(a); link.OK {
		add("o", "open "+link.Host)
		add("y", "copy the address")
	}
	add(m.label(intent.ToggleLog), "log")
	add(m.label(intent.Stop), "give up")
	return strings.Join(parts, "   ")
}

// addressShown tells whether a login is under way and nothing else wants the user.
func (c *chat) addressShown() bool {
	return c.Agent.LoggingIn() != "" && c.overlay == noOverlay && c.picker == nil && !c.question.open() && !c.elicitShown()
}

// rows are what the agent has printed for the login; nil where there is nothing.
func (l address) rows(width, height int) ([]string, *tea.Cursor) {
	c, a := l.c, l.c.Agent
	if len(a.LoginLines()) == 0 {
		return nil, nil
	}
	inner := widget.InnerWidth(width)
	keys := widget.Wrap(c.m.loginKeys(a), inner)
	body := append(c.m.loginRows(a, inner, height-2-len(keys)), keys...)
	return widget.Box{Title: "log in to " + a.Name() + ": " + a.LoggingIn(), Body: fit(body, max(1, height-2))}.Rows(width, c.m.th), nil
}

// address is that of a login under way. Its keys count while nothing is typed, nor was a
// moment ago.
type address struct{ c *chat }

func (l address) key(p press) (tea.Cmd, bool) {
	c, m, a := l.c, l.c.m, l.c.Agent
	if !c.composer.Empty() || m.now().Sub(c.lastKey) < quiet {
		return nil, false
	}
	link := loginAddress(a)
	switch {
	case !link.OK:
	case p.name == "y":
		return c.copyText(func() string { return link.URL }), true
	case p.name == "o" && m.opts.OpenURL != nil:
		return func() tea.Msg { return openedURLMsg{c, m.opts.OpenURL(link.URL)} }, true
	}
	return nil, false
}
