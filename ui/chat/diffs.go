package chat

import (
	"fmt"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/widget"
)

// maxDiffs bounds the comparisons that are kept.
const maxDiffs = 200

// maxCompared is how many lines two texts may have to be compared while the reader
// waits.
const maxCompared = 30_000

// computed compares the texts of a diff once; nil where they are too large to
// do that while the reader waits.
func (v *View) computed(d *event.Diff) *widget.Computed {
	if len(d.Old)+len(d.New) > hugeDiff {
		return nil
	}
	if c := v.diffs[d]; c != nil {
		return c
	}
	if d.Old != "" && d.New != "" && strings.Count(d.Old, "\n")+strings.Count(d.New, "\n") > maxCompared {
		return nil
	}
	if v.diffs == nil || len(v.diffs) >= maxDiffs {
		v.diffs = map[*event.Diff]*widget.Computed{}
	}
	c := compare(d)
	v.diffs[d] = c
	return c
}

// Change is a diff of a tool call as it is to be drawn.
func Change(d *event.Diff) widget.Diff {
	before, after, first := d.Texts()
	return widget.Diff{Path: d.Path, Old: before, New: after, OldMissing: d.OldMissing, First: first}
}

// compare compares the texts of a diff.
func compare(d *event.Diff) *widget.Computed {
	return widget.Compute(Change(d))
}

func (v *View) diff(d *event.Diff, full bool) []string {
	if d.Deleted && d.Old+d.New == "" {
		return v.dim(widget.Wrap("delete "+Short(d.Path, v.cwd), max(1, v.width-len(bodyInset))))
	}
	c := v.computed(d)
	if c == nil {
		return []string{bodyInset + v.th.Dim.Paint(fmt.Sprintf("a change of %s, too large to compare here", size(len(d.Old)+len(d.New))))}
	}
	limit := diffRows
	if full {
		limit = maxShown
	}
	width := max(1, v.width-len(bodyInset))
	rows, more := v.drawn(c, width, limit, full)
	if more > 0 && more < leastHidden {
		if all, none := v.drawn(c, width, limit+leastHidden-1, full); none == 0 {
			rows, more = all, 0
		}
	}
	return v.body(rows, more)
}

// counts sums up the diffs of a call. What a patch does counts whether or not
// its files are named as changed.
func (v *View) counts(t *thread.Tool) (added, removed int, ok bool) {
	for _, c := range t.Content {
		switch {
		case c.Diff != nil:
			ok = true
			if d := v.computed(c.Diff); d != nil {
				added, removed = added+d.Added, removed+d.Removed
			}
		case c.Changes != nil:
			p := v.patched(c.Changes)
			ok = ok || p.counted
			added, removed = added+p.added, removed+p.removed
		}
	}
	return added, removed, ok
}
