package composer

import (
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/atomicfile"
	"parley/internal/memory"
	"parley/ui/layer"
)

// draftKeeper saves the drafts of all composers to the disk.
type draftKeeper struct {
	env      *layer.Env
	pages    Pages
	changed  time.Time // the time of the last change
	ticking  bool
	saving   bool
	failed   bool         // the user was told that saving fails
	ofClosed []draftWrite // of closed composers
	order    draftOrder
}

// draftWrite is one draft to write.
type draftWrite struct {
	key   memory.Key
	draft memory.Draft
}

// draftOrder prevents an older state of a draft from overwriting a newer one.
type draftOrder struct {
	store memory.DraftStore
	mu    sync.Mutex
	last  int // number of the newest written batch
	next  int // number of the newest batch; for the screen's goroutine only
}

// number returns the number of a new batch.
func (o *draftOrder) number() int { o.next++; return o.next }

// write writes a batch unless a newer one was written.
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

// Messages of saving drafts.
type (
	draftLoadedMsg struct {
		keeper    *draftKeeper
		composer  *Composer
		key       memory.Key
		draft     memory.Draft
		inProject bool // the project has the same draft
		err       error
	}
	draftTickMsg  struct{ keeper *draftKeeper }
	draftSavedMsg struct {
		keeper *draftKeeper
		err    error
	}
)

// saveDelay is how long a draft must be unchanged before it is saved.
const saveDelay = time.Second

// after loads the drafts of new composers and saves those that have changed: at once after
// a prompt was sent, else after saveDelay without a change.
func (k *draftKeeper) after(msg tea.Msg) tea.Cmd {
	if k.order.store == nil {
		return nil
	}
	var cmds []tea.Cmd
	sent, changed := len(k.ofClosed) > 0, false
	for _, c := range k.pages() {
		s := c.state()
		if s.DraftSaved && (!c.saved.asked || c.saved.key != s.Draft) {
			cmds = append(cmds, k.load(c, s.Draft))
		}
		if !c.saved.loaded {
			continue
		}
		sent = sent || len(s.Queued) < c.saved.queued || c.Empty() && c.saved.hadText
		changed = changed || len(s.Queued) != c.saved.queued || c.Empty() == c.saved.hadText
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
		cmds = append(cmds, k.tick(saveDelay))
	}
	return tea.Batch(cmds...)
}

func (k *draftKeeper) tick(d time.Duration) tea.Cmd {
	k.ticking = true
	return tea.Tick(d, func(time.Time) tea.Msg { return draftTickMsg{k} })
}

// Handle saves the drafts if saveDelay has passed.
func (msg draftTickMsg) Handle() tea.Cmd {
	k := msg.keeper
	k.ticking = false
	if rest := saveDelay - k.env.Now().Sub(k.changed); rest > 0 {
		return k.tick(rest)
	}
	if k.saving {
		return nil // the end of that save checks again
	}
	return k.save()
}

// load loads the draft of a composer under a new key, and remembers the old key.
func (k *draftKeeper) load(c *Composer, key memory.Key) tea.Cmd {
	if c.saved.asked {
		c.saved.oldKeys = append(c.saved.oldKeys, c.saved.key)
	}
	c.saved.asked, c.saved.loaded, c.saved.key, c.saved.draft = true, false, key, memory.Draft{}
	c.saved.loads++
	store := k.order.store
	return func() tea.Msg {
		msg := draftLoadedMsg{keeper: k, composer: c, key: key}
		if msg.draft, msg.err = store.Load(key); msg.err != nil || key.Session == "" {
			return msg
		}
		draft, err := store.Load(key.OfProject())
		if err == nil && draft.Session == key.Session && !draft.Empty() {
			if msg.inProject = true; msg.draft.Empty() {
				msg.draft = draft
			}
		}
		return msg
	}
}

// Handle fills the composer with a draft that was loaded.
func (msg draftLoadedMsg) Handle() tea.Cmd {
	c := msg.composer
	saved := &c.saved
	saved.loads--
	if msg.err != nil {
		saved.loaded = saved.loaded || saved.key == msg.key
		return msg.keeper.fail(msg.err)
	}
	if saved.key == msg.key {
		saved.loaded, saved.draft = true, msg.draft
	} else if msg.key.Session != "" || msg.key != saved.key.OfProject() {
		return nil // the page has another session by now
	}
	if msg.inProject {
		saved.oldKeys = append(saved.oldKeys, msg.key.OfProject())
	}
	if msg.draft.Empty() {
		return nil
	}
	if from := (memory.Key{Dir: msg.key.Dir, Agent: msg.key.Agent, Session: msg.draft.Session}); from.Session != "" && from != saved.key {
		saved.oldKeys = append(saved.oldKeys, from)
	}
	return c.fill(msg.draft)
}

// save writes the drafts that have changed.
func (k *draftKeeper) save() tea.Cmd {
	batch := k.ofClosed
	k.ofClosed = nil
	for _, c := range k.pages() {
		batch = append(batch, c.collect(c.state())...)
	}
	if len(batch) == 0 {
		return nil
	}
	k.saving = true
	n := k.order.number()
	return func() tea.Msg { return draftSavedMsg{k, k.order.write(n, batch)} }
}

// Handle ends a save.
func (msg draftSavedMsg) Handle() tea.Cmd {
	msg.keeper.saving = false
	if msg.err != nil {
		return msg.keeper.fail(msg.err)
	}
	return nil
}

// fail says once that drafts are not saved.
func (k *draftKeeper) fail(err error) tea.Cmd {
	if k.failed {
		return nil
	}
	k.failed = true
	return k.pages.say("Drafts are not saved" + atomicfile.FreeSpaceAdvice(err) + ": " + err.Error())
}

// leave notes the draft of a composer that is being closed, for the next save.
func (k *draftKeeper) leave(c *Composer) {
	if k.order.store != nil {
		k.ofClosed = append(k.ofClosed, c.collect(c.state())...)
	}
}

// flush saves all drafts after the screen has ended, and the one in front also for the next
// session in the project.
func (k *draftKeeper) flush() {
	if k.order.store == nil {
		return
	}
	batch := k.ofClosed
	for _, c := range k.pages() {
		s := c.state()
		if d := c.draft(s); s.DraftSaved && !d.Empty() && (!c.saved.loaded || c.saved.loads > 0 || c.saved.key != s.Draft) { // it was not loaded yet
			batch = append(batch, draftWrite{s.Draft, d})
			continue
		}
		batch = append(batch, c.collect(s)...)
	}
	front := k.pages()[0]
	if s := front.state(); !s.ReadOnly {
		if d := front.draft(s); !d.Empty() {
			d.Session = s.Draft.Session
			batch = append(batch, draftWrite{s.Draft.OfProject(), d})
		}
	}
	_ = k.order.write(k.order.number(), batch) // the screen has ended: nothing can show the error
}
