package status

import (
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/internal/describe"
	"parley/internal/text"
	"parley/internal/workspace"
	"parley/ui/theme"
)

// SideWidth is the width of the side panel with its border, in columns.
const SideWidth = 36

// Side is the panel beside a session's page: what a user would otherwise open a list for.
type Side struct {
	Sessions []SideSession
	Plan     []event.PlanEntry
	Files    []workspace.ChangedFile
	Running  []SideRun
	Clients  []workspace.Client // that have joined

	// Name returns a path as it is shown. It is called for the rows that are shown. Nil shows
	// paths as they are.
	Name func(path string) string
}

// SideRun is something that runs: a tool call or a command of the user.
type SideRun struct {
	Title string
	Path  string // the file that it is about, for Name; or ""
}

// SideSession is an open session.
type SideSession struct {
	Title, State  string
	Here          bool // it is on the screen
	Waits, Unread bool
}

// section is a heading with rows below it.
type section struct {
	head string
	rows []string
}

// Rows draws the panel. A section that is too long says how many more there are.
func (s Side) Rows(height int, th *theme.Theme) []string {
	width := SideWidth - 4 // the border, and blanks
	all := []section{s.sessions(width, th), s.plan(width, th), s.files(width, th), s.running(width, th), s.clients(width, th)}
	var body []string
	for _, one := range all {
		if one.head == "" {
			continue
		}
		if len(body) > 0 {
			body = append(body, "")
		}
		body = append(append(body, th.Strong.Paint(one.head)), one.rows...)
	}
	if len(body) > height {
		body = append(body[:max(0, height-1)], th.Dim.Paint("…"))
	}
	rows := make([]string, height)
	for i := range rows {
		rows[i] = " " + th.Border.Paint("│")
		if i < len(body) && body[i] != "" {
			rows[i] += " " + text.Truncate(body[i], width, "…")
		}
	}
	return rows
}

// most is how many rows a section has at most.
const most = 10

// visibleRows draws n rows, of which row draws one; if they are more than most, only those from the one at
// first on.
func visibleRows(n, first int, th *theme.Theme, row func(i int) string) []string {
	from, to := 0, n
	if n > most {
		from = max(0, min(first, n-most+1))
		to = from + most - 1
	}
	var rows []string
	for i := from; i < to; i++ {
		rows = append(rows, row(i))
	}
	if n > most {
		rows = append(rows, th.Dim.Paint(fmt.Sprintf("… %d more", n-most+1)))
	}
	return rows
}

func (s Side) sessions(width int, th *theme.Theme) section {
	here := max(0, slices.IndexFunc(s.Sessions, func(one SideSession) bool { return one.Here }))
	return section{"Sessions", visibleRows(len(s.Sessions), here-most/2, th, func(i int) string {
		one := s.Sessions[i]
		mark, state := " ", th.Dim.Paint(one.State)
		switch {
		case one.Here:
			mark = th.Accent.Paint("▸")
		case one.Waits:
			mark = th.Warn.Paint("●")
		case one.Unread:
			mark = th.Accent.Paint("•")
		}
		if one.Waits {
			state = th.Warn.Paint("waits")
		}
		return ends(mark+" "+one.Title, state, width)
	})}
}

func (s Side) plan(width int, th *theme.Theme) section {
	count, now := describe.Progress(s.Plan)
	if now == "" { // it is done
		return section{}
	}
	current := 0
	for i, p := range s.Plan {
		switch p.Status {
		case "completed":
			current = i + 1
		case "in_progress":
			current = i
		}
	}
	return section{"Plan " + count, visibleRows(len(s.Plan), current-2, th, func(i int) string {
		p := s.Plan[i]
		row := "○ " + p.Content
		switch p.Status {
		case "completed":
			row = th.Dim.Paint("✓ " + p.Content)
		case "cancelled":
			row = th.Dim.Paint("– " + p.Content)
		case "in_progress":
			row = "▸ " + p.Content
		}
		return text.Truncate(row, width, "…")
	})}
}

func (s Side) files(width int, th *theme.Theme) section {
	if len(s.Files) == 0 {
		return section{"Changed files", []string{th.Dim.Paint("None yet")}}
	}
	added, removed := 0, 0
	for _, f := range s.Files {
		added, removed = added+f.Added, removed+f.Removed
	}
	total := ""
	if added+removed > 0 {
		total = th.Dim.Paint(fmt.Sprintf("+%d −%d", added, removed))
	}
	head := ends(fmt.Sprintf("Changed files %d", len(s.Files)), total, width)
	return section{head, visibleRows(len(s.Files), 0, th, func(i int) string {
		f := s.Files[i]
		right := ""
		if f.Added+f.Removed > 0 {
			right = th.Good.Paint(fmt.Sprintf("+%d", f.Added)) + " " + th.Bad.Paint(fmt.Sprintf("−%d", f.Removed))
		}
		return ends(tail(s.name(f.Path), width-text.Width(right)-2), right, width)
	})}
}

// name returns a path as it is shown.
func (s Side) name(path string) string {
	if s.Name == nil {
		return path
	}
	return s.Name(path)
}

// tail cuts a path at its beginning: its end says more.
func tail(path string, width int) string {
	if over := text.Width(path) - width; over > 0 {
		return "…" + text.Cut(path, over+1, text.MaxCells)
	}
	return path
}

func (s Side) running(width int, th *theme.Theme) section {
	if len(s.Running) == 0 {
		return section{}
	}
	return section{"Running", visibleRows(len(s.Running), 0, th, func(i int) string {
		run := s.Running[i]
		title := run.Title
		if run.Path != "" {
			title += " " + tail(s.name(run.Path), max(1, width-text.Width(title)-1))
		}
		return text.Truncate(title, width, "…")
	})}
}

func (s Side) clients(width int, th *theme.Theme) section {
	if len(s.Clients) == 0 {
		return section{}
	}
	return section{"Joined", visibleRows(len(s.Clients), 0, th, func(i int) string {
		return ends(s.Clients[i].Name, th.Dim.Paint(s.Clients[i].Role), width)
	})}
}

// ends puts left and right at the ends of a row.
func ends(left, right string, width int) string {
	left = text.Truncate(left, max(1, width-text.Width(right)-1), "…")
	return left + strings.Repeat(" ", max(1, width-text.Width(left)-text.Width(right))) + right
}
