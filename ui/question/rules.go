package question

import (
	"fmt"

	"parley/internal/safetext"
	"parley/permissions"
	"parley/ui/widget/list"
)

// RuleItems lists rules to choose from, each with how many of the recent questions it would
// have answered. It reads files; any goroutine may call it.
func RuleItems(rules []permissions.Rule, asked []permissions.Facts) []list.Item {
	items := make([]list.Item, 0, len(rules))
	for _, r := range rules {
		hint := ""
		if book, err := permissions.NewRulebook([]permissions.Rule{r}); err == nil && len(asked) > 0 {
			hint = fmt.Sprintf("would answer %d of the last %d questions", book.WouldAnswer(asked), len(asked))
		}
		items = append(items, list.Item{Title: safetext.Line(r.Name(), 200), Hint: hint, Value: r})
	}
	return items
}

// WhyNoRule says why no rule can be offered.
func WhyNoRule(cur permissions.Question) string {
	for _, v := range cur.Judgement.Verdicts {
		if v.NoRuleReason != "" {
			return "No rule can allow this: " + v.NoRuleReason
		}
		if v.Effect == permissions.Confirm {
			return "No rule can allow this: another rule asks about it"
		}
	}
	return "This needs several rules: parley rules list shows where they go"
}
