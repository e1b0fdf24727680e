package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/elicit"
	"parley/ui/intent"
	"parley/ui/widget"
)

// loginLines are what was written down since the login under way began: what the agent
// prints for it comes on its stderr, or in the middle of its messages.
func (l *link) loginLines() []string {
	lines, total := l.log.Lines()
	var out []string
	for _, line := range lines[max(0, len(lines)-(total-l.loginLine)):] {
		out = append(out, line.Text)
	}
	return out
}

// loginAddress is the address that the agent has named last for a login; not that of a
// server on this machine, where it waits for the browser to come back to, if there is another.
func (l *link) loginAddress() (found elicit.Link) {
	for _, line := range l.loginLines() {
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
			a := elicit.ParseLink(strings.TrimRight(word, ".,;:!?)]}"))
			if a.OK && (!found.OK || !local(a)) {
				found = a
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
func (l *link) loginRows(width, most int) []string {
	th := l.m.th
	var odd []string
	for _, w := range l.loginAddress().Warnings {
		odd = append(odd, wrapInk(th.Bad.Paint, "! "+w, "  ", width)...)
	}
	var rows []string
	lines := l.loginLines()
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
func (l *link) loginKeys() string {
	th := l.m.th
	var parts []string
	add := func(key, does string) {
		if key != "" {
			parts = append(parts, th.Key.Paint(key)+th.Dim.Paint(" "+does))
		}
	}
	if a := l.loginAddress(); a.OK {
		add("o", "open "+a.Host)
		add("y", "copy the address")
	}
	add(l.m.label(intent.ToggleLog), "log")
	add(l.m.label(intent.Stop), "give up")
	return strings.Join(parts, "   ")
}

// loginBox shows over the transcript what the agent has printed for a login; nil where
// there is nothing.
func (c *chat) loginBox(width, height int) []string {
	l := c.link
	if l.loggingIn == "" || c.overlay != noOverlay || c.picker != nil || c.question.open() || c.elicitShown() || len(l.loginLines()) == 0 {
		return nil
	}
	inner := widget.InnerWidth(width)
	keys := widget.Wrap(l.loginKeys(), inner)
	body := append(l.loginRows(inner, height-2-len(keys)), keys...)
	return widget.Box{Title: "log in to " + l.name() + ": " + l.loggingIn, Body: fit(body, max(1, height-2))}.Rows(width, c.m.th)
}

// loginKey handles the keys that are about what an agent prints for a login: the log,
// and while nothing is typed, nor was a moment ago, those of the address.
func (c *chat) loginKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	m, l, name := c.m, c.link, msg.String()
	want := m.keys.Of(intent.Chat, name)
	switch {
	case m.page == connectingPage && c.overlay == logOverlay && want != intent.Interrupt:
		if name == "esc" || want == intent.ToggleLog {
			c.overlay = noOverlay
			return nil, true
		}
		return c.readingKey(name, want), true
	case want == intent.ToggleLog && (m.page == connectingPage || c.picker != nil && c.picker.details):
		c.toggle(logOverlay)
		return nil, true
	case l.loggingIn == "" || c.overlay != noOverlay || c.picker != nil || c.question.open() || c.elicitShown() || !c.composer.Empty() || m.now().Sub(c.lastKey) < quiet:
		return nil, false
	}
	a := l.loginAddress()
	switch {
	case !a.OK:
	case name == "y":
		return c.copyText(func() string { return a.URL }), true
	case name == "o" && m.opts.OpenURL != nil:
		return func() tea.Msg { return openedURLMsg{c, m.opts.OpenURL(a.URL)} }, true
	}
	return nil, false
}

// pickerShown tells whether the list that is open can be seen: that of the ways to log in
// makes room for the log.
func (c *chat) pickerShown() bool {
	return c.picker != nil && !(c.picker.details && c.overlay == logOverlay)
}
