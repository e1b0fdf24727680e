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

// aside asks a side question, or shows the last answer, or lets the user write the first question.
func aside(c *Page, question string) tea.Cmd {
	switch {
	case question != "":
		return ask(c, question)
	case c.SideTalk.Thread == nil:
		return writeAside(c)
	}
	return c.Panels.toggle(asidePanel(c))
}

// writeAside lets the user write a side question.
func writeAside(c *Page) tea.Cmd {
	if err := c.SideTalk.Refuses(); err != nil {
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
	if err := c.SideTalk.Ask(question); err != nil {
		c.Composer.AddToRunHistory(question)
		return c.say("Not asked: " + words.Sentence(err.Error()))
	}
	if !c.Panels.reads(intent.Aside) {
		c.Panels.Read(asidePanel(c))
	}
	return nil
}

// asideRows is how many rows of the side questions can be scrolled through.
const asideRows = 500

// asidePanel shows the side questions and their answers.
func asidePanel(c *Page) *panel.Reading {
	view := transcript.New(c.SideTalk.Thread, c.cwd, c.screen.Theme)
	view.SetAgent(c.Agent.Name)
	return &panel.Reading{OpenedBy: intent.Aside, Title: "Side question", Tail: true,
		Body: func(width int, th *theme.Theme) []string {
			view.SetTheme(th)
			view.SetSize(width, asideRows)
			view.Tick(c.screen.Now())
			rows := append([]string(nil), view.Rows()...)
			for _, q := range c.SideTalk.Waiting() {
				rows = append(rows, th.Dim.Paint("waits: "+words.OneLine(q)))
			}
			if c.SideTalk.Busy() {
				rows = append(rows, "", th.Dim.Paint("answering…"))
			}
			return rows
		},
		Hints: []intent.Hint{{Key: intent.Aside, Action: "ask another"}, {Key: intent.Quote, Action: "quote in the prompt"}},
		Does: map[intent.Intent]func() tea.Cmd{
			intent.Aside: func() tea.Cmd { return writeAside(c) },
			intent.Quote: func() tea.Cmd { return quoteAside(c) },
		}}
}

// quoteAside puts the last answer into the prompt, as a quote.
func quoteAside(c *Page) tea.Cmd {
	answer := lastAnswer(c.SideTalk.Thread)
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
