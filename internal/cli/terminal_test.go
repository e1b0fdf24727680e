package cli

import "testing"

func TestTerminal(t *testing.T) {
	for _, tc := range []struct {
		want, env, value string
		notify           string
		progress         bool
	}{
		{"", "", "", "bell", false},
		{"auto", "KITTY_WINDOW_ID", "1", "osc99", false},
		{"auto", "TERM_PROGRAM", "iTerm.app", "osc9", false},
		{"auto", "TERM_PROGRAM", "ghostty", "osc9", true},
		{"auto", "WT_SESSION", "x", "bell", true},
		{"auto", "TERM", "foot-extra", "osc777", false},
		{"auto", "TMUX", "/x", "bell", false},
		{"off", "TERM_PROGRAM", "ghostty", "", false},
	} {
		getenv := func(name string) string {
			if name == tc.env {
				return tc.value
			}
			return ""
		}
		if got := Notify(tc.want, getenv); got != tc.notify {
			t.Errorf("%s=%s: notify %q, want %q", tc.env, tc.value, got, tc.notify)
		}
		if got := Progress(tc.want, getenv); got != tc.progress {
			t.Errorf("%s=%s: progress %v", tc.env, tc.value, got)
		}
	}
	if Notify("osc9", func(string) string { return "x" }) != "osc9" || !Progress("on", func(string) string { return "x" }) {
		t.Error("the configuration does not count")
	}
}
