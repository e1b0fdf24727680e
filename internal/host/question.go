package host

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/safetext"
	"parley/permissions"
)

// agentQuestion turns session/request_permission into what the user is shown. A title is not trusted as
// a command: the body shows the command, the diffs and all other input, so that everything can be read
// before it is approved.
func (h *Host) agentQuestion(a acpclient.Question) permissions.Question {
	t := a.Tool
	q := permissions.Question{Session: a.Session, Subagent: a.Subagent, Tool: t.ID, Origin: permissions.FromAgent, Kind: text(t.Kind), Details: indented(t.RawInput)}
	for _, o := range a.Options {
		q.Options = append(q.Options, permissions.Option{ID: o.ID, Name: optionName(o), Kind: o.Kind})
	}
	var seen sights
	if member, own := acpclient.PatchContents(t); own != nil && reflect.DeepEqual(h.oldTexts(a.Session, own), contents(t)) {
		seen.members = []string{member}
	}
	in := inputOf(t)
	command, dir := in.command, h.dirOf(a.Session, in)
	title := text(t.Title)
	if saysInput(title, t.RawInput) {
		title = ""
	}
	switch {
	case command != "":
		q.Kind = "execute" // whatever the agent calls it, approval runs it
		q.Heading = h.runHeading(a.Session, dir)
		q.Body = append(q.Body, permissions.Part{Kind: permissions.Command, Text: safetext.Visible(command)})
		seen.add(command, roleCommand)
		seen.add(dir, roleDir)
		seen.members = in.shown
	case isEdit(t):
		q.Kind = "edit"
	case q.Kind == "execute" && title != "" && len(t.RawInput) == 0:
		// Some agents send no input, only a title.
		q.Heading = h.runHeading(a.Session, dir) + " (the agent's description)"
		q.Body = append(q.Body, permissions.Part{Kind: permissions.Command, Text: safetext.Visible(title)})
		title = ""
	}
	if title != "" && (command == "" || strings.Trim(title, "`") != command) { // many agents send the command as Markdown
		q.Description = safetext.Visible(title)
		seen.add(title, roleNote)
	}
	h.showContents(&q, &seen, t)
	files, more := h.namedFiles(a.Session, t, in)
	about := subject{verb: "Run", paths: []string{dir}, outside: true} // the heading says it if it is
	if q.Heading == "" {
		about = h.aboutFiles(q, &seen, t, in, files)
		q.Heading = h.heading(q, about, t, in)
		names := append(append(seen.paths(), about.paths...), about.within...)
		names = append(names, urlOf(in.raw), text(t.Name))
		if saysNothing(title, names, h.cwd(a.Session)) {
			q.Description = ""
		}
		q.Body = slices.DeleteFunc(q.Body, func(p permissions.Part) bool {
			return p.Kind == permissions.Text && p.Text == q.Heading || about.says(p)
		})
		for i := range q.Body {
			q.Body[i].Named = len(about.paths) == 1 && (q.Body[i].Kind == permissions.Diff || q.Body[i].Kind == permissions.Patch)
		}
		seen.add(urlOf(in.raw), roleURL)
	}
	h.addPaths(&q, &seen, t, about, files, more, command == "")
	h.noteOverwrites(&q, &seen, about, t.RawInput, files)
	q.Body = append(q.Body, seen.rest(in.raw, h.cwd(a.Session))...)
	q.Facts = h.toolFacts(a.Session, q.Kind, t, in, files, more)
	return q
}

