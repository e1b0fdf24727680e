package cli

import "strings"

// Notify returns how to send a notification with this terminal: bell, osc9, osc777 or osc99, "" for
// not at all. want is the configured value. In a multiplexer only the bell gets through.
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
	case multiplexed(getenv):
		return "bell"
	case getenv("KITTY_WINDOW_ID") != "" || term == "xterm-kitty":
		return "osc99"
	case program == "iTerm.app", program == "WezTerm", program == "ghostty", term == "xterm-ghostty":
		return "osc9"
	case strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "rxvt"):
		return "osc777"
	}
	return "bell"
}

// Progress reports whether the terminal has a progress bar. Some terminals show its sequence as a
// notification, so only terminals known to support it qualify.
func Progress(want string, getenv func(string) string) bool {
	switch want {
	case "on":
		return true
	case "off":
		return false
	}
	program := getenv("TERM_PROGRAM")
	return !multiplexed(getenv) && (getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON" || program == "ghostty" || program == "WezTerm")
}

// multiplexed reports whether parley runs in tmux, screen or zellij.
func multiplexed(getenv func(string) string) bool {
	return getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != ""
}
