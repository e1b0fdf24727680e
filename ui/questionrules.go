package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/atomicfile"
	"parley/internal/safetext"
	"parley/permissions"
	"parley/ui/theme"
	"parley/ui/widget"
)

// verdictRows is the tree of what a question is about, each part with what the
// rules say of it, where a rule speaks of any of them.
func (q *question) verdictRows(cur permissions.Question, width int) []string {
	verdicts := cur.Judgement.Verdicts
	if !slices.ContainsFunc(verdicts, func(v permissions.Verdict) bool { return v.Rule != nil }) {
		return nil
	}
	th := q.c.m.th
	longest := 0
	for _, v := range verdicts {
		longest = max(longest, widget.Width(oneRow(v.Text)))
	}
	column := min(longest, max(12, width/2-6))
	rows := make([]string, 0, len(verdicts))
	for i, v := range verdicts {
		branch := "├ "
		if i == len(verdicts)-1 {
			branch = "└ "
		}
		text := widget.Truncate(oneRow(v.Text), column, "…")
		ink, words := verdictWords(v, th)
		row := "  " + th.Faint.Paint(branch) + text + strings.Repeat(" ", column-widget.Width(text)+2) + ink.Paint(words)
		rows = append(rows, widget.Truncate(row, width, "…"))
	}
	return rows
}

// oneRow is a raw text made visible; all of it stands above.
func oneRow(s string) string {
	return strings.Join(strings.Fields(safetext.Visible(s)), " ")
}

// verdictWords says what becomes of a part, and in which ink.
func verdictWords(v permissions.Verdict, th *theme.Theme) (theme.Ink, string) {
	rule := ""
	if v.Rule != nil {
		rule = safetext.Line(v.Rule.Command+v.Rule.Path+v.Rule.Host+v.Rule.Tool, 120)
		if v.Rule.Project {
			rule += " (the project's)"
		}
	}
	switch {
	case v.Effect == permissions.Deny:
		return th.Bad, "denied by the rule  " + rule
	case v.Effect == permissions.Confirm:
		return th.Warn, "ask · by the rule  " + rule
	case v.Effect == permissions.Allow && v.Rule != nil:
		return th.Good, "allowed by your rule  " + rule
	case v.Effect == permissions.Allow:
		return th.Good, "allowed"
	case v.Why != "":
		return th.Warn, "ask · " + safetext.Line(v.Why, 300)
	case v.Short != "":
		return th.Dim, "ask · " + safetext.Line(v.Short, 200)
	}
	return th.Dim, "ask"
}

// offerRules lets the user choose a rule that would have answered the question: a
// yes, so only when all of it was read.
func (q *question) offerRules() tea.Cmd {
	cur := q.waiting[q.current]
	c := q.c
	conn := c.link.conn
	switch {
	case conn.AddRule == nil:
		return c.say("rules cannot be made here")
	case !q.read:
		return c.say("read to the end first: down, pgdn")
	}
	rules := permissions.Suggest(cur)
	if len(rules) == 0 {
		return c.say("no rule can answer this: " + whyNoRule(cur))
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

// take shows them, if the question is still the one on the screen.
func (m rulesOffered) take(*Model) tea.Cmd {
	c, q := m.chat, m.chat.question
	if !q.open() || q.waiting[q.current].Key != m.key || c.picker != nil {
		return nil
	}
	conn := c.link.conn
	c.picker = &picker{title: "a rule for this and what is like it", foot: "enter makes it · esc", list: widget.NewList(m.items), choose: func(it widget.Item) tea.Cmd {
		rule := it.Value.(permissions.Rule)
		return func() tea.Msg {
			where, err := conn.AddRule(m.session, rule)
			return ruleMade{chat: c, rule: rule, where: where, err: err}
		}
	}}
	return nil
}

// whyNoRule says what stands in the way.
func whyNoRule(cur permissions.Question) string {
	for _, v := range cur.Judgement.Verdicts {
		if v.Why != "" {
			return v.Why
		}
		if v.Effect == permissions.Confirm {
			return "a rule wants it to be asked"
		}
	}
	return "it is about several things; make a rule for each, with `parley rules`"
}

// ruleMade is the end of AddRule.
type ruleMade struct {
	chat  *chat
	rule  permissions.Rule
	where string
	err   error
}

func (m ruleMade) take(*Model) tea.Cmd {
	if m.err != nil {
		return m.chat.say("the rule was not made" + atomicfile.Room(m.err) + ": " + m.err.Error())
	}
	return m.chat.say("from now on: " + m.rule.Name() + " (" + m.where + ")")
}
