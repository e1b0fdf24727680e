package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/safetext"
	"parley/permissions"
	"parley/ui/composer"
	"parley/ui/inline"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/widget"
)

// hunks is what the user makes of a write that parley asks about: some of its
// changes are refused, or the text is another one.
type hunks struct {
	on      bool          // its keys count
	text    string        // verbatim: what is written if nothing is refused
	edited  bool          // by the user; else it is what the agent asked for
	diff    *questionDiff // of a text that was edited
	refused []bool        // by the hunk
	at      int           // the hunk that the keys are about
	heads   []int         // the rows of the body above the hunks, as drawn last
	reveal  bool          // at is to be brought into sight
	editing bool          // the editor is about to open, or open
}

// changed tells whether something else than what was asked is to be written.
func (h *hunks) changed() bool { return h != nil && (h.edited || slices.Contains(h.refused, true)) }

// chosen returns what the user makes of the question's write.
func (q *question) chosen(cur permissions.Question) *hunks {
	if q.made[cur.Key] == nil {
		if q.made == nil {
			q.made = map[uint64]*hunks{}
		}
		q.made[cur.Key] = &hunks{text: cur.Change.New}
	}
	return q.made[cur.Key]
}

// written is the diff of what is to be written, before anything is refused.
func (q *question) written(cur permissions.Question, h *hunks) *questionDiff {
	if h.diff != nil {
		return h.diff
	}
	i := slices.IndexFunc(cur.Body, func(p permissions.Part) bool { return p.Kind == permissions.Diff })
	if i < 0 {
		return &questionDiff{diff: widget.Compute(widget.Diff{})}
	}
	return q.compared(cur.Key, i, cur.Body[i])
}

// left is the text that is to be written.
func (q *question) left(cur permissions.Question, h *hunks) (string, bool) {
	if !slices.Contains(h.refused, true) {
		return h.text, true
	}
	return q.written(cur, h).diff.Without(cur.Change.Old, h.text, h.refused)
}

// writeRows draws the diff of the i-th part, with what the user has made of it.
// They come behind so many other rows.
func (q *question) writeRows(cur permissions.Question, i int, p permissions.Part, width, behind int) []string {
	h := q.made[cur.Key]
	if h == nil || !h.on && !h.changed() || cur.Change == nil {
		return q.diffRows(q.compared(cur.Key, i, p), width)
	}
	th := q.c.m.Theme
	var rows []string
	if h.edited {
		rows = wrapInk(th.Warn.Paint, "edited by you: this is what will be written", "  ", width)
	}
	d := q.written(cur, h)
	picks := make([]widget.Pick, len(h.refused))
	for k, no := range h.refused {
		mark, ink, words := "  ", th.Dim, fmt.Sprintf("✓ hunk %d of %d", k+1, len(picks))
		if no {
			ink, words = th.Bad, fmt.Sprintf("✗ hunk %d of %d: refused", k+1, len(picks))
		}
		if h.on && k == h.at {
			mark = th.Key.Paint("▸ ")
			if !no {
				ink = th.Strong
			}
		}
		picks[k] = widget.Pick{Head: widget.Truncate(mark+ink.Paint(words), width-2, "…"), Refused: no}
	}
	drawn, heads := d.diff.DrawPicks(widget.DiffLook{Width: width - 2, Syntax: d.syntax, Theme: th}, picks)
	q.want(d)
	h.heads = heads
	for k := range h.heads {
		h.heads[k] += behind + len(rows)
	}
	for _, r := range drawn {
		rows = append(rows, "  "+r)
	}
	return rows
}

// revealed scrolls to the hunk that the keys are about.
func (q *question) revealed(cur permissions.Question) {
	h := q.made[cur.Key]
	if h == nil || !h.reveal || h.at >= len(h.heads) {
		return
	}
	h.reveal = false
	head := h.heads[h.at]
	if head < q.offset || q.read && head+min(3, q.page-1) >= q.offset+q.page {
		q.offset = max(0, head-1)
	}
}

// pickHunks begins to choose from the hunks, or ends it. What was chosen stays.
func (q *question) pickHunks(cur permissions.Question) tea.Cmd {
	h := q.chosen(cur)
	if h.on {
		h.on = false
	} else {
		n := q.written(cur, h).diff.Changes()
		if n == 0 {
			return q.c.say("there are no hunks to choose from")
		}
		if len(h.refused) != n {
			h.refused, h.at = make([]bool, n), 0
		}
		h.on, h.reveal = true, q.read
	}
	q.redrawn()
	return nil
}

