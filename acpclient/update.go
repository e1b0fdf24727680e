package acpclient

import (
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// Bounds of strings that are shown as a line or a paragraph.
const (
	maxTitle  = 300
	maxPhrase = 2000
	maxRaw    = 64 << 10 // for JSON that is shown as such
	// maxSeconds bounds times, in seconds since 1970: what is later is in other units.
	maxSeconds = 1 << 33
)

// sessionUpdated turns the params of a session/update of either version, live or
// replayed, into events. Updates of an unknown session are kept until it is known.
// Reader goroutine only.
func (c *Client) sessionUpdated(params []byte) {
	n := &c.update
	if err := n.Decode(c.version(), params); err != nil {
		c.problem("a session/update that cannot be read: "+err.Error(), params)
		return
	}
	if s := c.sessions.session(n.SessionID); s != nil {
		s.updated(&n.Update)
		return
	}
	c.sessions.keep(n.SessionID, c.in.current, params, c.clock())
}

// updated posts the events of an update. Kinds that only the other version has were
// decoded as unknown.
func (s *Session) updated(u *wire.Update) {
	if u.Err != nil {
		s.client.problem("an update that cannot be used: "+u.Err.Error(), u.Raw)
		return
	}
	switch u.Kind {
	case wire.AgentMessageChunk, wire.AgentThoughtChunk, wire.ToolCallStarted:
		s.turns.contentArrived()
	}
	switch u.Kind {
	case wire.AgentMessageChunk:
		s.chunk(event.Agent, u)
	case wire.AgentThoughtChunk:
		s.chunk(event.Thought, u)
	case wire.UserMessageChunk:
		s.turns.userMessageArrived(u.MessageID)
		s.chunk(event.User, u)
	case wire.UserMessage:
		s.turns.userMessageArrived(u.MessageID)
		s.messageReplaced(event.User, u)
	case wire.AgentMessage:
		s.messageReplaced(event.Agent, u)
	case wire.AgentThought:
		s.messageReplaced(event.Thought, u)
	case wire.ToolCallStarted:
		s.onlyV1(u.Kind)
		s.toolChanged(u.Tool, len(u.Raw), false)
	case wire.ToolCallUpdate:
		s.toolChanged(u.Tool, len(u.Raw), false)
	case wire.ToolCallContentChunk:
		s.toolPiece(*u.Piece, len(u.Raw))
	case wire.TerminalUpdated:
		s.terminalPatched(*u.Terminal)
	case wire.TerminalOutputChunk:
		s.terminalChunk(*u.Output)
	case wire.StateUpdated:
		if s.parent != nil {
			s.subagentState(*u.State)
		} else {
			s.turns.stateChanged(*u.State)
		}
	case wire.Plan:
		s.onlyV1(u.Kind)
		s.planReplaced(u)
	case wire.PlanUpdate, wire.PlanRemoved:
		s.planReplaced(u)
	case wire.CurrentModeUpdate:
		s.onlyV1(u.Kind)
		s.post(event.ModeChanged{For: s.wireContext(), ModeID: u.ModeID})
	case wire.AvailableCommandsUpdate:
		s.post(event.CommandsChanged{For: s.wireContext(), Commands: commands(u.Commands)})
	case wire.ConfigOptionUpdate:
		s.post(event.ConfigChanged{For: s.wireContext(), Options: configOptions(u.Config)})
	case wire.SessionInfoUpdate:
		s.post(event.SessionInfoChanged{For: s.wireContext(), Title: line(u.Title, maxTitle)})
	case wire.UsageUpdate:
		e := event.UsageChanged{For: s.wireContext(), Used: u.Usage.Used, Size: u.Usage.Size}
		if cost := u.Usage.Cost; cost != nil {
			e.Cost, e.Currency, e.NoCost = cost.Amount, safetext.Line(cost.Currency, 12), cost.None
		}
		if l := u.Usage.Limit; l != nil {
			e.Limit = &event.RateLimit{Status: safetext.Line(l.Status, 40), Type: safetext.Line(l.Type, 40), Utilization: l.Utilization}
			if l.ResetsAt > 0 && l.ResetsAt < maxSeconds {
				e.Limit.ResetsAt = time.Unix(l.ResetsAt, 0)
			}
		}
		s.post(e)
		s.turns.ownTurnEnded(u.Usage.Origin)
	case wire.NoticeUpdate:
		s.post(event.NoticeArrived{For: s.wireContext(), Severity: safetext.Line(u.Notice.Severity, 20),
			Title: safetext.Line(u.Notice.Title, maxTitle), Description: safetext.Line(u.Notice.Description, maxPhrase)})
	case wire.CompactionUpdate, wire.CompactionSummaryChunk:
		s.post(s.compaction(u))
	case wire.SessionMessage, wire.SessionMessageChunk:
		s.sessionMessage(u)
	case wire.SubagentUpdate:
		s.subagentChanged(*u.Subagent)
	default:
		s.post(event.UnknownArrived{For: s.wireContext(), Kind: safetext.Line(u.Unknown, 80), JSON: shownJSON(u.Raw)})
	}
}

// onlyV1 logs an update that v2 no longer has.
func (s *Session) onlyV1(kind string) {
	if s.client.version() == 2 {
		s.client.problem("an update of v1 on a connection of v2: "+kind, nil)
	}
}

// chunk posts a piece of a message.
func (s *Session) chunk(role event.Role, u *wire.Update) {
	if u.Content.Type == "text" {
		s.texts.write(role, u.MessageID, u.Content.Text)
		return
	}
	s.post(event.ContentArrived{For: s.wireContext(), Role: role, MessageID: u.MessageID, Content: content(u.Content)})
}

// messageReplaced posts an upsert of a message.
func (s *Session) messageReplaced(role event.Role, u *wire.Update) {
	e := event.MessageReplaced{For: s.wireContext(), Role: role, MessageID: u.MessageID, KeepContent: u.Blocks == nil, At: s.client.clock()}
	var text strings.Builder
	clean := &s.texts.stream(role, u.MessageID).clean
	if u.Blocks != nil {
		*clean = safetext.Stream{}
		for _, b := range *u.Blocks {
			if b.Type == "text" {
				text.WriteString(clean.Write(b.Text))
			} else {
				e.Attachments = append(e.Attachments, content(b))
			}
		}
	}
	e.Text = text.String()
	s.post(e)
}

// compaction returns the event for a change of a compaction.
func (s *Session) compaction(u *wire.Update) event.CompactionChanged {
	e := event.CompactionChanged{For: s.wireContext(), ID: u.Compact.ID, Status: safetext.Line(u.Compact.Status, 40)}
	clean := &s.texts.stream(summaryText, u.Compact.ID).clean
	if u.Kind == wire.CompactionSummaryChunk {
		e.Append = clean.Write(u.Compact.Piece.Text)
		return e
	}
	e.Error = line(u.Compact.Error, maxPhrase)
	if u.Compact.Summary != nil {
		*clean = safetext.Stream{}
		text := ""
		for _, b := range *u.Compact.Summary {
			text += clean.Write(b.Text)
		}
		e.Summary = &text
	}
	return e
}

// planReplaced posts the new state of a plan.
func (s *Session) planReplaced(u *wire.Update) {
	if u.Plan.Type != "items" && u.Plan.Type != "markdown" {
		s.post(event.UnknownArrived{For: s.wireContext(), Kind: "a plan of type " + safetext.Line(u.Plan.Type, 60), JSON: shownJSON(u.Raw)})
		return
	}
	e := event.PlanChanged{For: s.wireContext(), PlanID: u.Plan.ID, Markdown: safetext.Clean(valueOf(u.Plan.Markdown))}
	if len(e.Markdown) > maxRaw {
		e.Markdown = strings.ToValidUTF8(e.Markdown[:maxRaw], "") + "…"
	}
	for _, p := range u.Plan.Entries {
		e.Entries = append(e.Entries, event.PlanEntry{Content: safetext.Line(p.Content, maxPhrase), Priority: safetext.Line(p.Priority, 40), Status: safetext.Line(p.Status, 40)})
	}
	s.post(e)
}
