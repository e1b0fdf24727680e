package acpclient

import (
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// toolChanged posts a change of a tool call and returns everything known about the call,
// verbatim. size is about the bytes that the change holds; asked means that it comes with a
// question, so that nothing was done yet.
func (s *Session) toolChanged(t wire.ToolCall, size int, asked bool) wire.ToolCall {
	had := s.tools.known(t.ID)
	whole := s.tools.merge(t, size)
	if drawn := fromInput(t, &whole); drawn != nil {
		t.Kind, t.Content = whole.Kind, drawn
	}
	s.names(t, whole)
	complete(&t, whole, had)
	s.tools.shown(t, asked)
	s.foreignTerminalStarted(t, whole)
	s.foreignTerminalChanged(t) // before the status: who tells of the end of a call knows its exit code
	e := event.ToolChanged{For: s.wireContext(), ID: t.ID, Title: line(t.Title, maxPhrase), Name: line(t.Name, 80), Kind: line(t.Kind, 40),
		Status: line(t.Status, 40), RawInput: shownRaw(t.RawInput), RawOutput: shownRaw(t.RawOutput), At: s.client.clock(),
		Cancelable: t.Cancel}
	if t.Content != nil {
		items := toolContents(*t.Content)
		e.Content = &items
	}
	if t.Locations != nil {
		places := make([]event.Location, 0, len(*t.Locations))
		for _, l := range *t.Locations {
			places = append(places, event.Location{Path: safetext.Line(l.Path, maxPhrase), Line: l.Line})
		}
		e.Locations = &places
	}
	if t.Cancel != nil {
		s.cancelable.set(toolWork, t.ID, *t.Cancel)
	}
	e.Steps = todosOf(t)
	if valueOf(whole.Kind) == "execute" {
		e.ExitCode = exitCodeOf(t.RawOutput)
	}
	s.post(e)
	if e.Steps != nil {
		s.post(event.PlanChanged{For: s.wireContext(), Entries: e.Steps})
	}
	s.examine(t, whole, size, asked)
	return whole
}

// names tells the services what a change of a tool call says.
func (s *Session) names(change, whole wire.ToolCall) {
	if tell := s.client.opts.Services.Names; tell != nil {
		change.Kind = whole.Kind
		tell(s.root().id, change)
	}
}

// toolPiece appends one piece to a tool call's content.
func (s *Session) toolPiece(p wire.ToolPiece, size int) {
	var all []wire.ToolContent
	if old := s.tools.whole(p.ID).Content; old != nil {
		all = *old
	}
	all = append(all, p.Content) // in place: holders of the shorter list do not look past its end
	whole := s.tools.merge(wire.ToolCall{ID: p.ID, Content: &all}, size)
	piece := []wire.ToolContent{p.Content}
	s.names(wire.ToolCall{ID: p.ID, Content: &piece}, whole)
	s.post(event.ToolChanged{For: s.wireContext(), ID: p.ID, AppendContent: toolContents(piece), At: s.client.clock()})
	s.examine(wire.ToolCall{ID: p.ID, Content: &piece}, whole, size, false)
}

// toolContents makes the content of a tool call safe to show.
func toolContents(items []wire.ToolContent) []event.ToolContent {
	out := make([]event.ToolContent, 0, len(items))
	for _, c := range items {
		switch c.Type {
		case "content":
			block := content(c.Block)
			out = append(out, event.ToolContent{Content: &block})
		case "diff":
			out = append(out, event.ToolContent{Diff: diffOf(c), Kept: c.Kept, Asked: c.Kept && c.Asked})
		case wire.ChangesContent:
			changes := &event.Changes{Files: make([]event.FileChange, 0, len(c.Changes)), PatchFormat: safetext.Line(c.PatchFormat, 40), Patch: safetext.Clean(c.Patch)}
			for _, f := range c.Changes {
				changes.Files = append(changes.Files, event.FileChange{Operation: safetext.Line(f.Operation, 40), Path: safetext.Line(f.Path, maxPhrase),
					OldPath: safetext.Line(f.OldPath, maxPhrase), FileType: safetext.Line(f.FileType, 40)})
			}
			out = append(out, event.ToolContent{Changes: changes, Kept: c.Kept, Asked: c.Kept && c.Asked})
		case "terminal":
			out = append(out, event.ToolContent{Terminal: c.TerminalID})
		default:
			out = append(out, event.ToolContent{Content: &event.Content{Kind: event.UnknownContent, Name: safetext.Line(c.Type, 80), Text: shownJSON(c.Raw)}})
		}
	}
	return out
}

// diffOf makes a change of a file safe to show.
func diffOf(c wire.ToolContent) *event.Diff {
	d := &event.Diff{Path: safetext.Line(c.Path, maxPhrase), Old: safetext.Clean(valueOf(c.OldText)), New: safetext.Clean(c.NewText), OldMissing: c.OldText == nil, Deleted: c.Deleted}
	if c.Partial {
		d.Context = &event.DiffContext{First: -1}
	}
	return d
}
