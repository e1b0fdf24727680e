package acpclient

import (
	"slices"

	"parley/acpclient/wire"
)

// Bounds of the unfinished tool calls remembered for a session.
const (
	maxStoredTools     = 512
	maxStoredToolBytes = 16 << 20
)

// toolStore remembers unfinished tool calls, because a permission request may have only
// the new fields of one. Reader goroutine only.
type toolStore struct {
	open  []*storedTool // the oldest first
	bytes int
}

// find returns the stored call, nil if there is none.
func (st *toolStore) find(id string) *storedTool {
	for _, t := range slices.Backward(st.open) {
		if t.tool.ID == id {
			return t
		}
	}
	return nil
}

type storedTool struct {
	tool    wire.ToolCall
	size    int
	changes []wire.ToolContent // as they were shown last, also if the content no longer has them
	foreign bool               // the agent runs a terminal for it
	printed bool               // and has sent output
}

// silent reports whether the agent has run a terminal for the call without sending its
// output, up to the update t.
func (st storedTool) silent(t *wire.ToolCall) bool {
	return (st.foreign || t.Meta.Info != nil) && !st.printed && (t.Meta.Output == nil || t.Meta.Output.Data == "")
}

// known returns what is stored of a call.
func (st *toolStore) known(id string) storedTool {
	if t := st.find(id); t != nil {
		return *t
	}
	return storedTool{}
}

// shown stores what an update has shown of a call that is stored. asked means that it came with a question.
func (st *toolStore) shown(t wire.ToolCall, asked bool) {
	stored := st.find(t.ID)
	if stored == nil {
		return
	}
	stored.foreign = stored.foreign || t.Meta.Info != nil
	stored.printed = stored.printed || t.Meta.Output != nil && t.Meta.Output.Data != ""
	if t.Content == nil || !slices.ContainsFunc(*t.Content, isChange) {
		return
	}
	stored.changes = slices.DeleteFunc(slices.Clone(*t.Content), func(c wire.ToolContent) bool { return !isChange(c) })
	read := 0
	for i, c := range stored.changes {
		stored.changes[i].Asked = asked
		if c.Overwrites {
			read += len(*c.OldText)
		}
	}
	st.grow(stored, read)
}

// whole returns everything known about a call.
func (st *toolStore) whole(id string) wire.ToolCall {
	if t := st.find(id); t != nil {
		return t.tool
	}
	return wire.ToolCall{}
}

// merge applies t to the stored call and returns the whole. size is about the bytes that
// t holds.
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
	case !hasOnlyID(t):
		st.keep(stored, whole, size)
	}
	return whole
}

// keep stores a call that has grown by size bytes. t is the stored one, nil if there is
// none.
func (st *toolStore) keep(t *storedTool, whole wire.ToolCall, size int) {
	if size > maxStoredToolBytes {
		return
	}
	if t == nil {
		t = &storedTool{}
		st.open = append(st.open, t)
	}
	t.tool = whole
	st.grow(t, size)
}

// grow counts bytes that a call holds. Replaced fields are counted twice until the call has
// ended, so the real size is smaller.
func (st *toolStore) grow(t *storedTool, size int) {
	st.bytes += size
	t.size += size
	for len(st.open) > maxStoredTools || st.bytes > maxStoredToolBytes {
		st.forget(st.open[0])
	}
}

func final(status string) bool { return status == "completed" || status == "failed" }

// forget removes a stored call; t may be nil.
func (st *toolStore) forget(t *storedTool) {
	i := slices.Index(st.open, t)
	if i < 0 {
		return
	}
	st.open = slices.Delete(st.open, i, i+1)
	st.bytes -= t.size
}

// hasOnlyID reports whether t has nothing but an id.
func hasOnlyID(t wire.ToolCall) bool {
	return t.Title == nil && t.Name == nil && t.Kind == nil && t.Status == nil && t.Content == nil && t.Locations == nil && t.RawInput == nil && t.RawOutput == nil
}

// mergeTool applies the fields set in t to old.
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
