package linear

import (
	"context"

	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/ui/composer"
)

// expand reads the files that a prompt mentions with @; nil where it mentions none.
func (c *chat) expand(s *workspace.Session, text string) func(context.Context) ([]event.Block, []string) {
	conn := s.Agent.Conn()
	if conn == nil {
		return nil
	}
	to := composer.Recipient{Agent: conn.Client.Agent(), Roots: s.Roots()}
	if spec := s.Agent.Spec; spec.Remote && !spec.Shared {
		to.Withheld = func() {
			if !c.toldText {
				c.toldText = true
				c.say("Notice: this agent runs elsewhere and gets no files: what is behind @ stays text.")
			}
		}
	}
	return composer.NewStore(composer.Options{Files: c.opts.Files}).Expand(text, to)
}
