package chat

import (
	"maps"

	"parley/acpclient/thread"
)

// Afresh returns a view that stands where v stands, and shows the same of t, but
// has drawn nothing yet: what it draws is what v has to show, however it came to
// it. t is v's own thread, or one that was made of the same events. It serves
// tests; v and the result may be used side by side.
func (v *View) Afresh(t *thread.Thread) *View {
	f := *v
	f.thread = t
	f.choices = maps.Clone(v.choices)
	f.renderer, f.wideRenderer, f.terminals = nil, nil, nil
	f.diffs, f.patches, f.patchLines, f.commands = nil, nil, 0, nil
	f.coloured, f.wanted, f.listings, f.searched = nil, nil, nil, searched{}
	f.rows, f.owners, f.places = nil, nil, nil
	f.reset()
	return &f
}
