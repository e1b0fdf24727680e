package acpclient

import (
	"hash/maphash"
	"slices"

	"parley/acpclient/wire"
)

// Bounds of what is remembered of unfinished tool calls, per session.
const (
	maxStoredTools     = 512
	maxStoredToolBytes = 16 << 20
)

// toolStore remembers unfinished tool calls, because a permission request may
// tell only what is new about one. Most calls are never asked about: what comes
// of them is kept as it came, and decoded when somebody wants to know. Reader
// goroutine only.
type toolStore struct {
	open   []*storedTool // the oldest first
	hashes []uint64      // of their ids: there are few, and to look at all of them takes less than a map
	seed   maphash.Seed
	bytes  int
	spare  *storedTool // of a call that is over
}

// find returns what is stored of a call; nil where nothing is.
func (st *toolStore) find(id []byte) *storedTool {
	if len(st.open) == 0 {
		return nil
	}
	hash := maphash.Bytes(st.seed, id)
	for i := len(st.hashes) - 1; i >= 0; i-- {
		if st.hashes[i] == hash && st.open[i].id == string(id) {
			return st.open[i]
		}
	}
	return nil
}

func (st *toolStore) named(id string) *storedTool { return st.find([]byte(id)) }

type storedTool struct {
	id    string
	tool  wire.ToolCall // without later
	later []byte        // raw updates, one behind the other
	ends  []int         // where each of them does
	size  int
}

// maxSpareTool bounds what is kept of a call that is over, for the next one.
const maxSpareTool = 64 << 10

// decodeTool decodes a raw update of a tool call, as a change to one.
type decodeTool func(raw []byte) (wire.ToolCall, error)

// whole is all that is known of a call.
func (st *toolStore) whole(id string, decode decodeTool) wire.ToolCall {
	t := st.named(id)
	if t == nil {
		return wire.ToolCall{}
	}
	start := 0
	for _, end := range t.ends {
		if change, err := decode(t.later[start:end]); err == nil {
			t.tool = mergeTool(t.tool, change)
		}
		start = end
	}
	t.later, t.ends = t.later[:0], t.ends[:0]
	return t.tool
}

// merge applies t to what is stored and returns the whole. size is about the
// bytes that t holds on to.
func (st *toolStore) merge(t wire.ToolCall, size int, decode decodeTool) wire.ToolCall {
	whole := mergeTool(st.whole(t.ID, decode), t)
	if t.Status != nil && final(*t.Status) {
		st.forget(st.named(t.ID))
		return whole
	}
	if !saysNothing(t) {
		if kept := st.keep(st.named(t.ID), t.ID, size); kept != nil {
			kept.tool = whole
		}
	}
	return whole
}

// follow stores the update of a call, of which t is stored, or nothing, unless the
// update says nothing; where it ends the call nothing of that is kept.
func (st *toolStore) follow(t *storedTool, id string, h *wire.Hot, ends bool) {
	switch {
	case ends:
		st.forget(t)
	case h.Call.Says():
		if kept := st.keep(t, id, len(h.Update)); kept != nil {
			kept.later = append(kept.later, h.Update...)
			kept.ends = append(kept.ends, len(kept.later))
		}
	}
}

// keep makes room for size bytes about a call, of which t is stored, or nothing;
// nil where there is none.
func (st *toolStore) keep(t *storedTool, id string, size int) *storedTool {
	if size > maxStoredToolBytes {
		return nil
	}
	if t == nil {
		if t, st.spare = st.spare, nil; t == nil {
			t = &storedTool{}
		}
		*t = storedTool{id: id, later: t.later[:0], ends: t.ends[:0]}
		if st.open == nil {
			st.seed = maphash.MakeSeed()
		}
		st.open, st.hashes = append(st.open, t), append(st.hashes, maphash.String(st.seed, id))
	}
	// Fields replaced are counted twice until the call is over: the bound
	// stays a bound.
	st.bytes += size
	t.size += size
	for len(st.open) > maxStoredTools || st.bytes > maxStoredToolBytes {
		st.forget(st.open[0])
	}
	return t
}

func final(status string) bool { return status == "completed" || status == "failed" }

// forget forgets what is stored of a call; nil is nothing.
func (st *toolStore) forget(t *storedTool) {
	i := slices.Index(st.open, t)
	if i < 0 {
		return
	}
	st.open, st.hashes = slices.Delete(st.open, i, i+1), slices.Delete(st.hashes, i, i+1)
	st.bytes -= t.size
	if cap(t.later) <= maxSpareTool {
		st.spare = t
	}
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
	if t.RawInput != nil {
		old.RawInput = t.RawInput
	}
	if t.RawOutput != nil {
		old.RawOutput = t.RawOutput
	}
	return old
}
