package event

// toolRun is a change of a tool call that still grows in a Queue: adjacent changes of
// one call become one, in which later fields replace earlier ones. Applying it must have
// the same result as applying the changes one by one (see thread.Thread), so a change
// that would leave a trace of its own is not joined. Guarded by the queue's mu.
type toolRun struct {
	merged ToolChanged
	exists bool
}

// continues reports whether e is a change of the same call.
func (r *toolRun) continues(e *ToolChanged) bool {
	return r.exists && r.merged.ID == e.ID && r.merged.Session == e.Session
}

// accepts reports whether e, the next change of the same call, may be joined.
func (r *toolRun) accepts(e *ToolChanged) bool {
	switch was := r.merged.Status; {
	case !e.joins():
		return false
	case e.Status != nil && !over(*e.Status) && (was == nil || over(*was)):
		return false // the call has ended before and may run again: it keeps the time of its end
	}
	return e.Content == nil || r.merged.Content == nil || !showsTerminal(*r.merged.Content) // a call keeps its link to a terminal
}

// joins reports whether e can be part of a run.
func (e *ToolChanged) joins() bool {
	return e.AppendContent == nil && e.Cancelable == nil
}

// over reports whether a call with this status has ended.
func over(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

func showsTerminal(content []ToolContent) bool {
	for i := range content {
		if content[i].Terminal != "" {
			return true
		}
	}
	return false
}

func (r *toolRun) start(e *ToolChanged) { r.merged, r.exists = *e, true }

// join merges the later change e.
func (r *toolRun) join(e *ToolChanged) {
	t := &r.merged
	if t.Wire, t.Until = t.Wire.Join(e.Wire), e.At; !e.Until.IsZero() {
		t.Until = e.Until
	}
	if e.Title != nil {
		t.Title = e.Title
	}
	if e.Name != nil {
		t.Name = e.Name
	}
	if e.Kind != nil {
		t.Kind = e.Kind
	}
	if e.Status != nil {
		t.Status = e.Status
	}
	if e.Content != nil {
		t.Content = e.Content
	}
	if e.Locations != nil {
		t.Locations = e.Locations
	}
	if e.RawInput != nil {
		t.RawInput = e.RawInput
	}
	if e.RawOutput != nil {
		t.RawOutput = e.RawOutput
	}
	if e.Steps != nil {
		t.Steps = e.Steps
	}
	if e.ExitCode != nil {
		t.ExitCode = e.ExitCode
	}
}

// finish returns the event and resets r.
func (r *toolRun) finish() Event {
	e := r.merged
	*r = toolRun{}
	return e
}
