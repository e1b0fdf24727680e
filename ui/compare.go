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
	"parley/ui/page"
	"parley/ui/panel"
	"parley/ui/review"
	"parley/ui/status"
)

// contest compares agents from a page.
type contest struct {
	m *Model
	*page.Page
}

// compare lets the user choose the agents that get a prompt, the draft if it is empty. On a page that
// is compared, all of the comparison get it.
func (c contest) compare(prompt string) tea.Cmd {
	draft := c.Composer.Value()
	if prompt == "" {
		prompt = strings.TrimSpace(draft)
	} else {
		draft = "/compare " + prompt
	}
	if prompt == "" && c.Compared() != nil {
		return c.readComparison("")
	}
	if prompt == "" {
		c.Say("Type the prompt with it: /compare PROMPT")
		return nil
	}
	c.Composer.SetValue(draft) // until it is sent
	prompt, preview, err := c.Templates().Prompt(prompt)
	switch {
	case err != nil:
		c.Say("Not sent: " + err.Error())
		return nil
	case preview != "":
		page.PreviewTemplate(c.Page, preview)
		return nil
	}
	all := c.Compared()
	if all == nil {
		return c.chooseContenders(prompt)
	}
	c.Composer.Clear()
	c.Say(fmt.Sprintf("Sent to all %d", len(all)))
	for _, s := range all {
		if err := s.Prompts.Submit(prompt, false); err != nil {
			c.Say("Not sent to " + s.Agent.Name() + ": " + err.Error())
		}
	}
	return nil
}

// chooseContenders lists what can be compared; the agent in front is ticked at first.
func (c contest) chooseContenders(prompt string) tea.Cmd {
	shown, specs := c.contenders()
	if len(specs) < 2 {
		c.Say("Nothing to compare: no other agent or model was found")
		return nil
	}
	c.Panels.Show(panel.Contenders(c.m.Keys, shown, func(chosen []int) tea.Cmd {
		ticked := make([]workspace.Spec, len(chosen))
		for i, n := range chosen {
			ticked[i] = specs[n]
		}
		draft := c.Composer.Value()
		c.Say("Making worktrees…")
		c.m.Workspace.Compare(prompt, ticked, func(err error) {
			switch {
			case err != nil:
				c.Say("Not compared: " + err.Error())
			case c.Composer.Value() == draft: // the user has not typed on
				c.Composer.Clear()
			}
		})
		return nil
	}))
	return nil
}

// contenders returns what can be compared, each an agent with a model if it has several: the agent in
// front first, then the others that are open, then those that can be started.
func (c contest) contenders() (shown []panel.Contender, specs []workspace.Spec) {
	known := func(spec workspace.Spec) bool {
		return slices.ContainsFunc(specs, func(o workspace.Spec) bool { return o.Key() == spec.Key() })
	}
	add := func(spec workspace.Spec, name string, here bool) {
		shown = append(shown, panel.Contender{Name: name, About: spec.About, Command: spec.Command, Ticked: here})
		specs = append(specs, spec)
	}
	for _, s := range append([]*workspace.Session{c.Session}, c.m.Workspace.Sessions()...) {
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
	for _, spec := range c.m.Options.Agents {
		if spec.Missing == "" && !spec.Remote && !known(spec) {
			add(spec, spec.DisplayName(), false)
		}
	}
	return shown, specs
}

// compareDone says what can be done when none of those that are compared works any longer.
func (m *Model) compareDone(all []*workspace.Session) {
	works := func(s *workspace.Session) bool {
		switch {
		case s.Agent.Opening():
			return s.Agent.Err() == nil || workspace.WantsLogin(s.Agent.Err())
		case s.Thread.State == thread.Ended:
			return false
		}
		return s.Thread.State != thread.Idle || s.Prompts.Queue.Len() > 0
	}
	switch {
	case slices.ContainsFunc(all, works):
	case !slices.Contains(all, m.Front.Session):
		m.Front.Say("The agents that you compare are done: " + m.Keys.ChatKey(intent.Sessions))
	default:
		m.Front.Say("All are done · " + m.Keys.ChatKey(intent.ShowReview) + " shows the diffs · /compare all files · " + m.Keys.ChatKey(intent.NextColumn) + " next")
	}
}

// comparison is what the agents that are compared have changed, in their order.
type comparison struct {
	chat  *page.Page
	all   []*workspace.Session
	at    string // the file to select
	files [][]panel.TreeFile
}

// readComparison reads what each of the agents that are compared has changed, to list it with a file
// selected; "": the first agent.
func (c contest) readComparison(at string) tea.Cmd {
	msg := comparison{c.Page, c.Compared(), at, nil}
	var stores []*review.Changes
	for _, s := range msg.all {
		stores = append(stores, c.m.pageOf(s).Recorded())
	}
	c.Say("Looking for changes…")
	return func() tea.Msg {
		for _, store := range stores {
			msg.files = append(msg.files, counted(store))
		}
		return msg
	}
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
	c := contest{m, msg.chat}
	if !slices.Equal(c.Compared(), msg.all) {
		return nil
	}
	c.DropToast()
	var agents []panel.ComparedAgent
	for i, s := range msg.all {
		head := status.Head{Session: s, Env: &m.Env, Waits: m.pageOf(s).Waits()}
		agents = append(agents, panel.ComparedAgent{Name: head.Name(), State: head.State(), More: head.Usage(), Files: msg.files[i]})
	}
	c.Panels.Show(panel.Compared(agents, msg.at, func(i int) tea.Cmd {
		m.Workspace.Show(msg.all[i])
		return nil
	}, c.reviewVersions))
	return nil
}

// reviewVersions opens the reviews of the agents that are compared at a file.
func (c contest) reviewVersions(name string) tea.Cmd {
	var cmds []tea.Cmd
	for _, other := range c.m.compared(c.m.Front) {
		if other == c.Page || other.Changes.Journal() != nil {
			other.ReturnTo(func() tea.Cmd { return contest{c.m, other}.readComparison(name) })
			cmds = append(cmds, other.StartReview(func(s *review.Changes) tea.Cmd { return other.Review.StartAt(s, name) }))
		}
	}
	return tea.Batch(cmds...)
}
