package ui

import (
	"image/color"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/tty"
	"parley/internal/workspace"
	"parley/ui/page"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// inTheme tells whether a piece of the screen is in that ink of a theme.
func (d *driver) inTheme(text string, ink theme.Ink) bool {
	return strings.Contains(visible(d.m.View()), ink.On()+text)
}

// The list of themes applies the one under the cursor; esc restores the old one, enter keeps
// the new one and says how to keep it permanently.
func TestThemePicker(t *testing.T) {
	drive(t, func(_ *driver, o *Options) { o.Theme = "dark" }, func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		prompt := func(want *theme.Theme) {
			t.Helper()
			if d.m.Theme.Name != want.Name || !d.inTheme(" hello", want.UserText) {
				t.Fatalf("the prompt is not in %s, the theme is %s:\n%q", want.Name, d.m.Theme.Name, visible(d.m.View())[:200])
			}
		}
		prompt(theme.Dark())
		d.types("/theme\n")
		d.sees("╭ Theme", "› dark", "now", "contrast-light", "No colours")
		prompt(theme.Dark())
		d.press("down")
		prompt(theme.Light())
		d.press("down")
		prompt(theme.ContrastDark())
		d.types("plain")
		prompt(theme.Plain())
		d.press("esc") // the filter goes
		d.press("esc")
		d.misses("╭ Theme")
		prompt(theme.Dark())
		d.types("/theme\n")
		d.press("end", "enter")
		prompt(theme.Plain())
		d.sees(`Set theme = "plain" in config.toml to keep it`)
		d.types("/theme\n")
		d.sees("› plain")
		d.press("home")
		prompt(theme.Dark()) // auto, of a dark terminal
		d.send(tea.BackgroundColorMsg{Color: color.White})
		prompt(theme.Light())
		d.press("enter")
		prompt(theme.Light())
		d.send(tea.BackgroundColorMsg{Color: color.Black})
		prompt(theme.Dark())
	})
}

// A theme that was only previewed is not kept when the list closes.
func TestThemePickerGoesAway(t *testing.T) {
	drive(t, func(_ *driver, o *Options) { o.Theme = "light" }, func(d *driver) {
		d.connected()
		d.types("/theme\n")
		d.press("end")
		if d.m.Theme.Name != "plain" {
			t.Fatalf("shows %s", d.m.Theme.Name)
		}
		d.m.Front.Panels.Close(d.m.Front.Panels.List())
		d.send(page.Refresh{})
		if d.m.Theme.Name != "light" {
			t.Errorf("it stays %s", d.m.Theme.Name)
		}
	})
}

// What the terminal has decides, unless the user does.
func TestThemeOfTheTerminal(t *testing.T) {
	for _, c := range []struct {
		theme   string
		noColor bool
		profile string
		dark    bool
		want    string
	}{
		{"auto", false, "TrueColor", true, "dark"}, {"", false, "TrueColor", false, "light"}, {"auto", false, "ANSI256", false, "light"},
		{"auto", false, "ANSI", false, "ansi"}, {"auto", false, "Ascii", true, "plain"}, {"auto", false, "NoTTY", true, "plain"},
		{"auto", true, "TrueColor", true, "plain"}, {"dark", true, "TrueColor", true, "plain"},
		{"light", false, "ANSI", true, "ansi"}, {"contrast-dark", false, "Ascii", true, "plain"},
	} {
		m := New(Options{Theme: c.theme, Terminal: tty.Profile{Colours: tty.Colours{NoColor: c.noColor}}})
		m.Update(tea.WindowSizeMsg{Width: 40, Height: 12})
		m.Update(profileOf(c.profile))
		ground := color.White
		if c.dark {
			ground = color.Black
		}
		m.Update(tea.BackgroundColorMsg{Color: ground})
		if m.Theme.Name != c.want {
			t.Errorf("%+v: %s", c, m.Theme.Name)
		}
	}
	// The terminal may be known better later.
	m := New(Options{Theme: "auto", Terminal: tty.Profile{Colours: tty.Colours{Dark: true}}})
	for _, step := range [][2]string{{"ANSI", "ansi"}, {"TrueColor", "dark"}, {"Ascii", "plain"}, {"ANSI256", "dark"}} {
		if m.Update(profileOf(step[0])); m.Theme.Name != step[1] {
			t.Errorf("%s: %s", step[0], m.Theme.Name)
		}
	}
}

// A diff is highlighted a moment after it becomes visible, in the
// transcript and in a question.
func TestDiffsAreColoured(t *testing.T) {
	withQuestion(t, edit(), usual, func(d *driver) {
		d.m.Options.Theme = "dark"
		d.send(tea.WindowSizeMsg{Width: 90, Height: 60})
		d.rest()
		word := regexp.MustCompile(regexp.QuoteMeta(strings.TrimSuffix(theme.Dark().Keyword.On(), "m")) + "(;48[;0-9]+)?mreturn")
		coloured := func() {
			t.Helper()
			if n := len(word.FindAllString(visible(d.m.View()), -1)); n != 4 {
				t.Errorf("%d coloured words:\n%q", n, visible(d.m.View()))
			}
		}
		coloured()
		if d.m.colouring || len(d.m.Front.View.Uncoloured()) > 0 {
			t.Error("there is something left to colour")
		}
		draws := d.m.draws
		d.wait(time.Second)
		if d.m.draws > draws+6 { // of the clock
			t.Errorf("drawn %d times in a second", d.m.draws-draws)
		}
		d.press("y")
		d.rest()
		d.misses("fake asks")
		coloured()
	})
}

// When the terminal changes between light and dark, the screen follows, unless a theme was chosen.
func TestThemeFollowsTerminal(t *testing.T) {
	for chosen, want := range map[string][]string{"auto": {"light", "dark"}, "dark": {"dark", "dark"}} {
		drive(t, func(_ *driver, o *Options) { o.Theme = chosen }, func(d *driver) {
			d.connected()
			for i, change := range []struct {
				scheme     tea.Msg
				background color.Color
			}{{uv.LightColorSchemeEvent{}, color.White}, {uv.DarkColorSchemeEvent{}, color.Black}} {
				d.background = change.background
				d.send(change.scheme)
				d.soon()
				if d.m.Theme.Name != want[i] {
					t.Errorf("%s, after %T: %s, want %s", chosen, change.scheme, d.m.Theme.Name, want[i])
				}
			}
		})
	}
}

// Another theme redraws only the visible rows, however long the conversation is.
func BenchmarkTheme(b *testing.B) {
	m := New(Options{FrontEnd: workspace.FrontEnd{Options: workspace.Options{Cwd: uitest.Dir, Agents: []workspace.Spec{{Name: "fake"}}}}, Theme: "dark"})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 50})
	m.Choosing = false
	m.Front.Agent.SetForTest(&workspace.Connection{Client: &acpclient.Client{}, Session: &acpclient.Session{}}, "")
	for range 25_000 {
		m.applyTo(m.Front, event.TurnStarted{Text: "go on"})
		m.applyTo(m.Front, event.TextArrived{Role: event.Agent, Text: "A **paragraph** of an answer with `code` in it, long enough to be wrapped on most screens there are today.\n\nAnd another one.\n"})
		m.applyTo(m.Front, event.TurnEnded{StopReason: "end_turn"})
	}
	m.Front.Applied()
	for range 3000 { // so that much is remembered
		m.Front.View.Page(-1)
		m.Front.View.Rows()
	}
	m.View()
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		m.Options.Theme = []string{"light", "dark"}[n%2]
		m.Update(page.Refresh{})
		m.View()
	}
}
