package demo

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// toolCall is one tool call of a turn.
type toolCall struct {
	turn *turn
	id   string
}

// startTool announces a tool call.
func (t *turn) startTool(u update) *toolCall {
	c := &toolCall{turn: t, id: newID("call")}
	t.open = append(t.open, c.id)
	u.SessionUpdate, u.ToolCallID = "tool_call", c.id
	t.emit(u)
	return c
}

// change sends what has changed about the call.
func (c *toolCall) change(u update) {
	u.SessionUpdate, u.ToolCallID = "tool_call_update", c.id
	c.turn.emit(u)
	if u.Status == "completed" || u.Status == "failed" {
		c.turn.open = slices.DeleteFunc(c.turn.open, func(id string) bool { return id == c.id })
	}
}

// fail ends the call with a reason, which is also written as prose.
func (c *toolCall) fail(why string) error {
	if err := c.turn.over(); err != nil {
		return err
	}
	c.change(update{Status: "failed", Content: toolTextOf(why)})
	return c.turn.say("%s", why)
}

// permitted asks the user to allow the call. If the user does not, denied is the beginning of a
// sentence that says why. It does not ask in mode auto, or after the user chose to always allow
// this kind of call.
func (c *toolCall) permitted(ask update, always string) (denied string, over error) {
	t, s := c.turn, c.turn.session
	s.mu.Lock()
	free := s.mode == modeAuto || s.always[ask.Kind]
	s.mu.Unlock()
	if free {
		return "", t.over()
	}
	ask.ToolCallID = c.id
	var answer permissionResult
	err := t.call("session/request_permission", permissionParams{SessionID: s.id, ToolCall: ask, Options: []permissionOption{
		{OptionID: "allow_once", Name: "Allow", Kind: "allow_once"},
		{OptionID: "allow_always", Name: always, Kind: "allow_always"},
		{OptionID: "reject_once", Name: "Reject", Kind: "reject_once"},
	}}, &answer)
	// An answer may arrive together with a cancellation and win. The turn is over nevertheless.
	if over := t.over(); over != nil {
		return "", over
	}
	if err != nil {
		return fmt.Sprintf("I could not ask for permission (%s), so", err), nil
	}
	if answer.Outcome.Outcome == "selected" {
		switch answer.Outcome.OptionID {
		case "allow_always":
			s.mu.Lock()
			s.always[ask.Kind] = true
			s.mu.Unlock()
			return "", nil
		case "allow_once":
			return "", nil
		}
	}
	return "Without your permission", nil
}

// unasked reports a command that ran without a question. No process is started: what an agent did by itself,
// a client only knows from such reports.
func (t *turn) unasked() error {
	if err := t.say("I report that I ran `date` without asking you. parley marks the call with ⚠; `/trust` lists all of them."); err != nil {
		return err
	}
	call := t.startTool(update{Title: "`date`", Kind: "execute", Status: "in_progress",
		RawInput: map[string]string{"command": "date", "cwd": t.session.cwd}})
	call.change(update{Status: "completed", Content: toolTextOf(fenced("", time.Now().Format(time.UnixDate)))})
	return nil
}

// abs returns the absolute path of a file the prompt names.
func (t *turn) abs(name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(t.session.cwd, name)
}
