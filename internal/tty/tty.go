// Package tty decides what the user's terminal can do, from the environment. What a terminal says of
// itself when it is asked comes on top of that.
package tty

import (
	"slices"
	"strconv"
	"strings"
)

// Profile is what a terminal can do.
type Profile struct {
	Multiplexer string // between parley and the terminal: tmux, screen, zellij, or "" for none that is known
	Dumb        bool   // it cannot show a screen
	NoColor     bool   // the user wants no colours
	Notify      string // how to send a notification: bell, osc9, osc777 or osc99; "" for not at all
	Progress    bool   // it has a progress bar
	Answers     bool   // it can be asked about its modes; one that cannot might print the question
	Fills       bool   // erased cells get the background colour
	Reflows     bool   // it rewraps long lines when it gets narrower; a guess
}

// Of returns the profile of the terminal with an environment.
func Of(getenv func(string) string) Profile {
	term, program := getenv("TERM"), getenv("TERM_PROGRAM")
	any := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return getenv(name) != "" })
	}
	p := Profile{Dumb: term == "" || term == "dumb", NoColor: any("NO_COLOR")}
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
	p.Notify = "bell"
	switch {
	case inside && p.Multiplexer != "tmux":
	case any("KITTY_WINDOW_ID") || term == "xterm-kitty":
		p.Notify = "osc99"
	case slices.Contains([]string{"iTerm.app", "WezTerm", "ghostty"}, program), term == "xterm-ghostty", getenv("LC_TERMINAL") == "iTerm2", any("WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR"):
		p.Notify = "osc9"
	case strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "rxvt"):
		p.Notify = "osc777"
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
		p.Notify = ""
	default:
		p.Notify = notify
	}
	if progress == "on" || progress == "off" {
		p.Progress = progress == "on"
	}
	return p
}

// In returns a function that looks up a variable in an environment of "NAME=value".
func In(environ []string) func(name string) string {
	return func(name string) string {
		for _, v := range environ {
			if key, value, _ := strings.Cut(v, "="); key == name {
				return value
			}
		}
		return ""
	}
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
