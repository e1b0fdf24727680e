package cli

import "strings"

// Notify is how this terminal tells its user something: bell, osc9, osc777 or
// osc99, "" for not at all. want is what the configuration says. Below a
// multiplexer only the bell gets through.
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

// Progress tells whether the terminal has a progress bar of its own. Others may
// take its sequence for a notification, so only those known to have one are
// trusted.
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

// multiplexed tells whether tmux, screen or zellij lie between parley and the
// terminal.
func multiplexed(getenv func(string) string) bool {
	return getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != ""
}
