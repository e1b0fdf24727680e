package linear

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/memory"
	"parley/internal/safetext"
	"parley/internal/undo"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/linear/plain"
)

// report prints what the user asks about a session.
type report struct {
	*workspace.Session
	out   *printer
	calls *calls

	clients []workspace.Client // that have joined
}

func (r report) plan() {
	for _, p := range r.Thread.Plans {
		if p.Markdown != "" {
			s := plain.NewWriter(&saying{out: r.out, s: &printedItem{}, name: "Plan"})
			s.Write(p.Markdown)
			s.End()
		}
	}
	switch {
	case len(r.Thread.Plans) == 0:
		r.out.say("No plan.")
		return
	case len(r.Thread.Plan) == 0:
		return
	}
	r.out.say("Plan, %s:", words.Count(len(r.Thread.Plan), "step"))
	for i, e := range r.Thread.Plan {
		state := cmp.Or(map[string]string{"completed": "done", "in_progress": "now", "pending": "open"}[e.Status], e.Status)
		r.out.say("%d. %s: %s", i+1, state, plain.Inline(e.Content))
	}
}

// listRunning lists the running tool calls, and what runs outside the turn.
func (r report) listRunning() {
	n := 0
	for _, it := range r.Thread.Items {
		if it.Kind != thread.ToolCall || !it.Tool.Live() {
			continue
		}
		n++
		took := ""
		if it.Tool.State() != thread.ToolPending {
			took = ", for " + spoken(it.Tool.Duration(time.Now()))
		}
		r.out.say("%s: %s, %s%s.", r.calls.name(it), subject(it.Tool, r.Session.Cwd()), it.Tool.StateText(), took)
	}
	for _, b := range r.Thread.Background {
		if r.Thread.Tool(b.ID) == nil {
			n++
			r.out.say("In the background: %s %s.", strings.ReplaceAll(words.OneLine(b.Type), "_", " "), spelled(b.ID))
		}
	}
	if n == 0 && !busy(r.Session) {
		r.out.say("Nothing is running.")
	}
}

func (r report) log() {
	const most = 50
	lines, _ := r.Agent.Log.Lines()
	if len(lines) == 0 {
		r.out.say("The log is empty.")
		return
	}
	lines = lines[max(0, len(lines)-most):]
	r.out.say("The last %s of the log:", words.Count(len(lines), "line"))
	for _, l := range lines {
		r.out.lines(l.At.Format("15:04:05") + " " + string(l.Source) + ": " + l.Text)
	}
}

func (r report) turns() {
	all := r.Thread.Prompts()
	if len(all) == 0 {
		r.out.say("No prompts yet.")
		return
	}
	r.out.say("Prompts so far:")
	for i, it := range all {
		r.out.say("%d. %s", i+1, safetext.Line(typed(it), 200))
	}
	r.out.say("/undo and a number restores files to before that prompt, /fork and a number continues after it in another session.")
}

func (r report) lastThought() {
	for _, it := range slices.Backward(r.Thread.Items) {
		if it.Kind == thread.ThoughtMessage && !it.Blank() {
			r.out.say("%s", thought(it))
			r.out.lines(strings.TrimSpace(string(it.Text)))
			r.out.say("End of the thought.")
			return
		}
	}
	r.out.say("No thoughts.")
}

func (r report) queue() {
	if r.Prompts.Queue.Len() == 0 {
		r.out.say("No queued prompts.")
		return
	}
	for i, text := range r.Prompts.Queue.Texts() {
		r.out.say("%d. %s", i+1, safetext.Line(text, 200))
	}
	if r.Prompts.Queue.Paused() {
		r.out.say("Press enter to send the first one.")
	}
}

func (r report) dropQueued(arg string) {
	n, ok := numbered(arg, r.Prompts.Queue.Len())
	if !ok {
		r.out.say("No queued prompt has that number.")
		return
	}
	r.out.say("Dropped: %s", safetext.Line(r.Prompts.Queue.Drop(n-1).Text, 200))
}

