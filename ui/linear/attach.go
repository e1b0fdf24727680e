package linear

import (
	"context"

	"parley/acpclient/event"
	"parley/internal/finder"
	"parley/internal/workspace"
	"parley/ui/composer"
)

// mentions expands the files that prompts mention with @.
type mentions struct {
	out    *printer
	files  finder.Files // nil: an @ has no meaning
	warned bool         // the user was told that the agent accepts no files
}

// expand returns a function that reads the files that a prompt mentions, nil if it mentions
// none.
func (m *mentions) expand(s *workspace.Session, text string) func(context.Context) ([]event.Block, []string) {
	info := s.Agent.Info()
	if info == nil {
		return nil
	}
	to := composer.Recipient{Agent: *info, Roots: s.Roots()}
	if spec := s.Agent.Spec; spec.Remote && !spec.Shared {
		to.Withheld = func() {
			if !m.warned {
				m.warned = true
				m.out.say("Notice: this remote agent gets no files; mentions with @ stay text.")
			}
		}
	}
	return composer.NewStore(composer.Options{Files: m.files}).Expand(text, to)
}
