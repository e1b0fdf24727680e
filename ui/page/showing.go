package page

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/intent"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/panel"
	"parley/ui/theme"
	"parley/ui/transcript"
	"parley/ui/widget/list"
)

func toggleHelp(c *Page) tea.Cmd {
	first := intent.Chat
	if c.Review.Open() {
		first = intent.Review
	}
	return c.Panels.toggle(&panel.Reading{OpenedBy: intent.ToggleHelp, Title: "Keys", Body: func(width int, th *theme.Theme) []string {
		var all []panel.Command
		for _, cmd := range c.slash().all() {
			all = append(all, panel.Command{Slash: cmd.Name, Help: cmd.Help})
		}
		return panel.HelpRows(c.screen.Keys, first, all, width, th)
	}})
}

func toggleLog(c *Page) tea.Cmd {
	return c.Panels.toggle(&panel.Reading{OpenedBy: intent.ToggleLog, Title: "Log", Tail: true, Body: func(width int, th *theme.Theme) []string {
		lines, total := c.Agent.Log.Lines()
		return panel.LogRows(lines, total, width, th)
	}})
}

func togglePlan(c *Page) tea.Cmd {
	return c.Panels.toggle(&panel.Reading{OpenedBy: intent.TogglePlan, Title: "Plan", Body: func(width int, th *theme.Theme) []string {
		return panel.PlanRows(c.Thread.Plans, transcript.Markdown, width, th)
	}})
}

// showUsage shows what the session has used, and what all sessions took today.
func showUsage(c *Page) tea.Cmd {
	var today []memory.AgentUsage
	c.screen.Workspace.UsageOfToday(func(all []memory.AgentUsage) { today = all })
	return c.Panels.toggle(&panel.Reading{OpenedBy: intent.Usage, Title: "Usage", Body: func(width int, th *theme.Theme) []string {
		return panel.UsageRows(describe.Usage(c.Thread, c.screen.Now()), today, width, th)
	}})
}

func showPalette(c *Page) tea.Cmd {
	var agent []panel.Command
	for _, cmd := range c.slash().ofAgent() {
		agent = append(agent, panel.Command{Slash: cmd.Name, Help: cmd.Help})
	}
	c.Panels.Show(panel.Palette(c.screen.Keys, agent, c.Agent.Name(), c.slash().useless, func(i intent.Intent) tea.Cmd {
		c.Panels.open = nil // what the action opens does not return to the palette
		return c.Do(i)
	}, c.Composer.SetValue))
	return nil
}

// showItem selects the first item that matches.
func showItem(c *Page, is func(*thread.Item) bool) tea.Cmd {
	if i := slices.IndexFunc(c.Thread.Items, is); i >= 0 {
		goHome(c)
		c.focus(true)
		c.View.SelectItem(i)
	}
	return nil
}

// showCopy lists the parts of the selected entry that can be copied.
func showCopy(c *Page) tea.Cmd {
	it := c.View.Selected()
	if it == nil {
		return nil
	}
	of := c.View.Copyable(it)
	menu := &panel.CopyMenu{All: of.All, Patch: of.Patch, Command: of.Command}
	for _, code := range of.Codes {
		menu.Codes = append(menu.Codes, panel.Code(code))
	}
	c.Panels.Show(menu)
	return nil
}

// search lists earlier prompts, the newest first. The draft stays until one is chosen.
func searchHistory(c *Page) tea.Cmd {
	c.Panels.Show(&panel.List{OpenedBy: intent.SearchHistory, Title: "Prompt history", Foot: "enter use · esc close", Empty: "Nothing sent yet", List: list.NewRecent(c.Composer.Entries()), Same: func(a, b any) bool { return a == b }, EscCloses: true, Choose: func(it list.Item) tea.Cmd {
		c.Composer.AddDraftToHistory() // as ctrl+c does
		c.Composer.SetValue(it.Value.(string))
		c.Composer.Refresh()
		return nil
	}})
	return c.screen.Store.LoadHistory() // other processes may have added to it
}

// PreviewTemplate shows what a template would do.
func PreviewTemplate(c *Page, preview string) {
	preview += "\n\nPress " + c.screen.Keys.Label(intent.Reading, intent.Close) + ", then " + c.screen.Keys.ChatKey(intent.Send) + " to send it."
	c.Panels.Read(&panel.Reading{Title: "Template", Body: func(width int, _ *theme.Theme) []string {
		var rows []string
		for line := range strings.SplitSeq(preview, "\n") {
			rows = append(rows, text.Wrap(line, width)...)
		}
		return rows
	}})
}

