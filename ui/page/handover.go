package page

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/panel"
	"parley/ui/widget/list"
)

// OfferHandOver asks whether an agent that is about to be started gets the conversation of the page.
func OfferHandOver(c *Page, spec workspace.Spec) tea.Cmd {
	text, prompts := c.Retell(-1)
	if prompts == 0 {
		c.screen.Workspace.Start(spec)
		return nil
	}
	l := &panel.List{Title: "Start " + spec.Name, Foot: panel.Foot(c.screen.Keys, intent.Hint{Action: "enter choose"}), List: list.New([]list.Item{
		{Title: "Take the conversation along", Detail: words.Count(prompts, "prompt") + ", " + words.Bytes(len(text)) + "; you can edit it first", Value: true},
		{Title: "Start without it", Value: false},
	})}
	l.Choose = panel.With(func(along bool) tea.Cmd {
		if along {
			return HandOver(c, -1, spec)
		}
		c.screen.Workspace.Start(spec)
		return nil
	})
	c.Panels.Show(l)
	return nil
}

// HandOver shows what an agent will be told of the conversation up to the turn of a prompt, or of all of it if that
// is -1, and starts it.
func HandOver(c *Page, prompt int, spec workspace.Spec) tea.Cmd {
	text, prompts := c.Retell(prompt)
	w := panel.NewWriting(text)
	w.Title, w.Foot, w.Tall = "What "+spec.Name+" is told with your next prompt", "enter start · esc back", true
	w.Placeholder = "Nothing: it begins without the conversation"
	w.Done = func(text string) tea.Cmd {
		c.HandOver(prompt, spec, text, prompts)
		return nil
	}
	w.Left = with(c, keepWords)
	c.Panels.Show(w)
	return nil
}

// forkAfter asks which agent continues the conversation after the turn of a prompt, if there is a choice.
func forkAfter(c *Page, prompt int) tea.Cmd {
	if err := c.AtRest(); err != nil {
		return refuse(c, "Not forked: "+err.Error())
	}
	others := slices.DeleteFunc(slices.Clone(c.screen.Options.Agents), func(s workspace.Spec) bool {
		return s.Missing != "" || s.Name == c.Agent.Spec.Name
	})
	if len(others) == 0 {
		return fork(c, prompt)
	}
	items := []list.Item{{Title: c.Agent.Name(), Detail: "this agent", Value: c.Agent.Spec}}
	for _, s := range others {
		items = append(items, list.Item{Title: s.Name, Detail: s.About, Value: s})
	}
	l := &panel.List{Title: "Fork: continue with", Foot: panel.Foot(c.screen.Keys, intent.Hint{Action: "enter choose"}), List: list.New(items)}
	l.Choose = func(it list.Item) tea.Cmd {
		if spec := it.Value.(workspace.Spec); spec.Name != c.Agent.Spec.Name {
			return HandOver(c, prompt, spec)
		}
		return fork(c, prompt)
	}
	c.Panels.Show(l)
	return nil
}
