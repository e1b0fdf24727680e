package page

import "parley/internal/workspace"

// Afresh returns a copy of the page for a copy of its session on another screen, whose thread is drawn again. It
// is for tests.
func (c *Page) Afresh(screen *Screen, s *workspace.Session) *Page {
	copied := *c
	copied.screen, copied.Session, copied.View = screen, s, c.View.CopyFor(s.Thread)
	copied.Question = c.Question.ForPage(&screen.Env, &copied.out, questionHost{&copied})
	copied.sending.c = &copied
	copied.Panels.inFront, copied.Panels.areas = copied.InFront, &copied.areas
	return &copied
}