// showContents adds what the content of the tool call shows, once, or else the change that its input
// spells out.
func (h *Host) showContents(q *permissions.Question, seen *sights, t wire.ToolCall) {
	for _, c := range contents(t) {
		if files, ok := hunksOf(c.Patch); ok && c.Type == "content" {
			if !showsAll(c, files) { // the files, then their patch
				q.Body = append(q.Body, permissions.Part{Kind: permissions.Text, Text: safetext.Visible(strings.TrimSpace(strings.TrimSuffix(c.Block.Text, c.Patch)))})
			}
			seen.patched(files, c.Patch)
			q.Body = append(q.Body, patchPart(c.Patch))
			continue
		}
		part := h.contentPart(q.Session, c)
		if part.Kind != permissions.Diff && part.Text == "" || c.Type == "content" && c.Patch == "" && seen.texts[strings.TrimSpace(c.Block.Text)] != nil {
			continue
		}
		seen.content(c)
		q.Body = append(q.Body, part)
	}
	if q.Kind != "edit" || len(seen.diffs) > 0 {
		return
	}
	if patch, edit := inputChange(t.RawInput); patch != "" {
		files, _ := hunksOf(patch)
		seen.patched(files, patch)
		q.Body = append(q.Body, patchPart(patch))
	} else if edit.Type != "" {
		edit = h.oldTexts(q.Session, []wire.ToolContent{edit})[0]
		seen.content(edit)
		q.Body = append(q.Body, h.contentPart(q.Session, edit))
	}
}

// saysInput reports whether a title is only a name and the beginning of the input, as some agents write
// it.
func saysInput(title string, raw []byte) bool {
	var b bytes.Buffer
	_, said, ok := strings.Cut(strings.TrimRight(title, ".…"), ": ")
	return ok && strings.HasPrefix(said, "{") && json.Compact(&b, raw) == nil && strings.HasPrefix(b.String(), said)
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// contentPart returns one piece of the tool call's content.
func (h *Host) contentPart(session string, c wire.ToolContent) permissions.Part {
	switch {
	case c.Type == "diff" && c.Deleted && text(c.OldText)+c.NewText == "":
		return permissions.Part{Kind: permissions.Text, Text: "Delete " + h.shownPath(session, c.Path)}
	case c.Type == "diff":
		d := event.Diff{Old: text(c.OldText), New: c.NewText}
		if d.Context = h.locate(session, c.Path, d.Old, d.New); d.Context == nil && c.Partial {
			d.Context = &event.DiffContext{First: -1}
		}
		t := d.Texts()
		return permissions.Part{Kind: permissions.Diff, Path: h.shownPath(session, c.Path), Old: safetext.Visible(t.Old), Text: safetext.Visible(t.New),
			NewFile: t.Old == "" && c.OldText == nil, Overwrites: c.Overwrites, First: t.First}
	case c.Type == "content" && c.Block.Type == "text":
		return permissions.Part{Kind: permissions.Text, Text: safetext.Visible(strings.TrimSpace(c.Block.Text))}
	case c.Type == "content" && c.Block.URI != "":
		return permissions.Part{Kind: permissions.Field, Label: safetext.Line(c.Block.Type, 80), Text: visiblePath(c.Block.URI)}
	case odd(c) && len(c.Raw) > 0:
		return permissions.Part{Kind: permissions.Field, Label: safetext.Line(c.Type, 80), Text: safetext.Visible(string(c.Raw))}
	}
	return permissions.Part{}
}

func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return safetext.Visible(b.String())
}

// Words in the name of an option that express its kind.
var (
	allowWords  = strings.Fields("allow always yes accept approve ok okay run proceed continue grant permit confirm")
	alwaysWords = strings.Fields("always session all again every forever from-now-on")
	notWords    = strings.Fields("no not none nothing never reject deny decline cancel abort refuse skip stop disallow block")
)

// optionName returns the name of an option. If the name, which the agent chose, does not say what the
// kind does, that is put in front of it; at the end it would be cut off.
func optionName(o wire.PermissionOption) string {
	name := safetext.Line(o.Name, 200)
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' && r != '-' })
	any := func(of []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(of, w) })
	}
	allows := len(words) > 0 && slices.Contains(allowWords, words[0]) && !any(notWords)
	switch {
	case o.Kind == permissions.AllowOnce && !allows:
		return "Allow: " + name
	case o.Kind == permissions.AllowAlways && !(allows && any(alwaysWords)):
		return "Always allow: " + name
	}
	return name
}
