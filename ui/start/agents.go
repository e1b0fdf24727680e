// Package start is what comes before a session: choosing an agent, waiting for it, and
// logging in. It does not know the pages of the screen: it gets values, and acts through
// the small interfaces that it declares.
package start

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/keeper"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/widget/list"
)

// Agents is the first page, where the user chooses an agent and sees what it will get.
type Agents struct {
	env     *layer.Env
	w       *workspace.Workspace
	start   func(spec workspace.Spec, along bool) tea.Cmd
	leave   func(quit bool) tea.Cmd
	choices Choices
	list    *list.List
	note    string
	pressed bool // a key, since the program has started
	shop    *shop
}

// Choices is what the first page offers.
type Choices struct {
	Agents []workspace.Spec
	Choice string // name of the agent that is selected first
	// TypedAgent returns the agent of a command line or a URL. If it is nil, none can be typed.
	TypedAgent func(line string) (workspace.Spec, error)
	Dir        string // where the agent will work, as shown
	// Along reports whether there is a conversation to take along.
	Along func() bool
	// Attach attaches the terminal to a kept session, or resumes one that has ended.
	Attach func(k keeper.Session) tea.Cmd
	// Registry is that of agents that can be installed; nil: there is none.
	Registry *workspace.Registry
}

// NewAgents returns the page. start is called with the agent that the user chooses, and whether it gets the
// conversation of the page in front; leave is called when the user leaves it, which quits if there is no page to
// return to.
func NewAgents(env *layer.Env, choices Choices, w *workspace.Workspace, start func(spec workspace.Spec, along bool) tea.Cmd, leave func(quit bool) tea.Cmd) *Agents {
	s := &Agents{env: env, w: w, start: start, leave: leave, choices: choices, shop: &shop{registry: choices.Registry}}
	s.list = list.New(s.items())
	s.list.Ranked = true
	s.list.Select(max(0, slices.IndexFunc(choices.Agents, func(a workspace.Spec) bool { return a.Name == choices.Choice })))
	return s
}

// items returns the rows.
func (s *Agents) items() []list.Item {
	items := make([]list.Item, 0, len(s.choices.Agents))
	for _, k := range s.w.Kept.All() {
		state, about := workspace.DescribeKept(k)
		items = append(items, list.Item{Title: k.Name, Detail: strings.TrimSpace(k.Agent + "  " + about), Hint: state, Section: "Kept", Value: k})
	}
	for _, a := range s.choices.Agents {
		item := list.Item{Title: a.Name, Detail: a.About, More: a.Command, Section: a.Section, Value: a}
		if !strings.EqualFold(a.Where, a.Section) { // else the heading says it
			item.Hint = a.Where
		}
		if login := s.w.LoginOf(a); login != "" {
			item.Hint = strings.TrimPrefix(item.Hint+" · "+login, " · ")
		}
		items = append(items, item)
	}
	items = append(items, s.shop.items(s.choices.Agents, s.env.Now())...)
	if s.choices.TypedAgent != nil {
		for _, kind := range []typedKind{"A command", "A URL"} {
			items = append(items, list.Item{Title: string(kind), Detail: kind.how(), Section: "Other", Value: kind})
		}
	}
	return items
}

// Refresh updates the rows. The one that is selected stays so, but for the first page: until a key is pressed, that is what
// waits for an answer, which may be far above the agents.
func (s *Agents) Refresh() {
	was, _ := s.list.Selected()
	items := s.items()
	s.list.SetItems(items)
	if s.list.Filter() != "" {
		return
	}
	selected := func(it list.Item) bool { return it.Section == was.Section && it.Title == was.Title }
	if all := s.w.Kept.All(); len(all) > 0 && all[0].Live && all[0].State == keeper.Waiting && !s.pressed && s.first() {
		selected = func(list.Item) bool { return true }
	}
	s.list.Select(max(0, slices.IndexFunc(items, selected)))
}

// Note shows a line until the next key.
func (s *Agents) Note(line string) { s.note = line }

// Open clears what was typed and lists what is on this machine: kept sessions, and what was fetched of the registry.
func (s *Agents) Open() tea.Cmd {
	s.note = ""
	s.list.SetFilter("")
	s.Refresh()
	s.w.Kept.List()
	if s.shop.registry == nil || !s.shop.listed.Fetched.IsZero() {
		return nil
	}
	return func() tea.Msg { return kept{s, s.shop.registry.Kept()} }
}

