package cli

import (
	"strings"
	"testing"
)

// The mode and the model of the command line are set before the first prompt of the chat. If one
// cannot be set, that is reported and the session opens.
func TestChatSettings(t *testing.T) {
	for name, c := range map[string]struct{ mode, model, want, told string }{
		"both":    {"Code", "big", "session/new DIR; session/set_config_option fresh m; session/set_config_option fresh llm; in fresh", ""},
		"unknown": {"yolo", "", "session/new DIR; in fresh", "not set: mode yolo: the agent offers Ask, Code"},
		"none":    {"", "", "session/new DIR; in fresh", ""},
	} {
		t.Run(name, func(t *testing.T) {
			k := newSessionRig(t, all, three)
			var told []string
			chat := connect(t, Opening{Settings: ModeAndModel(c.mode, c.model), Notify: func(text string) { told = append(told, text) }})
			chat.prompt("hello")
			var said string
			for _, l := range outline(chat.thread) {
				said += strings.ReplaceAll(l, k.dir, "DIR") + "\n"
			}
			if !strings.Contains(said, "agent "+c.want+"\n") || strings.Join(told, "; ") != c.told {
				t.Errorf("%s\ntold %q", said, told)
			}
		})
	}
}
