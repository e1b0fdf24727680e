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

// maxGrants bounds what is remembered of approvals that were never used.
const maxGrants = 64

// grants are approvals of a turn that the agent has not used yet: each lets one write
// or one command pass that does exactly what was shown.
type grants struct {
	list    []grant
	written map[string]written // by the resolved path
}

// written is the last text that was allowed for a file, and is in it: the same once more
// changes nothing.
type written struct {
	text  [sha256.Size]byte
	state fsops.State
	key   uint64 // of the question
}

type grant struct {
	edits   []edit
	command *terminal.Command // with its directory, links followed; nil: none
	key     uint64            // of the question
	byUser  bool              // the user answered it himself
}

// edit is a change that was shown: the text of path becomes new, or old inside
// it does.
type edit struct {
	path, old, new string
	resolved       string // where the path led when the question came; "": nobody knows
	oldMissing     bool
	whole          bool        // what the file held was not shown, only that it is to hold new
	state          fsops.State // of the file when the question came
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

// write uses up a grant that makes a file, which now holds before and is in the state
// now, hold text; 0 where there is none, else the key of its question. Outside of the
// session's directories, and for what is sensitive, only the user's own answer counts,
// and only to a question that showed all of both texts.
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

// wrote notes that parley itself has changed a file, as the user has allowed it: what else
// was approved of it in the state before holds in that after.
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

// about is the key of a question of this turn in which the agent asked about a file, and
// of whose approval nothing was used; 0 where there is none.
func (g *grants) about(t fsops.Target) uint64 {
	for _, n := range g.list {
		if slices.ContainsFunc(n.edits, func(e edit) bool { return e.resolved != "" && e.resolved == t.Resolved }) {
			return n.key
		}
	}
	return 0
}

// shows tells whether the user saw all that the file holds, and all of text.
func (e edit) shows(before content, text string) bool {
	if e.whole || text != e.new {
		return false
	}
	if before.isNew {
		return e.oldMissing || e.old == ""
	}
	return !e.oldMissing && before.text == e.old
}

// yields tells whether content is what the user saw: the whole new text in place
// of the whole old one, or the shown fragment replaced in what the file holds
// now. A fragment in place of a whole file is not what was shown.
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

// run uses up a grant for a command, whose directory has its links followed; as write.
func (g *grants) run(cmd terminal.Command) uint64 {
	for i, n := range g.list {
		if n.command != nil && n.command.Form() == cmd.Form() {
			g.list[i].command = nil
			return n.key
		}
	}
	return 0
}

// near is the key of a question of this turn in which the agent asked about a command that
// differs in nothing but where it runs and in its variables; as about.
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

// grantFor is what approving this tool call covers. A command with members that are
// not understood is another one than the bare command: what is approved then is all
// of it, as the agent runs it, and nothing that parley would run.
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
		if cmd.Dir = h.absolute(session, h.dirOf(session, in)); cmd.Dir != "" {
			cmd.Dir = h.whereabouts(session, cmd.Dir)
			g.command = &cmd
		}
	}
	return g
}

// isEdit tells whether an "always" for this tool call speaks of writing files.
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

// commandIn is a command that came as a JSON string, or as a list of strings, and its line;
// "" for everything else.
func commandIn(raw []byte) (c terminal.Command, line string) {
	if json.Unmarshal(raw, &c.Command) == nil {
		return c, c.Command
	}
	var list []*string // a null is no word
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 || slices.Contains(list, nil) {
		return terminal.Command{}, ""
	}
	c.Command = *list[0]
	for _, w := range list[1:] {
		c.Args = append(c.Args, *w)
	}
	return c, terminal.WordsLine(c)
}
