package acpclient

import (
	"encoding/json"
	"strconv"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
)

// Bounds of single strings that are shown as a line or a paragraph.
const (
	maxTitle  = 300
	maxPhrase = 2000
	maxRaw    = 64 << 10 // of JSON that is shown as such
)

// applyV1 turns one session/update of v1 into events. Reader goroutine.
func (s *Session) applyV1(raw []byte) {
	u, err := wire.DecodeUpdate(raw)
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
		s.chunk(event.User, u.MessageID, u.Content)
	case wire.ToolCallStarted, wire.ToolCallUpdate:
		s.toolChanged(*u.Tool, len(raw))
	default:
		s.applyRare(u)
	}
}

// applyRare handles the kinds that do not come in floods.
func (s *Session) applyRare(u wire.Update) {
	switch u.Kind {
	case wire.Plan:
		e := event.PlanChanged{For: s.for_()}
		for _, p := range u.Entries {
			e.Entries = append(e.Entries, event.PlanEntry{Content: safetext.Line(p.Content, maxPhrase), Priority: safetext.Line(p.Priority, 40), Status: safetext.Line(p.Status, 40)})
		}
		s.post(e)
	case wire.AvailableCommandsUpdate:
		e := event.CommandsChanged{For: s.for_()}
		for _, c := range u.Commands {
			e.Commands = append(e.Commands, event.Command{Name: safetext.Line(c.Name, maxTitle), Description: safetext.Line(c.Description, maxPhrase), Hint: safetext.Line(c.Hint, maxTitle)})
		}
		s.post(e)
	case wire.CurrentModeUpdate:
		s.post(event.ModeChanged{For: s.for_(), ModeID: u.ModeID})
	case wire.ConfigOptionUpdate:
		s.post(event.ConfigChanged{For: s.for_(), Options: configOptions(u.Config)})
	case wire.SessionInfoUpdate:
		e := event.SessionInfoChanged{For: s.for_()}
		if u.Info.Title.Set {
			title := safetext.Line(u.Info.Title.Or(""), maxTitle)
			e.Title = &title
		}
		s.post(e)
	case wire.UsageUpdate:
		e := event.UsageChanged{For: s.for_(), Used: u.Usage.Used, Size: u.Usage.Size}
		if u.Usage.Cost != nil {
			e.Cost, e.Currency = u.Usage.Cost.Amount, safetext.Line(u.Usage.Cost.Currency, 12)
		}
		s.post(e)
	case wire.NoticeUpdate:
		s.post(event.NoticeArrived{For: s.for_(), Severity: safetext.Line(u.Notice.Severity, 20),
			Title: safetext.Line(u.Notice.Title, maxTitle), Description: safetext.Line(u.Notice.Description, maxPhrase)})
	case wire.CompactionUpdate, wire.CompactionSummaryChunk:
		s.post(s.compaction(u))
	case wire.SubagentUpdate:
		of := func(o wire.Opt[string], limit int) *string { return line(cleared(o, ""), limit) }
		s.post(event.SubagentChanged{For: s.for_(), ID: u.Subagent.ID, Title: of(u.Subagent.Title, maxTitle), Description: of(u.Subagent.Description, maxTitle),
			State: of(u.Subagent.State, 60), StopReason: safetext.Line(u.Subagent.StopReason, 60)})
	default:
		s.post(event.UnknownArrived{For: s.for_(), Kind: safetext.Line(u.Kind, 80), JSON: shownJSON(u.Raw)})
	}
}

// chunk posts one piece of a message.
func (s *Session) chunk(role event.Role, messageID string, b wire.ContentBlock) {
	if b.Type == "text" {
		s.say(role, messageID, b.Text)
		return
	}
	s.post(event.ContentArrived{For: s.for_(), Role: role, MessageID: messageID, Content: content(b)})
}

