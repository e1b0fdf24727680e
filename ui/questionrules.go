package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/atomicfile"
	"parley/internal/safetext"
	"parley/permissions"
	"parley/ui/panel"
	"parley/ui/theme"
	"parley/ui/widget"
)

// verdictRows is the tree of what a question is about, each part with what becomes of
// it. Nothing of it is cut.
func (q *question) verdictRows(cur permissions.Question, width int) []string {
	verdicts := cur.Breakdown()
	if len(verdicts) == 0 {
		return nil
	}
	longest := 0
	for _, v := range verdicts {
		longest = max(longest, widget.Width(oneRow(v.Text)))
	}
	th := q.c.m.Theme
	column := min(longest, max(12, width/2-6))
	var rows []string
	for i, v := range verdicts {
		branch, below := "├ ", "│ "
		if i == len(verdicts)-1 {
			branch, below = "└ ", "  "
		}
		text := widget.Wrap(oneRow(v.Text), column)
		ink, words := verdictWords(v, th)
		said := widget.Wrap(words, max(1, width-column-6))
		for k := range max(len(text), len(said)) {
			row := "  " + th.Faint.Paint(branch)
			if k < len(text) {
				row += text[k]
			}
			if k < len(said) {
				row += strings.Repeat(" ", column+6-widget.Width(row)) + ink.Paint(said[k])
			}
			rows, branch = append(rows, row), below
		}
	}
	return rows
}

// oneRow is a raw text made visible; all of it stands above.
func oneRow(s string) string {
	return strings.Join(strings.Fields(safetext.Visible(s)), " ")
}

// verdictWords says what becomes of a part, and in which ink.
func verdictWords(v permissions.Verdict, th *theme.Theme) (theme.Ink, string) {
	ink := th.Dim
	switch {
	case v.Effect == permissions.Deny, v.Marks.Grave():
		ink = th.Bad
	case v.Effect == permissions.Confirm, v.Marks != 0, v.Effect == permissions.None && v.Why != "":
		ink = th.Warn
	case v.Effect == permissions.Allow:
		ink = th.Good
	}
	return ink, safetext.Line(v.Says(), 1000)
}

// frame is the colour of the question's frame where it reaches further than the project:
// nil where it does not.
func (q *question) frame(cur permissions.Question) *theme.Ink {
	th := q.c.m.Theme
	switch marks := cur.Judgement.Marks(); {
	case th.Bad.Spec().Fg == nil: // the words alone say it
	case marks.Grave() || cur.Secret:
		return &th.Bad
	case marks != 0:
		return &th.Warn
	}
	return nil
}

// offerRules lets the user choose a rule that would have answered the question: a
// yes, so only when all of it was read.
func (q *question) offerRules() tea.Cmd {
	cur := q.waiting[q.current]
	c := q.c
	conn := c.Agent.Conn()
	switch {
	case conn.AddRule == nil:
		return c.say("rules cannot be made here")
	case !q.read:
		return c.say("read to the end first: down, pgdn")
	}
	rules := permissions.Suggest(cur)
	if len(rules) == 0 {
		return c.say(whyNoRule(cur))
	}
	return func() tea.Msg { // it looks at files
		m := rulesOffered{chat: c, key: cur.Key, session: cur.Session}
		var asked []permissions.Facts
		if conn.LastAsked != nil {
			asked = conn.LastAsked(cur.Session)
		}
		for _, r := range rules {
			hint := ""
			if book, err := permissions.NewRulebook([]permissions.Rule{r}); err == nil && len(asked) > 0 {
				hint = fmt.Sprintf("answers %d of the last %d questions", book.WouldAnswer(asked), len(asked))
			}
			m.items = append(m.items, widget.Item{Title: safetext.Line(r.Name(), 200), Hint: hint, Value: r})
		}
		return m
	}
}

// rulesOffered are rules to choose from.
type rulesOffered struct {
	chat    *chat
	key     uint64 // of the question
	session string
	items   []widget.Item
}

// handle shows them, if the question is still the one on the screen.
func (m rulesOffered) handle(*Model) tea.Cmd {
	c, q := m.chat, m.chat.question
	if !q.open() || q.waiting[q.current].Key != m.key || c.listed() {
		return nil
	}
	conn := c.Agent.Conn()
	c.panels.show(&panel.List{Title: "a rule for this and what is like it", Foot: "enter makes it · esc", List: widget.NewList(m.items), Choose: func(it widget.Item) tea.Cmd {
		rule := it.Value.(permissions.Rule)
		return func() tea.Msg {
			where, err := conn.AddRule(m.session, rule)
			return ruleMade{chat: c, rule: rule, where: where, err: err}
		}
	}})
	return nil
}

// whyNoRule says why there is no rule to offer.
func whyNoRule(cur permissions.Question) string {
	for _, v := range cur.Judgement.Verdicts {
		if v.Why != "" {
			return "no rule can answer this: " + v.Why
		}
		if v.Effect == permissions.Confirm {
			return "no rule can answer this: a rule wants it to be asked"
		}
	}
	return "this takes several rules: parley rules list says where they go"
}

// ruleMade is the end of AddRule.
type ruleMade struct {
	chat  *chat
	rule  permissions.Rule
	where string
	err   error
}

func (m ruleMade) handle(*Model) tea.Cmd {
	if m.err != nil {
		return m.chat.say("the rule was not made" + atomicfile.Room(m.err) + ": " + m.err.Error())
	}
	return m.chat.say("from now on: " + m.rule.Name() + " (" + m.where + ")")
}