// itemMessagesMsg brings the messages that an item was made from.
type itemMessagesMsg struct {
	page  *Page
	shown []workspace.Message
	err   error
}

// showItemMessages loads the messages of the selected item from the log.
func showItemMessages(c *Page) tea.Cmd {
	it := c.View.Selected()
	if it == nil {
		return nil
	}
	if len(it.Wire) == 0 && it.Request == 0 {
		return c.say("No message of the agent made this")
	}
	place, session := it.Index, ""
	switch {
	case c.sub != nil:
		place, session = c.sub.Place(), c.sub.ID
	case it.Answer != nil: // perhaps to a sub-agent
		session = it.Answer.Session
	}
	lookUp := c.LookupOf(place)
	if lookUp == nil {
		return c.say("This session has no log")
	}
	spans, request, ctx := append([]event.Span(nil), it.Wire...), it.Request, c.screen.Workspace.Context()
	return func() tea.Msg {
		shown, err := lookUp(ctx, session, spans, request)
		return itemMessagesMsg{c, shown, err}
	}
}

func (msg itemMessagesMsg) Handle() tea.Cmd {
	c := msg.page
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return c.say(words.Sentence(msg.err.Error()))
	case len(msg.shown) == 0:
		return c.say("These messages are not in the log")
	}
	messages := make([]panel.Message, 0, len(msg.shown))
	for _, s := range msg.shown {
		messages = append(messages, panel.Message(s))
	}
	c.Panels.Read(panel.Source("Messages", panel.Messages(messages), nil))
	return nil
}

// ignoresTyping reports whether a page read from a log ignores typed or pasted text. It accepts
// commands only.
func ignoresTyping(c *Page, typed string) bool {
	return c.ReadOnly && c.Composer.Empty() && typed != "" && !strings.HasPrefix(typed, "/")
}

// Messages for opening a file in the editor.
type (
	fileReadyMsg struct {
		page    *Page
		command tea.ExecCommand
		err     error
	}
	fileLeftMsg struct {
		page *Page
		err  error
	}
)

// openFile opens the file of the selected entry. It lists them if there are several.
func openFile(c *Page) tea.Cmd {
	it := c.View.Selected()
	if it == nil {
		return nil
	}
	files := transcript.Files(c.View.Calls(it)...)
	switch {
	case len(files) == 0:
		return c.say("Nothing to open here")
	case c.Agent.Spec.Remote && !c.Agent.Spec.Shared:
		return c.say("The file is on the agent's machine: " + files[0].Path)
	case len(files) == 1:
		return openAt(c, files[0])
	}
	items := make([]list.Item, 0, len(files))
	for _, f := range files {
		title := words.RelativePath(f.Path, c.cwd)
		if f.Line > 0 {
			title += fmt.Sprintf(":%d", f.Line)
		}
		items = append(items, list.Item{Title: title, Value: f})
	}
	c.Panels.Show(&panel.List{Title: "Files", Foot: "enter open · esc close", List: list.New(items), Choose: panel.With(with(c, openAt))})
	return nil
}

// openAt finds the file and prepares the editor.
func openAt(c *Page, at event.Location) tea.Cmd {
	open := c.screen.Options.OpenFile
	if open == nil {
		return c.say("No editor found: set $EDITOR")
	}
	path := at.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.cwd, path)
	}
	return func() tea.Msg {
		command, err := open(path, at.Line)
		return fileReadyMsg{c, command, err}
	}
}

// Handle hands the terminal to the editor.
func (msg fileReadyMsg) Handle() tea.Cmd {
	switch {
	case msg.err != nil:
		return msg.page.say(words.Sentence(msg.err.Error()))
	case msg.page.screen.Quitting:
		return nil
	}
	return msg.page.screen.Exec(msg.command, func(err error) tea.Msg { return fileLeftMsg{msg.page, err} })
}

// Handle says when the editor has failed.
func (msg fileLeftMsg) Handle() tea.Cmd {
	msg.page.screen.Input.Touch() // keys meant for the editor answer no question
	if msg.err != nil {
		return msg.page.say("The editor failed: " + msg.err.Error())
	}
	return nil
}
