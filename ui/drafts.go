package ui

import (
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/atomicfile"
	"parley/internal/workspace"
	"parley/ui/widget"
)

// Drafts keeps what was typed and not sent, over runs. Its methods may wait, and
// are called on goroutines of their own.
type Drafts interface {
	Load(DraftKey) (Draft, error) // an empty one where there is none
	Save(DraftKey, Draft) error   // an empty one is none
}

// DraftKey says whose draft it is: a session's, or, without a session, the one that
// was left in the project for the agent.
type DraftKey struct {
	Dir     string // the session's; "" for Options.Cwd
	Agent   string // Agent.Key
	Session string // the agent's id, verbatim
}

// left is the key of the draft that is left in the project when the session ends.
func (k DraftKey) left() DraftKey { return DraftKey{Dir: k.Dir, Agent: k.Agent} }

// Draft is what stood in the composer, and the prompts that waited.
type Draft struct {
	Parts   []widget.Part
	Queued  []string
	Session string // of the one left in the project: the session it was typed in
}

func (d Draft) empty() bool {
	return len(d.Queued) == 0 && !slices.ContainsFunc(d.Parts, func(p widget.Part) bool { return strings.TrimSpace(p.Text) != "" })
}

func (d Draft) equal(other Draft) bool {
	return slices.Equal(d.Parts, other.Parts) && slices.Equal(d.Queued, other.Queued) || d.empty() && other.empty()
}

// kept is what is known of the draft of a page on the disk.
type kept struct {
	asked  bool // it was looked for, under key
	loaded bool // and what there was has come
	looks  int  // that are under way: nothing is written meanwhile
	key    DraftKey
	saved  Draft
	filled bool       // the composer was, when it was looked at last
	queued int        // prompts that waited then
	former []DraftKey // where it was before; those are forgotten once it stands under key
}

// drafts is the keeping of all of them.
type drafts struct {
	changed time.Time // when the last change was made
	ticking bool
	saving  bool
	failed  bool         // that it does not work was said
	left    []draftWrite // of pages that have gone
	order   *draftOrder
}

// draftWrite is one file to write.
type draftWrite struct {
	key   DraftKey
	draft Draft
}

// draftOrder keeps an older state of a draft from being written over a newer one.
type draftOrder struct {
	store Drafts
	mu    sync.Mutex
	last  int // number of the newest batch that was written
	next  int // of the one to be made; screen's goroutine only
}

// write writes a batch, unless a newer one was written.
func (o *draftOrder) write(n int, batch []draftWrite) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n < o.last {
		return nil
	}
	o.last = n
	for _, w := range batch {
		if err := o.store.Save(w.key, w.draft); err != nil {
			return err
		}
	}
	return nil
}

// Messages of keeping drafts.
type (
	draftLoadedMsg struct {
		chat  *chat
		key   DraftKey
		draft Draft
		left  bool // the project's is the same one
		err   error
	}
	draftTickMsg  struct{}
	draftSavedMsg struct{ err error }
)

// draftKey is where the page's draft belongs; false where it is not kept.
func (c *chat) draftKey() (DraftKey, bool) {
	key := DraftKey{c.Dir, c.Agent.Spec.Key(), c.Thread.Session}
	switch {
	case c.ReadOnly || key.Agent == "":
		return DraftKey{}, false
	case key.Session != "":
		return key, true
	}
	// One page without a session has the one that was left for its agent, unless
	// another session was asked for: what was left there is not this one's.
	sessions := c.m.w.Sessions()
	first := slices.IndexFunc(sessions, func(o *workspace.Session) bool {
		return o.Thread.Session == "" && !o.ReadOnly && o.Agent.Spec.Key() == key.Agent
	})
	return key, c.m.opts.TakeDraft && first >= 0 && sessions[first] == c.Session
}

