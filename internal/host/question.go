package host

import (
	"bytes"
	"encoding/json"
	"path/filepath"
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
	command, dir := commandOf(t)
	if dir == "" {
		dir = h.cwd(a.Session)
	}
	title := text(t.Title)
	switch {
	case command != "":
		q.Heading = "Run a command in " + safetext.Visible(dir)
		q.Body = append(q.Body, permissions.Part{Kind: permissions.Command, Text: safetext.Visible(command)})
		shown = append(shown, command, dir)
	case isEdit(t):
		q.Heading = "Change a file"
	case q.Kind == "execute" && title != "" && len(t.RawInput) == 0:
		// Some agents send no input at all: their title is all there is.
		q.Heading = "Run a command in " + safetext.Visible(dir) + ", as the agent words it"
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
	for _, c := range contents(t) {
		part, raw := contentPart(c)
		if part.Text != "" || part.Kind == permissions.Diff {
			q.Body = append(q.Body, part)
			shown = append(shown, raw...)
		}
	}
	h.addPaths(&q, a.Session, t, command == "")
	q.Body = append(q.Body, unseen(t.RawInput, shown)...)
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
		p := permissions.Part{Kind: permissions.Diff, Path: safetext.Visible(c.Path), Text: safetext.Visible(c.NewText), OldNone: c.OldText == nil}
		raw := []string{c.Path, c.NewText}
		if c.OldText != nil {
			p.Old = safetext.Visible(*c.OldText)
			raw = append(raw, *c.OldText)
		}
		return p, raw
	case c.Type == "content" && c.Block.Type == "text":
		return permissions.Part{Kind: permissions.Text, Text: safetext.Visible(strings.TrimSpace(c.Block.Text))}, []string{c.Block.Text}
	case c.Type == "content" && c.Block.URI != "":
		return permissions.Part{Kind: permissions.Field, Label: c.Block.Type, Text: safetext.Visible(c.Block.URI)}, []string{c.Block.URI}
	}
	return permissions.Part{}, nil
}

// addPaths resolves the files that a tool call names, shows them where nothing
// else does, and warns of those that lead outside or are sensitive.
func (h *Host) addPaths(q *permissions.Question, session string, t wire.ToolCall, show bool) {
	seen := map[string]bool{}
	var paths []string
	add := func(p string) {
		if p != "" && !seen[p] && len(paths) < 200 {
			seen[p] = true
			paths = append(paths, p)
		}
	}
	diffs := map[string]bool{}
	for _, c := range contents(t) {
		if c.Type == "diff" {
			add(c.Path)
			diffs[c.Path] = true
		}
	}
	if t.Locations != nil {
		for _, l := range *t.Locations {
			add(l.Path)
		}
	}
	for _, p := range paths {
		if show && !diffs[p] {
			q.Body = append(q.Body, permissions.Part{Kind: permissions.Field, Label: "file", Text: safetext.Visible(p)})
		}
		full := p
		if !filepath.IsAbs(full) {
			full = filepath.Join(h.cwd(session), full)
		}
		target, err := h.files.Resolve(session, full)
		if err != nil {
			continue
		}
		warn := func(s string) {
			q.Body = append(q.Body, permissions.Part{Kind: permissions.Warning, Text: safetext.Visible(p) + ": " + s})
		}
		if target.Symlink && !target.Inside {
			warn("really " + safetext.Visible(target.Resolved))
		}
		if !target.Inside {
			q.Outside = true
			warn("outside the session's directories")
		}
		if target.Secret != "" {
			q.Secret = true
			warn("sensitive: " + target.Secret)
		}
	}
}

// unseen lists what of the raw input is not on the screen yet, in the order in
// which the agent sent it.
func unseen(raw []byte, shown []string) []permissions.Part {
	if jsonscan.KindOf(raw) != jsonscan.Object {
		if len(raw) == 0 || string(raw) == "null" {
			return nil
		}
		return []permissions.Part{{Kind: permissions.Field, Label: "input", Text: safetext.Visible(string(raw))}}
	}
	seen := map[string]bool{}
	for _, s := range shown {
		seen[s] = true
		seen[strings.TrimSpace(s)] = true
	}
	var out []permissions.Part
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		value := string(m.Value)
		if s, ok := jsonscan.Text(m.Value); ok {
			if value = s; seen[s] || seen[strings.TrimSpace(s)] || covered(s, shown) || patchOf(s, shown) {
				continue
			}
		} else if w := wordsOf(m.Value); w != "" && seen[w] {
			continue
		}
		out = append(out, permissions.Part{Kind: permissions.Field, Label: safetext.Line(string(m.Key), 80), Text: safetext.Visible(value)})
	}
	return out
}

// covered tells whether a text that is not tiny stands inside something shown:
// the replaced fragment inside a diff of the whole file.
func covered(s string, shown []string) bool {
	if len(s) < 8 {
		return false
	}
	return anyHolds(shown, s)
}

// patchOf tells whether s is a unified diff of which every changed line stands
// in what is shown as a diff already.
func patchOf(s string, shown []string) bool {
	changed := 0
	for _, l := range strings.Split(s, "\n") {
		switch {
		case strings.HasPrefix(l, "+++ "), strings.HasPrefix(l, "--- "), strings.HasPrefix(l, "@@ "), strings.HasPrefix(l, "Index: "),
			strings.HasPrefix(l, " "), strings.HasPrefix(l, "\\"), strings.Trim(l, "=") == "":
			continue
		case strings.HasPrefix(l, "+"), strings.HasPrefix(l, "-"):
			if !anyHolds(shown, l[1:]) {
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
	for _, t := range texts {
		if strings.Contains(t, part) {
			return true
		}
	}
	return false
}

func wordsOf(raw []byte) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	return words(v)
}

func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return safetext.Visible(b.String())
}
