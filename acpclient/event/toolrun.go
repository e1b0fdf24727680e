package event

// toolRun is the change of a tool call that still grows in a Queue: neighbouring
// changes of one call become one, of which the later fields count. Whoever applies
// that has what the changes one by one would have made (thread.Thread does), and
// what nobody has seen yet may as well never have been: so it must not swallow
// anything that would have left a trace. With the queue's mu.
type toolRun struct {
	told   ToolChanged
	exists bool
}

// goesOn tells whether e is of the same call.
func (r *toolRun) goesOn(e *ToolChanged) bool {
	return r.exists && r.told.ID == e.ID && r.told.Session == e.Session
}

// takes tells whether e, of the same call and right after it, may be joined.
func (r *toolRun) takes(e *ToolChanged) bool {
	switch was := r.told.Status; {
	case !e.joins():
		return false
	case e.Status != nil && !over(*e.Status) && (was == nil || over(*was)):
		return false // a call that was over goes on, or may: it keeps the time of its end
	}
	return e.Content == nil || r.told.Content == nil || !showsTerminal(*r.told.Content) // a call once linked to a terminal stays so
}

// joins tells whether it can be part of a run at all.
func (e *ToolChanged) joins() bool {
	return e.AppendContent == nil && e.Cancelable == nil && !e.Forbidden
}

// over tells whether a call of this status has come to its end.
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

func (r *toolRun) start(e *ToolChanged) { r.told, r.exists = *e, true }

// join adds what is said later.
func (r *toolRun) join(e *ToolChanged) {
	t := &r.told
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
}

// end returns the event.
func (r *toolRun) end() Event {
	e := r.told
	*r = toolRun{}
	return e
}