// status prints the state of the session.
func (r report) status() {
	switch {
	case retrying(r.Agent):
		r.out.say("Connection lost; retrying.")
	case r.Agent.Login.Running() != "":
		r.out.say("Logging in: %s.", words.OneLine(r.Agent.Login.Running()))
	case dialing(r.Agent):
		r.out.say("Starting %s.", called(r.Agent))
	case r.Lost.State == workspace.StateReopening, r.Lost.State == workspace.StateStartingOver:
		r.out.say("Opening the session.")
	case r.Lost.State == workspace.StateGone:
		r.out.say("The session is gone. Press enter to start a new one.")
	case r.Lost.State == workspace.StateUnopened:
		r.out.say("The session is not open. Press enter to try again.")
	case !r.IsOpen():
		r.out.say("No agent is running: /agent starts one, /quit quits.")
	case busy(r.Session) && r.Thread.State == thread.Waiting:
		r.out.say("%s: %s. The turn began %s ago; /stop stops it.", called(r.Agent), r.Thread.State, spoken(since(r.Thread.TurnStarted)))
		r.listRunning()
	case busy(r.Session):
		r.out.say("%s: %s, for %s. /stop stops it.", called(r.Agent), r.Thread.State, spoken(since(r.Thread.TurnStarted)))
		r.listRunning()
	default:
		r.out.say("%s: %s.", called(r.Agent), r.Thread.State)
	}
	if !r.IsOpen() {
		return
	}
	for _, s := range r.Settings() {
		r.out.say("%s: %s.", s.Name, s.Value())
	}
	for _, c := range r.clients {
		r.out.say("Joined: %s, may %s.", c.Name, c.Role)
	}
	if u := r.Thread.Usage; u.Size > 0 {
		r.out.say("Context: %d percent used, %d of %d tokens.", min(999, u.Used*100/u.Size), u.Used, u.Size)
	} else if u.Used > 0 {
		r.out.say("Context: %d tokens used.", u.Used)
	}
	if u := r.Thread.Usage; u.Currency != "" {
		r.out.say("Cost: %.2f %s.", u.Cost, u.Currency)
	}
	if said := describe.Limit(r.Thread.Usage.Limit, time.Now()); said != "" {
		r.out.say("%s.", words.Sentence(said))
	}
	if at := r.Prompts.ResumesAt(); !at.IsZero() {
		r.out.say("The prompt is sent again %s, in %s. /stop cancels that.", words.Clock(at, time.Now()), spoken(time.Until(at)))
	}
	if r.Thread.Added+r.Thread.Removed > 0 {
		r.out.say("Written via parley: plus %d, minus %d.", r.Thread.Added, r.Thread.Removed)
	}
	if n := r.Prompts.Queue.Len(); n > 0 {
		r.out.say("%s queued. /queue lists them.", words.Count(n, "prompt"))
	}
}

// usage prints what the session has used, and what all sessions took today.
func (r report) usage(w *workspace.Workspace) {
	rows := describe.Usage(r.Thread, time.Now())
	for _, row := range rows {
		r.out.say("%s: %s.", row[0], row[1])
	}
	if len(rows) == 0 {
		r.out.say("The agent has not reported any usage.")
	}
	w.UsageOfToday(func(today []memory.AgentUsage) {
		for _, a := range today {
			r.out.say("Today, %s: %s.", words.OneLine(a.Agent), a)
		}
	})
}

func (r report) trusted(changes []undo.Change, notRecorded []string) {
	unnamed := workspace.Unnamed(r.Thread, changes)
	n := len(unnamed)
	for _, trust := range thread.Trusts {
		if trust == thread.Unasked { // only a rejected change is more serious than a hidden one
			for _, f := range unnamed {
				r.out.say("Changed on disk, not reported by the agent: turn %d, %s.", f.Turn, changeLine(f, r.Session.Cwd()))
			}
		}
		for sub, it := range r.Thread.Calls {
			switch {
			case it.Tool.Trust != trust:
				continue
			case sub != nil:
				r.out.say("%s: %s, %s.", trust.Title(), sub.Name(), subject(it.Tool, r.Session.Cwd()))
			default:
				r.out.say("%s: %s, %s.", trust.Title(), r.calls.name(it), subject(it.Tool, r.Session.Cwd()))
			}
			n++
		}
	}
	if n == 0 {
		r.out.say("The agent reported no changes and no commands.")
	}
	r.out.notRecorded(notRecorded)
}