// typedKind is a row that says what else the user can type.
type typedKind string

func (k typedKind) how() string {
	if k == "A URL" {
		return "Type https://host/acp (or http, ws, wss)"
	}
	return "Type it with its arguments"
}

// typed returns the command or the URL in the filter; "" if that is a search: some row has all of
// its words, and it has nothing that only commands and URLs have.
func (s *Agents) typed() string {
	text := strings.TrimSpace(s.list.Filter())
	if s.choices.TypedAgent == nil || text == "" || s.list.Len() > 0 && !strings.Contains(text, "/") && !strings.Contains(text, " -") {
		return ""
	}
	if it, ok := s.list.Selected(); ok && strings.EqualFold(strings.TrimSpace(it.Title), text) {
		return "" // the name of a row
	}
	return text
}

// Key takes all keys.
func (s *Agents) Key(p layer.Press) (tea.Cmd, bool) {
	s.note, s.pressed = "", true
	if s.shop.open() {
		return s.shopKey(p), true
	}
	switch p.Name {
	case "enter":
		return s.choose(false), true
	case "esc":
		if s.list.Filter() == "" {
			return s.leave(s.first()), true
		}
		s.list.SetFilter("")
	case "ctrl+c", "ctrl+d":
		return s.leave(s.first()), true
	default:
		switch want := s.env.Keys.Of(intent.List, p.Name); {
		case want == intent.Fork && s.choices.Along != nil && s.choices.Along():
			return s.choose(true), true
		case want == intent.InstallEntry && s.replacesNpx():
			it, _ := s.list.Selected()
			return s.offer(it.Value.(workspace.Spec)), true
		}
		s.list.Key(p.KeyPressMsg)
	}
	return nil, true
}

// replacesNpx reports whether the selected agent, which npx would start, can be installed.
func (s *Agents) replacesNpx() bool {
	it, _ := s.list.Selected()
	a, ok := it.Value.(workspace.Spec)
	return ok && s.typed() == "" && s.shop.registry != nil && strings.HasPrefix(a.Where, "through npx")
}

// first reports whether there is no page to return to.
func (s *Agents) first() bool { return len(s.w.Sessions()) == 1 && s.w.Front().Blank() }

// Paste adds to the filter.
func (s *Agents) Paste(text string) (tea.Cmd, bool) {
	if s.shop.open() {
		return nil, true
	}
	s.note = ""
	s.list.SetFilter(s.list.Filter() + strings.TrimRight(text, "\r\n"))
	return nil, true
}

// choose starts the typed or the selected agent, or notes why it cannot.
func (s *Agents) choose(along bool) tea.Cmd {
	if line := s.typed(); line != "" {
		a, err := s.choices.TypedAgent(line)
		if err != nil {
			s.note = err.Error()
			return nil
		}
		return s.start(a, along)
	}
	it, ok := s.list.Selected()
	if !ok {
		s.note = "No agent matches; parley -- COMMAND ARG… starts any command"
		return nil
	}
	switch v := it.Value.(type) {
	case keeper.Session:
		return s.choices.Attach(v)
	case typedKind:
		if v == searchRow {
			return s.fetch()
		}
		s.note = v.how() + ", then press enter"
	case workspace.Spec:
		if s.shop.installs(v) {
			return s.offer(v)
		}
		if v.Missing != "" {
			s.note = v.Name + " is not installed: " + v.Missing
			return nil
		}
		return s.start(v, along)
	}
	return nil
}

// Rows draws the page.
func (s *Agents) Rows(width, height int) ([]string, *tea.Cursor) {
	th := s.env.Theme
	if s.shop.open() {
		return s.shopRows(width, height), nil
	}
	about := "  chat with a coding agent in "
	if text.Width(" parley"+about+s.choices.Dir) > width {
		about = "  in " // the directory matters more
	}
	head := []string{
		text.Truncate(" "+th.Title.Paint("parley")+th.Dim.Paint(about+s.choices.Dir), width, "…"),
		"",
		" " + s.list.FilterRow(width-2, "Type to filter", th),
	}
	foot := s.foot(width, th)
	above, below, room := s.divide(height, len(foot))
	foot = foot[len(foot)-below:]
	rows := head[len(head)-above:]
	cursor := tea.NewCursor(1+s.list.FilterCursor(width-2), above-1)
	drawn := s.list.Draw(width-2, room, th)
	if typed := s.typed(); typed != "" {
		does := "enter runs it"
		if strings.Contains(typed, "://") {
			does = "enter connects to it"
		}
		drawn = []string{"  " + th.Dim.Paint(does)}
	}
	for _, r := range drawn {
		rows = append(rows, " "+r)
	}
	if more := s.list.More(room); more != "" {
		foot[0] = cmp.Or(foot[0], text.Truncate("   "+th.Faint.Paint(more), width, ""))
	}
	for len(rows) < height-len(foot) {
		rows = append(rows, "")
	}
	return append(rows, foot...), cursor
}

