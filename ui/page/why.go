package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/notes"
	"parley/permissions"
	"parley/ui/panel"
)

// RejectWhy asks why a request is rejected. The answer rejects it, and is the next prompt.
func (h questionHost) RejectWhy(cur permissions.Question, what, quote string, diff bool) tea.Cmd {
	c := h.c
	w := panel.NewWriting("")
	w.Title, w.Foot, w.Placeholder = "Reject with a reason", "enter reject and send · esc back", "Why not, or what to do instead"
	w.Beneath, w.Left = true, with(c, keepWords)
	w.Done = func(why string) tea.Cmd {
		if _, open := c.Question.Find(cur.Key); !open {
			c.Composer.AddToRunHistory(why)
			return c.say("The question was answered meanwhile; what you wrote is in the history: " + c.screen.Keys.ChatKey(intent.HistoryBack))
		}
		if err := h.Answers().Reject(cur.Key); err != nil {
			return c.say(err.Error())
		}
		c.Question.Remove(cur.Key)
		if why == "" {
			return nil
		}
		c.Composer.AddToHistory(why)
		if err := c.Prompts.SubmitNext(notes.Rejected(what, quote, diff, why)); err != nil {
			return c.say("Not sent: " + err.Error())
		}
		return nil
	}
	c.Panels.Show(w)
	return nil
}
