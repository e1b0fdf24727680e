package thread

import (
	"slices"
)

// ToolState is the state of a tool call as far as it is known. It combines what the
// agent reports, what the user did, and later signs of life.
type ToolState int

// The states of a tool call.
const (
	ToolPending ToolState = iota
	ToolRunning
	ToolStopping     // the user has stopped the turn, the agent has not ended it yet
	ToolStillRunning // its turn has ended, but the agent continues it
	ToolDone
	ToolFailed
	ToolRejected
	ToolStopped    // by the user
	ToolCancelled  // by the agent
	ToolUnfinished // its turn has ended, and the agent has not said how the call ended
)

var toolStates = [...]string{"waiting", "running", "stopping", "still running", "done", "failed", "rejected", "stopped by you", "cancelled", "unfinished"}

func (s ToolState) String() string { return toolStates[s] }

// State returns the state of the call. A command that the user stopped is stopped
// whatever the agent reports later: some agents report it as completed.
func (t *Tool) State() ToolState {
	switch {
	case t.Stopped && t.Final() && (t.Kind == "execute" || t.Status != "completed"):
		return ToolStopped
	case t.Status == "completed":
		return ToolDone
	case t.Status == "failed" && t.Answer != nil && !t.Answer.Allowed:
		return ToolRejected
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

// StateText returns the state in words. For a running call with a status that parley
// does not know it is that status.
func (t *Tool) StateText() string {
	if s := t.State(); s != ToolRunning || t.Status == "in_progress" {
		return s.String()
	}
	return t.Status
}

// Live reports whether the call is still running, as far as it is known.
func (t *Tool) Live() bool {
	switch t.State() {
	case ToolPending, ToolRunning, ToolStopping, ToolStillRunning:
		return true
	}
	return false
}

// unfinished returns the calls that end with the turn, in the order of the transcript.
func (t *Thread) unfinished() []*Item {
	var out []*Item
	for it := range t.live {
		if !it.Tool.StillRunning && !it.Tool.in(t.Background) {
			out = append(out, it)
		}
	}
	slices.SortFunc(out, func(a, b *Item) int { return a.Index - b.Index })
	return out
}

// giveUp ends the calls from which nothing more is expected. A command that parley runs
// for the agent is known to continue.
func (t *Thread) giveUp(stopped bool) {
	for _, it := range t.unfinished() {
		it.Tool.Unfinished, it.began = true, it.Tool.Status == "in_progress"
		it.Tool.Stopped = it.Tool.Stopped || stopped
		it.Tool.StillRunning = !it.Tool.replayed && t.terminals.commandRuns(it.Tool, false)
		if !it.Tool.StillRunning {
			delete(t.live, it)
		}
		t.judge(it)
		t.touch(it)
	}
	for _, s := range t.family.all { // a turn that ends by itself may leave them running
		if stopped && t.parent == nil {
			s.Thread.giveUp(true)
		}
	}
}

// InBackground counts what works outside of the turn, as far as the agent has said.
func (t *Thread) InBackground() (n int) {
	if len(t.Background) > 0 { // the agent lists all of it
		return len(t.Background)
	}
	for _, s := range t.family.all {
		if s.Runs() {
			n++
		}
	}
	for it := range t.live {
		if it.Tool.StillRunning {
			n++
		}
	}
	return n
}

// disconnectCalls ends the calls of a connection that has ended.
func (t *Thread) disconnectCalls() {
	for _, s := range t.family.all {
		if t.parent == nil {
			s.Thread.disconnectCalls()
			s.disconnected()
		}
	}
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

// sawActivity records an update of a call. After the call's turn it means that the call
// is still running.
func (t *Thread) sawActivity(it *Item) {
	if tool := it.Tool; tool.Unfinished && !tool.Final() && !tool.replayed && !t.history && t.State != Ended {
		tool.StillRunning, t.live[it] = true, true
	}
}
