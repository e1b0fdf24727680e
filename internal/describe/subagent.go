package describe

import (
	"bytes"
	"strings"

	"parley/acpclient/thread"
	"parley/internal/words"
)

// Subagent says what a sub-agent does now, or else its state.
func Subagent(s *thread.Subagent, cwd string) string {
	it := s.Doing()
	switch {
	case !s.Runs() || it == nil || s.State() != "running":
		return s.State()
	case it.Kind == thread.ThoughtMessage:
		return "thinking"
	case it.Tool == nil:
		return LastLine(it.Text)
	}
	command := ""
	if len(it.Tool.RawInput) <= maxRead {
		command = Command(it.Tool.RawInput)
	}
	return Verbed(it.Tool, words.FirstLine(Subject(it.Tool, command, cwd, "%s:%d", "  ")), " ")
}

// maxRead bounds the input that is read for a command each time a row is drawn, and the text of which the last
// line is shown.
const maxRead = 4096

// LastLine returns the last line of a text that is not blank, or the end of it, which is longer than any row.
func LastLine(text []byte) string {
	text = bytes.TrimSpace(text[max(0, len(text)-maxRead):])
	return strings.ToValidUTF8(string(text[bytes.LastIndexByte(text, '\n')+1:]), "")
}
