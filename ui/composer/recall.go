package composer

import "parley/ui/intent"

// recallLimit is how many entries a recall keeps.
const recallLimit = 1000

// recall walks what was sent before, with the arrow keys. The zero recall is ready to use.
type recall struct {
	entries []string
	older   int // of entries, how many were put before the others
	at      int // index of the entry shown; len(entries) is the draft
	draft   string
	shown   string // what the editor made of the entry shown
}

// add appends an entry and ends the walk. Empty ones and repeats of the newest are not kept; past 1000 the oldest goes.
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

// prev steps to the entry before. The current text is kept as the draft when the walk begins. It reports false at the
// oldest entry.
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

// next steps to the entry after, at last to the draft. It reports false when the walk has not begun.
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

// leave ends the walk and forgets the draft.
func (h *recall) leave() { h.at, h.draft = len(h.entries), "" }

// before puts entries of former times, oldest first, before those that were added, in place of those that it put there
// earlier. One that was added since is not there twice; kept is how one of those is written among entries, nil: as it is. A
// walk continues where it is.
func (h *recall) before(entries []string, kept func(string) string) {
	own := h.entries[h.older:]
	known := make(map[string]bool, len(own))
	for _, e := range own {
		if kept != nil {
			e = kept(e)
		}
		known[e] = true
	}
	all := make([]string, 0, len(entries)+len(own))
	for _, e := range entries {
		if e != "" && !known[e] {
			all = append(all, e)
		}
	}
	all = all[max(0, len(all)+len(own)-recallLimit):]
	behind := len(h.entries) - h.at // what is shown keeps its distance from the newest
	h.older = len(all)
	h.entries = append(all, own...)
	h.at = max(0, len(h.entries)-max(behind, 0))
}

// Recall walks what was sent before; false where that is not what is wanted. A text that
// was edited is a draft, from which the walk begins.
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