// redrawn has the body drawn again with other rows. Rows that were not read must not
// slip away above.
func (q *question) redrawn() {
	q.drawn = nil
	if !q.read {
		q.offset, q.seen = 0, seen{}
	}
}

// moved notes that other rows are drawn because there is another width.
func (q *question) moved(cur permissions.Question) {
	if !q.read {
		q.offset, q.seen = 0, seen{}
	} else if h := q.made[cur.Key]; h != nil && h.on {
		h.reveal = true
	}
}

// hunkKey handles a key while hunks are chosen from; false where it is none of its.
func (q *question) hunkKey(cur permissions.Question, h *hunks, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	want := q.c.m.Keys.Of(intent.Hunks, msg.String())
	switch want {
	case intent.None:
		return nil, false
	case intent.RefuseHunk, intent.AllowHunks, intent.AsAsked:
		if q.tooFast() {
			return q.c.say(tooFast), true
		}
	}
	q.keep(msg) // before the answer: the next question has not been given them
	switch want {
	case intent.Leave:
		return q.pickHunks(cur), true
	case intent.NextHunk:
		q.toHunk(h, h.at+1)
	case intent.PreviousHunk:
		q.toHunk(h, h.at-1)
	case intent.RefuseHunk:
		if h.at < len(h.refused) {
			h.refused[h.at] = !h.refused[h.at]
			q.drawn = nil
		}
	case intent.AllowHunks:
		for _, o := range cur.Options {
			if o.Kind == permissions.AllowOnce {
				return q.answer(cur, o), true
			}
		}
	case intent.AsAsked:
		again := h.edited
		*h = hunks{on: true, text: cur.Change.New, refused: make([]bool, q.written(cur, &hunks{}).diff.Changes())}
		if again {
			q.read = false
		}
		q.redrawn()
	}
	return nil, true
}

// toHunk goes to another hunk. Before all was read that leads no further than the
// next page, so that nothing is passed over.
func (q *question) toHunk(h *hunks, to int) {
	switch {
	case to < 0 || to >= len(h.heads) || to >= len(h.refused):
		if to > 0 && !q.read { // what is behind the last one is to be read as well
			q.offset += max(1, q.page)
		}
	case !q.read && h.heads[to] >= q.offset+q.page:
		q.offset += max(1, q.page)
	default:
		h.at, h.reveal, q.drawn = to, true, nil
	}
}

// answerChanged answers with what is left of the write.
func (q *question) answerChanged(cur permissions.Question, o permissions.Option, h *hunks) tea.Cmd {
	text, ok := q.left(cur, h)
	switch {
	case o.Kind != permissions.AllowOnce:
		return q.c.say("what you changed can be allowed once only")
	case !ok:
		return q.c.say("these hunks cannot be taken apart")
	case text == cur.Change.Old:
		return q.reject()
	}
	if err := q.c.Agent.Conn().Broker.AnswerWith(cur.Key, o.ID, text); err != nil {
		return q.c.say(err.Error())
	}
	q.remove(cur.Key)
	return nil
}

// optionName is what choosing an option would do now; off: nothing.
func (q *question) optionName(cur permissions.Question, o permissions.Option) (name string, off bool) {
	off = !q.read && !harmless(o) && !q.unread(o)
	if q.unread(o) {
		defer func() { name += " without reading " + rowsOf(q.seen.whole-q.seen.rows) }()
	}
	h := q.made[cur.Key]
	switch {
	case !h.changed() || !o.Allows():
		return o.Name, off
	case o.Kind != permissions.AllowOnce:
		return o.Name, true
	}
	refused := 0
	for _, no := range h.refused {
		if no {
			refused++
		}
	}
	n := len(h.refused)
	switch {
	case refused == n && (n > 0 || h.text == cur.Change.Old):
		return "Write nothing", off
	case refused == 0: // then the text is another one
		return o.Name + ", as edited", off
	case h.edited:
		return fmt.Sprintf("%s: %d of %d hunks, as edited", o.Name, n-refused, n), off
	}
	return fmt.Sprintf("%s: %d of %d hunks", o.Name, n-refused, n), off
}

