package page

import (
	"strings"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/words"
)

// verbed returns what a call did on one line: "Run  make all". A title such as "Edit notes.txt" begins
// with its verb.
func verbed(t *thread.Tool) string {
	verb, title := describe.Verb(t), words.OneLine(doing(t))
	if strings.HasPrefix(title, verb+" ") {
		return title
	}
	return verb + "  " + title
}

// doing describes a tool call: its command if it runs one, else its title.
func doing(t *thread.Tool) string {
	if cmd := describe.Command(t.RawInput); cmd != "" && t.Kind == "execute" {
		return cmd
	}
	return t.Title
}
