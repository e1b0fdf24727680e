package start

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/tty"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/uitest"
)

func newEnv() *layer.Env {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	return &layer.Env{Now: func() time.Time { return at }, Keys: intent.Default, Theme: theme.For("plain", tty.Colours{})}
}

func press(name string) layer.Press {
	msg := tea.KeyPressMsg{Code: map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown}[name]}
	if alt, ok := strings.CutPrefix(name, "alt+"); ok {
		msg.Code, msg.Mod = []rune(alt)[0], tea.ModAlt
	} else if msg.Code == 0 {
		msg.Code, msg.Text = []rune(name)[0], name
	}
	return layer.Press{KeyPressMsg: msg, Name: msg.String(), Want: intent.Default.Of(intent.Chat, msg.String())}
}

// Of the agents whose names begin with what is typed, the order of the list counts, which has those found and the
// most used first, and not the length of the name; unless the name is all of it.
func TestAgentsInOrder(t *testing.T) {
	s := NewAgents(newEnv(), Choices{Agents: []workspace.Spec{{Name: "other", About: "cl"}, {Name: "claude", Command: "one"}, {Name: "cline"}, {Name: "cl-x", Command: "two"}, {Name: "cli", Command: "three"}}},
		workspace.New(workspace.Options{}), nil, nil)
	for typed, want := range map[string]string{"cl": "one", "cli": "three", "cl-": "two"} {
		for _, r := range typed {
			s.Key(press(string(r)))
		}
		it, _ := s.list.Selected()
		if got := it.Value.(workspace.Spec).Command; got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
		s.Open()
	}
}

// The chosen or typed agent is started. If it cannot be, the page says why.
func TestAgents(t *testing.T) {
	for _, tc := range []struct {
		name, typed, pasted, key string
		want, shows              string
		open                     bool // there is a page to return to
	}{
		{name: "the cursor's", key: "enter", want: "start bob", shows: "Runs  bob --acp"},
		{name: "a name", typed: "ann", key: "enter", want: "start ann"},
		{name: "a command", typed: "my-agent --acp", key: "enter", want: "start my-agent --acp"},
		{name: "a pasted command", pasted: "my-agent\n--acp\n", key: "enter", want: "start my-agent --acp"},
		{name: "what is wrong", typed: "'x y", key: "enter", shows: "a quote is not closed"},
		{name: "a missing one", typed: "absent", key: "enter", shows: "absent is not installed: npm i absent"},
		{name: "esc clears first", typed: "ann", key: "esc", shows: "Type to filter"},
		{name: "esc", key: "esc", want: "quit", shows: "esc quit"},
		{name: "esc back", key: "esc", want: "back", shows: "esc back", open: true},
	} {
		var done []string
		w := workspace.New(workspace.Options{})
		if tc.open {
			w.OpenLogged(workspace.Logged{}, "")
		}
		s := NewAgents(newEnv(), Choices{Choice: "bob", Dir: "~/src", Agents: []workspace.Spec{{Name: "ann", Command: "ann --acp"}, {Name: "bob", Command: "bob --acp"}, {Name: "absent", Missing: "npm i absent"}},
			TypedAgent: func(line string) (workspace.Spec, error) {
				if strings.Contains(line, "'") {
					return workspace.Spec{}, errors.New("a quote is not closed")
				}
				return workspace.Spec{Name: line}, nil
			}}, w, func(s workspace.Spec, _ bool) tea.Cmd { w.Start(s); return nil }, func(quit bool) tea.Cmd {
			done = append(done, map[bool]string{true: "quit", false: "back"}[quit])
			return nil
		})
		for _, r := range tc.typed {
			s.Key(press(string(r)))
		}
		if tc.pasted != "" {
			s.Paste(tc.pasted)
		}
		s.Key(press(tc.key))
		if a := w.Front().Agent; a.Spec.Name != "" && !tc.open {
			done = append(done, "start "+a.Spec.Name)
		}
		var want []string
		if tc.want != "" {
			want = []string{tc.want}
		}
		rows, _ := s.Rows(60, 14)
		again, _ := s.Rows(60, 14)
		if text := uitest.Text(rows); !slices.Equal(done, want) || !strings.Contains(text, tc.shows) || !slices.Equal(rows, again) {
			t.Errorf("%s: %q done, and it shows\n%s", tc.name, done, text)
		}
	}
}

