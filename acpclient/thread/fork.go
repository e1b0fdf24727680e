package thread

import "slices"

// Fork returns a copy of the conversation before item end, for a session that continues it. As after
// Attach, later events of that session do not belong to the items that are there, nor do those of the
// original.
func (t *Thread) Fork(end int) *Thread {
	f := New("")
	f.Turn, f.Title, f.first, f.parted = t.Turn, t.Title, end, end
	terminals := map[string]*Terminal{}
	for id, term := range t.terminals {
		kept := *term
		kept.Output = slices.Clone(term.Output)
		terminals[id] = &kept
	}
	for _, it := range t.Items[:end] {
		kept := *it
		kept.Text, kept.Wire = slices.Clip(it.Text), slices.Clone(it.Wire) // the original may grow
		if it.Tool != nil {
			tool := *it.Tool
			tool.Content = slices.Clone(tool.Content)
			kept.Tool, kept.grown = &tool, false
			if kept.terminals == nil {
				kept.terminals = terminals
			}
			if t.live[it] {
				f.live[&kept] = true
			}
		}
		f.Items = append(f.Items, &kept)
	}
	f.disconnectCalls()
	return f
}