// draft is what the page has now, as far as it can be kept.
func (c *chat) draft() Draft {
	d := Draft{Queued: slices.Clone(c.Queued)}
	for i := range d.Queued {
		d.Queued[i] = c.m.pictures.lasting(d.Queued[i])
	}
	for _, p := range c.composer.Parts() {
		if p.Text = c.m.pictures.lasting(p.Text); p.Text != "" {
			d.Parts = append(d.Parts, p)
		}
	}
	return d
}

// keepDrafts looks for drafts of pages that are new, and keeps those that have
// changed: at once where something was sent, else when nothing has changed for a
// while.
func (m *Model) keepDrafts(msg tea.Msg) tea.Cmd {
	if m.opts.Drafts == nil {
		return nil
	}
	if m.drafts.order == nil {
		m.drafts.order = &draftOrder{store: m.opts.Drafts}
	}
	var cmds []tea.Cmd
	sent, changed := len(m.drafts.left) > 0, false
	for _, c := range m.chats() {
		if key, ok := c.draftKey(); ok && (!c.kept.asked || c.kept.key != key) {
			cmds = append(cmds, c.lookForDraft(key))
		}
		if !c.kept.loaded {
			continue
		}
		sent = sent || len(c.Queued) < c.kept.queued || c.composer.Empty() && c.kept.filled
		changed = changed || len(c.Queued) != c.kept.queued || c.composer.Empty() == c.kept.filled
	}
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, editedMsg, draftLoadedMsg:
		changed = true
		m.drafts.changed = m.Now()
	}
	switch {
	case sent && !m.drafts.saving:
		cmds = append(cmds, m.saveDrafts())
	case changed && !m.drafts.ticking && !m.drafts.saving:
		cmds = append(cmds, m.draftTick(settled))
	}
	return tea.Batch(cmds...)
}

func (m *Model) draftTick(d time.Duration) tea.Cmd {
	m.drafts.ticking = true
	return tea.Tick(d, func(time.Time) tea.Msg { return draftTickMsg{} })
}

// handle comes when it may be time to keep what was typed.
func (draftTickMsg) handle(m *Model) tea.Cmd {
	m.drafts.ticking = false
	if rest := settled - m.Now().Sub(m.drafts.changed); rest > 0 {
		return m.draftTick(rest)
	}
	if m.drafts.saving {
		return nil // looked at again when that is done
	}
	return m.saveDrafts()
}

// lookForDraft reads the draft that belongs to a page, and remembers where it was
// before.
func (c *chat) lookForDraft(key DraftKey) tea.Cmd {
	if c.kept.asked {
		c.kept.former = append(c.kept.former, c.kept.key)
	}
	c.kept.asked, c.kept.loaded, c.kept.key, c.kept.saved = true, false, key, Draft{}
	c.kept.looks++
	store := c.m.opts.Drafts
	return func() tea.Msg {
		msg := draftLoadedMsg{chat: c, key: key}
		if msg.draft, msg.err = store.Load(key); msg.err != nil || key.Session == "" {
			return msg
		}
		left, err := store.Load(key.left())
		if err == nil && left.Session == key.Session && !left.empty() {
			if msg.left = true; msg.draft.empty() {
				msg.draft = left
			}
		}
		return msg
	}
}

// handle puts a draft into the composer that was left there once. What is
// being typed already stays: then the old one is in the history.
func (msg draftLoadedMsg) handle(m *Model) tea.Cmd {
	c := msg.chat
	c.kept.looks--
	if msg.err != nil {
		c.kept.loaded = c.kept.loaded || c.kept.key == msg.key
		return m.draftsFailed(msg.err)
	}
	if c.kept.key == msg.key {
		c.kept.loaded, c.kept.saved = true, msg.draft
	} else if msg.key.Session != "" || msg.key != c.kept.key.left() {
		return nil // it is another session's page by now
	}
	if msg.left {
		c.kept.former = append(c.kept.former, msg.key.left())
	}
	if msg.draft.empty() {
		return nil
	}
	if from := (DraftKey{msg.key.Dir, msg.key.Agent, msg.draft.Session}); from.Session != "" && from != c.kept.key {
		c.kept.former = append(c.kept.former, from)
	}
	if !c.composer.Empty() || len(c.Queued) > 0 {
		c.history.Add(strings.TrimSpace(valueOf(msg.draft)))
		return c.say("the draft that was left here is in the history: up")
	}
	c.composer.SetParts(partsOf(msg.draft))
	c.refreshPopup()
	return c.say("the draft that was left here")
}

