package host

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"parley/acpclient/wire"
	"parley/fsops"
	"parley/internal/toolserver"
	"parley/terminal"
)

// maxGrants bounds the unused approvals that are remembered.
const maxGrants = 64

// grants are the approvals of a turn that the agent has not used yet. Each allows one write or command
// that does exactly what was shown.
type grants struct {
	list    []grant
	written map[string]written // by the resolved path
}

// written is the last text allowed and written for a file; writing it again changes nothing.
type written struct {
	text  [sha256.Size]byte
	state fsops.State
	key   uint64 // of the question
}

type grant struct {
	edits   []edit
	command *terminal.Command // links of its directory followed; nil if it is no command
	key     uint64            // of the question
	byUser  bool              // answered by the user, not by a rule or mode
}

// edit is a change that was shown: the text of path becomes new, or old inside it does.
type edit struct {
	path, old, new string
	resolved       string // where the path led when the question was asked; "" if unknown
	oldMissing     bool
	whole          bool        // only the new text was shown, not what it replaces
	state          fsops.State // of the file when the question was asked
}

func (g *grants) add(n grant) {
	if len(n.edits) == 0 && n.command == nil {
		return
	}
	g.list = append(g.list, n)
	if len(g.list) > maxGrants {
		g.list = append(g.list[:0:0], g.list[len(g.list)-maxGrants:]...)
	}
}

// write uses up a grant for a file, which now has content before and state now, to become text. It
// returns the key of the grant's question, or 0. Outside the session's directories and for sensitive
// files only the user's own answer counts, to a question that showed both texts completely.
func (g *grants) write(t fsops.Target, before content, text string, now fsops.State) uint64 {
	plain := t.Inside && t.Secret == ""
	if w, again := g.written[t.Resolved]; again && w.state == now && !before.isNew && before.text == text && w.text == sha256.Sum256([]byte(text)) {
		return w.key
	}
	for i := range g.list {
		for k, e := range g.list[i].edits {
			switch {
			case e.resolved == "" || e.resolved != t.Resolved:
				continue
			case plain && (e.state != now || !e.yields(before.text, text)):
				continue
			case !plain && (!g.list[i].byUser || !e.shows(before, text)):
				continue
			}
			edits := append([]edit(nil), g.list[i].edits[:k]...)
			g.list[i].edits = append(edits, g.list[i].edits[k+1:]...)
			return g.list[i].key
		}
	}
	return 0
}

// wrote records that parley changed a file with permission: other approvals for the file's state before
// now apply to its state after.
func (g *grants) wrote(resolved, text string, before, after fsops.State, key uint64) {
	for i := range g.list {
		for k := range g.list[i].edits {
			if e := &g.list[i].edits[k]; e.resolved == resolved && e.state == before {
				e.state = after
			}
		}
	}
	if g.written == nil || len(g.written) >= maxGrants {
		g.written = map[string]written{}
	}
	g.written[resolved] = written{sha256.Sum256([]byte(text)), after, key}
}

// forget drops the approvals for a file. Its state does not tell that it has changed: two writes in one tick of
// the clock can leave the same.
func (g *grants) forget(resolved string) {
	for i := range g.list {
		g.list[i].edits = slices.DeleteFunc(g.list[i].edits, func(e edit) bool { return e.resolved == resolved })
	}
	delete(g.written, resolved)
}

// about returns the key of a question of this turn in which the agent asked about a file and whose
// approval was not used; 0 if there is none.
func (g *grants) about(t fsops.Target) uint64 {
	for _, n := range g.list {
		if slices.ContainsFunc(n.edits, func(e edit) bool { return e.resolved != "" && e.resolved == t.Resolved }) {
			return n.key
		}
	}
	return 0
}

// shows reports whether the user saw the whole file and the whole text.
func (e edit) shows(before content, text string) bool {
	if e.whole || text != e.new {
		return false
	}
	if before.isNew {
		return e.oldMissing || e.old == ""
	}
	return !e.oldMissing && before.text == e.old
}

// yields reports whether content is what the user saw: the whole new text for the whole old one, or the
// shown fragment replaced in the present text. A fragment for a whole file is not what was shown.
func (e edit) yields(before, content string) bool {
	if e.whole {
		return content == e.new
	}
	if e.oldMissing || e.old == "" {
		return before == "" && content == e.new
	}
	if !strings.Contains(before, e.old) {
		return false
	}
	return content == strings.Replace(before, e.old, e.new, 1) || content == strings.ReplaceAll(before, e.old, e.new)
}

// run uses up a grant for a command, whose directory has its links followed; see write.
func (g *grants) run(cmd terminal.Command) uint64 {
	for i, n := range g.list {
		if n.command != nil && n.command.Form() == cmd.Form() {
			g.list[i].command = nil
			return n.key
		}
	}
	return 0
}

// near returns the key of a question of this turn about a command that differs only in its directory or
// variables; see about.
func (g *grants) near(cmd terminal.Command) uint64 {
	bare := func(c terminal.Command) string {
		c.Dir, c.Env = "", nil
		return c.Form()
	}
	for _, n := range g.list {
		if n.command != nil && bare(*n.command) == bare(cmd) {
			return n.key
		}
	}
	return 0
}

// grantFor returns what approving a tool call grants. A command with unknown members differs from the
// plain command: the approval covers only what the agent itself runs, and nothing that parley runs.
func (h *Host) grantFor(session string, t wire.ToolCall) grant {
	var g grant
	if t.Content != nil {
		for _, c := range *t.Content {
			if c.Type != "diff" || c.Deleted {
				continue
			}
			e := edit{path: c.Path, new: c.NewText, oldMissing: c.OldText == nil}
			if c.OldText != nil {
				e.old = *c.OldText
			}
			g.edits = append(g.edits, e)
		}
	}
	if tool, call := callOf(t); tool == toolserver.WriteTool && len(g.edits) == 0 {
		if path, content, ok := writeOverMCP(call); ok {
			g.edits = []edit{{path: path, new: content, whole: true}}
		}
	}
	if in := inputOf(t); in.command != "" && !in.unclear {
		cmd := in.runs
		if cmd.Dir = h.absolute(session, in.dir(h.dirs(session).cwd())); cmd.Dir != "" {
			cmd.Dir = h.whereabouts(session, cmd.Dir)
			g.command = &cmd
		}
	}
	return g
}

// isEdit reports whether an "always" for this tool call is about writing files.
func isEdit(t wire.ToolCall) bool {
	if t.Kind != nil && *t.Kind == "edit" {
		return true
	}
	for _, c := range contents(t) {
		if c.Type == "diff" {
			return true
		}
	}
	return false
}

func contents(t wire.ToolCall) []wire.ToolContent {
	if t.Content == nil {
		return nil
	}
	return *t.Content
}

// commandIn returns a command given as a JSON string, or as a list of strings, with its line; "" for
// anything else.
func commandIn(raw []byte) (c terminal.Command, line string) {
	if json.Unmarshal(raw, &c.Command) == nil {
		return c, c.Command
	}
	var list []*string // null is not a word
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 || slices.Contains(list, nil) {
		return terminal.Command{}, ""
	}
	c.Command = *list[0]
	for _, w := range list[1:] {
		c.Args = append(c.Args, *w)
	}
	return c, terminal.WordsLine(c)
}
