package start

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/text"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/widget/list"
)

// searchRow fetches the registry.
const searchRow typedKind = "Search…"

// shop is the part of the first page that fetches the registry and installs agents. At most one of both runs.
type shop struct {
	registry *workspace.Registry // nil: there is none
	listed   workspace.Listing

	stop  context.CancelFunc // ends what runs; nil at rest
	doing string             // what runs before there is a plan
	plan  *workspace.InstallPlan
	name  string // of the agent that the plan is about
	reading

	running bool // the installation
	mu      sync.Mutex
	said    string // its progress
}

// open reports whether it has the page.
func (s *shop) open() bool { return s.stop != nil || s.plan != nil }

// installs reports whether the registry can install an agent that is missing.
func (s *shop) installs(a workspace.Spec) bool {
	return a.Missing != "" && slices.ContainsFunc(s.listed.Agents, func(l workspace.Spec) bool { return l.Name == a.Name })
}

// items returns the rows of the registry.
func (s *shop) items(known []workspace.Spec, now time.Time) (items []list.Item) {
	if s.registry == nil {
		return nil
	}
	for _, a := range s.listed.Agents {
		if !slices.ContainsFunc(known, func(k workspace.Spec) bool { return k.Name == a.Name }) {
			items = append(items, list.Item{Title: a.Name, Detail: a.About, Hint: a.Where, Section: "Registry", Value: a})
		}
	}
	detail := "Search the registry for agents to install"
	if !s.listed.Fetched.IsZero() {
		detail = "Search the registry again; fetched " + words.Ago(s.listed.Fetched, now)
	}
	return append(items, list.Item{Title: string(searchRow), Detail: detail, Section: "Registry", Value: searchRow})
}

// close ends what runs.
func (s *shop) close() {
	if s.stop != nil {
		s.stop()
	}
	s.stop, s.plan, s.running, s.doing = nil, nil, false, ""
}

// begin makes a context for something that runs.
func (s *shop) begin(doing string) context.Context {
	s.close()
	ctx, stop := context.WithCancel(context.Background())
	s.stop, s.doing = stop, doing
	return ctx
}

// kept is what was fetched before.
type kept struct {
	page   *Agents
	listed workspace.Listing
}

// Handle lists the agents.
func (m kept) Handle() tea.Cmd {
	if m.page.shop.listed.Fetched.IsZero() {
		m.page.shop.listed = m.listed
		m.page.Refresh()
	}
	return nil
}

// beside runs something beside the screen. What it returns is called with its result, unless it failed or was stopped.
func (a *Agents) beside(ctx context.Context, do func() (then func() tea.Cmd, err error)) tea.Cmd {
	return func() tea.Msg {
		then, err := do()
		return ended{a, ctx, then, err}
	}
}

type ended struct {
	page *Agents
	ctx  context.Context
	then func() tea.Cmd
	err  error
}

// Handle implements layer.Message.
func (m ended) Handle() tea.Cmd {
	if m.ctx.Err() != nil {
		return nil
	}
	m.page.shop.close()
	if m.err != nil {
		m.page.note = m.err.Error()
		return nil
	}
	return m.then()
}

// fetch fetches the registry and lists its agents.
func (a *Agents) fetch() tea.Cmd {
	ctx := a.shop.begin("Fetching the registry…")
	return a.beside(ctx, func() (func() tea.Cmd, error) {
		listed, note, err := a.shop.registry.Fetch(ctx)
		return func() tea.Cmd {
			a.shop.listed, a.note = listed, note
			if it, _ := a.list.Selected(); it.Value == searchRow { // what was typed to find the row
				a.list.SetFilter("")
			}
			a.Refresh()
			if i := slices.IndexFunc(a.list.Items(), func(it list.Item) bool { return it.Section == "Registry" }); i >= 0 && a.list.Filter() == "" {
				a.list.Select(i)
			}
			return nil
		}, err
	})
}

// offer looks up how an agent would be installed, and shows it.
func (a *Agents) offer(spec workspace.Spec) tea.Cmd {
	ctx := a.shop.begin("Looking up how to install " + spec.Name + "…")
	return a.beside(ctx, func() (func() tea.Cmd, error) {
		plan, err := a.shop.registry.Plan(ctx, spec.Name)
		return func() tea.Cmd {
			a.shop.name = spec.Name
			return a.shop.show(plan)
		}, err
	})
}

// show shows a plan, all of which must have been on the screen before it can be answered.
func (s *shop) show(plan workspace.InstallPlan) tea.Cmd {
	s.plan, s.reading = &plan, reading{}
	return tea.Tick(layer.Quiet+20*time.Millisecond, func(time.Time) tea.Msg { return drawn{} })
}

