package ui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/internal/linediff"
	"parley/internal/workspace"
	"parley/ui/panel"
	"parley/ui/review"
	"parley/ui/status"
)

// compare lets the user choose the agents that get a prompt, the draft if it is empty. On a page that
// is compared, all of the comparison get it.
func (c *chat) compare(prompt string) tea.Cmd {
	draft := c.composer.Value()
	if prompt == "" {
		prompt = strings.TrimSpace(draft)
	} else {
		draft = "/compare " + prompt
	}
	if prompt == "" && c.Compared() != nil {
		return c.readComparison()
	}
	if prompt == "" {
		return c.say("Type the prompt with it: /compare PROMPT")
	}
	c.composer.SetValue(draft) // until it is sent
	prompt, preview, err := c.TemplatePrompt(prompt)
	switch {
	case err != nil:
		return c.say("Not sent: " + err.Error())
	case preview != "":
		c.previewTemplate(preview)
		return nil
	}
	all := c.Compared()
	if all == nil {
		return c.chooseContenders(prompt)
	}
	c.composer.Clear()
	said := c.say(fmt.Sprintf("Sent to all %d", len(all)))
	for _, s := range all {
		if err := s.Submit(prompt, false); err != nil {
			c.Say("Not sent to " + s.Agent.Name() + ": " + err.Error())
		}
	}
	return tea.Batch(said, c.m.sync())
}

// chooseContenders lists what can be compared; the agent in front is ticked at first.
func (c *chat) chooseContenders(prompt string) tea.Cmd {
	shown, specs := c.contenders()
	if len(specs) < 2 {
		return c.say("Nothing to compare: no other agent or model was found")
	}
	c.panels.show(panel.Contenders(c.m.Keys, shown, func(chosen []int) tea.Cmd {
		ticked := make([]workspace.Spec, len(chosen))
		for i, n := range chosen {
			ticked[i] = specs[n]
		}
		said, draft := c.say("Making worktrees…"), c.composer.Value()
		c.m.w.Compare(prompt, ticked, func(err error) {
			switch {
			case err != nil:
				c.Say(err.Error())
			case c.composer.Value() == draft: // the user has not typed on
				c.composer.Clear()
			}
		})
		return tea.Batch(said, c.m.sync())
	}))
	return nil
}

// contenders returns what can be compared, each an agent with a model if it has several: the agent in
// front first, then the others that are open, then those that can be started.
func (c *chat) contenders() (shown []panel.Contender, specs []workspace.Spec) {
	known := func(spec workspace.Spec) bool {
		return slices.ContainsFunc(specs, func(o workspace.Spec) bool { return o.Key() == spec.Key() })
	}
	add := func(spec workspace.Spec, name string, here bool) {
		shown = append(shown, panel.Contender{Name: name, Command: spec.Command, Ticked: here})
		specs = append(specs, spec)
	}
	for _, s := range append([]*workspace.Session{c.Session}, c.m.w.Sessions()...) {
		spec := s.Agent.Spec
		if !s.Agent.Live() || spec.Remote || known(spec) {
			continue
		}
		spec.Dir, spec.Branch, spec.Model = "", "", ""
		models, ok := s.Setting("model")
		if !ok || len(models.Choices) < 2 {
			add(spec, s.Agent.Name(), s == c.Session)
			continue
		}
		for _, ch := range models.Choices {
			spec.Model = ch.ID
			add(spec, s.Agent.Name()+" · "+workspace.ChoiceName(ch), s == c.Session && ch.ID == models.Current)
		}
	}
	for _, spec := range c.m.opts.Agents {
		if spec.Missing == "" && !spec.Remote && !known(spec) {
			add(spec, spec.DisplayName(), false)
		}
	}
	return shown, specs
}

// compareDone says what can be done when none of those that are compared works any longer.
func (m *Model) compareDone(all []*workspace.Session) tea.Cmd {
	works := func(s *workspace.Session) bool {
		switch {
		case s.Agent.Opening():
			return s.Agent.Err() == nil || workspace.WantsLogin(s.Agent.Err())
		case s.Thread.State == thread.Ended:
			return false
		}
		return s.Thread.State != thread.Idle || len(s.Queued()) > 0
	}
	switch {
	case slices.ContainsFunc(all, works):
		return nil
	case !slices.Contains(all, m.chat.Session):
		return m.chat.say("The agents that you compare are done: " + m.Keys.ChatKey(intent.Sessions))
	}
	return m.chat.say("All are done · " + m.Keys.ChatKey(intent.ShowReview) + " shows the diffs · /compare all files · " + m.Keys.ChatKey(intent.NextColumn) + " next")
}

// comparison is what the agents that are compared have changed, in their order.
type comparison struct {
	chat  *chat
	all   []*workspace.Session
	files [][]panel.TreeFile
}

// readComparison reads what each of the agents that are compared has changed.
func (c *chat) readComparison() tea.Cmd {
	msg := comparison{c, c.Compared(), nil}
	var stores []*review.Changes
	for _, s := range msg.all {
		stores = append(stores, c.m.pageOf(s).changes())
	}
	return tea.Batch(c.say("Looking for changes…"), func() tea.Msg {
		for _, store := range stores {
			msg.files = append(msg.files, counted(store))
		}
		return msg
	})
}

// counted returns the files that differ, with the number of lines.
func counted(changes *review.Changes) (out []panel.TreeFile) {
	if changes == nil {
		return nil
	}
	for _, f := range changes.Since(0) {
		if f.Undone {
			continue
		}
		file := panel.TreeFile{Path: filepath.ToSlash(changes.Short(f.Path))}
		if before, after, ok := changes.Texts(f); ok {
			file.Added, file.Removed = linediff.Count(linediff.Texts{Old: before, New: after})
		}
		out = append(out, file)
	}
	return out
}

func (msg comparison) handle(m *Model) tea.Cmd {
	c := msg.chat
	if !slices.Equal(c.Compared(), msg.all) {
		return nil
	}
	c.toast = status.Toast{}
	var agents []panel.ComparedAgent
	for i, s := range msg.all {
		page := m.pageOf(s)
		head := status.Head{Session: s, Env: &m.Env, Waits: page.waits()}
		agents = append(agents, panel.ComparedAgent{Name: head.Name(), State: head.State(), More: head.Usage(), Files: msg.files[i]})
	}
	c.panels.show(panel.Compared(agents, func(i int) tea.Cmd {
		m.w.Show(msg.all[i])
		return nil
	}, c.reviewVersions))
	return nil
}

// reviewVersions opens the reviews of the agents that are compared at a file.
func (c *chat) reviewVersions(name string) tea.Cmd {
	var cmds []tea.Cmd
	for _, page := range c.m.compared() {
		if page == c || page.Journal() != nil {
			cmds = append(cmds, page.startReview(func(s *review.Changes) tea.Cmd { return page.review.StartAt(s, name) }))
		}
	}
	return tea.Batch(cmds...)
}
