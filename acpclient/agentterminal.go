package acpclient

import (
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// foreignTerminalStarted announces a terminal that the agent runs itself and describes
// under _meta.
func (s *Session) foreignTerminalStarted(t, whole wire.ToolCall) {
	info := t.Meta.Info
	if info == nil {
		return
	}
	e := event.TerminalStarted{For: s.wireContext(), ID: foreignID(info.TerminalID, t.ID), Cwd: safetext.Line(info.Cwd, maxPhrase), Foreign: true}
	if whole.Title != nil {
		e.Command = safetext.Line(*whole.Title, maxPhrase)
	}
	s.post(e)
}

func (s *Session) foreignTerminalChanged(t wire.ToolCall) {
	if out := t.Meta.Output; out != nil && out.Data != "" {
		s.post(event.TerminalOutput{For: s.wireContext(), ID: foreignID(out.TerminalID, t.ID), Data: []byte(out.Data)})
	}
	if exit := t.Meta.Exit; exit != nil {
		s.terminalExited(foreignID(exit.TerminalID, t.ID), *exit)
	}
}

// foreignID returns the terminal's id, or that of the tool call if the agent left it
// out.
func foreignID(terminalID, toolID string) string {
	if terminalID == "" {
		return toolID
	}
	return terminalID
}

// terminalPatched posts a change of one of the agent's terminals. A snapshot of its
// output replaces all earlier output.
func (s *Session) terminalPatched(t wire.TerminalPatch) {
	e := event.TerminalChanged{For: s.wireContext(), ID: t.ID, Command: line(t.Command, maxPhrase), Cwd: line(t.Cwd, maxPhrase), Cols: t.Cols, Rows: t.Rows, Cancelable: t.Cancel}
	if t.Cancel != nil {
		s.cancelable.set(terminalWork, t.ID, *t.Cancel)
	}
	s.post(e)
	if t.Exit != nil { // first, because output after the exit would be a sign of life
		s.terminalExited(t.ID, *t.Exit)
	}
	if t.Output != nil {
		s.post(event.TerminalReplaced{For: s.wireContext(), ID: t.ID, Data: *t.Output})
	}
}

func (s *Session) terminalExited(id string, exit wire.TerminalExit) {
	e := event.TerminalExited{For: s.wireContext(), ID: id, Signal: safetext.Line(exit.Signal, 40), Cleared: exit.Cleared}
	if exit.ExitCode != nil {
		code := int(*exit.ExitCode)
		e.Code = &code
	}
	s.post(e)
}

// terminalChunk posts output. A piece that cannot be decoded becomes a gap.
func (s *Session) terminalChunk(o wire.TerminalChunk) {
	gap := o.Data == nil
	if gap {
		s.client.problem("output of a terminal that cannot be decoded", nil)
	}
	if gap || len(o.Data) > 0 {
		s.post(event.TerminalOutput{For: s.wireContext(), ID: o.ID, Data: o.Data, Cut: gap})
	}
}
