package start

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/elicit"
	"parley/internal/intent"
	"parley/internal/text"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/widget/box"
)

// addressIn returns the last address in lines. It prefers addresses of other machines: a
// local one is where the agent waits for the browser to return.
func addressIn(lines []string) (found elicit.Link) {
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

// addressKeys names the keys of the address of a login.
func addressKeys(link elicit.Link, th *theme.Theme) []string {
	return []string{th.Key.Paint("o") + th.Dim.Paint(" open "+link.Host), th.Key.Paint("y") + th.Dim.Paint(" copy the address")}
}

// addressKey handles the keys of an address. They work only without a draft, and a while
// after the last key.
func addressKey(env *layer.Env, out *layer.Effects, page Page, link elicit.Link, p layer.Press) (tea.Cmd, bool) {
	switch {
	case !link.OK, page.Draft, env.Now().Sub(page.LastKey) < layer.Quiet:
	case p.Name == "y":
		return out.Add(layer.Copy(func() string { return link.URL })), true
	case p.Name == "o" && page.Browser:
		return out.Add(layer.OpenURL(link.URL)), true
	}
	return nil, false
}

// Address is what an agent prints during a login: usually an address to visit.
type Address struct {
	Env   *layer.Env
	Out   *layer.Effects
	Page  Page
	Agent *workspace.Agent
}

// Key handles the keys of the address.
func (a Address) Key(p layer.Press) (tea.Cmd, bool) {
	return addressKey(a.Env, a.Out, a.Page, addressIn(a.Agent.Login.Lines()), p)
}

// Rows draws it as a box of at most height rows; nil if the agent has printed nothing.
func (a Address) Rows(width, height int) ([]string, *tea.Cursor) {
	if len(a.Agent.Login.Lines()) == 0 {
		return nil, nil
	}
	inner := box.InnerWidth(width)
	keys := text.Wrap(a.keys(), inner)
	body := append(a.lines(inner, height-2-len(keys)), keys...)
	body = body[max(0, len(body)-max(1, height-2)):]
	return box.Box{Title: "Log in to " + a.Agent.Name() + ": " + a.Agent.Login.Running(), Body: body}.Rows(width, a.Env.Theme), nil
}

// lines draws the newest lines that the agent has printed, as many as fit but at least one,
// and warnings about the address.
func (a Address) lines(width, most int) []string {
	th := a.Env.Theme
	var odd []string
	lines := a.Agent.Login.Lines()
	for _, w := range addressIn(lines).Warnings {
		odd = append(odd, text.WrapInk(th.Bad.Paint, "! "+w, "  ", width)...)
	}
	var rows []string
	for i := len(lines) - 1; i >= 0; i-- {
		more := text.WrapInk(th.Text.Paint, lines[i], "  ", width)
		if len(rows) > 0 && len(more)+len(rows)+len(odd) > most {
			break
		}
		rows = append(more, rows...)
	}
	return append(rows, odd...)
}

// keys names the keys.
func (a Address) keys() string {
	th := a.Env.Theme
	var parts []string
	if link := addressIn(a.Agent.Login.Lines()); link.OK {
		parts = addressKeys(link, th)
	}
	return strings.Join(append(parts,
		th.Key.Paint(a.Env.Keys.ChatKey(intent.ToggleLog))+th.Dim.Paint(" log"),
		th.Key.Paint(a.Env.Keys.ChatKey(intent.Stop))+th.Dim.Paint(" cancel")), "   ")
}
