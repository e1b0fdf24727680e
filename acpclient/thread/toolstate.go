package thread

import (
	"slices"

	"parley/acpclient/event"
)

// ToolState is how a tool call stands, as far as anyone knows. What the agent says,
// what the user did and what was heard of the call afterwards meet here alone.
type ToolState int

// The states of a tool call.
const (
	ToolPending ToolState = iota
	ToolRunning
	ToolStopping     // the user has stopped the turn, the agent has not ended it yet
	ToolStillRunning // its turn is over, and the agent goes on with it
	ToolDone
	ToolFailed
	ToolRejected
	ToolStopped    // the user stopped it
	ToolCancelled  // the agent did
	ToolUnfinished // its turn is over, and the agent has not said how it ended
)

var toolStates = [...]string{"not begun", "running", "stopping", "still running", "done", "failed", "rejected", "stopped by you", "cancelled", "unfinished"}

func (s ToolState) String() string { return toolStates[s] }

// State returns how the call stands. A command that the user stopped is stopped
// whatever the agent says of it afterwards: some agents call it completed.
func (t *Tool) State() ToolState {
	switch {
	case t.Stopped && t.Final() && (t.Kind == "execute" || t.Status != "completed"):
		return ToolStopped
	case t.Status == "completed":
		return ToolDone
	case t.Status == "failed":
		return ToolFailed
	case t.Status == "cancelled":
		return ToolCancelled
	case t.StillRunning:
		return ToolStillRunning
	case t.Stopped && t.Unfinished:
		return ToolStopped
	case t.Rejected && !t.Stopped:
		return ToolRejected
	case t.Unfinished:
		return ToolUnfinished
	case t.Stopped:
		return ToolStopping
	case t.Status == "pending":
		return ToolPending
	}
	return ToolRunning
}

// StateWord is the state in words; of a call that runs, the agent's own where it has
// one that parley does not know.
func (t *Tool) StateWord() string {
	if s := t.State(); s != ToolRunning || t.Status == "in_progress" {
		return s.String()
	}
	return t.Status
}

// Live tells whether the call is still going on, as far as anyone knows.
func (t *Tool) Live() bool {
	switch t.State() {
	case ToolPending, ToolRunning, ToolStopping, ToolStillRunning:
		return true
	}
	return false
}

// unfinished are the calls that end with the turn, in the order of the transcript.
func (t *Thread) unfinished() []*Item {
	var out []*Item
	for it := range t.live {
		if !it.Tool.StillRunning && !t.inBackground(it.Tool) {
			out = append(out, it)
		}
	}
	slices.SortFunc(out, func(a, b *Item) int { return a.Index - b.Index })
	return out
}

// giveUp ends the calls that nothing more is expected of. A command that parley runs
// for the agent is known to run on.
func (t *Thread) giveUp(stopped bool) {
	for _, it := range t.unfinished() {
		it.Tool.Unfinished, it.began = true, it.Tool.Status == "in_progress"
		it.Tool.Stopped = it.Tool.Stopped || stopped
		it.Tool.StillRunning = !it.Tool.replayed && t.commandRuns(it.Tool, false)
		if !it.Tool.StillRunning {
			delete(t.live, it)
		}
		t.judge(it)
		t.touch(it)
	}
}

// disconnectCalls ends the calls of a connection that is over.
func (t *Thread) disconnectCalls() {
	for it := range t.live {
		it.Tool.StillRunning = false
	}
	t.Background = nil
	for _, it := range t.unfinished() {
		it.Tool.Unfinished = true
		t.touch(it)
	}
	clear(t.live)
}

// goesOn notes that the agent has told more of a call: after the end of the call's turn
// that means that it still runs.
func (t *Thread) goesOn(it *Item) {
	if tool := it.Tool; tool.Unfinished && !tool.Final() && !tool.replayed && !t.history && t.State != Ended {
		tool.StillRunning, t.live[it] = true, true
	}
}

// commandRuns tells whether a command of the call's has not ended. Of one that the
// agent runs itself the end may never be told.
func (t *Thread) commandRuns(tool *Tool, foreign bool) bool {
	return slices.ContainsFunc(tool.Content, func(c event.ToolContent) bool {
		term := t.terminals[c.Terminal]
		return c.Terminal != "" && term != nil && !term.Exited && (term.Foreign && foreign || !term.Foreign && term.Command != "")
	})
}
