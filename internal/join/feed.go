package join

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/workspace"
)

// feed is what clients get of one session. A client that joins reads the thread from its start, with a cursor of
// its own, until it has all of it. From then on it gets the updates of the stream of its dialect, which are
// written once for all: its cursor would be equal to the stream's.
type feed struct {
	session *workspace.Session
	id      string // by which clients know the session
	thread  *thread.Thread
	items   []identity // by index
	tools   map[string]bool
	epoch   int // how often the thread was replaced

	streams map[dialect]*stream
	joining []*follower

	changed map[int]bool // items
	other   bool         // something else may have changed
	turns   int          // turns that have ended
	last    *event.TurnEnded
	updated time.Time
	title   string
	screens map[int]time.Time // when the output of running commands was sent last

	prompts []*prompt
	authors map[int]*client // of the prompts in the thread that clients of version 1 have sent: they show them themselves
}

// identity is by what clients know an item. revision counts how often its text was replaced by another one that
// does not begin like it.
type identity struct {
	id         string
	text       []byte // when it was looked at last; it changes only by appending
	generation int
	revision   int
}

// stream are the updates of clients that are up to date.
type stream struct {
	cursor cursor
	live   []*follower
}

// follower is a client in a session.
type follower struct {
	client *client
	cursor *cursor // nil when it is up to date
	at     int     // the next item to send
	joined func()  // called when it is up to date
}

func newFeed(s *workspace.Session, id string, now time.Time) *feed {
	f := &feed{session: s, id: id, thread: s.Thread, streams: map[dialect]*stream{}, authors: map[int]*client{}, updated: now}
	f.rest()
	return f
}

// rest drops what is only needed while clients follow the session.
func (f *feed) rest() {
	f.items, f.tools, f.changed, f.screens, f.other = nil, map[string]bool{}, map[int]bool{}, map[int]time.Time{}, false
}

// learn identifies new items, and notices replaced texts.
func (f *feed) learn() {
	if f.thread != f.session.Thread {
		f.replaced()
	}
	for i := len(f.items); i < len(f.thread.Items); i++ {
		f.items = append(f.items, f.identify(f.thread.Items[i]))
	}
	for i := range f.changed {
		if i >= len(f.items) {
			delete(f.changed, i)
			continue
		}
		k, it := &f.items[i], f.thread.Items[i]
		if k.generation != it.Generation && !bytes.HasPrefix(it.Text, k.text) {
			k.revision++
		}
		k.generation, k.text = it.Generation, it.Text
	}
}

func (f *feed) identify(it *thread.Item) identity {
	id := fmt.Sprintf("m%d", it.Index)
	if it.Tool != nil && it.Tool.ID != "" {
		id = it.Tool.ID
		if f.tools[id] {
			id = fmt.Sprintf("%s#%d", id, it.Index)
		}
	}
	if f.epoch > 0 {
		if it.Tool == nil || f.tools[id] {
			id = fmt.Sprintf("e%d-%s", f.epoch, id)
		}
	}
	f.tools[id] = true
	return identity{id: id, text: it.Text, generation: it.Generation}
}

// replaced continues with the conversation as the agent has replayed it after a lost connection. As long as both
// say the same, clients have it already; they get the rest.
func (f *feed) replaced() {
	was, known := f.thread.Items, f.items
	f.thread, f.items = f.session.Thread, nil
	f.epoch++
	f.authors = map[int]*client{}
	place := map[int]int{} // from the new index to the old one
	at := 0
	for i, it := range f.thread.Items {
		if !said(it) {
			f.items = append(f.items, f.identify(it))
			continue
		}
		for at < len(was) && at < len(known) && !said(was[at]) {
			at++
		}
		if at == len(was) || at == len(known) || !alike(it, was[at]) {
			break
		}
		k := known[at]
		k.text, k.generation = it.Text, it.Generation
		place[i] = at
		f.items = append(f.items, k)
		at++
	}
	for i := range f.thread.Items {
		f.changed[i] = true
	}
	move := func(c *cursor) {
		had := c.items
		c.items = nil
		for i := range f.thread.Items {
			var s sent
			if from, ok := place[i]; ok && from < len(had) {
				s = had[from]
				s.version = -1
			}
			c.items = append(c.items, s)
		}
	}
	for _, s := range f.streams {
		move(&s.cursor)
	}
	for _, j := range f.joining {
		move(j.cursor)
		j.at = 0
	}
	f.other = true
}

// said reports whether an item is of the conversation itself.
func said(it *thread.Item) bool {
	switch it.Kind {
	case thread.UserMessage, thread.AgentMessage, thread.ThoughtMessage, thread.ToolCall:
		return true
	}
	return false
}

func alike(a, b *thread.Item) bool {
	if a.Kind != b.Kind {
		return false
	}
	if a.Tool != nil {
		return a.Tool.ID == b.Tool.ID
	}
	return bytes.HasPrefix(a.Text, b.Text)
}

// heard records what a piece of news may have changed.
func (f *feed) heard(n workspace.News, now time.Time) {
	f.updated = now
	var items []int
	quiet := false
	switch n := n.(type) {
	case workspace.EventApplied:
		items = n.Items
		switch e := n.Event.(type) {
		case event.TextArrived, event.TerminalOutput, event.ToolChanged:
			quiet = true
		case event.TurnEnded:
			f.turns++
			f.last = &e
		}
	case workspace.ItemsChanged:
		items = n.Items
	}
	if !f.followed() {
		return
	}
	f.other = f.other || !quiet
	for _, i := range items {
		f.changed[i] = true
	}
}

// followed reports whether clients follow the session.
func (f *feed) followed() bool { return len(f.streams) > 0 || len(f.joining) > 0 }

