package widget

// historyLimit is how many entries a History keeps.
const historyLimit = 1000

// History is what was sent before, to be walked with the arrow keys. The zero History is ready to use.
type History struct {
	entries []string
	older   int // of entries, how many were put before the others
	at      int // index of the entry shown; len(entries) is the draft
	draft   string
}

// Add appends an entry and ends the walk. Empty ones and repeats of the newest are not kept; past 1000 the oldest goes.
func (h *History) Add(entry string) {
	n := len(h.entries)
	if entry != "" && (n == 0 || h.entries[n-1] != entry) {
		if over := n - historyLimit + 1; over > 0 {
			h.entries = append(h.entries[:0], h.entries[over:]...)
			h.older = max(0, h.older-over)
		}
		h.entries = append(h.entries, entry)
	}
	h.Leave()
}

// Prev steps to the entry before. The current text is kept as the draft when the walk begins. It reports false at the
// oldest entry.
func (h *History) Prev(current string) (string, bool) {
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

// Next steps to the entry after, at last to the draft. It reports false when the walk has not begun.
func (h *History) Next() (string, bool) {
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

// Leave ends the walk and forgets the draft.
func (h *History) Leave() { h.at, h.draft = len(h.entries), "" }

// Walking says whether an entry is shown rather than the draft.
func (h *History) Walking() bool { return h.at < len(h.entries) }

// Entries returns what is kept, oldest first. The slice is the History's own: read it only.
func (h *History) Entries() []string { return h.entries }

// Before puts entries of former times, oldest first, before those that were added, in place of those that it put there
// earlier. One that was added since is not there twice; kept is how one of those stands among entries, nil: as it is. A
// walk goes on where it is.
func (h *History) Before(entries []string, kept func(string) string) {
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
	all = all[max(0, len(all)+len(own)-historyLimit):]
	behind := len(h.entries) - h.at // what is shown keeps its distance from the newest
	h.older = len(all)
	h.entries = append(all, own...)
	h.at = max(0, len(h.entries)-max(behind, 0))
}