// The foot says what enter does with the selected row, or with what is typed.
func TestWhatEnterDoes(t *testing.T) {
	for typed, want := range map[string]string{
		"ann": "enter start", "absent": "enter show how to install it", "search the": "enter search", "with its": "enter show how", "absent --acp": "enter start", "https://host/absent": "enter start",
	} {
		s := NewAgents(newEnv(), Choices{Agents: []workspace.Spec{{Name: "ann", Command: "ann --acp"}, {Name: "absent", Missing: "npm i absent"}}, Registry: &workspace.Registry{},
			TypedAgent: func(line string) (workspace.Spec, error) { return workspace.Spec{Name: line}, nil }}, workspace.New(workspace.Options{}), nil, nil)
		s.Paste(typed)
		if rows, _ := s.Rows(60, 14); !strings.Contains(uitest.Text(rows), want+"   ") {
			t.Errorf("%q: no %q in\n%s", typed, want, uitest.Text(rows))
		}
	}
}

// Two words search the list, unless they are a command.
func TestSearchOrCommand(t *testing.T) {
	for typed, want := range map[string]string{
		"says told": "start scripted", "told  says ": "start scripted", "python agent": "start python agent", "says --acp": "start says --acp", "./says told": "start ./says told",
	} {
		got := ""
		s := NewAgents(newEnv(), Choices{Agents: []workspace.Spec{{Name: "other"}, {Name: "scripted", About: "Says what it is told"}},
			TypedAgent: func(line string) (workspace.Spec, error) { return workspace.Spec{Name: line}, nil }}, workspace.New(workspace.Options{}),
			func(a workspace.Spec, _ bool) tea.Cmd { got = "start " + a.Name; return nil }, nil)
		s.Paste(typed)
		rows, _ := s.Rows(60, 14)
		if s.Key(press("enter")); got != want || strings.Contains(uitest.Text(rows), "runs it") == (want == "start scripted") {
			t.Errorf("%q: %q, and it shows\n%s", typed, got, uitest.Text(rows))
		}
	}
}

// The list of agents fits any window; on a low one what runs and the keys stay.
func TestAgentsFit(t *testing.T) {
	for height := 6; height < 16; height++ {
		for _, width := range []int{20, 40, 80, 150} {
			s := NewAgents(newEnv(), Choices{Agents: []workspace.Spec{{Name: "one", Command: "one --acp"}, {Name: "two", Command: "two"}}, Dir: "~/src"}, workspace.New(workspace.Options{}), nil, nil)
			rows, cursor := s.Rows(width, height)
			if len(rows) > height || cursor.Y >= len(rows) {
				t.Errorf("%dx%d: %d rows, the cursor in row %d", width, height, len(rows), cursor.Y)
			}
			if !strings.Contains(uitest.Text(rows), "enter start") {
				t.Errorf("%dx%d: no keys:\n%s", width, height, uitest.Text(rows))
			}
			if width == 150 && !strings.Contains(uitest.Text(rows), "Runs  one --acp") {
				t.Errorf("%dx%d: it is not shown what runs:\n%s", width, height, uitest.Text(rows))
			}
		}
	}
}

// An agent that required a login when it was started last says so.
func TestLoginNeeded(t *testing.T) {
	s := NewAgents(newEnv(), Choices{Dir: "~/src", Agents: []workspace.Spec{
		{Name: "ann", Command: "ann", Where: "through npx", Section: "Through npx", NeedsLogin: true}, {Name: "bob", Command: "bob", Where: "configured", NeedsLogin: true}, {Name: "eve", Command: "eve"}}}, workspace.New(workspace.Options{}), nil, nil)
	rows, _ := s.Rows(100, 20)
	shown := uitest.Text(rows)
	for _, want := range []string{"login needed", "configured · login needed"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown:\n%s", want, shown)
		}
	}
	if strings.Count(shown, "login needed") != 2 || strings.Contains(shown, "npx · login") {
		t.Errorf("who needs a login:\n%s", shown)
	}
}
