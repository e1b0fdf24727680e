package linear

import (
	"errors"

	"parley/acpclient/event"
	"parley/internal/workspace"
)

// stderr reads what an agent has written to its stderr. As long as nothing fails nobody
// wants to hear that: /log has it.
type stderr struct {
	out  *printer
	seen int // lines of the log there were, when it was looked at last
}

// fresh are the last lines since a prompt went out, or since something failed.
func (s *stderr) fresh(a *workspace.Agent) (out []string) {
	const most = 5
	lines, total := a.Log.Lines()
	for _, l := range lines[len(lines)-min(total-s.seen, len(lines)):] {
		if l.Source == event.LogStderr {
			out = append(out, l.Text)
		}
	}
	s.seen = total
	return out[max(0, len(out)-most):]
}

// failed says what went wrong, with what the agent has said of it.
func (s *stderr) failed(a *workspace.Agent, what string, err error) {
	s.out.say("%s: %s", what, err)
	said := s.fresh(a)
	var exit *event.ExitError
	if errors.As(err, &exit) {
		said = exit.Stderr
	}
	if len(said) > 0 {
		s.out.say("The last lines of its stderr:")
		for _, l := range said {
			s.out.lines(l)
		}
	}
}