// install does what the plan says, then starts the agent.
func (a *Agents) install() tea.Cmd {
	s := a.shop
	plan := s.plan
	ctx := s.begin("")
	s.plan, s.running, s.said = plan, true, "Starting…"
	return tea.Batch(a.beside(ctx, func() (func() tea.Cmd, error) {
		spec, err := plan.Install(ctx, s.tell)
		return func() tea.Cmd {
			all := slices.DeleteFunc(slices.Clone(a.choices.Agents), func(k workspace.Spec) bool { return k.Name == spec.Name })
			a.choices.Agents = append([]workspace.Spec{spec}, all...)
			a.Refresh()
			return a.start(spec, false)
		}, err
	}), s.tick(ctx))
}

func (s *shop) tell(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = line
}

// tick draws the progress again as long as something is installed.
func (s *shop) tick(ctx context.Context) tea.Cmd {
	return tea.Tick(100*time.Millisecond, func(time.Time) tea.Msg { return ticked{s, ctx} })
}

type ticked struct {
	shop *shop
	ctx  context.Context
}

// Handle waits for the next time.
func (m ticked) Handle() tea.Cmd {
	if m.ctx.Err() != nil || !m.shop.running {
		return nil
	}
	return m.shop.tick(m.ctx)
}

// shopKey takes all keys while something is fetched, shown or installed.
func (a *Agents) shopKey(p layer.Press) tea.Cmd {
	s := a.shop
	switch p.Name {
	case "esc", "ctrl+c", "n":
		if s.running {
			a.note = "Stopped: " + s.name + " was not installed"
		}
		s.close()
	case "y":
		if a.askable() {
			return a.install()
		}
	case "s":
		if s.toggles() {
			return s.show(s.plan.Toggle())
		}
	default:
		s.key(p.Name)
	}
	return nil
}

// toggles reports whether s changes whether install scripts run.
func (s *shop) toggles() bool { return s.plan != nil && !s.running && s.plan.Toggle != nil }

// askable reports whether y installs.
func (a *Agents) askable() bool {
	s := a.shop
	return s.plan != nil && !s.running && s.answerable(a.env.Now())
}

// planRows returns the rows of the plan.
func (s *shop) planRows(width int, th *theme.Theme) (rows []string) {
	if s.plan == nil {
		return text.WrapInk(nil, s.doing, " ", width-1)
	}
	widest := 0
	for _, f := range s.plan.Facts {
		widest = max(widest, text.Width(f[0]))
	}
	for _, f := range s.plan.Facts {
		label := text.Pad(f[0], widest)
		for i, row := range text.WrapInk(nil, f[1], "", max(10, width-widest-3)) {
			if i > 0 {
				label = strings.Repeat(" ", widest)
			}
			rows = append(rows, " "+th.Dim.Paint(label)+"  "+row)
		}
	}
	return rows
}

// shopFoot returns what is below the plan.
func (a *Agents) shopFoot(width int, th *theme.Theme) []string {
	s := a.shop
	key := func(name, does string) string { return th.Key.Paint(name) + th.Dim.Paint(" "+does+"   ") }
	back := key("esc", "back")
	if s.toggles() {
		back = key("s", map[bool]string{false: "let scripts run", true: "run no scripts"}[s.plan.Scripts]) + back
	}
	var lines []string
	switch {
	case s.running:
		s.mu.Lock()
		lines = append(lines, th.Accent.Paint(s.said), key("esc", "stop"))
		s.mu.Unlock()
	case s.plan == nil:
		lines = append(lines, key("esc", "stop"))
	case a.askable():
		lines = append(lines, "Install "+s.name+" and start it?", key("y", "install")+back)
	case s.read:
		lines = append(lines, "Install "+s.name+" and start it?", back)
	default:
		lines = append(lines, key("pgdn", "read on to install")+back)
	}
	out := []string{""}
	for _, l := range lines {
		out = append(out, text.WrapInk(nil, l, " ", width-1)...)
	}
	return out
}

// shopRows draws the plan or what runs in place of the list.
func (a *Agents) shopRows(width, height int) []string {
	th, s := a.env.Theme, a.shop
	rows := []string{text.Truncate(" "+th.Title.Paint("parley")+th.Dim.Paint("  install an agent"), width, "…"), ""}
	foot := a.shopFoot(width, th)
	plan := s.planRows(width, th)
	room := max(1, height-len(rows)-len(foot))
	at, _ := s.sight(width, len(plan), room)
	rows = append(rows, plan[at:min(len(plan), at+room)]...)
	for len(rows) < height-len(foot) {
		rows = append(rows, "")
	}
	return append(rows, foot...)[:max(1, height)]
}

// sawShop notes what of the plan has been on the screen.
func (a *Agents) sawShop(width, height int) {
	s := a.shop
	if s.plan == nil {
		return
	}
	s.saw(a.env.Now(), width, len(s.planRows(width, a.env.Theme)), max(1, height-2-len(a.shopFoot(width, a.env.Theme))))
}
