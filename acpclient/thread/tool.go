package thread

import (
	"slices"
	"time"

	"parley/acpclient/event"
)

// tool creates or changes a tool call. The first event with an id creates it.
func (t *Thread) tool(e event.ToolChanged) {
	it := t.call(e.ID)
	if it == nil {
		it = t.add(newTool(e.ID, e.At, t.history))
		t.tools.add(it)
	} else {
		t.touch(it)
	}
	it.from(e.Wire)
	tool := it.Tool
	set(&tool.Title, e.Title)
	set(&tool.Name, e.Name)
	set(&tool.Kind, e.Kind)
	set(&tool.RawInput, e.RawInput)
	set(&tool.RawOutput, e.RawOutput)
	if e.Steps != nil {
		tool.Steps = e.Steps
	}
	if e.ExitCode != nil {
		tool.ExitCode = e.ExitCode
	}
	if e.Status != nil {
		tool.Status = *e.Status
		tool.Rejected = false
	}
	if e.Cancelable != nil {
		tool.Cancelable = *e.Cancelable
	}
	if e.Content != nil {
		tool.Content, it.grown = *e.Content, false
		it.complete(it.examined)
		t.terminals.show(it, tool.Content)
	}
	if len(e.AppendContent) > 0 {
		if !it.grown { // the event owns the list
			tool.Content, it.grown = slices.Clip(tool.Content), true
		}
		tool.Content = append(tool.Content, e.AppendContent...)
		t.terminals.show(it, e.AppendContent)
	}
	if e.Locations != nil {
		tool.Locations = *e.Locations
	}
	switch {
	case tool.Final():
		if tool.Ended = e.At; !e.Until.IsZero() {
			tool.Ended = e.Until
		}
		tool.StillRunning = false
		tool.Asked = false
		delete(t.live, it)
		t.judge(it)
	default:
		t.live[it] = true
		switch {
		case tool.Status == "pending":
			tool.StillRunning = tool.StillRunning && e.Status == nil
		case e.Status != nil || e.Content != nil || len(e.AppendContent) > 0:
			t.sawActivity(it)
		}
	}
}

// maxExamined bounds the changes of a call of which the thread remembers what the disk said.
const maxExamined = 100

// examined records what the disk says about a call. An update that repeats a change does not repeat that.
func (t *Thread) examined(e event.ToolExamined) {
	it := t.call(e.ID)
	if it == nil {
		return
	}
	t.touch(it)
	it.complete(e.Diffs)
	it.examined = slices.Concat(e.Diffs, slices.DeleteFunc(it.examined, func(had *event.Diff) bool {
		return slices.ContainsFunc(e.Diffs, func(d *event.Diff) bool { return d.Completes(event.ToolContent{Diff: had}) })
	}))
	it.examined = it.examined[:min(len(it.examined), maxExamined)]
	if e.Recorded != nil && !it.Tool.showsChanges() {
		it.Tool.Content, it.grown = append([]event.ToolContent{{Diff: e.Recorded, Recorded: true}}, it.Tool.Content...), true
	}
	if e.Forbidden {
		it.forbidden = true
		t.judge(it)
	}
}

// showsChanges reports whether the call has the changes that it made.
func (t *Tool) showsChanges() bool {
	return slices.ContainsFunc(t.Content, func(c event.ToolContent) bool { return c.Diff != nil || c.Changes != nil })
}

// complete replaces changes of a call by those that say more. Both are in order, and what was appended
// last is examined last.
func (it *Item) complete(diffs []*event.Diff) {
	at := len(it.Tool.Content)
	for _, d := range slices.Backward(diffs) {
		for i := at - 1; i >= 0; i-- {
			if !d.Completes(it.Tool.Content[i]) {
				continue
			}
			if !it.grown {
				it.Tool.Content, it.grown = slices.Clone(it.Tool.Content), true
			}
			c := &it.Tool.Content[i]
			c.OldRead = c.OldRead || c.Diff == nil || c.Diff.OldMissing && !d.OldMissing || c.Diff.Old != d.Old
			c.Diff, c.Changes, at = d, nil, i
			break
		}
	}
}

// SetAsked sets which calls of the turn are shown in open questions: those with one of
// the ids, and those about one of the subjects, a file or a command. It returns the
// indexes of the items that it changed.
func (t *Thread) SetAsked(ids, subjects []string) []int {
	t.changed = t.changed[:0]
	askedIDs, askedSubjects := setOf(ids), setOf(subjects)
	for it := range t.live {
		asked := askedIDs[it.Tool.ID]
		if !asked && len(subjects) > 0 {
			asked = slices.ContainsFunc(it.Tool.subjects(t), func(s string) bool { return askedSubjects[s] })
		}
		if asked != it.Tool.Asked {
			it.Tool.Asked = asked
			t.touch(it)
		}
	}
	slices.Sort(t.changed)
	return t.changed
}

