package acpclient

import (
	"slices"

	"parley/acpclient/wire"
)

// Bounds of what is remembered of unfinished tool calls, per session.
const (
	maxStoredTools     = 512
	maxStoredToolBytes = 16 << 20
)

// toolStore remembers unfinished tool calls, because a permission request may
// tell only what is new about one. Reader goroutine only.
type toolStore struct {
	open  []*storedTool // the oldest first
	bytes int
}

// find returns what is stored of a call; nil where nothing is.
func (st *toolStore) find(id string) *storedTool {
	for _, t := range slices.Backward(st.open) {
		if t.tool.ID == id {
			return t
		}
	}
	return nil
}

type storedTool struct {
	tool wire.ToolCall
	size int
}

// whole is all that is known of a call.
func (st *toolStore) whole(id string) wire.ToolCall {
	if t := st.find(id); t != nil {
		return t.tool
	}
	return wire.ToolCall{}
}

// merge applies t to what is stored and returns the whole. size is about the
// bytes that t holds on to.
func (st *toolStore) merge(t wire.ToolCall, size int) wire.ToolCall {
	stored := st.find(t.ID)
	var old wire.ToolCall
	if stored != nil {
		old = stored.tool
	}
	whole := mergeTool(old, t)
	switch {
	case t.Status != nil && final(*t.Status):
		st.forget(stored)
	case !saysNothing(t):
		st.keep(stored, whole, size)
	}
	return whole
}

// keep stores what is known of a call, which has become size bytes more. t is what was
// stored of it; nil where nothing was.
func (st *toolStore) keep(t *storedTool, whole wire.ToolCall, size int) {
	if size > maxStoredToolBytes {
		return
	}
	if t == nil {
		t = &storedTool{}
		st.open = append(st.open, t)
	}
	t.tool = whole
	// Fields replaced are counted twice until the call is over: the bound
	// stays a bound.
	st.bytes += size
	t.size += size
	for len(st.open) > maxStoredTools || st.bytes > maxStoredToolBytes {
		st.forget(st.open[0])
	}
}

func final(status string) bool { return status == "completed" || status == "failed" }

// forget forgets what is stored of a call; nil is nothing.
func (st *toolStore) forget(t *storedTool) {
	i := slices.Index(st.open, t)
	if i < 0 {
		return
	}
	st.open = slices.Delete(st.open, i, i+1)
	st.bytes -= t.size
}

// saysNothing tells that of a call nothing is told but its id.
func saysNothing(t wire.ToolCall) bool {
	return t.Title == nil && t.Name == nil && t.Kind == nil && t.Status == nil && t.Content == nil && t.Locations == nil && t.RawInput == nil && t.RawOutput == nil
}

// mergeTool applies the fields of t that are set to old.
func mergeTool(old, t wire.ToolCall) wire.ToolCall {
	old.ID = t.ID
	for _, f := range []struct{ into, from **string }{
		{&old.Title, &t.Title}, {&old.Name, &t.Name}, {&old.Kind, &t.Kind}, {&old.Status, &t.Status},
	} {
		if *f.from != nil {
			*f.into = *f.from
		}
	}
	if t.Content != nil {
		old.Content = t.Content
	}
	if t.Locations != nil {
		old.Locations = t.Locations
	}
	for _, f := range []struct{ into, from *wire.Raw }{{&old.RawInput, &t.RawInput}, {&old.RawOutput, &t.RawOutput}} {
		if *f.from != nil {
			*f.into = *f.from
		}
		if isNull(*f.from) {
			*f.into = nil
		}
	}
	return old
}