// toolChanged posts a tool call's change and returns all that is known of it,
// as it came. size is about the bytes it holds on to.
func (s *Session) toolChanged(t wire.ToolCall, size int) wire.ToolCall {
	whole := s.tools.merge(t, size)
	if drawn := fromInput(t, &whole); drawn != nil {
		t.Kind, t.Content = whole.Kind, drawn
	}
	s.foreignTerminalStarted(t, whole)
	e := event.ToolChanged{For: s.for_(), ID: t.ID, Title: line(t.Title, maxPhrase), Name: line(t.Name, 80), Kind: line(t.Kind, 40),
		Status: line(t.Status, 40), RawInput: shownRaw(t.RawInput), RawOutput: shownRaw(t.RawOutput), Forbidden: s.forbids(t, whole), At: s.client.clock()}
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
	s.post(e)
	s.foreignTerminalChanged(t)
	return whole
}

// foreignTerminalStarted announces a terminal that the agent runs itself and
// shows by putting it under _meta.
func (s *Session) foreignTerminalStarted(t, whole wire.ToolCall) {
	info := t.Meta.Info
	if info == nil {
		return
	}
	e := event.TerminalStarted{For: s.for_(), ID: foreignID(info.TerminalID, t.ID), Cwd: safetext.Line(info.Cwd, maxPhrase), Foreign: true}
	if whole.Title != nil {
		e.Command = safetext.Line(*whole.Title, maxPhrase)
	}
	s.post(e)
}

func (s *Session) foreignTerminalChanged(t wire.ToolCall) {
	if out := t.Meta.Output; out != nil && out.Data != "" {
		s.post(event.TerminalOutput{For: s.for_(), ID: foreignID(out.TerminalID, t.ID), Data: []byte(out.Data)})
	}
	if exit := t.Meta.Exit; exit != nil {
		e := event.TerminalExited{For: s.for_(), ID: foreignID(exit.TerminalID, t.ID), Signal: safetext.Line(exit.Signal, 40)}
		if exit.ExitCode != nil {
			code := int(*exit.ExitCode)
			e.Code = &code
		}
		s.post(e)
	}
}

// foreignID is the terminal's id, or the tool call's where the agent left it
// out.
func foreignID(terminalID, toolID string) string {
	if terminalID == "" {
		return toolID
	}
	return terminalID
}

func (s *Session) compaction(u wire.Update) event.CompactionChanged {
	e := event.CompactionChanged{For: s.for_(), ID: u.Compact.ID, Status: safetext.Line(u.Compact.Status, 40)}
	clean := &s.stream(summaryText, u.Compact.ID).clean
	if u.Kind == wire.CompactionSummaryChunk {
		e.Append = clean.Write(u.Content.Text)
		return e
	}
	if u.Compact.Summary.Set {
		*clean = safetext.Stream{}
		text := ""
		for _, b := range u.Compact.Summary.V {
			text += clean.Write(b.Text)
		}
		e.Summary = &text
	}
	if u.Compact.Error.Set {
		text := safetext.Line(u.Compact.Error.Or(""), maxPhrase)
		e.Error = &text
	}
	return e
}

// offered posts what an answer said of modes and options. Where there are
// options, modes do not count.
func (s *Session) offered(modes *wire.Modes, config []wire.ConfigOption, models *wire.Modes) {
	if modes != nil && len(config) == 0 {
		s.post(event.ModesOffered{For: s.for_(), Current: modes.Current, Available: choices(modes.Available)})
	}
	if len(config) > 0 {
		s.post(event.ConfigChanged{For: s.for_(), Options: configOptions(config)})
	} else if models != nil {
		s.post(event.ConfigChanged{For: s.for_(), Options: []event.ConfigOption{{ID: event.LegacyModels, Name: "Model", Category: "model", Type: "select",
			Current: models.Current, Choices: choices(models.Available)}}})
	}
}

func choices(modes []wire.Mode) []event.Choice {
	out := make([]event.Choice, 0, len(modes))
	for _, m := range modes {
		out = append(out, event.Choice{ID: m.ID, Name: safetext.Line(m.Name, 80), Description: safetext.Line(m.Description, maxTitle), Group: safetext.Line(m.Group, 80)})
	}
	return out
}