// partsOf are those of a draft with the prompts that waited in front. They are
// never sent by themselves.
func partsOf(d Draft) []widget.Part {
	var parts []widget.Part
	for i, q := range d.Queued {
		if i > 0 {
			parts = append(parts, widget.Part{Text: "\n\n"})
		}
		parts = append(parts, widget.Part{Text: q, Pasted: true})
	}
	if len(d.Queued) > 0 && len(d.Parts) > 0 {
		parts = append(parts, widget.Part{Text: "\n\n"})
	}
	return append(parts, d.Parts...)
}

func valueOf(d Draft) string {
	var b strings.Builder
	for _, p := range partsOf(d) {
		b.WriteString(p.Text)
	}
	return b.String()
}

// collect says what has to be written so that the page's draft is kept as it is.
func (c *chat) collect() []draftWrite {
	if !c.kept.loaded || c.kept.looks > 0 {
		return nil
	}
	c.kept.filled, c.kept.queued = !c.composer.Empty(), len(c.Queued)
	d := c.draft()
	if d.equal(c.kept.saved) && len(c.kept.former) == 0 {
		return nil
	}
	out := []draftWrite{{c.kept.key, d}}
	for _, key := range c.kept.former {
		if key != c.kept.key {
			out = append(out, draftWrite{key: key})
		}
	}
	c.kept.saved, c.kept.former = d, nil
	return out
}

// saveDrafts writes what has changed.
func (m *Model) saveDrafts() tea.Cmd {
	batch := m.drafts.left
	m.drafts.left = nil
	for _, c := range m.chats() {
		batch = append(batch, c.collect()...)
	}
	if len(batch) == 0 {
		return nil
	}
	m.drafts.saving = true
	order := m.drafts.order
	order.next++
	n := order.next
	return func() tea.Msg { return draftSavedMsg{order.write(n, batch)} }
}

func (msg draftSavedMsg) handle(m *Model) tea.Cmd {
	m.drafts.saving = false
	if msg.err != nil {
		return m.draftsFailed(msg.err)
	}
	return nil
}

// draftsFailed says once that drafts are not kept.
func (m *Model) draftsFailed(err error) tea.Cmd {
	if m.drafts.failed {
		return nil
	}
	m.drafts.failed = true
	return m.chat.say("drafts are not kept" + atomicfile.Room(err) + ": " + err.Error())
}

// leaveDraft keeps the draft of a page that goes away.
func (m *Model) leaveDraft(c *chat) {
	if m.opts.Drafts != nil {
		m.drafts.left = append(m.drafts.left, c.collect()...)
	}
}

// flushDrafts keeps all drafts when the screen has ended, and leaves that of the
// page in front to whoever comes next in the project.
func (m *Model) flushDrafts() {
	order := m.drafts.order
	if order == nil {
		return
	}
	batch := m.drafts.left
	for _, c := range m.chats() {
		key, ok := c.draftKey()
		if d := c.draft(); ok && !d.empty() && (!c.kept.loaded || c.kept.looks > 0 || c.kept.key != key) { // it was not looked for yet
			batch = append(batch, draftWrite{key, d})
			continue
		}
		batch = append(batch, c.collect()...)
	}
	if c := m.chat; !c.ReadOnly {
		if d := c.draft(); !d.empty() {
			d.Session = c.Thread.Session
			batch = append(batch, draftWrite{DraftKey{Dir: c.Dir, Agent: c.Agent.Spec.Key()}, d})
		}
	}
	order.next++
	_ = order.write(order.next, batch) // there is nobody left to tell
}