// hunkFoot names the keys of a write.
func (q *question) hunkFoot(cur permissions.Question) string {
	keys := q.c.m.Keys
	var all []string
	add := func(in intent.Context, i intent.Intent, words string) {
		if key := keys.Label(in, i); key != "" {
			all = append(all, strings.NewReplacer("right", "→", "left", "←").Replace(key)+" "+words)
		}
	}
	if !q.read {
		all = append(all, "read to the end to allow")
	}
	h := q.made[cur.Key]
	if h == nil || !h.on {
		if !q.read {
			all[0] += ": down, pgdn"
		}
		add(intent.Question, intent.Reject, "rejects")
		add(intent.Question, intent.PickHunks, "hunks")
		add(intent.Question, intent.EditText, "edit")
		return strings.Join(all, " · ")
	}
	if h.at < len(h.refused) && h.refused[h.at] {
		add(intent.Hunks, intent.RefuseHunk, "takes it")
	} else {
		add(intent.Hunks, intent.RefuseHunk, "refuses")
	}
	add(intent.Hunks, intent.NextHunk, "next")
	add(intent.Question, intent.EditText, "edit")
	add(intent.Hunks, intent.Leave, "back")
	if q.read {
		add(intent.Hunks, intent.AllowHunks, "allows what is left")
	}
	return strings.Join(all, " · ")
}

// Messages of editing the text of a write.
type (
	writeReady struct {
		chat   *chat
		key    uint64 // of the question
		before string
		edit   composer.Editing
		err    error
	}
	writeEdited struct {
		chat          *chat
		key           uint64
		before, after string
		diff          *widget.Computed
		failed, err   error // the editor, and what was tried with the file
	}
)

// editText opens the text that is to be written in the user's editor.
func (q *question) editText(cur permissions.Question) tea.Cmd {
	c, editor := q.c, q.c.m.opts.FileEditor
	h := q.chosen(cur)
	before, ok := q.left(cur, h)
	switch {
	case editor == nil:
		return c.say("there is no editor here")
	case !ok:
		return c.say("these hunks cannot be taken apart")
	}
	h.editing = true
	return func() tea.Msg {
		e, err := editor(before, cur.Change.Path)
		return writeReady{c, cur.Key, before, e, err}
	}
}

// asked returns the question that waits with this key.
func (q *question) asked(key uint64) (permissions.Question, bool) {
	i := slices.IndexFunc(q.waiting, func(w permissions.Question) bool { return w.Key == key })
	if i < 0 {
		return permissions.Question{}, false
	}
	return q.waiting[i], true
}

// handle hands the terminal to the editor.
func (m writeReady) handle(model *Model) tea.Cmd {
	c, done := m.chat, m.edit.Done
	cur, ok := c.question.asked(m.key)
	if m.err != nil || !ok || model.quitting {
		if h := c.question.made[m.key]; h != nil {
			h.editing = false
		}
		if m.err != nil {
			return c.say(m.err.Error())
		}
		return func() tea.Msg { _, _ = done(); return nil } // it removes the file
	}
	return tea.Exec(inline.Lend(m.edit.Command), func(failed error) tea.Msg {
		after, err := done()
		if after == m.before+"\n" { // editors end the last line
			after = m.before
		}
		d := widget.Diff{Path: cur.Change.Path, Old: safetext.Visible(cur.Change.Old), New: safetext.Visible(after), OldMissing: oldMissing(cur)}
		return writeEdited{c, m.key, m.before, after, widget.Compute(d), failed, err}
	})
}

func oldMissing(cur permissions.Question) bool {
	return slices.ContainsFunc(cur.Body, func(p permissions.Part) bool { return p.Kind == permissions.Diff && p.OldNone })
}

// handle shows what was written in the editor as a change that is to be read like any
// other. An editor that failed has written nothing.
func (m writeEdited) handle(model *Model) tea.Cmd {
	c, q := m.chat, m.chat.question
	now := model.Now()
	c.m.input.Touch() // keys that were meant for the editor answer nothing
	q.deaf = now.Add(layer.Quiet)
	cur, ok := q.asked(m.key)
	h := q.made[m.key]
	if h != nil {
		h.editing = false
	}
	switch {
	case !ok || h == nil:
		return c.say("the question is settled: what you edited is not written")
	case m.failed != nil:
		return c.say("the editor failed, the text is as it was: " + m.failed.Error())
	case m.err != nil:
		return c.say("the text is as it was: " + m.err.Error())
	case m.after == m.before:
		return c.say("the text is as it was")
	}
	*h = hunks{on: m.diff.Changes() > 0, text: m.after, edited: true, diff: &questionDiff{diff: m.diff}, refused: make([]bool, m.diff.Changes())}
	if m.after == cur.Change.New {
		h.edited, h.diff = false, nil
	}
	if q.waiting[q.current].Key == m.key {
		q.read, q.grabbed, q.grabbedAt = false, true, now
		q.redrawn()
	}
	return nil
}