// divide returns how many rows of the head and of the foot are shown, the last ones of both, and how
// many are left for the list. On a low screen the title goes first.
func (s *Agents) divide(height, foot int) (above, below, room int) {
	const head = 3 // the title, a blank row, what is typed
	above = min(head, max(1, height-1-foot))
	below = min(foot, max(1, height-1-above))
	return above, below, max(1, height-above-below)
}

// Saw implements layer.Viewer.
func (s *Agents) Saw(width, height int) {
	if s.shop.open() {
		s.sawShop(width, height)
		return
	}
	_, _, room := s.divide(height, len(s.foot(width, s.env.Theme)))
	s.list.Shown(room)
}

// foot returns a blank row, what will run, and what the agent gets.
func (s *Agents) foot(width int, th *theme.Theme) []string {
	var lines []string
	it, _ := s.list.Selected()
	chosen, ok := it.Value.(workspace.Spec)
	kept, isKept := it.Value.(keeper.Session)
	access := "files in this directory; it asks before it writes, runs commands or goes elsewhere"
	typed := s.typed()
	switch {
	case s.note != "":
		lines = append(lines, th.Warn.Paint(s.note))
	case strings.Contains(typed, "://"):
		lines, access = append(lines, th.Dim.Paint("Connects to  ")+typed), "nothing on this machine unless you share it (--share-files, --share-terminal)"
	case typed != "":
		lines = append(lines, th.Dim.Paint("Runs  ")+typed)
	case isKept:
		about := kept.Name + " in " + kept.Dir
		if _, what := workspace.DescribeKept(kept); what != "" {
			about += ": " + what
		}
		lines, access = append(lines, th.Dim.Paint("Kept  ")+safetext.Line(about, 300)), "what it was started with"
	case ok && s.shop.installs(chosen):
		lines = append(lines, th.Dim.Paint("Not installed: enter shows what installing it would do"))
	case ok && chosen.Missing != "":
		lines = append(lines, th.Warn.Paint("Not installed: ")+chosen.Missing)
	case ok && chosen.Remote:
		lines, access = append(lines, th.Dim.Paint("Connects to  ")+chosen.Command), cmp.Or(chosen.Access, access)
	case ok:
		lines = append(lines, th.Dim.Paint("Runs  ")+chosen.Command)
	}
	esc := " back"
	if s.first() {
		esc = " quit"
	}
	does := th.Key.Paint("enter") + th.Dim.Paint(" "+s.enterDoes()+"   ")
	if key := s.env.Keys.Label(intent.List, intent.Fork); key != "" && s.choices.Along != nil && s.choices.Along() {
		does += th.Key.Paint(key) + th.Dim.Paint(" start with the conversation   ")
	}
	if key := s.env.Keys.Label(intent.List, intent.InstallEntry); key != "" && s.replacesNpx() {
		does += th.Key.Paint(key) + th.Dim.Paint(" install…   ")
	}
	lines = append(lines, th.Dim.Paint("Access  "+access), does+th.Key.Paint("esc")+th.Dim.Paint(esc))
	out := []string{""}
	for _, l := range lines {
		out = append(out, text.WrapInk(nil, l, " ", width-1)...)
	}
	return out
}

// enterDoes says what enter does with the selected row, or with what is typed.
func (s *Agents) enterDoes() string {
	it, _ := s.list.Selected()
	if s.typed() != "" {
		return "start"
	}
	switch v := it.Value.(type) {
	case keeper.Session:
		return map[bool]string{true: "attach", false: "resume"}[v.Live]
	case typedKind:
		return map[bool]string{true: "search", false: "show how"}[v == searchRow]
	case workspace.Spec:
		switch {
		case s.shop.installs(v):
			return "install…"
		case v.Missing != "":
			return "show how to install it"
		}
	}
	return "start"
}
