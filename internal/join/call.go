package join

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/emulator"
	"parley/internal/safetext"
)

// field is one of the members of a tool call, of which an update has those that have changed.
type field struct {
	name  string
	value any
}

// fields is how many members a call has.
const fields = 8

// hashes tells which members of a call a client has.
type hashes [fields]uint64

var seed = maphash.MakeSeed()

// call returns what a row of the transcript that is like a tool call says: the tool calls of the agent, its
// sub-agents, and the user's own commands.
func call(t *thread.Thread, it *thread.Item, d dialect) [fields]field {
	switch {
	case it.Subagent != nil:
		s := it.Subagent
		status := "in_progress"
		if !s.Runs() {
			status = "completed"
		}
		return row(strings.TrimSpace(s.Name()+": "+s.State()), "think", status, nil)
	case it.Shell != nil:
		s := it.Shell
		status := "in_progress"
		switch {
		case s.Live() && s.Waiting():
			status = "pending"
		case !s.Live() && (s.Err != nil || s.Stopped || s.Terminal.Code != nil && *s.Terminal.Code != 0):
			status = "failed"
		case !s.Live():
			status = "completed"
		}
		return row("! "+s.Terminal.Command, "execute", status, []object{textContent(screen(s.Terminal))})
	}
	tool := it.Tool
	title := tool.Title
	if title == "" {
		title = tool.Name
	}
	if title == "" {
		title = tool.Kind
	}
	f := row(title, kindOf(tool.Kind, d), status(tool, d), content(t, it, d))
	f[4].value = locations(tool, d)
	f[5].value = raw(tool.RawInput)
	f[6].value = raw(tool.RawOutput)
	if a := tool.Answer; a != nil {
		f[7].value = object{"parley/decision": a.Outcome()}
	}
	return f
}

// kindOf is the kind of a call. Those of version 1 are closed.
func kindOf(kind string, d dialect) string {
	if d.version > 1 {
		return kind
	}
	return known(kind, "other", "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode")
}

func row(title, kind, status string, content []object) [fields]field {
	f := [fields]field{{"title", title}, {"kind", kind}, {"status", status}, {"content", nil}, {"locations", nil}, {"rawInput", nil}, {"rawOutput", nil}, {"_meta", nil}}
	if content != nil {
		f[3].value = content
	}
	return f
}

// status is the status of a call. In the words of version 1, those that its turn has left open have failed, and
// those that wait for an answer, which version 2 says of the session, are pending.
func status(tool *thread.Tool, d dialect) string {
	s := tool.Status
	if !tool.Final() && !tool.Live() {
		s = "cancelled"
	}
	switch {
	case d.version >= 2:
		return s
	case s == "cancelled":
		return "failed"
	case tool.Waits():
		return "pending"
	}
	return known(s, "in_progress", "pending", "completed", "failed")
}

func locations(tool *thread.Tool, d dialect) any {
	var out []object
	for _, l := range tool.Locations {
		if d.version >= 2 && !filepath.IsAbs(l.Path) && !strings.HasPrefix(l.Path, "/") {
			continue
		}
		o := object{"path": l.Path}
		if l.Line > 0 {
			o["line"] = l.Line
		}
		out = append(out, o)
	}
	if out == nil {
		return nil
	}
	return out
}

// content is the content of a call. The output of a command is text: terminals belong to this machine.
func content(t *thread.Thread, it *thread.Item, d dialect) []object {
	out := []object{}
	if it.Tool.Waits() && d.version == 1 {
		out = append(out, textContent("Waiting for an answer on parley's screen"))
	}
	for _, c := range it.Tool.Content {
		switch {
		case c.Content != nil && c.Content.Kind == event.TextContent:
			out = append(out, textContent(c.Content.Text))
		case c.Content != nil:
			if link := attachment(c.Content); link != nil {
				out = append(out, object{"type": "content", "content": link})
			}
		case c.Diff != nil:
			out = append(out, change(c.Diff, d)...)
		case c.Changes != nil:
			out = append(out, changes(c.Changes, d)...)
		case c.Terminal != "":
			if term := t.TerminalOf(it, c.Terminal); term != nil {
				out = append(out, textContent(screen(term)))
			}
		}
	}
	return out
}

