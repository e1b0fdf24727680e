package status

import (
	"fmt"
	"strings"

	"parley/acpclient/event"
	"parley/ui/glyphs"
	"parley/ui/theme"
	"parley/ui/widget/text"
)

// SideWidth is the width of the side panel with its border, in columns.
const SideWidth = 36

// Side is the panel beside a session's page: what a user would otherwise open a list for.
type Side struct {
	Sessions []SideSession
	Plan     []event.PlanEntry
	Files    []SideFile
	Running  []SideRun
}

// SideRun is something that runs: a tool call or a command of the user.
type SideRun struct {
	Title string
	Path  string // the file that it is about, or ""
}

// SideSession is an open session.
type SideSession struct {
	Title, State  string
	Here          bool // it is on the screen
	Waits, Unread bool
}

// SideFile is a changed file.
type SideFile struct {
	Path           string // as it is shown
	Added, Removed int    // lines
}

// section is a heading with rows below it.
type section struct {
	head string
	rows []string
}

// Rows draws the panel. A section that is too long says how many more there are.
func (s Side) Rows(height int, th *theme.Theme) []string {
	width := SideWidth - 4 // the border, and blanks
	all := []section{s.sessions(width, th), s.plan(width, th), s.files(width, th), s.running(width, th)}
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

// some returns most rows of a section, from the one at first on.
func some(rows []string, first int, th *theme.Theme) []string {
	if len(rows) <= most {
		return rows
	}
	first = max(0, min(first, len(rows)-most+1))
	rest := len(rows) - most + 1
	return append(rows[first:first+most-1:first+most-1], th.Dim.Paint(fmt.Sprintf("… %d more", rest)))
}

func (s Side) sessions(width int, th *theme.Theme) section {
	var rows []string
	here := 0
	for i, one := range s.Sessions {
		mark, state := " ", th.Dim.Paint(one.State)
		switch {
		case one.Here:
			mark, here = th.Accent.Paint("▸"), i
		case one.Waits:
			mark = th.Warn.Paint("●")
		case one.Unread:
			mark = th.Accent.Paint("•")
		}
		if one.Waits {
			state = th.Warn.Paint("waits")
		}
		rows = append(rows, ends(mark+" "+one.Title, state, width))
	}
	return section{"Sessions", some(rows, here-most/2, th)}
}

func (s Side) plan(width int, th *theme.Theme) section {
	if len(s.Plan) == 0 {
		return section{}
	}
	var rows []string
	done, current := 0, 0
	for i, p := range s.Plan {
		row := "○ " + p.Content
		switch p.Status {
		case "completed":
			row, done, current = th.Dim.Paint("✓ "+p.Content), done+1, i+1
		case "in_progress":
			row, current = "▸ "+p.Content, i
		}
		rows = append(rows, text.Truncate(row, width, "…"))
	}
	return section{fmt.Sprintf("Plan %d/%d", done, len(s.Plan)), some(rows, current-2, th)}
}

func (s Side) files(width int, th *theme.Theme) section {
	if len(s.Files) == 0 {
		return section{"Changed files", []string{th.Dim.Paint("None yet")}}
	}
	var rows []string
	added, removed := 0, 0
	for _, f := range s.Files {
		added, removed = added+f.Added, removed+f.Removed
		right := th.Good.Paint(fmt.Sprintf("+%d", f.Added)) + " " + th.Bad.Paint(fmt.Sprintf("−%d", f.Removed))
		rows = append(rows, ends(tail(f.Path, width-text.Width(right)-2), right, width))
	}
	return section{ends(fmt.Sprintf("Changed files %d", len(s.Files)), th.Dim.Paint(fmt.Sprintf("+%d −%d", added, removed)), width), some(rows, 0, th)}
}

// tail cuts a path at its beginning: its end says more.
func tail(path string, width int) string {
	if over := text.Width(path) - width; over > 0 {
		return "…" + glyphs.TruncateLeft(path, over+1)
	}
	return path
}

func (s Side) running(width int, th *theme.Theme) section {
	if len(s.Running) == 0 {
		return section{}
	}
	var rows []string
	for _, run := range s.Running {
		title := run.Title
		if run.Path != "" {
			title += " " + tail(run.Path, max(1, width-text.Width(title)-1))
		}
		rows = append(rows, text.Truncate(title, width, "…"))
	}
	return section{"Running", some(rows, 0, th)}
}

// ends puts left and right at the ends of a row.
func ends(left, right string, width int) string {
	left = text.Truncate(left, max(1, width-text.Width(right)-1), "…")
	return left + strings.Repeat(" ", max(1, width-text.Width(left)-text.Width(right))) + right
}