// screenPace is how often the output of a running command is sent.
const screenPace = 500 * time.Millisecond

// waits reports whether a changed item is sent later, because it shows the output of a running command.
func (f *feed) waits(i int, now time.Time) bool {
	it := f.thread.Items[i]
	if !outputs(f.thread, it) {
		return false
	}
	if now.Sub(f.screens[i]) < screenPace {
		return true
	}
	f.screens[i] = now
	return false
}

// outputs reports whether an item shows a command that runs.
func outputs(t *thread.Thread, it *thread.Item) bool {
	if it.Shell != nil {
		return it.Shell.Live()
	}
	return it.Tool != nil && slices.ContainsFunc(it.Tool.Content, func(c event.ToolContent) bool {
		term := t.TerminalOf(it, c.Terminal)
		return c.Terminal != "" && term != nil && !term.Exited
	})
}

// dirty reports whether there may be something to send.
func (f *feed) dirty() bool {
	return f.followed() && (len(f.changed) > 0 || f.other || f.thread != f.session.Thread || len(f.prompts) > 0)
}

// flush sends the live clients what has changed. It returns false if some of it is to be sent later, which only
// happens if all is not set.
func (f *feed) flush(now time.Time, all bool) bool {
	if title := f.session.Title(); title != f.title {
		f.title, f.other = title, true
	}
	if !f.dirty() {
		return true
	}
	f.learn()
	var items []int
	for i := range f.changed {
		if all || !f.waits(i, now) {
			items = append(items, i)
			delete(f.changed, i)
		}
	}
	slices.Sort(items)
	for d, s := range f.streams {
		w := writer{feed: f, dialect: d, cursor: &s.cursor, live: true}
		w.begin()
		for _, i := range items {
			w.item(i)
		}
		w.end(f.other)
		f.send(s.live, w.out)
	}
	f.other = false
	return len(f.changed) == 0
}

// send sends updates to clients, but to none its own prompt.
func (f *feed) send(to []*follower, updates []update) {
	if len(updates) == 0 {
		return
	}
	shared := join(updates, nil, nil)
	for _, r := range slices.Clone(to) {
		data := shared
		if slices.ContainsFunc(updates, func(u update) bool { return u.item >= 0 && f.authors[u.item] == r.client }) {
			data = join(updates, f.authors, r.client)
		}
		if len(data) > 0 {
			r.client.send(data)
		}
	}
}

// join joins updates, one a line, but those of the prompts of one author.
func join(updates []update, authors map[int]*client, without *client) []byte {
	var out []byte
	for _, u := range updates {
		if u.item >= 0 && authors != nil && authors[u.item] == without {
			continue
		}
		if len(out) > 0 {
			out = append(out, '\n')
		}
		out = append(out, u.data...)
	}
	return out
}

// follow adds a client that begins to follow the session. With replay it gets all of it first. joined is called
// when it is up to date.
func (f *feed) follow(c *client, replay bool, now time.Time, joined func()) {
	f.leave(c)
	f.flush(now, true)
	f.learn()
	r := &follower{client: c, cursor: &cursor{}, joined: joined}
	if !replay {
		r.at = len(f.thread.Items)
		for i, it := range f.thread.Items {
			r.cursor.items = append(r.cursor.items, sent{seen: true, version: it.Version, revision: f.items[i].revision, bytes: len(it.Text)})
		}
	}
	f.joining = append(f.joining, r)
	f.catchUp(r)
}

// maxAhead is how much a client that joins may have unread before it gets more, and maxReplay how much it gets at
// once, in bytes.
const (
	maxAhead  = 1 << 20
	maxReplay = 1 << 20
)

// catchUp sends a client that joins more of the session. It reports whether the client is up to date.
func (f *feed) catchUp(r *follower) bool {
	if r.client.queued() > maxAhead {
		return false
	}
	w := writer{feed: f, dialect: r.client.dialect, cursor: r.cursor}
	for i := 0; i < r.at && w.size < maxReplay; i++ { // what has changed since
		if i >= len(r.cursor.items) || r.cursor.items[i].version != f.thread.Items[i].Version {
			w.item(i)
		}
	}
	for ; r.at < len(f.items) && w.size < maxReplay; r.at++ {
		w.item(r.at)
	}
	done := w.size < maxReplay
	if done {
		w.end(true)
	}
	if data := join(w.out, nil, nil); len(data) > 0 {
		r.client.send(data)
	}
	if !done {
		return false
	}
	f.joining = slices.DeleteFunc(f.joining, func(o *follower) bool { return o == r })
	s := f.streams[r.client.dialect]
	if s == nil {
		s = &stream{cursor: *r.cursor}
		f.streams[r.client.dialect] = s
	}
	s.live, r.cursor = append(s.live, r), nil
	r.joined()
	return true
}

// leave removes a client.
func (f *feed) leave(c *client) {
	own := func(r *follower) bool { return r.client == c }
	f.joining = slices.DeleteFunc(f.joining, own)
	for d, s := range f.streams {
		if s.live = slices.DeleteFunc(s.live, own); len(s.live) == 0 {
			delete(f.streams, d)
		}
	}
}

// has reports whether a client follows the session, and whether it is up to date.
func (f *feed) has(c *client) (follows, live bool) {
	own := func(r *follower) bool { return r.client == c }
	for _, s := range f.streams {
		if slices.ContainsFunc(s.live, own) {
			return true, true
		}
	}
	return slices.ContainsFunc(f.joining, own), false
}

// toolID returns the id by which clients know a tool call of the agent's, "" if there is none.
func (f *feed) toolID(id string) string {
	for i, it := range slices.Backward(f.thread.Items) {
		if it.Tool != nil && it.Tool.ID == id && i < len(f.items) {
			return f.items[i].id
		}
	}
	return ""
}
