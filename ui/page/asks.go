package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/atomicfile"
	"parley/internal/intent"
	"parley/internal/notes"
	"parley/internal/words"
	"parley/permissions"
	"parley/ui/composer"
	"parley/ui/panel"
	"parley/ui/question"
	"parley/ui/widget/list"
)

// HideAsked makes the transcript leave out what questions show. It is called once for each message, which
// may bring or end many questions.
func (c *Page) HideAsked() {
	if tools, subjects, changed := c.Question.Subjects(); changed {
		c.own().changed = append(c.own().changed, c.Thread.SetAsked(tools, subjects)...)
		c.Applied()
	}
}

// state returns what questions and forms know of the page.
func (c *Page) state() question.PageState {
	return question.PageState{
		Covered:  c.Panels.reading != nil || c.listed(),
		Later:    c.Question.Open(), // before forms
		Drafting: !c.Composer.Empty(),
		Focused:  c.focused,
		LastKey:  c.screen.Input.Last(),
		Beside:   !c.InFront(),
		Agent:    c.Agent.Name(),
		Browser:  c.screen.Options.OpenURL != nil,
		Broker:   c.Broker(),
	}
}

// openedURLMsg reports whether a browser was started.
type openedURLMsg struct {
	page *Page
	err  error
}

func (msg openedURLMsg) Handle() tea.Cmd {
	if msg.err != nil {
		return msg.page.say("Cannot start a browser: " + msg.err.Error())
	}
	return msg.page.say("Opened in your browser")
}

// rulesOffered has the rules that would have answered a question.
type rulesOffered struct {
	page    *Page
	key     uint64 // of the question
	session string
	items   []list.Item
}

// offerRules lists rules that would have answered the question. Adding one allows it, so
// all of the question must have been read.
func offerRules(c *Page, want question.OfferRules) tea.Cmd {
	if !want.Read {
		return c.say(question.ReadFirst(c.screen.Keys))
	}
	rules := permissions.Suggest(want.Question)
	if len(rules) == 0 {
		return c.say(question.WhyNoRule(want.Question))
	}
	asked := c.Agent.LastAsked(want.Session)
	return func() tea.Msg { // reads files
		return rulesOffered{c, want.Key, want.Session, question.RuleItems(rules, asked())}
	}
}

// Handle shows the rules if the question is still on the screen.
func (msg rulesOffered) Handle() tea.Cmd {
	c := msg.page
	if cur, ok := c.Question.Current(); !ok || cur.Key != msg.key || c.listed() {
		return nil
	}
	c.Panels.Show(&panel.List{Title: "New rule", Foot: "enter add · esc close", List: list.New(msg.items), Choose: func(it list.Item) tea.Cmd {
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
		page   *Page
		key    uint64 // of the question
		before string
		edit   composer.Editing
		err    error
	}
	writeEdited struct {
		page          *Page
		key           uint64
		before, after string
		edited        question.Edited
		failed, err   error // of the editor, and of the file
	}
)

// editWrite opens the text of a write in the user's editor.
func editWrite(c *Page, want question.EditWrite) tea.Cmd {
	editor := c.screen.Options.FileEditor
	if editor == nil {
		c.Question.NotEdited(want.Key)
		return c.say("No editor found: set $EDITOR")
	}
	return func() tea.Msg {
		e, err := editor(want.Text, want.Change.Path)
		return writeReady{c, want.Key, want.Text, e, err}
	}
}

// Handle hands the terminal to the editor.
func (msg writeReady) Handle() tea.Cmd {
	c, done := msg.page, msg.edit.Done
	cur, ok := c.Question.Find(msg.key)
	if msg.err != nil || !ok || c.screen.Quitting {
		c.Question.NotEdited(msg.key)
		if msg.err != nil {
			return c.say(words.Sentence(msg.err.Error()))
		}
		return func() tea.Msg { _, _ = done(); return nil } // removes the file
	}
	return c.screen.Exec(msg.edit.Command, func(failed error) tea.Msg {
		after, err := done()
		if after == msg.before+"\n" { // editors add a final newline
			after = msg.before
		}
		return writeEdited{c, msg.key, msg.before, after, question.CompareEdit(cur, after), failed, err}
	})
}

// Handle shows the edited text as a change to be read like any other. The text of an
// editor that failed is ignored.
func (msg writeEdited) Handle() tea.Cmd {
	c := msg.page
	c.screen.Input.Touch() // keys meant for the editor answer nothing
	c.Question.SuspendKeys()
	c.Question.NotEdited(msg.key)
	switch _, ok := c.Question.Find(msg.key); {
	case !ok:
		return c.say("The question was answered meanwhile; your edit is not written")
	case msg.failed != nil:
		return c.say("The editor failed; the text is unchanged: " + msg.failed.Error())
	case msg.err != nil:
		return c.say("The text is unchanged: " + msg.err.Error())
	case msg.after == msg.before:
		return c.say("The text is unchanged")
	}
	c.Question.Edited(msg.edited)
	return nil
}

// rejectWhy asks why a request is rejected. The answer rejects it, and is the next prompt.
func rejectWhy(c *Page, cur permissions.Question) {
	w := panel.NewWriting("")
	w.Title, w.Foot, w.Placeholder = "Reject with a reason", "enter reject and send · esc back", "Why not, or what to do instead"
	w.Beneath, w.Left = true, with(c, keepWords)
	w.Done = func(why string) tea.Cmd {
		if _, open := c.Question.Find(cur.Key); !open {
			c.Composer.AddToRunHistory(why)
			return c.say("The question was answered meanwhile; what you wrote is in the history: " + c.screen.Keys.ChatKey(intent.HistoryBack))
		}
		if err := c.Broker().Reject(cur.Key); err != nil {
			return c.say(words.Sentence(err.Error()))
		}
		c.Question.Remove(cur.Key)
		if why == "" {
			return nil
		}
		c.Composer.AddToHistory(why)
		what, quote, diff := notes.Request(cur)
		if err := c.Prompts.SubmitNext(notes.Rejected(what, quote, diff, why)); err != nil {
			return c.say("Not sent: " + err.Error())
		}
		return nil
	}
	c.Panels.Show(w)
}
