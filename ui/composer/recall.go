package composer

import "parley/internal/intent"

// recallLimit is how many entries a recall holds.
const recallLimit = 1000

// recall steps through the history with the arrow keys. The zero recall is ready to use.
type recall struct {
	entries []string
	older   int // how many entries setOlder has set
	at      int // index of the entry shown; len(entries) is the draft
	draft   string
	shown   string // the entry shown, as the editor returns it
}

// add appends an entry and returns to the draft. It drops empty entries, repeats of the newest and, beyond recallLimit, the
// oldest.
func (h *recall) add(entry string) {
	n := len(h.entries)
	if entry != "" && (n == 0 || h.entries[n-1] != entry) {
		if over := n - recallLimit + 1; over > 0 {
			h.entries = append(h.entries[:0], h.entries[over:]...)
			h.older = max(0, h.older-over)
		}
		h.entries = append(h.entries, entry)
	}
	h.leave()
}

// prev steps to the previous entry; false at the oldest. The first step saves the current text as the draft.
func (h *recall) prev(current string) (string, bool) {
	if h.at > len(h.entries) {
		h.at = len(h.entries)
	}
	if h.at == len(h.entries) {
		h.draft = current
	}
	for i := h.at - 1; i >= 0; i-- {
		if h.entries[i] != current {
			h.at = i
			return h.entries[i], true
		}
	}
	return "", false
}

// next steps to the next entry and from the newest to the draft; false at the draft.
func (h *recall) next() (string, bool) {
	if h.at >= len(h.entries) {
		return "", false
	}
	h.at++
	if h.at == len(h.entries) {
		draft := h.draft
		h.draft = ""
		return draft, true
	}
	return h.entries[h.at], true
}

// leave forgets the saved draft and makes the current text the draft.
func (h *recall) leave() { h.at, h.draft = len(h.entries), "" }

// setOlder sets the entries of earlier runs, oldest first, before those that add appended. It drops those that add appended,
// too. stored returns an appended entry as it is stored; nil if they are stored unchanged. The entry shown stays the same.
func (h *recall) setOlder(entries []string, stored func(string) string) {
	appended := h.entries[h.older:]
	known := make(map[string]bool, len(appended))
	for _, e := range appended {
		if stored != nil {
			e = stored(e)
		}
		known[e] = true
	}
	all := make([]string, 0, len(entries)+len(appended))
	for _, e := range entries {
		if e != "" && !known[e] {
			all = append(all, e)
		}
	}
	all = all[max(0, len(all)+len(appended)-recallLimit):]
	fromNewest := len(h.entries) - h.at // the entry shown keeps its distance from the newest
	h.older = len(all)
	h.entries = append(all, appended...)
	h.at = max(0, len(h.entries)-max(fromNewest, 0))
}

// Recall steps through the history; false if want is another intent. An edited entry is a
// draft, from which the steps start again.
func (c *Composer) Recall(want intent.Intent) bool {
	if want != intent.HistoryBack && want != intent.HistoryForward {
		return false
	}
	current := c.Value()
	if current != c.recall.shown {
		c.recall.leave()
	}
	step := c.recall.next
	if want == intent.HistoryBack {
		step = func() (string, bool) { return c.recall.prev(current) }
	}
	text, ok := step()
	if ok {
		c.SetValue(text)
		c.recall.shown = c.Value()
	}
	return true
}