func setOf(all []string) map[string]bool {
	set := make(map[string]bool, len(all))
	for _, s := range all {
		set[s] = true
	}
	return set
}

func set[T any](into, from *T) {
	if from != nil {
		*into = *from
	}
}

// toolItem is the item of a call together with what nearly every call has. A batch
// of several calls would make an object too large for the garbage collector to handle
// quickly.
type toolItem struct {
	Item
	tool Tool
	wire [1]event.Span
}

func newTool(id string, at time.Time, replayed bool) *Item {
	it := &toolItem{tool: Tool{ID: id, Status: "pending", Kind: "other", Started: at, replayed: replayed}}
	it.Kind, it.At, it.Tool, it.Wire = ToolCall, at, &it.tool, it.wire[:0]
	return &it.Item
}

// terminals are those of a session, by id.
type terminals map[string]*Terminal

// show links the tool call to the terminals in its content. A terminal that is not known
// yet is linked when it arrives.
func (t terminals) show(it *Item, content []event.ToolContent) {
	for _, c := range content {
		if c.Terminal == "" {
			continue
		}
		term := t.open(c.Terminal)
		known := false
		for _, i := range term.items {
			known = known || i == it.Index
		}
		if !known {
			term.items = append(term.items, it.Index)
		}
	}
}

func (t terminals) open(id string) *Terminal {
	term := t[id]
	if term == nil {
		term = &Terminal{ID: id}
		t[id] = term
	}
	return term
}

// start opens a terminal for a command. A terminal of parley's that has exited is not
// reused: in a log of another connection the id means another one.
func (t terminals) start(e event.TerminalStarted, items []*Item) *Terminal {
	if old := t[e.ID]; old != nil && old.Exited && !old.Foreign && !e.Foreign {
		for _, i := range old.items {
			it := items[i]
			if it.former == nil {
				it.former = map[string]*Terminal{}
			}
			it.former[e.ID] = old
		}
		delete(t, e.ID)
	}
	return t.open(e.ID)
}

// commandRuns reports whether a command of the call has not ended. For terminals of the
// agent the exit may never be reported.
func (t terminals) commandRuns(tool *Tool, foreign bool) bool {
	return slices.ContainsFunc(tool.Content, func(c event.ToolContent) bool {
		term := t[c.Terminal]
		return c.Terminal != "" && term != nil && !term.Exited && (term.Foreign && foreign || !term.Foreign && term.Command != "")
	})
}

// snapshot replaces a terminal by one with other output, so that views of the old one
// start again.
func (t terminals) snapshot(e event.TerminalReplaced) *Terminal {
	fresh := *t.open(e.ID)
	fresh.Output = slices.Clone(e.Data[max(0, len(e.Data)-maxTerminal):])
	fresh.Total, fresh.Gap = int64(len(e.Data)), false
	t[e.ID] = &fresh
	return &fresh
}

// terminal applies the events of a command.
func (t *Thread) terminal(e event.Event) {
	var term *Terminal
	var wire event.Span
	switch e := e.(type) {
	case event.TerminalStarted:
		term, wire = t.terminals.start(e, t.Items), e.Wire
		term.Command, term.Cwd, term.Foreign = e.Command, e.Cwd, e.Foreign
	case event.TerminalOutput:
		term, wire = t.terminals.open(e.ID), e.Wire
		term.put(e.Data, e.Cut)
	case event.TerminalExited:
		term, wire = t.terminals.open(e.ID), e.Wire
		term.Exited, term.Code, term.Signal = !e.Cleared, e.Code, e.Signal
	case event.TerminalChanged:
		term, wire = t.terminals.open(e.ID), e.Wire
		term.changed(e)
	case event.TerminalReplaced:
		term, wire = t.terminals.snapshot(e), e.Wire
	}
	for _, i := range term.items {
		it := t.Items[i]
		t.touch(it)
		it.from(wire)
		switch e.(type) {
		case event.TerminalOutput, event.TerminalReplaced:
			if !term.Exited {
				t.sawActivity(it)
			}
		case event.TerminalExited:
			it.Tool.StillRunning = it.Tool.StillRunning && t.terminals.commandRuns(it.Tool, true)
		}
	}
}

// put appends output. cut means that output before it is missing.
func (term *Terminal) put(data []byte, cut bool) {
	term.Gap = term.Gap || cut
	term.Total += int64(len(data))
	term.Output = append(term.Output, data...)
	if len(term.Output) > 2*maxTerminal {
		term.Output = append(term.Output[:0:0], term.Output[len(term.Output)-maxTerminal:]...)
	}
}
