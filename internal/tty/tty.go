// Package tty knows what the user's terminal can do: what the environment tells of it, and what it answers
// when it is asked.
package tty

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Profile is what a terminal can do.
type Profile struct {
	Multiplexer string // between parley and the terminal: tmux, screen, zellij, or "" for none that is known
	Dumb        bool   // it cannot show a screen
	Notify      Notification
	Progress    bool // it has a progress bar
	Answers     bool // it can be asked about its modes; one that cannot might print the question
	Fills       bool // erased cells get the background colour
	Reflows     bool // it rewraps long lines when it gets narrower; a guess until it has told its name
	Synced      bool // it has synchronised output (mode 2026)
	Clusters    bool // it can measure text by grapheme clusters (mode 2027)
	Colours
}

// Colours is what a theme depends on.
type Colours struct {
	NoColor bool                 // the user wants none
	Depth   colorprofile.Profile // how many there are
	Dark    bool                 // the background is dark
	Links   bool                 // it takes hyperlinks (OSC 8)
}

// Notification is a way to make the terminal notify the user.
type Notification string

// The kinds of notification.
const (
	NotifyNone   Notification = ""
	NotifyBell   Notification = "bell"   // BEL
	NotifyOSC9   Notification = "osc9"   // iTerm2, WezTerm, Ghostty, Windows Terminal
	NotifyOSC777 Notification = "osc777" // foot, urxvt
	NotifyOSC99  Notification = "osc99"  // kitty
)

// What a terminal is asked. Learn applies the answers.
const (
	AskModes      = ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore // if it Answers
	AskBackground = ansi.RequestBackgroundColor
	AskName       = ansi.RequestNameVersion
)

// Learn applies an answer of the terminal, or what Bubble Tea has found out, and reports whether that is new.
func (p *Profile) Learn(msg tea.Msg) bool {
	before := *p
	switch msg := msg.(type) {
	case tea.ColorProfileMsg:
		p.Depth = msg.Profile
		p.Links = p.Depth > colorprofile.ANSI // older terminals may print a link's address
	case tea.BackgroundColorMsg:
		p.Dark = msg.IsDark()
	case tea.TerminalVersionMsg:
		if msg.Name != "" {
			p.Reflows = !strings.HasPrefix(msg.Name, "XTerm")
		}
	case tea.ModeReportMsg:
		switch msg.Mode {
		case ansi.ModeSynchronizedOutput:
			p.Synced = p.Synced || msg.Value == ansi.ModeReset
		case ansi.ModeUnicodeCore:
			p.Clusters = p.Clusters || msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet
		}
	}
	return *p != before
}

// Of returns the profile of the terminal with an environment of "NAME=value", before it has answered.
func Of(environ []string) Profile {
	getenv := func(name string) string {
		for _, v := range environ {
			if key, value, _ := strings.Cut(v, "="); key == name {
				return value
			}
		}
		return ""
	}
	term, program := getenv("TERM"), getenv("TERM_PROGRAM")
	any := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return getenv(name) != "" })
	}
	p := Profile{Dumb: term == "" || term == "dumb", Colours: Colours{NoColor: any("NO_COLOR"), Depth: colorprofile.TrueColor, Dark: true}}
	switch {
	case any("TMUX"):
		p.Multiplexer = "tmux"
	case any("ZELLIJ"):
		p.Multiplexer = "zellij"
	case any("STY") && strings.HasPrefix(term, "screen"): // else a terminal was started from it
		p.Multiplexer = "screen"
	}
	inside := any("TMUX", "STY", "ZELLIJ")

	// tmux passes sequences on, and what the terminal around it has set is still in the environment;
	// other multiplexers let only the bell through.
	p.Notify = NotifyBell
	switch {
	case inside && p.Multiplexer != "tmux":
	case any("KITTY_WINDOW_ID") || term == "xterm-kitty":
		p.Notify = NotifyOSC99
	case slices.Contains([]string{"iTerm.app", "WezTerm", "ghostty"}, program), term == "xterm-ghostty", getenv("LC_TERMINAL") == "iTerm2", any("WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR"):
		p.Notify = NotifyOSC9
	case strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "rxvt"):
		p.Notify = NotifyOSC777
	}
	// Some terminals show the sequence of a progress bar as a notification, so only terminals known to
	// support it qualify: iTerm2 since 3.6.6 and VTE since 0.80. kitty ignores it.
	p.Progress = !inside && (any("WT_SESSION") || getenv("ConEmuANSI") == "ON" || program == "ghostty" || program == "WezTerm" ||
		program == "iTerm.app" && atLeast(getenv("TERM_PROGRAM_VERSION"), 3, 6, 6) || atLeast(getenv("VTE_VERSION"), 8000))

	known := any("WT_SESSION") || slices.ContainsFunc([]string{"ghostty", "wezterm", "alacritty", "kitty", "rio", "foot", "contour"}, func(name string) bool { return strings.Contains(term, name) })
	p.Answers = term != "dumb" && term != "linux" && (known || !any("SSH_TTY") && !strings.Contains(program, "Apple"))
	p.Fills = any("TMUX") || !strings.HasPrefix(term, "screen")
	p.Reflows = any("TMUX") || !any("XTERM_VERSION", "STY") && !slices.ContainsFunc([]string{"linux", "screen", "st", "vt100", "vt220", "dumb"}, func(kind string) bool { return term == kind || strings.HasPrefix(term, kind+"-") })
	return p
}

// Configured returns the profile with what the configuration says of notifications and the progress
// bar; "" and "auto" leave them as they are.
func (p Profile) Configured(notify, progress string) Profile {
	switch notify {
	case "", "auto":
	case "off":
		p.Notify = NotifyNone
	default:
		p.Notify = Notification(notify)
	}
	if progress == "on" || progress == "off" {
		p.Progress = progress == "on"
	}
	return p
}

// atLeast reports whether a version such as "3.6.6" is that of parts or later.
func atLeast(version string, parts ...int) bool {
	var have []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(strings.TrimSuffix(part, strings.TrimLeft(part, "0123456789"))) // "0beta1" is 0
		if err != nil {
			return false
		}
		have = append(have, n)
	}
	return slices.Compare(have, parts) >= 0
}
