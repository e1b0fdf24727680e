package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/atomicfile"
	"parley/permissions"
	"parley/ui/composer"
	"parley/ui/panel"
	"parley/ui/question"
	"parley/ui/widget/list"
)

// questionHost implements question.Host for a page.
type questionHost struct{ c *chat }

func (h questionHost) Answers() *permissions.Broker { return h.c.Broker() }
func (h questionHost) ClosePopup()                  { h.c.composer.ClosePopup() }
func (h questionHost) QuestionsChanged()            { h.c.asksChanged, h.c.m.asksChanged = true, true }

// hideAsked makes the transcripts leave out what questions show. It is called once for each message, which
// may bring or end many questions.
func (m *Model) hideAsked() {
	if !m.asksChanged {
		return
	}
	m.asksChanged = false
	for _, c := range m.chats() {
		if c.asksChanged {
			c.asksChanged = false
			c.changed = append(c.changed, c.Thread.SetAsked(c.question.Subjects())...)
			c.applied()
		}
	}
}

func (h questionHost) PageState() question.PageState {
	c := h.c
	return question.PageState{
		Covered:  c.panels.reading != nil || c.listed(),
		Drafting: !c.composer.Empty(),
		Focused:  c.focused,
		LastKey:  c.m.input.Last(),
		Beside:   c.m.chat != c,
		Agent:    c.Agent.Name(),
		Browser:  c.m.opts.OpenURL != nil,
	}
}

// formPage returns what forms know of the page. A question comes before them.
func (c *chat) formPage() question.PageState {
	page := questionHost{c}.PageState()
	page.Later = c.question.Open()
	return page
}

// openedURLMsg reports whether a browser was started.
type openedURLMsg struct {
	chat *chat
	err  error
}

func (msg openedURLMsg) handle(*Model) tea.Cmd {
	if msg.err != nil {
		return msg.chat.say("Cannot start a browser: " + msg.err.Error())
	}
	return msg.chat.say("Opened in your browser")
}

// rulesOffered has the rules that would have answered a question.
type rulesOffered struct {
	chat    *chat
	key     uint64 // of the question
	session string
	items   []list.Item
}

// OfferRules lists rules that would have answered the question. Adding one allows it, so
// all of the question must have been read.
func (h questionHost) OfferRules(cur permissions.Question, read bool) tea.Cmd {
	c := h.c
	switch {
	case !read:
		return c.say(question.ReadFirst(c.m.Keys))
	}
	rules := permissions.Suggest(cur)
	if len(rules) == 0 {
		return c.say(question.WhyNoRule(cur))
	}
	asked := c.Agent.LastAsked(cur.Session)
	return func() tea.Msg { // reads files
		return rulesOffered{c, cur.Key, cur.Session, question.RuleItems(rules, asked())}
	}
}

// handle shows the rules if the question is still on the screen.
func (msg rulesOffered) handle(*Model) tea.Cmd {
	c := msg.chat
	if cur, ok := c.question.Current(); !ok || cur.Key != msg.key || c.listed() {
		return nil
	}
	c.panels.show(&panel.List{Title: "New rule", Foot: "enter add · esc close", List: list.New(msg.items), Choose: func(it list.Item) tea.Cmd {
		rule := it.Value.(permissions.Rule)
		c.Agent.AddRule(msg.session, rule, func(where string, err error) {
			if err != nil {
				c.Say("Rule not added" + atomicfile.FreeSpaceAdvice(err) + ": " + err.Error())
				return
			}
			c.Say("Added rule: " + rule.Name() + " (" + where + ")")
		})
		return nil
	}})
	return nil
}

// Messages for editing the text of a write.
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
		edited        question.Edited
		failed, err   error // of the editor, and of the file
	}
)

// EditWrite opens the text of a write in the user's editor.
func (h questionHost) EditWrite(cur permissions.Question, before string) (tea.Cmd, bool) {
	c, editor := h.c, h.c.m.opts.FileEditor
	if editor == nil {
		return c.say("No editor found: set $EDITOR"), false
	}
	return func() tea.Msg {
		e, err := editor(before, cur.Change.Path)
		return writeReady{c, cur.Key, before, e, err}
	}, true
}

// handle hands the terminal to the editor.
func (msg writeReady) handle(m *Model) tea.Cmd {
	c, done := msg.chat, msg.edit.Done
	cur, ok := c.question.Find(msg.key)
	if msg.err != nil || !ok || m.quitting {
		c.question.NotEdited(msg.key)
		if msg.err != nil {
			return c.say(msg.err.Error())
		}
		return func() tea.Msg { _, _ = done(); return nil } // removes the file
	}
	return m.Exec(msg.edit.Command, func(failed error) tea.Msg {
		after, err := done()
		if after == msg.before+"\n" { // editors add a final newline
			after = msg.before
		}
		return writeEdited{c, msg.key, msg.before, after, question.CompareEdit(cur, after), failed, err}
	})
}

// handle shows the edited text as a change to be read like any other. The text of an
// editor that failed is ignored.
func (msg writeEdited) handle(m *Model) tea.Cmd {
	c := msg.chat
	m.input.Touch() // keys meant for the editor answer nothing
	c.question.SuspendKeys()
	c.question.NotEdited(msg.key)
	switch _, ok := c.question.Find(msg.key); {
	case !ok:
		return c.say("The question was answered meanwhile; your edit is not written")
	case msg.failed != nil:
		return c.say("The editor failed; the text is unchanged: " + msg.failed.Error())
	case msg.err != nil:
		return c.say("The text is unchanged: " + msg.err.Error())
	case msg.after == msg.before:
		return c.say("The text is unchanged")
	}
	c.question.Edited(msg.edited)
	return nil
}
