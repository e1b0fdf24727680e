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

// questionHost is what questions need of their page: a question.Host.
type questionHost struct{ c *chat }

func (h questionHost) Agent() string             { return h.c.Agent.Name() }
func (h questionHost) Answers() question.Answers { return h.c.broker }
func (h questionHost) Say(text string) tea.Cmd   { return h.c.say(text) }
func (h questionHost) ClosePopup()               { h.c.composer.ClosePopup() }
func (h questionHost) Hide(tools, subjects []string) {
	h.c.changed = append(h.c.changed, h.c.Thread.SetAsked(tools, subjects)...)
	h.c.applied()
}

func (h questionHost) Around() question.Around {
	c := h.c
	return question.Around{
		Covered:  c.panels.reading != nil || c.listed(),
		Drafting: !c.composer.Empty(),
		Focused:  c.focused,
		LastKey:  c.m.input.Last(),
	}
}

// formHost is what forms and pages need of their page: a question.FormHost. A question
// comes before them.
type formHost struct{ questionHost }

func (h formHost) Around() question.Around {
	around := h.questionHost.Around()
	around.Later = h.c.question.Open()
	return around
}

func (h formHost) OpenURL(url string) tea.Cmd {
	c, open := h.c, h.c.m.opts.OpenURL
	if open == nil {
		return nil
	}
	return func() tea.Msg { return openedURLMsg{c, open(url)} }
}

// openedURLMsg says whether a browser was started.
type openedURLMsg struct {
	chat *chat
	err  error
}

func (msg openedURLMsg) handle(*Model) tea.Cmd {
	if msg.err != nil {
		return msg.chat.say("no browser was started: " + msg.err.Error())
	}
	return msg.chat.say("opened in your browser")
}

// Messages of rules.
type (
	rulesOffered struct {
		chat    *chat
		key     uint64 // of the question
		session string
		items   []list.Item
	}
	ruleMade struct {
		chat  *chat
		rule  permissions.Rule
		where string
		err   error
	}
)

// OfferRules lets the user choose a rule that would have answered the question: a yes, so
// only when all of it was read.
func (h questionHost) OfferRules(cur permissions.Question, read bool) tea.Cmd {
	c, conn := h.c, h.c.Agent.Conn()
	switch {
	case conn == nil || conn.AddRule == nil:
		return c.say("rules cannot be made here")
	case !read:
		return c.say("read to the end first: down, pgdn")
	}
	rules := permissions.Suggest(cur)
	if len(rules) == 0 {
		return c.say(question.WhyNoRule(cur))
	}
	return func() tea.Msg { // it looks at files
		var asked []permissions.Facts
		if conn.LastAsked != nil {
			asked = conn.LastAsked(cur.Session)
		}
		return rulesOffered{c, cur.Key, cur.Session, question.RuleItems(rules, asked)}
	}
}

// handle shows them, if the question is still the one on the screen.
func (msg rulesOffered) handle(*Model) tea.Cmd {
	c := msg.chat
	if cur, ok := c.question.Current(); !ok || cur.Key != msg.key || c.listed() {
		return nil
	}
	conn := c.Agent.Conn()
	c.panels.show(&panel.List{Title: "a rule for this and what is like it", Foot: "enter makes it · esc", List: list.New(msg.items), Choose: func(it list.Item) tea.Cmd {
		rule := it.Value.(permissions.Rule)
		return func() tea.Msg {
			where, err := conn.AddRule(msg.session, rule)
			return ruleMade{chat: c, rule: rule, where: where, err: err}
		}
	}})
	return nil
}

func (msg ruleMade) handle(*Model) tea.Cmd {
	if msg.err != nil {
		return msg.chat.say("the rule was not made" + atomicfile.Room(msg.err) + ": " + msg.err.Error())
	}
	return msg.chat.say("from now on: " + msg.rule.Name() + " (" + msg.where + ")")
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
		edited        question.Edited
		failed, err   error // the editor, and what was tried with the file
	}
)

// EditWrite opens a text that is to be written in the user's editor.
func (h questionHost) EditWrite(cur permissions.Question, before string) (tea.Cmd, bool) {
	c, editor := h.c, h.c.m.opts.FileEditor
	if editor == nil {
		return c.say("there is no editor here"), false
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
		return func() tea.Msg { _, _ = done(); return nil } // it removes the file
	}
	return m.Exec(msg.edit.Command, func(failed error) tea.Msg {
		after, err := done()
		if after == msg.before+"\n" { // editors end the last line
			after = msg.before
		}
		return writeEdited{c, msg.key, msg.before, after, question.CompareEdit(cur, after), failed, err}
	})
}

// handle shows what was written in the editor as a change that is to be read like any
// other. An editor that failed has written nothing.
func (msg writeEdited) handle(m *Model) tea.Cmd {
	c := msg.chat
	m.input.Touch() // keys that were meant for the editor answer nothing
	c.question.Deafen()
	c.question.NotEdited(msg.key)
	switch _, ok := c.question.Find(msg.key); {
	case !ok:
		return c.say("the question is settled: what you edited is not written")
	case msg.failed != nil:
		return c.say("the editor failed, the text is as it was: " + msg.failed.Error())
	case msg.err != nil:
		return c.say("the text is as it was: " + msg.err.Error())
	case msg.after == msg.before:
		return c.say("the text is as it was")
	}
	c.question.Edited(msg.edited)
	return nil
}
