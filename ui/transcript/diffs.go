package transcript

import (
	"fmt"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/text"
	"parley/internal/words"
)

func (p *pen) diff(d *event.Diff, full bool) []string {
	if d.Deleted && d.Old+d.New == "" {
		return p.dim(text.Wrap("delete "+words.RelativePath(d.Path, p.cwd), max(1, p.width-len(bodyInset))))
	}
	c := p.cache.diff(d)
	if c == nil {
		return []string{bodyInset + p.th.Dim.Paint(fmt.Sprintf("change of %s, too large to compare here", words.Bytes(len(d.Old)+len(d.New))))}
	}
	limit := diffRows
	if full {
		limit = maxShown
	}
	width := p.bodyWidth()
	rows, more := p.drawn(c, width, limit, full)
	if more > 0 && more < leastHidden {
		if all, none := p.drawn(c, width, limit+leastHidden-1, full); none == 0 {
			rows, more = all, 0
		}
	}
	return p.body(rows, more)
}

// severalDiffs reports whether the call changes more than one file, so that each diff needs a heading.
func (p *pen) severalDiffs() bool {
	n := 0
	for _, c := range p.it.Tool.Content {
		if c.Diff != nil {
			n++
		}
	}
	return n > 1
}

// diffHead is the heading of one file's diff.
func (p *pen) diffHead(d *event.Diff) string {
	counts := ""
	if c := p.cache.diff(d); c != nil && c.Added+c.Removed > 0 {
		counts = p.changed(c.Added, c.Removed)
	}
	room := max(1, p.bodyWidth()-text.Width(pad(counts)))
	return bodyInset + p.th.Strong.Paint(text.Truncate(words.RelativePath(d.Path, p.cwd), room, "…")) + pad(counts)
}

// changed says how many lines were added and removed.
func (l *look) changed(added, removed int) string {
	return l.th.DiffAdd.Paint(fmt.Sprintf("+%d", added)) + " " + l.th.DiffDel.Paint(fmt.Sprintf("−%d", removed))
}

// diffSource says where the changes of a finished call are from if not from the agent's last update.
func diffSource(t *thread.Tool) string {
	if t.State() != thread.ToolDone {
		return ""
	}
	for _, c := range t.Content {
		switch {
		case c.OldRead:
			return "old text from disk"
		case c.Asked:
			return "diff from the question"
		case c.Kept:
			return "diff from before the edit"
		case c.Recorded:
			return "diff from disk"
		}
	}
	return ""
}

// counts says how many lines a call has added and removed; "" if it has none to count. All of a
// patch counts, whether or not its files are named as changed.
func (p *pen) counts() string {
	added, removed, tooLarge := p.lines()
	switch {
	case tooLarge:
		return p.th.Dim.Paint("too large to compare")
	case added+removed > 0:
		return p.changed(added, removed)
	}
	return ""
}

// lines returns how many lines a call has added and removed, as far as they can be counted.
func (p *pen) lines() (added, removed int, tooLarge bool) {
	for _, c := range p.it.Tool.Content {
		switch {
		case c.Diff != nil:
			if d := p.cache.diff(c.Diff); d != nil {
				added, removed = added+d.Added, removed+d.Removed
			} else {
				tooLarge = true
			}
		case c.Changes != nil:
			made := p.cache.patched(c.Changes, p.cwd)
			added, removed = added+made.added, removed+made.removed
		}
	}
	return added, removed, tooLarge
}
