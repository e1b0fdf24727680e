package composer

import (
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/atomicfile"
	"parley/ui/layer"
)

// keeper keeps the drafts of all composers on the disk.
type keeper struct {
	env     *layer.Env
	screen  Screen
	changed time.Time // when the last change was made
	ticking bool
	saving  bool
	failed  bool         // that it does not work was said
	left    []draftWrite // of composers that have gone
	order   draftOrder
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

// number is that of the next batch.
func (o *draftOrder) number() int { o.next++; return o.next }

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
		keeper   *keeper
		composer *Composer
		key      DraftKey
		draft    Draft
		left     bool // the project's is the same one
		err      error
	}
	draftTickMsg  struct{ keeper *keeper }
	draftSavedMsg struct {
		keeper *keeper
		err    error
	}
)

// settled is how long nothing must have changed until a draft is kept.
const settled = time.Second

// after looks for drafts of composers that are new, and keeps those that have changed: at
// once where something was sent, else when nothing has changed for a while.
func (k *keeper) after(msg tea.Msg) tea.Cmd {
	if k.order.store == nil {
		return nil
	}
	var cmds []tea.Cmd
	sent, changed := len(k.left) > 0, false
	for _, c := range k.screen.Composers() {
		s := c.host.Session()
		if s.Kept && (!c.kept.asked || c.kept.key != s.Draft) {
			cmds = append(cmds, k.look(c, s.Draft))
		}
		if !c.kept.loaded {
			continue
		}
		sent = sent || len(s.Queued) < c.kept.queued || c.Empty() && c.kept.filled
		changed = changed || len(s.Queued) != c.kept.queued || c.Empty() == c.kept.filled
	}
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, editedMsg, draftLoadedMsg:
		changed = true
		k.changed = k.env.Now()
	}
	switch {
	case sent && !k.saving:
		cmds = append(cmds, k.save())
	case changed && !k.ticking && !k.saving:
		cmds = append(cmds, k.tick(settled))
	}
	return tea.Batch(cmds...)
}

func (k *keeper) tick(d time.Duration) tea.Cmd {
	k.ticking = true
	return tea.Tick(d, func(time.Time) tea.Msg { return draftTickMsg{k} })
}

// Handle comes when it may be time to keep what was typed.
func (msg draftTickMsg) Handle() tea.Cmd {
	k := msg.keeper
	k.ticking = false
	if rest := settled - k.env.Now().Sub(k.changed); rest > 0 {
		return k.tick(rest)
	}
	if k.saving {
		return nil // looked at again when that is done
	}
	return k.save()
}

// look reads the draft that belongs to a composer, and remembers where it was before.
func (k *keeper) look(c *Composer, key DraftKey) tea.Cmd {
	if c.kept.asked {
		c.kept.former = append(c.kept.former, c.kept.key)
	}
	c.kept.asked, c.kept.loaded, c.kept.key, c.kept.saved = true, false, key, Draft{}
	c.kept.looks++
	store := k.order.store
	return func() tea.Msg {
		msg := draftLoadedMsg{keeper: k, composer: c, key: key}
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

// Handle takes a draft that was read.
func (msg draftLoadedMsg) Handle() tea.Cmd {
	c := msg.composer
	kept := &c.kept
	kept.looks--
	if msg.err != nil {
		kept.loaded = kept.loaded || kept.key == msg.key
		return msg.keeper.fail(msg.err)
	}
	if kept.key == msg.key {
		kept.loaded, kept.saved = true, msg.draft
	} else if msg.key.Session != "" || msg.key != kept.key.left() {
		return nil // it is another session's page by now
	}
	if msg.left {
		kept.former = append(kept.former, msg.key.left())
	}
	if msg.draft.empty() {
		return nil
	}
	if from := (DraftKey{msg.key.Dir, msg.key.Agent, msg.draft.Session}); from.Session != "" && from != kept.key {
		kept.former = append(kept.former, from)
	}
	return c.fill(msg.draft)
}

// save writes what has changed.
func (k *keeper) save() tea.Cmd {
	batch := k.left
	k.left = nil
	for _, c := range k.screen.Composers() {
		batch = append(batch, c.collect(c.host.Session())...)
	}
	if len(batch) == 0 {
		return nil
	}
	k.saving = true
	n := k.order.number()
	return func() tea.Msg { return draftSavedMsg{k, k.order.write(n, batch)} }
}

// Handle takes the end of a batch.
func (msg draftSavedMsg) Handle() tea.Cmd {
	msg.keeper.saving = false
	if msg.err != nil {
		return msg.keeper.fail(msg.err)
	}
	return nil
}

// fail says once that drafts are not kept.
func (k *keeper) fail(err error) tea.Cmd {
	if k.failed {
		return nil
	}
	k.failed = true
	return say(k.screen, "Drafts are not saved"+atomicfile.Room(err)+": "+err.Error())
}

// leave keeps the draft of a composer that goes away.
func (k *keeper) leave(c *Composer) {
	if k.order.store != nil {
		k.left = append(k.left, c.collect(c.host.Session())...)
	}
}

// flush keeps all drafts when the screen has ended, and leaves the one in front to
// the next session in the project.
func (k *keeper) flush() {
	if k.order.store == nil {
		return
	}
	batch := k.left
	for _, c := range k.screen.Composers() {
		s := c.host.Session()
		if d := c.draft(s); s.Kept && !d.empty() && (!c.kept.loaded || c.kept.looks > 0 || c.kept.key != s.Draft) { // it was not looked for yet
			batch = append(batch, draftWrite{s.Draft, d})
			continue
		}
		batch = append(batch, c.collect(s)...)
	}
	front := k.screen.Front()
	if s := front.host.Session(); !s.ReadOnly {
		if d := front.draft(s); !d.empty() {
			d.Session = s.Draft.Session
			batch = append(batch, draftWrite{s.Draft.left(), d})
		}
	}
	_ = k.order.write(k.order.number(), batch) // there is nobody left to tell
}
