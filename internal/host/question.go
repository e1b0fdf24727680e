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

// draft is the question about a tool call while it is put together.
type draft struct {
	host  *Host
	q     permissions.Question
	seen  sights // what it shows already
	call  wire.ToolCall
	in    *input
	files []named // that the call names
	more  bool    // it names others, too
	about subject
}

// agentQuestion turns session/request_permission into what the user is shown. A title is not trusted as
// a command: the body shows the command, the diffs and all other input, so that everything can be read
// before it is approved.
func (h *Host) agentQuestion(a acpclient.Question) permissions.Question {
	t := a.Tool
	d := &draft{host: h, call: t, in: inputOf(t)}
	d.q = permissions.Question{Session: a.Session, Subagent: a.Subagent, Tool: t.ID, Origin: permissions.FromAgent, Kind: text(t.Kind), Details: indented(t.RawInput)}
	for _, o := range a.Options {
		d.q.Options = append(d.q.Options, permissions.Option{ID: o.ID, Name: optionName(o), Kind: o.Kind})
	}
	if member, own := acpclient.PatchContents(t); own != nil && reflect.DeepEqual(h.oldTexts(a.Session, own), contents(t)) {
		d.seen.members = []string{member}
	}
	command, dir := d.in.command, d.in.dir(h.dirs(a.Session).cwd())
	title := text(t.Title)
	if saysInput(title, t.RawInput) {
		title = ""
	}
	switch {
	case command != "":
		d.q.Kind = "execute" // whatever the agent calls it, approval runs it
		d.q.Heading = h.runHeading(a.Session, dir)
		d.q.Body = append(d.q.Body, permissions.Part{Kind: permissions.Command, Text: safetext.Visible(command)})
		d.seen.add(command, roleCommand)
		d.seen.add(dir, roleDir)
		d.seen.members = d.in.shown
	case isEdit(t):
		d.q.Kind = "edit"
	case d.q.Kind == "execute" && title != "" && len(t.RawInput) == 0:
		// Some agents send no input, only a title.
		d.q.Heading = h.runHeading(a.Session, dir) + " (the agent's description)"
		d.q.Body = append(d.q.Body, permissions.Part{Kind: permissions.Command, Text: safetext.Visible(title)})
		title = ""
	}
	if title != "" && (command == "" || strings.Trim(title, "`") != command) { // many agents send the command as Markdown
		d.q.Description = safetext.Visible(title)
		d.seen.add(title, roleNote)
	}
	d.showContents()
	d.findFiles()
	d.about = subject{verb: "Run", paths: []string{dir}, outside: true} // the heading says it if it is
	if d.q.Heading == "" {
		d.about = d.aboutFiles()
		d.q.Heading = d.heading()
		names := append(append(d.seen.paths(), d.about.paths...), d.about.within...)
		names = append(names, urlOf(d.in.raw), text(t.Name))
		if saysNothing(title, names, h.dirs(a.Session).cwd()) {
			d.q.Description = ""
		}
		d.q.Body = slices.DeleteFunc(d.q.Body, func(p permissions.Part) bool {
			return p.Kind == permissions.Text && p.Text == d.q.Heading || d.about.says(p)
		})
		for i := range d.q.Body {
			d.q.Body[i].Named = len(d.about.paths) == 1 && (d.q.Body[i].Kind == permissions.Diff || d.q.Body[i].Kind == permissions.Patch)
		}
		d.seen.add(urlOf(d.in.raw), roleURL)
	}
	d.addPaths()
	d.noteOverwrites()
	d.q.Body = append(d.q.Body, d.seen.rest(d.in.raw, h.dirs(a.Session).cwd())...)
	d.q.Facts = d.facts()
	return d.q
}

// showContents adds what the content of the tool call shows, once, or else the change that its input
// spells out.
func (d *draft) showContents() {
	for _, c := range contents(d.call) {
		if files, ok := hunksOf(c.Patch); ok && c.Type == "content" {
			if !showsAll(c, files) { // the files, then their patch
				d.q.Body = append(d.q.Body, permissions.Part{Kind: permissions.Text, Text: safetext.Visible(strings.TrimSpace(strings.TrimSuffix(c.Block.Text, c.Patch)))})
			}
			d.seen.patched(files, c.Patch)
			d.q.Body = append(d.q.Body, patchPart(c.Patch))
			continue
		}
		part := d.contentPart(c)
		if part.Kind != permissions.Diff && part.Text == "" || c.Type == "content" && c.Patch == "" && d.seen.texts[strings.TrimSpace(c.Block.Text)] != nil {
			continue
		}
		d.seen.content(c)
		d.q.Body = append(d.q.Body, part)
	}
	if d.q.Kind != "edit" || len(d.seen.diffs) > 0 {
		return
	}
	if patch, edit := inputChange(d.call.RawInput); patch != "" {
		files, _ := hunksOf(patch)
		d.seen.patched(files, patch)
		d.q.Body = append(d.q.Body, patchPart(patch))
	} else if edit.Type != "" {
		edit = d.host.oldTexts(d.q.Session, []wire.ToolContent{edit})[0]
		d.seen.content(edit)
		d.q.Body = append(d.q.Body, d.contentPart(edit))
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
func (d *draft) contentPart(c wire.ToolContent) permissions.Part {
	h, session := d.host, d.q.Session
	switch {
	case c.Type == "diff" && c.Deleted && text(c.OldText)+c.NewText == "":
		return permissions.Part{Kind: permissions.Text, Text: "Delete " + h.shownPath(session, c.Path)}
	case c.Type == "diff":
		diff := event.Diff{Old: text(c.OldText), New: c.NewText}
		if diff.Context = h.locate(session, c.Path, diff.Old, diff.New); diff.Context == nil && c.Partial {
			diff.Context = &event.DiffContext{First: -1}
		}
		t := diff.Texts()
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
