package acpclient

import (
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
	order []string
	tools map[string]storedTool
	bytes int
}

type storedTool struct {
	tool wire.ToolCall
	size int
}

// merge applies t to what is stored and returns the whole. size is about the
// bytes that t holds on to.
func (st *toolStore) merge(t wire.ToolCall, size int) wire.ToolCall {
	if st.tools == nil {
		st.tools = map[string]storedTool{}
	}
	old, known := st.tools[t.ID]
	whole := mergeTool(old.tool, t)
	if t.Status != nil && (*t.Status == "completed" || *t.Status == "failed") {
		st.forget(t.ID)
		return whole
	}
	if size > maxStoredToolBytes {
		return whole
	}
	if !known {
		st.order = append(st.order, t.ID)
	}
	// Fields replaced are counted twice until the call is over: the bound
	// stays a bound.
	st.bytes += size
	st.tools[t.ID] = storedTool{whole, old.size + size}
	for len(st.order) > maxStoredTools || st.bytes > maxStoredToolBytes {
		st.forget(st.order[0])
	}
	return whole
}

func (st *toolStore) forget(id string) {
	old, ok := st.tools[id]
	if !ok {
		return
	}
	delete(st.tools, id)
	st.bytes -= old.size
	for i, o := range st.order {
		if o == id {
			st.order = append(st.order[:i], st.order[i+1:]...)
			break
		}
	}
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
	if t.RawInput != nil {
		old.RawInput = t.RawInput
	}
	if t.RawOutput != nil {
		old.RawOutput = t.RawOutput
	}
	return old
}
