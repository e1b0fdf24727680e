package acpclient

import (
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

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
		s.terminalExited(foreignID(exit.TerminalID, t.ID), *exit)
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

// terminalPatched posts what changed of a terminal of the agent's: a snapshot of
// its output voids everything before.
func (s *Session) terminalPatched(t wire.TerminalPatch) {
	e := event.TerminalChanged{For: s.for_(), ID: t.ID, Command: line(t.Command, maxPhrase), Cwd: line(t.Cwd, maxPhrase), Cols: t.Cols, Rows: t.Rows, Cancelable: t.Cancel}
	if t.Cancel != nil {
		s.setCancelable(terminalWork, t.ID, *t.Cancel)
	}
	s.post(e)
	if t.Exit != nil { // first: the output of a command that has ended is no sign of life
		s.terminalExited(t.ID, *t.Exit)
	}
	if t.Output != nil {
		s.post(event.TerminalReplaced{For: s.for_(), ID: t.ID, Data: *t.Output})
	}
}

func (s *Session) terminalExited(id string, exit wire.TerminalExit) {
	e := event.TerminalExited{For: s.for_(), ID: id, Signal: safetext.Line(exit.Signal, 40), Cleared: exit.Cleared}
	if exit.ExitCode != nil {
		code := int(*exit.ExitCode)
		e.Code = &code
	}
	s.post(e)
}

// terminalChunk posts output. A piece that cannot be decoded is a gap.
func (s *Session) terminalChunk(o wire.TerminalChunk) {
	gap := o.Data == nil
	if gap {
		s.client.problem("output of a terminal that cannot be decoded", nil)
	}
	if gap || len(o.Data) > 0 {
		s.post(event.TerminalOutput{For: s.for_(), ID: o.ID, Data: o.Data, Cut: gap})
	}
}