func configOptions(options []wire.ConfigOption) []event.ConfigOption {
	out := make([]event.ConfigOption, 0, len(options))
	for _, o := range options {
		out = append(out, event.ConfigOption{ID: o.ID, Name: safetext.Line(o.Name, 80), Category: safetext.Line(o.Category, 40), Type: o.Type,
			Current: o.Current, Choices: choices(o.Options)})
	}
	return out
}

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
			if d.Place = s.located(c); d.Place == nil && c.Partial {
				d.Place = &event.Place{First: -1}
			}
			out = append(out, event.ToolContent{Diff: d})
		case "terminal":
			out = append(out, event.ToolContent{Terminal: c.TerminalID})
		default:
			out = append(out, event.ToolContent{Content: &event.Content{Kind: event.UnknownContent, Name: safetext.Line(c.Type, 80), Text: shownJSON(c.Raw)}})
		}
	}
	return out
}

// located is where in its file a change is, made safe to show.
func (s *Session) located(c wire.ToolContent) *event.Place {
	if s.client.opts.Services.Locate == nil {
		return nil
	}
	old := ""
	if c.OldText != nil {
		old = *c.OldText
	}
	p := s.client.opts.Services.Locate(s.id, c.Path, old, c.NewText)
	if p != nil {
		p.Before, p.After = safetext.Clean(p.Before), safetext.Clean(p.After)
	}
	return p
}

// content makes a block safe to show.
func content(b wire.ContentBlock) event.Content {
	c := event.Content{Name: safetext.Line(b.Name, maxTitle), URI: safetext.Line(b.URI, maxPhrase), MimeType: safetext.Line(b.MimeType, 80), Bytes: decodedSize(b.Data)}
	switch b.Type {
	case "text":
		return event.Content{Text: safetext.Clean(b.Text)}
	case "image":
		c.Kind = event.ImageContent
	case "audio":
		c.Kind = event.AudioContent
	case "resource_link":
		c.Kind = event.LinkContent
		if b.Title != "" {
			c.Name = safetext.Line(b.Title, maxTitle)
		}
	case "resource":
		c.Kind = event.ResourceContent
		c.URI, c.MimeType = safetext.Line(b.Resource.URI, maxPhrase), safetext.Line(b.Resource.MimeType, 80)
		if b.Resource.Text != nil {
			c.Text = safetext.Clean(*b.Resource.Text)
		}
		if b.Resource.Blob != nil {
			c.Bytes = decodedSize(*b.Resource.Blob)
		}
	default:
		c.Kind, c.Name, c.Text = event.UnknownContent, safetext.Line(b.Type, 80), shownJSON(b.Raw)
	}
	return c
}

// decodedSize is the size of base64 data, about. A log has the size in its place,
// as "[123 bytes]".
func decodedSize(data string) int {
	if told, ok := strings.CutPrefix(data, "["); ok {
		n, _ := strconv.ParseInt(strings.TrimSuffix(told, " bytes]"), 10, 32)
		return int(max(n, 0))
	}
	return len(data) / 4 * 3
}

func line(p *string, limit int) *string {
	if p == nil {
		return nil
	}
	s := safetext.Line(*p, limit)
	return &s
}

func shownRaw(raw []byte) *string {
	if raw == nil {
		return nil
	}
	s := shownSound(raw)
	return &s
}

// shownJSON is raw JSON made safe to show and bounded. Raw that is no sound
// JSON is quoted.
func shownJSON(raw []byte) string {
	if !jsonscan.Valid(raw) {
		quoted, _ := json.Marshal(string(raw[:min(len(raw), maxRaw)]))
		raw = quoted
	}
	return shownSound(raw)
}

func shownSound(raw []byte) string {
	if len(raw) > maxRaw {
		return safetext.Clean(string(raw[:maxRaw])) + "…"
	}
	return safetext.Clean(string(raw))
}
