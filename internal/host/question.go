package host

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
	"parley/permissions"
)

// agentQuestion turns session/request_permission into what the user is shown.
// Titles are no commands: the command, the diffs and everything else of the
// input stand in the body, so that nothing is approved that was not there to
// read.
func (h *Host) agentQuestion(a acpclient.Question) permissions.Question {
	t := a.Tool
	q := permissions.Question{Session: a.Session, Tool: t.ID, Origin: permissions.FromAgent, Kind: text(t.Kind), Details: indented(t.RawInput)}
	for _, o := range a.Options {
		q.Options = append(q.Options, permissions.Option{ID: o.ID, Name: safetext.Line(o.Name, 200), Kind: o.Kind})
	}
	shown := []string{} // what the reader sees already
	in := readInput(t.RawInput, text(t.Kind))
	command, dir := in.command, h.dirOf(a.Session, in)
	title := text(t.Title)
	switch {
	case command != "":
		q.Kind = "execute" // whatever the agent calls it: the answer lets it run
		q.Heading = "Run a command in " + visiblePath(dir)
		q.Body = append(q.Body, permissions.Part{Kind: permissions.Command, Text: safetext.Visible(command)})
		shown = append(shown, command, dir)
	case isEdit(t):
		q.Kind = "edit"
		q.Heading = "Change a file"
	case q.Kind == "execute" && title != "" && len(t.RawInput) == 0:
		// Some agents send no input at all: their title is all there is.
		q.Heading = "Run a command in " + visiblePath(dir) + ", as the agent words it"
		q.Body = append(q.Body, permissions.Part{Kind: permissions.Command, Text: safetext.Visible(title)})
		shown, title = append(shown, title), ""
	case q.Kind == "" || q.Kind == "other":
		q.Heading = "Use a tool"
	default:
		q.Heading = "Use a tool (" + safetext.Line(q.Kind, 40) + ")"
	}
	if title != "" && title != command {
		q.Words = safetext.Visible(title)
		shown = append(shown, title)
	}
	var diffs []string
	for _, c := range contents(t) {
		part, raw := contentPart(c)
		switch {
		case part.Kind == permissions.Diff:
			diffs = append(diffs, raw...)
		case part.Text != "":
			shown = append(shown, raw...)
		default:
			continue
		}
		q.Body = append(q.Body, part)
	}
	files, more := h.namedFiles(a.Session, t, in)
	h.addPaths(&q, t, files, more, command == "")
	q.Body = append(q.Body, unseen(t.RawInput, shown, diffs)...)
	q.Facts = h.toolFacts(a.Session, q.Kind, t, in, files, more)
	return q
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// contentPart is one piece of the tool call's content, and the raw strings that
// it shows.
func contentPart(c wire.ToolContent) (permissions.Part, []string) {
	switch {
	case c.Type == "diff":
		p := permissions.Part{Kind: permissions.Diff, Path: visiblePath(c.Path), Text: safetext.Visible(c.NewText), OldNone: c.OldText == nil}
		raw := []string{c.Path, c.NewText}
		if c.OldText != nil {
			p.Old = safetext.Visible(*c.OldText)
			raw = append(raw, *c.OldText)
		}
		return p, raw
	case c.Type == "content" && c.Block.Type == "text":
		return permissions.Part{Kind: permissions.Text, Text: safetext.Visible(strings.TrimSpace(c.Block.Text))}, []string{c.Block.Text}
	case c.Type == "content" && c.Block.URI != "":
		return permissions.Part{Kind: permissions.Field, Label: safetext.Line(c.Block.Type, 80), Text: visiblePath(c.Block.URI)}, []string{c.Block.URI}
	case odd(c) && len(c.Raw) > 0:
		return permissions.Part{Kind: permissions.Field, Label: safetext.Line(c.Type, 80), Text: safetext.Visible(string(c.Raw))}, nil
	}
	return permissions.Part{}, nil
}

// unseen lists what of the raw input is not on the screen yet, in the order in
// which the agent sent it. Of diffs a part is enough: the replaced fragment
// stands inside the change of the whole file.
func unseen(raw []byte, shown, diffs []string) []permissions.Part {
	whole := []permissions.Part{{Kind: permissions.Field, Label: "input", Text: safetext.Visible(string(raw))}}
	if jsonscan.KindOf(raw) != jsonscan.Object {
		if len(raw) == 0 || string(raw) == "null" {
			return nil
		}
		return whole
	}
	seen := map[string]bool{}
	for _, s := range append(shown, diffs...) {
		seen[s] = true
		seen[strings.TrimSpace(s)] = true
	}
	var out []permissions.Part
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		value := string(m.Value)
		if s, ok := jsonscan.Text(m.Value); ok {
			if value = s; seen[s] || seen[strings.TrimSpace(s)] || covered(s, diffs) || patchOf(s, diffs) {
				continue
			}
		} else if w := words(m.Value); w != "" && seen[w] {
			continue
		}
		out = append(out, permissions.Part{Kind: permissions.Field, Label: safetext.Line(string(m.Key), 80), Text: safetext.Visible(value)})
	}
	if m.Err() != nil {
		return whole
	}
	return out
}

// covered tells whether a text that is not tiny stands inside a shown diff.
func covered(s string, diffs []string) bool { return len(s) >= 8 && anyHolds(diffs, s) }

// patchOf tells whether s is a unified diff of which every file and every
// changed line stands in what is shown as a diff already.
func patchOf(s string, diffs []string) bool {
	changed := 0
	for _, l := range strings.Split(s, "\n") {
		kind, rest, _ := strings.Cut(l, " ")
		switch {
		case kind == "+++", kind == "---", kind == "Index:":
			name, _, _ := strings.Cut(rest, "\t")
			if name != "/dev/null" && !anyHolds(diffs, strings.TrimPrefix(strings.TrimPrefix(name, "a/"), "b/")) {
				return false
			}
		case kind == "@@", kind == "", strings.HasPrefix(l, "\\"), strings.Trim(l, "=") == "":
		case strings.HasPrefix(l, "+"), strings.HasPrefix(l, "-"):
			if !anyHolds(diffs, l[1:]) {
				return false
			}
			changed++
		default:
			return false
		}
	}
	return changed > 0
}

func anyHolds(texts []string, part string) bool {
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, part) })
}

func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return safetext.Visible(b.String())
}