// change is the change of a file: its texts in version 1, a patch in version 2.
func change(c *event.Diff, d dialect) []object {
	if d.version == 1 {
		o := object{"type": "diff", "path": c.Path, "newText": c.New}
		if !c.OldMissing {
			o["oldText"] = c.Old
		}
		return []object{o}
	}
	operation := "modify"
	switch {
	case c.Deleted:
		operation = "delete"
	case c.OldMissing:
		operation = "add"
	}
	o := object{"type": "diff", "changes": []object{{"operation": operation, "path": c.Path}}}
	if len(c.Old)+len(c.New) <= maxPatch {
		o["patch"] = object{"format": "git_patch", "text": gitPatch(c, operation)}
	}
	return []object{o}
}

// changes are the changes of files with a patch, which version 1 has as text only.
func changes(c *event.Changes, d dialect) []object {
	if d.version == 1 {
		var b strings.Builder
		for _, f := range c.Files {
			b.WriteString(strings.TrimSpace(f.Operation+" "+f.OldPath) + " " + f.Path + "\n")
		}
		return []object{textContent(b.String() + c.Patch)}
	}
	files := []object{}
	for _, f := range c.Files {
		o := object{"operation": f.Operation}
		for name, value := range map[string]string{"path": f.Path, "oldPath": f.OldPath, "fileType": f.FileType} {
			if value != "" {
				o[name] = value
			}
		}
		files = append(files, o)
	}
	o := object{"type": "diff", "changes": files}
	if c.Patch != "" {
		o["patch"] = object{"format": c.PatchFormat, "text": c.Patch}
	}
	return []object{o}
}

// maxScreen bounds the text of a command's output, in bytes: its end is sent.
const maxScreen = 32 << 10

// screen is the output of a command as text.
func screen(term *thread.Terminal) string {
	const cols, wide = 200, 1 << 16
	out := term.Output[max(0, len(term.Output)-2*maxScreen):]
	e := emulator.New(cols)
	e.Write(out)
	text := safetext.Clean(ansi.Strip(strings.Join(e.Rows(wide, 0), "\n")))
	if cut := len(text) - maxScreen; cut > 0 {
		text = text[cut:]
		text = text[strings.IndexByte(text, '\n')+1:]
	}
	if term.Exited && term.Code != nil && *term.Code != 0 {
		text = strings.TrimSuffix(text, "\n") + "\n[exit code " + jsonText(*term.Code) + "]"
	}
	return text
}

func jsonText(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n")
}

// toolUpdate returns the update that gives a client the members of a call that it does not have, nil if it has
// all, and the members that it has then.
func toolUpdate(id string, f [fields]field, had hashes, first bool, d dialect) (object, hashes) {
	u, now := object{"sessionUpdate": "tool_call_update", "toolCallId": id}, had
	if first && d.version == 1 {
		u["sessionUpdate"] = "tool_call"
	}
	n := len(u)
	for i, m := range f {
		if m.value == nil && (had[i] == 0 || d.version == 1 && m.name != "content" && m.name != "locations") {
			now[i] = 0 // version 1 cannot clear it
			continue
		}
		value, isText := m.value.(string)
		if !isText {
			value = jsonText(m.value)
		}
		if now[i] = maphash.String(seed, value); now[i] == had[i] {
			continue
		}
		switch {
		case isText:
			u[m.name] = value
		case m.value == nil && d.version == 1: // null leaves it unchanged
			u[m.name] = []any{}
		default:
			u[m.name] = json.RawMessage(value)
		}
	}
	if len(u) == n {
		return nil, now
	}
	return u, now
}
