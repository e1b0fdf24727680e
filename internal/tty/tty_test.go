package tty

import (
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

func TestTerminal(t *testing.T) {
	for _, tc := range []struct {
		want, env, value string
		notify           Notification
		progress         bool
	}{
		{"", "", "", "bell", false},
		{"auto", "KITTY_WINDOW_ID", "1", "osc99", false},
		{"auto", "TERM_PROGRAM", "iTerm.app", "osc9", false}, // of an unknown version
		{"auto", "TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION", "3.6.6", "osc9", true},
		{"auto", "TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION", "3.10.0beta1", "osc9", true},
		{"auto", "TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION", "3.6.5", "osc9", false},
		{"auto", "VTE_VERSION", "8003", "bell", true},
		{"auto", "VTE_VERSION", "7600", "bell", false},
		{"auto", "TERM_PROGRAM", "ghostty", "osc9", true},
		{"auto", "WT_SESSION", "x", "bell", true},
		{"auto", "TERM", "foot-extra", "osc777", false},
		{"auto", "TMUX", "/x", "bell", false},
		{"auto", "TMUX=/x TERM_PROGRAM=tmux KITTY_WINDOW_ID", "1", "osc99", false},
		{"auto", "TMUX=/x TERM_PROGRAM=tmux LC_TERMINAL", "iTerm2", "osc9", false},
		{"auto", "TMUX=/x TERM_PROGRAM=tmux GHOSTTY_RESOURCES_DIR", "/g", "osc9", false},
		{"auto", "TMUX=/x TERM_PROGRAM=tmux VTE_VERSION", "8003", "bell", false},
		{"auto", "STY=x KITTY_WINDOW_ID", "1", "bell", false},
		{"off", "TERM_PROGRAM", "ghostty", "", false},
	} {
		got := Of(strings.Fields(tc.env+"="+tc.value)).Configured(tc.want, tc.want)
		if got.Notify != tc.notify {
			t.Errorf("%s=%s: notify %q, want %q", tc.env, tc.value, got.Notify, tc.notify)
		}
		if got.Progress != tc.progress {
			t.Errorf("%s=%s: progress %v", tc.env, tc.value, got.Progress)
		}
	}
	if p := Of(nil).Configured("osc9", "on"); p.Notify != "osc9" || !p.Progress {
		t.Error("the configuration does not count")
	}
}

// Answers add to what the environment tells; one that tells nothing new changes nothing.
func TestLearn(t *testing.T) {
	p := Of([]string{"TERM=xterm-256color"})
	for _, c := range []struct {
		answer tea.Msg
		change func(*Profile)
	}{
		{tea.ColorProfileMsg{Profile: colorprofile.ANSI}, func(p *Profile) { p.Depth = colorprofile.ANSI }},
		{tea.ColorProfileMsg{Profile: colorprofile.ANSI256}, func(p *Profile) { p.Depth, p.Links = colorprofile.ANSI256, true }},
		{tea.BackgroundColorMsg{Color: color.Black}, nil},
		{tea.BackgroundColorMsg{Color: color.White}, func(p *Profile) { p.Dark = false }},
		{tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeNotRecognized}, nil},
		{tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset}, func(p *Profile) { p.Clusters = true }},
		{tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset}, func(p *Profile) { p.Synced = true }},
		{tea.TerminalVersionMsg{}, nil},
		{tea.TerminalVersionMsg{Name: "XTerm(390)"}, func(p *Profile) { p.Reflows = false }},
		{tea.TerminalVersionMsg{Name: "kitty"}, func(p *Profile) { p.Reflows = true }},
		{tea.KeyPressMsg{}, nil},
	} {
		want := p
		if c.change != nil {
			c.change(&want)
		}
		if changed := p.Learn(c.answer); p != want || changed != (c.change != nil) {
			t.Errorf("%#v: got %+v, changed %v, want %+v", c.answer, p, changed, want)
		}
	}
}

func TestMultiplexer(t *testing.T) {
	for env, want := range map[string]string{"": "", "TMUX=/x": "tmux", "ZELLIJ=0": "zellij", "STY=1.pts TERM=screen-256color": "screen", "STY=1.pts TERM=xterm": "", "TMUX=/x STY=1.pts TERM=screen": "tmux"} {
		if got := Of(strings.Fields(env)).Multiplexer; got != want {
			t.Errorf("%s: got %q, want %q", env, got, want)
		}
	}
}

func TestReflows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  string
		want bool
	}{
		{"TERM=xterm-256color", true}, {"TERM=xterm-kitty", true}, {"TERM=linux", false}, {"TERM=screen-256color STY=1.pts", false},
		{"TERM=screen-256color TMUX=/x", true}, {"TERM=xterm XTERM_VERSION=XTerm(390)", false}, {"TERM=st-256color", false}, {"TERM=stterm", true},
	} {
		if got := Of(strings.Fields(c.env)).Reflows; got != c.want {
			t.Errorf("%s: got %v", c.env, got)
		}
	}
}

// A terminal that might print a question is not asked.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]bool{
		"TERM=xterm-256color": true, "TERM=xterm-256color TERM_PROGRAM=Apple_Terminal": false, "TERM=xterm-256color SSH_TTY=yes": false,
		"TERM=xterm-kitty SSH_TTY=yes": true, "TERM=linux": false, "TERM=tmux-256color TERM_PROGRAM=tmux": true,
	} {
		if got := Of(strings.Fields(env)).Answers; got != want {
			t.Errorf("%s: got %v", env, got)
		}
	}
}
