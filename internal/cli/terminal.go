package cli

import (
	"slices"
	"strconv"
	"strings"
)

// Notify returns how to send a notification with this terminal: bell, osc9, osc777 or osc99, "" for
// not at all. want is the configured value. tmux passes sequences on, and what the terminal around it
// has set is still in the environment; other multiplexers let only the bell through.
func Notify(want string, getenv func(string) string) string {
	switch want {
	case "", "auto":
	case "off":
		return ""
	default:
		return want
	}
	term, program := getenv("TERM"), getenv("TERM_PROGRAM")
	switch {
	case multiplexed(getenv) && getenv("TMUX") == "":
		return "bell"
	case getenv("KITTY_WINDOW_ID") != "" || term == "xterm-kitty":
		return "osc99"
	case program == "iTerm.app", program == "WezTerm", program == "ghostty", term == "xterm-ghostty",
		getenv("LC_TERMINAL") == "iTerm2", getenv("WEZTERM_PANE") != "", getenv("GHOSTTY_RESOURCES_DIR") != "":
		return "osc9"
	case strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "rxvt"):
		return "osc777"
	}
	return "bell"
}

// Progress reports whether the terminal has a progress bar. Some terminals show its sequence as a
// notification, so only terminals known to support it qualify: iTerm2 since 3.6.6 and VTE since 0.80.
// kitty ignores it.
func Progress(want string, getenv func(string) string) bool {
	switch want {
	case "on":
		return true
	case "off":
		return false
	}
	program := getenv("TERM_PROGRAM")
	return !multiplexed(getenv) && (getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON" || program == "ghostty" || program == "WezTerm" ||
		program == "iTerm.app" && atLeast(getenv("TERM_PROGRAM_VERSION"), 3, 6, 6) || atLeast(getenv("VTE_VERSION"), 8000))
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

// multiplexed reports whether parley runs in tmux, screen or zellij.
func multiplexed(getenv func(string) string) bool {
	return getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != ""
}
