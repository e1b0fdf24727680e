package acpclient

import (
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// update implements surface.
func (v2) update(s *Session, raw []byte) {
	u, err := wire.DecodeUpdateV2(raw)
	if err != nil {
		s.client.problem("an update that cannot be used: "+err.Error(), raw)
		return
	}
	switch u.Kind {
	case wire.AgentMessageChunk:
		s.chunk(event.Agent, u.MessageID, u.Content)
	case wire.AgentThoughtChunk:
		s.chunk(event.Thought, u.MessageID, u.Content)
	case wire.UserMessageChunk:
		s.userSpoke(u.MessageID)
		s.chunk(event.User, u.MessageID, u.Content)
	case wire.UserMessage:
		s.userSpoke(u.MessageID)
		s.messageReplaced(event.User, u)
	case wire.AgentMessage:
		s.messageReplaced(event.Agent, u)
	case wire.AgentThought:
		s.messageReplaced(event.Thought, u)
	case wire.ToolCallStarted:
		s.client.problem("an update of v1 on a connection of v2: "+u.Kind, nil)
		s.toolPatched(*u.Tool, len(raw))
	case wire.ToolCallUpdate:
		s.toolPatched(*u.Tool, len(raw))
	case wire.ToolCallContentChunk:
		s.toolPiece(u.Tool.ID, u.Piece, len(raw))
	case wire.TerminalOutputChunk:
		s.terminalChunk(u)
	default:
		s.applyRareV2(u)
	}
}

// applyRareV2 handles the kinds that do not come in floods.
func (s *Session) applyRareV2(u wire.UpdateV2) {
	switch u.Kind {
	case wire.StateUpdated:
		s.stateChanged(*u.State)
	case wire.TerminalUpdated:
		s.terminalPatched(*u.Terminal)
	case wire.PlanUpdate, wire.PlanRemoved, wire.Plan:
		if u.Kind == wire.Plan {
			s.client.problem("an update of v1 on a connection of v2: "+u.Kind, nil)
		}
		s.planReplaced(u)
	case wire.CurrentModeUpdate:
		s.client.problem("an update of v1 on a connection of v2: "+u.Kind, nil)
		s.post(event.ModeChanged{For: s.for_(), ModeID: u.Content.Name})
	case wire.AvailableCommandsUpdate:
		s.post(event.CommandsChanged{For: s.for_(), Commands: commands(u.Commands)})
	case wire.UsageUpdate:
		e := event.UsageChanged{For: s.for_(), Used: u.Usage.Used, Size: u.Usage.Size, NoCost: u.NoCost}
		if u.Usage.Cost != nil {
			e.Cost, e.Currency = u.Usage.Cost.Amount, safetext.Line(u.Usage.Cost.Currency, 12)
		}
		s.post(e)
	default: // as in v1, and what nobody knows
		s.applyRare(wire.Update{Kind: u.Kind, Raw: u.Raw, Content: u.Content, Config: u.Config, Info: u.Info, Notice: u.Notice, Compact: u.Compact, Subagent: u.Subagent})
	}
}

// messageReplaced posts an upsert of a message.
func (s *Session) messageReplaced(role event.Role, u wire.UpdateV2) {
	e := event.MessageReplaced{For: s.for_(), Role: role, MessageID: u.MessageID, Keep: !u.Blocks.Set, At: s.client.clock()}
	var text strings.Builder
	clean := &s.stream(role, u.MessageID).clean
	if !e.Keep {
		*clean = safetext.Stream{}
	}
	for _, b := range u.Blocks.V {
		if b.Type == "text" {
			text.WriteString(clean.Write(b.Text))
		} else {
			e.Attachments = append(e.Attachments, content(b))
		}
	}
	e.Text = text.String()
	s.post(e)
}

// toolPatched posts a tool call's change and returns all that is known of it,
// as it came.
func (s *Session) toolPatched(t wire.ToolCallPatch, size int) wire.ToolCall {
	plain := changeOf(t)
	whole := s.stored(plain, size)
	if drawn := fromInput(plain, &whole); drawn != nil {
		plain.Kind, plain.Content = whole.Kind, drawn
	}
	e := event.ToolChanged{For: s.for_(), ID: t.ID, Title: line(plain.Title, maxPhrase), Name: line(plain.Name, 80), Kind: line(plain.Kind, 40),
		Status: line(plain.Status, 40), RawInput: shownOrNone(t.RawInput), RawOutput: shownOrNone(t.RawOutput), Forbidden: s.forbids(plain, whole), At: s.client.clock()}
	if plain.Content != nil {
		items := s.toolContentsV2(*plain.Content)
		e.Content = &items
	}
	if plain.Locations != nil {
		places := make([]event.Location, 0, len(*plain.Locations))
		for _, l := range *plain.Locations {
			places = append(places, event.Location{Path: safetext.Line(l.Path, maxPhrase), Line: l.Line})
		}
		e.Locations = &places
	}
	if t.Cancel.Set {
		can := t.Cancel.V
		e.Cancelable = &can
		s.setCancelable(toolWork, t.ID, can)
	}
	s.post(e)
	return whole
}

// changeOf is a patch as a change of v1.
func changeOf(t wire.ToolCallPatch) wire.ToolCall {
	return wire.ToolCall{ID: t.ID, Title: cleared(t.Title, ""), Name: cleared(t.Name, ""), Kind: cleared(t.Kind, "other"), Status: cleared(t.Status, "pending"),
		Content: listed(t.Content), Locations: listed(t.Locations), RawInput: clearedRaw(t.RawInput), RawOutput: clearedRaw(t.RawOutput)}
}

// stored merges a change into what is known of a tool call.
func (s *Session) stored(t wire.ToolCall, size int) wire.ToolCall {
	whole := s.tools.merge(t, size)
	for _, raw := range []*wire.Raw{&whole.RawInput, &whole.RawOutput} {
		if string(*raw) == "null" {
			*raw = nil
		}
	}
	return whole
}

// toolPiece appends one piece to a tool call's content.
func (s *Session) toolPiece(id string, piece wire.ToolContent, size int) {
	var all []wire.ToolContent
	if old := s.tools.whole(id).Content; old != nil {
		all = *old
	}
	all = append(all, piece) // in place: who has the shorter list never looks behind its end
	s.tools.merge(wire.ToolCall{ID: id, Content: &all}, size)
	s.post(event.ToolChanged{For: s.for_(), ID: id, AppendContent: s.toolContentsV2([]wire.ToolContent{piece}), At: s.client.clock()})
}

func (s *Session) toolContentsV2(items []wire.ToolContent) []event.ToolContent {
	out := make([]event.ToolContent, 0, len(items))
	for _, c := range items {
		if c.Type != wire.ChangesContent {
			out = append(out, s.toolContents([]wire.ToolContent{c})...)
			continue
		}
		changes := &event.Changes{Files: make([]event.FileChange, 0, len(c.Changes)), PatchFormat: safetext.Line(c.PatchFormat, 40), Patch: safetext.Clean(c.Patch)}
		for _, f := range c.Changes {
			changes.Files = append(changes.Files, event.FileChange{Operation: safetext.Line(f.Operation, 40), Path: safetext.Line(f.Path, maxPhrase),
				OldPath: safetext.Line(f.OldPath, maxPhrase), FileType: safetext.Line(f.FileType, 40)})
		}
		out = append(out, event.ToolContent{Changes: changes})
	}
	return out
}

// terminalPatched posts what changed of a terminal of the agent's: a snapshot of
// its output voids everything before.
func (s *Session) terminalPatched(t wire.TerminalPatch) {
	e := event.TerminalChanged{For: s.for_(), ID: t.ID, Command: line(cleared(t.Command, ""), maxPhrase), Cwd: line(cleared(t.Cwd, ""), maxPhrase), Cols: t.Cols, Rows: t.Rows}
	if t.Cancel.Set {
		can := t.Cancel.V
		e.Cancelable = &can
		s.setCancelable(terminalWork, t.ID, can)
	}
	s.post(e)
	if t.Exit.Set { // first: the output of a command that has ended is no sign of life
		x := event.TerminalExited{For: s.for_(), ID: t.ID, Signal: safetext.Line(t.Exit.V.Signal, 40), Cleared: t.Exit.Null}
		if t.Exit.V.ExitCode != nil {
			code := int(*t.Exit.V.ExitCode)
			x.Code = &code
		}
		s.post(x)
	}
	if t.Output.Set {
		s.post(event.TerminalReplaced{For: s.for_(), ID: t.ID, Data: t.Output.V})
	}
}

// terminalChunk posts output. A piece that cannot be decoded is a gap.
func (s *Session) terminalChunk(u wire.UpdateV2) {
	if u.Gap {
		s.client.problem("output of a terminal that cannot be decoded", nil)
	}
	if u.Gap || len(u.Data) > 0 {
		s.post(event.TerminalOutput{For: s.for_(), ID: u.Terminal.ID, Data: u.Data, Cut: u.Gap})
	}
}

func (s *Session) planReplaced(u wire.UpdateV2) {
	if u.Plan.Type != "items" && u.Plan.Type != "markdown" {
		s.post(event.UnknownArrived{For: s.for_(), Kind: "a plan of type " + safetext.Line(u.Plan.Type, 60), JSON: shownJSON(u.Raw)})
		return
	}
	e := event.PlanChanged{For: s.for_(), PlanID: u.Plan.ID, Markdown: safetext.Clean(u.Plan.Markdown.V)}
	if len(e.Markdown) > maxRaw {
		e.Markdown = strings.ToValidUTF8(e.Markdown[:maxRaw], "") + "…"
	}
	for _, p := range u.Plan.Entries {
		e.Entries = append(e.Entries, event.PlanEntry{Content: safetext.Line(p.Content, maxPhrase), Priority: safetext.Line(p.Priority, 40), Status: safetext.Line(p.Status, 40)})
	}
	s.post(e)
}

// cleared is a patch as v1 writes it: nil is unchanged; null is the default.
func cleared(o wire.Opt[string], fallback string) *string {
	if !o.Set {
		return nil
	}
	v := o.Or(fallback)
	return &v
}

func listed[T any](o wire.Opt[[]T]) *[]T {
	if !o.Set {
		return nil
	}
	v := o.Or([]T{})
	return &v
}

func clearedRaw(o wire.Opt[wire.Raw]) wire.Raw {
	if o.Set && o.Null {
		return wire.Raw("null")
	}
	return o.V
}

func shownOrNone(o wire.Opt[wire.Raw]) *string {
	if !o.Set {
		return nil
	}
	s := ""
	if !o.Null {
		s = shownJSON(o.V)
	}
	return &s
}
