package acpclient

import (
	"slices"

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
	if oldTexts := s.client.opts.Services.OldTexts; asked && oldTexts != nil && whole.Content != nil {
		content := oldTexts(s.root().id, *whole.Content)
		if slices.ContainsFunc(content, func(c wire.ToolContent) bool { return c.Overwrites }) {
			t.Content = &content
		}
	}
	s.tools.shown(t)
	s.foreignTerminalStarted(t, whole)
	e := event.ToolChanged{For: s.wireContext(), ID: t.ID, Title: line(t.Title, maxPhrase), Name: line(t.Name, 80), Kind: line(t.Kind, 40),
		Status: line(t.Status, 40), RawInput: shownRaw(t.RawInput), RawOutput: shownRaw(t.RawOutput), Forbidden: s.forbids(t, whole), At: s.client.clock(),
		Cancelable: t.Cancel}
	if t.Content != nil {
		items := s.toolContents(*t.Content)
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
		s.setCancelable(toolWork, t.ID, *t.Cancel)
	}
	s.post(e)
	s.foreignTerminalChanged(t)
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
	s.names(wire.ToolCall{ID: p.ID, Content: &[]wire.ToolContent{p.Content}}, whole)
	s.post(event.ToolChanged{For: s.wireContext(), ID: p.ID, AppendContent: s.toolContents([]wire.ToolContent{p.Content}), At: s.client.clock()})
}

// toolContents makes the content of a tool call safe to show.
func (s *Session) toolContents(items []wire.ToolContent) []event.ToolContent {
	out := make([]event.ToolContent, 0, len(items))
	for _, c := range items {
		switch c.Type {
		case "content":
			block := content(c.Block)
			out = append(out, event.ToolContent{Content: &block})
		case "diff":
			d := &event.Diff{Path: safetext.Line(c.Path, maxPhrase), New: safetext.Clean(c.NewText), OldMissing: c.OldText == nil, Deleted: c.Deleted}
			if c.OldText != nil {
				d.Old = safetext.Clean(*c.OldText)
			}
			if d.Context = s.located(c); d.Context == nil && c.Partial {
				d.Context = &event.DiffContext{First: -1}
			}
			out = append(out, event.ToolContent{Diff: d, Kept: c.Kept, OldRead: c.Overwrites})
		case wire.ChangesContent:
			changes := &event.Changes{Files: make([]event.FileChange, 0, len(c.Changes)), PatchFormat: safetext.Line(c.PatchFormat, 40), Patch: safetext.Clean(c.Patch)}
			for _, f := range c.Changes {
				changes.Files = append(changes.Files, event.FileChange{Operation: safetext.Line(f.Operation, 40), Path: safetext.Line(f.Path, maxPhrase),
					OldPath: safetext.Line(f.OldPath, maxPhrase), FileType: safetext.Line(f.FileType, 40)})
			}
			out = append(out, event.ToolContent{Changes: changes, Kept: c.Kept})
		case "terminal":
			out = append(out, event.ToolContent{Terminal: c.TerminalID})
		default:
			out = append(out, event.ToolContent{Content: &event.Content{Kind: event.UnknownContent, Name: safetext.Line(c.Type, 80), Text: shownJSON(c.Raw)}})
		}
	}
	return out
}

// located returns the position of a change in its file, safe to show.
func (s *Session) located(c wire.ToolContent) *event.DiffContext {
	if s.client.opts.Services.Locate == nil {
		return nil
	}
	old := ""
	if c.OldText != nil {
		old = *c.OldText
	}
	p := s.client.opts.Services.Locate(s.root().id, c.Path, old, c.NewText)
	if p != nil {
		p.Before, p.After = safetext.Clean(p.Before), safetext.Clean(p.After)
	}
	return p
}
