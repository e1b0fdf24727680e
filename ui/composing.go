package ui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/ui/composer"
	"parley/ui/intent"
	"parley/ui/panel"
	"parley/ui/transcript"
	"parley/ui/widget/list"
)

// composing is the page as the host of its composer, and what the page does with that.
type composing struct{ c *chat }

func (h composing) Say(text string) tea.Cmd { return h.c.say(text) }
func (h composing) Submit() tea.Cmd         { return h.c.submit() }
func (h composing) Typed()                  { h.c.m.input.Touch() }
func (h composing) Unsettled() []string     { return h.c.Session.Unsettled() }

func (h composing) Commands() (agent []event.Command, own []intent.Offer) { return h.c.commands() }

func (h composing) Session() composer.Session {
	c, conn := h.c, h.c.Agent.Conn()
	s := composer.Session{
		ReadOnly: c.ReadOnly, Connected: conn != nil, Images: conn != nil && conn.Client.Agent().Image,
		Dir: c.LocalDir(), Away: c.m.page != chatPage || c.focused || c.listed(), Queued: c.Queued,
		Draft: composer.DraftKey{Dir: c.Dir, Agent: c.Agent.Spec.Key(), Session: c.Thread.Session},
	}
	s.Kept = !s.ReadOnly && s.Draft.Agent != "" && (s.Draft.Session != "" || h.takesDraft())
	return s
}

func (h composing) Invitation() string {
	switch {
	case h.c.m.page == connectingPage:
		return "what you type is sent when the agent is there"
	case h.c.ReadOnly:
		return h.c.nobody()
	}
	return "ask the agent, / for commands, ? for help"
}

// takesDraft tells whether the page has the draft that was left for its agent: one page
// without a session has, unless another session was asked for. What was left there is not
// that one's.
func (h composing) takesDraft() bool {
	if !h.c.m.opts.TakeDraft {
		return false
	}
	sessions := h.c.m.w.Sessions()
	first := slices.IndexFunc(sessions, func(o *workspace.Session) bool {
		return o.Thread.Session == "" && !o.ReadOnly && o.Agent.Spec.Key() == h.c.Agent.Spec.Key()
	})
	return first >= 0 && sessions[first] == h.c.Session
}

// composers is the screen around all of them, as their store sees it.
type composers struct{ m *Model }

func (h composers) Context() context.Context  { return h.m.w.Context() }
func (h composers) Front() *composer.Composer { return h.m.chat.composer }
func (h composers) Quitting() bool            { return h.m.quitting }

func (h composers) Composers() []*composer.Composer {
	var out []*composer.Composer
	for _, c := range h.m.chats() {
		out = append(out, c.composer)
	}
	return out
}

func (h composers) HistoryChanged() {
	for _, c := range h.m.chats() {
		if l := c.panels.listOf(intent.SearchHistory); l != nil {
			l.SetItems(c.composer.Entries())
		}
	}
}

// newStore makes what the composers share.
func newStore(m *Model) *composer.Store {
	o := composer.Options{Env: &m.Env, Screen: composers{m}, Files: m.opts.Files, Pictures: m.opts.Pictures, History: m.opts.History, Drafts: m.opts.Drafts, Home: m.opts.Home}
	if editor := m.opts.Editor; editor != nil {
		o.Editor = editor
	}
	return composer.NewStore(o)
}

// expand returns what makes blocks of a prompt; nil where it is plain text.
func (h composers) expand(s *workspace.Session, text string) func(context.Context) ([]event.Block, []string) {
	m, conn, c := h.m, s.Agent.Conn(), h.m.pageOf(s)
	if conn == nil {
		return nil
	}
	to := composer.Recipient{Agent: conn.Client.Agent(), Roots: []string{c.LocalDir()}}
	if conn.Template.Cwd == to.Roots[0] {
		to.Roots = append(to.Roots, conn.Template.Roots...)
	}
	if spec := s.Agent.Spec; spec.Remote && !spec.Shared {
		to.Withheld = func() {
			s.SayOnce("this agent runs elsewhere and gets no files: what is behind @ stays text")
		}
	}
	return m.store.Expand(text, to)
}

// search lists what was sent before, the newest first. The draft stays
// until something is chosen.
func (h composing) search() tea.Cmd {
	c := h.c
	c.panels.show(&panel.List{Of: intent.SearchHistory, Title: "history", Foot: "enter takes it · esc", Empty: "nothing was sent yet", List: list.NewRecent(c.composer.Entries()), Same: func(a, b any) bool { return a == b }, Leaves: true, Choose: func(it list.Item) tea.Cmd {
		c.composer.KeepDraft() // as ctrl+c does
		c.composer.SetValue(it.Value.(string))
		c.composer.Refresh()
		return nil
	}})
	return c.m.store.LoadHistory() // others may have added to it
}

// after is what every message may have changed for the composers.
func (h composers) after(msg tea.Msg) tea.Cmd {
	for _, c := range h.m.chats() {
		if c.composer.Empty() { // a prompt that was taken from the queue is no longer in it
			c.EndEdit()
		}
	}
	return h.m.store.After(msg)
}

// commands are the agent's and then parley's.
func (c *chat) commands() (agent []event.Command, own []intent.Offer) {
	for _, o := range intent.Offers(c.agentHas) {
		if !c.useless(o.Intent) {
			own = append(own, o)
		}
	}
	return c.Thread.Commands, own
}

// agentHas tells whether a slash command is the agent's.
func (c *chat) agentHas(name string) bool {
	return !c.ReadOnly && slices.ContainsFunc(c.Thread.Commands, func(cmd event.Command) bool { return cmd.Name == name })
}

// own carries out a command of parley's.
func (c *chat) own(text string) (tea.Cmd, bool) {
	name, slash := strings.CutPrefix(strings.TrimSpace(text), "/")
	a, ok := intent.Named(name, c.agentHas)
	if !slash || !ok || c.useless(a.Intent) {
		return nil, false
	}
	return c.do(a.Intent)
}

// stopSending gives up the prompt whose files are being read; false where there is
// none.
func (h composing) stopSending() bool {
	c := h.c
	text, ok := c.StopSending()
	if ok {
		c.composer.Prepend(text)
	}
	return ok
}

// walkQueue goes from the queued prompt in the composer to the one before or
// after it; each keeps its place. False where there is none in the composer.
func (h composing) walkQueue(want intent.Intent) (tea.Cmd, bool) {
	c := h.c
	at, editing := c.Edited()
	if !editing || want != intent.HistoryBack && want != intent.HistoryForward {
		return nil, false
	}
	if at--; want == intent.HistoryForward {
		at += 2
	}
	if at < 0 {
		return c.say("that is the first prompt that waits"), true
	}
	c.PutBack(c.composer.Value())
	if at >= len(c.Queued) {
		c.composer.Reset()
		return nil, true
	}
	c.composer.SetValue(c.TakeQueued(at))
	return nil, true
}

// takeUnconfirmed takes the newest prompt that may not have arrived into the
// composer, or drops it.
func (h composing) takeUnconfirmed(edit bool) bool {
	c := h.c
	p, ok := c.Offers.Take(true)
	if ok && edit {
		carried, own := transcript.SplitCarried(p.Draft)
		c.Carried = append(carried, c.Carried...)
		c.composer.SetValue(own)
	}
	return ok
}
