package status

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/internal/glyphs"
	"parley/internal/workspace"
	"parley/ui/theme"
)

func sideText(t *testing.T, s Side, height int) string {
	t.Helper()
	rows := s.Rows(height, theme.Dark())
	if len(rows) != height {
		t.Errorf("%d rows, want %d", len(rows), height)
	}
	for i, row := range rows {
		if w := glyphs.Width(row); w > SideWidth {
			t.Errorf("row %d is %d columns wide: %q", i, w, row)
		}
		rows[i] = strings.TrimRight(ansi.Strip(row), " ")
	}
	return strings.Join(rows, "\n")
}

func TestSideNamesClients(t *testing.T) {
	s := Side{Clients: []workspace.Client{{Name: "phone", Role: "approve"}, {Name: "an editor with a very long name indeed", Role: "talk"}}}
	got := sideText(t, s, 9)
	for _, want := range []string{"Joined", "phone                    approve", "an editor with a very long… talk"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestSide(t *testing.T) {
	s := Side{
		Sessions: []SideSession{{Title: "Fix the parser of the configuration file", State: "working", Here: true}, {Title: "Docs", Waits: true}, {Title: "Old", State: "idle", Unread: true}},
		Plan:     []event.PlanEntry{{Content: "Read", Status: "completed"}, {Content: "Write the tests and run them all", Status: "in_progress"}, {Content: "Sum up", Status: "pending"}},
		Files:    []workspace.ChangedFile{{Path: "lex.go", Added: 22, Removed: 3}, {Path: "a/very/long/path/to/some/package/file.go", Added: 100, Removed: 12}},
		Running:  []SideRun{{Title: "Run go test ./..."}, {"Edit", "a/very/long/path/to/some/package/file.go"}, {Title: "! make all the things that take long"}},
	}
	want := ` │ Sessions
 │ ▸ Fix the parser of the… working
 │ ● Docs                     waits
 │ • Old                       idle
 │
 │ Plan 1/3
 │ ✓ Read
 │ ▸ Write the tests and run them …
 │ ○ Sum up
 │
 │ Changed files 2         +122 −15
 │ lex.go                    +22 −3
 │ …/some/package/file.go  +100 −12
 │
 │ Running
 │ Run go test ./...
 │ Edit …th/to/some/package/file.go
 │ ! make all the things that take…
 │`
	if got := sideText(t, s, 19); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := sideText(t, s, 3); got != " │ Sessions\n │ ▸ Fix the parser of the… working\n │ …" {
		t.Errorf("in three rows\n%s", got)
	}
	for i := range s.Plan {
		s.Plan[i].Status = []string{"completed", "cancelled"}[i%2]
	}
	if got := sideText(t, s, 19); strings.Contains(got, "Plan") {
		t.Errorf("with a plan that is done\n%s", got)
	}
	if got := sideText(t, Side{}, 4); !strings.Contains(got, "Changed files\n │ None yet") {
		t.Errorf("an empty one is\n%s", got)
	}
}

// A long plan shows where it is, and how much there is besides.
func TestSideIsShort(t *testing.T) {
	var s Side
	for i := range 50 {
		status := "pending"
		if i < 30 {
			status = "completed"
		}
		s.Plan = append(s.Plan, event.PlanEntry{Content: fmt.Sprint("step ", i), Status: status})
		s.Sessions = append(s.Sessions, SideSession{Title: fmt.Sprint("session ", i), Here: i == 40})
		s.Files = append(s.Files, workspace.ChangedFile{Path: fmt.Sprint("file", i)})
	}
	got := sideText(t, s, 60)
	for _, want := range []string{"Plan 30/50", "✓ step 29", "○ step 30", "… 41 more", "▸ session 40", "file0"} {
		if !strings.Contains(got, want) {
			t.Errorf("without %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "step 10 ") || strings.Contains(got, "file20") {
		t.Errorf("too long:\n%s", got)
	}
}
