package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/internal/words"
	"parley/ui/panel"
	"parley/ui/theme"
	"parley/ui/transcript"
)

// sideQuestion asks a side question, or shows the last answer, or lets the user write the first question.
func sideQuestion(c *Page, question string) tea.Cmd {
	switch {
	case question != "":
		return ask(c, question)
	case c.SideQuestions.Thread == nil:
		return writeSideQuestion(c)
	}
	return c.Panels.toggle(sideQuestionPanel(c))
}

// writeSideQuestion lets the user write a side question.
func writeSideQuestion(c *Page) tea.Cmd {
	if err := c.SideQuestions.Refuses(); err != nil {
		return c.say("Not asked: " + words.Sentence(err.Error()))
	}
	w := panel.NewWriting("")
	w.Title, w.Foot = "Side question", "enter ask · esc back"
	w.Placeholder = "Answered beside the turn; it may read, not write or run"
	w.Done = func(text string) tea.Cmd {
		if text == "" {
			return nil
		}
		return ask(c, text)
	}
	w.Left = with(c, keepWords)
	c.Panels.Show(w)
	return nil
}

func ask(c *Page, question string) tea.Cmd {
	if err := c.SideQuestions.Ask(question); err != nil {
		c.Composer.AddToRunHistory(question)
		return c.say("Not asked: " + words.Sentence(err.Error()))
	}
	if !c.Panels.reads(intent.SideQuestion) {
		c.Panels.Read(sideQuestionPanel(c))
	}
	return nil
}

// sideQuestionRows is how many rows of the side questions can be scrolled through.
const sideQuestionRows = 500

// sideQuestionPanel shows the side questions and their answers.
func sideQuestionPanel(c *Page) *panel.Reading {
	view := transcript.New(c.SideQuestions.Thread, c.cwd, c.screen.Theme)
	view.SetAgent(c.Agent.Name)
	return &panel.Reading{OpenedBy: intent.SideQuestion, Title: "Side question", Tail: true,
		Body: func(width int, th *theme.Theme) []string {
			view.SetTheme(th)
			view.SetSize(width, sideQuestionRows)
			view.Tick(c.screen.Now())
			rows := append([]string(nil), view.Rows()...)
			for _, q := range c.SideQuestions.Waiting() {
				rows = append(rows, th.Dim.Paint("waits: "+words.OneLine(q)))
			}
			if c.SideQuestions.Busy() {
				rows = append(rows, "", th.Dim.Paint("answering…"))
			}
			return rows
		},
		Hints: []intent.Hint{{Key: intent.SideQuestion, Action: "ask another"}, {Key: intent.Quote, Action: "quote in the prompt"}},
		Does: map[intent.Intent]func() tea.Cmd{
			intent.SideQuestion: func() tea.Cmd { return writeSideQuestion(c) },
			intent.Quote:        func() tea.Cmd { return quoteAnswer(c) },
		}}
}

// quoteAnswer puts the last answer into the prompt, as a quote.
func quoteAnswer(c *Page) tea.Cmd {
	answer := lastAnswer(c.SideQuestions.Thread)
	if answer == "" {
		return c.say("No answer yet")
	}
	c.Panels.reading = nil
	c.Composer.Prepend("> " + strings.ReplaceAll(answer, "\n", "\n> ") + "\n\n")
	c.focus(false)
	return nil
}

// lastAnswer returns what was said since the last question.
func lastAnswer(t *thread.Thread) string {
	var said []string
	for _, it := range t.Items {
		switch it.Kind {
		case thread.UserMessage:
			said = nil
		case thread.AgentMessage:
			said = append(said, strings.TrimSpace(string(it.Text)))
		}
	}
	return strings.Join(said, "\n\n")
}
