package page

import (
	"cmp"

	"parley/internal/workspace"
	"parley/ui/composer"
	"parley/ui/question"
	"parley/ui/review"
	"parley/ui/shell"
	"parley/ui/start"
	"parley/ui/transcript"
	"parley/ui/transcript/find"
)

// New returns the page of a session.
func New(screen *Screen, s *workspace.Session) *Page {
	env, opts := &screen.Env, &screen.Options
	c := &Page{Session: s, screen: screen, transcriptPane: &transcriptPane{env: env, cwd: cmp.Or(s.Dir, opts.Cwd)}}
	c.panes = panes{c.transcriptPane}
	c.sending.c = c
	c.Panels = panels{env: env, out: &c.out, inFront: c.InFront, areas: &c.areas}
	c.Review = review.New(env, &c.out, c.Session, c.InFront)
	c.load(c.Thread, c.Agent.Name)
	for _, d := range []transcript.Density{transcript.Everything, transcript.Quiet} {
		if opts.Density == d.String() {
			c.View.SetDensity(d)
		}
	}
	c.Composer = screen.Store.New(&c.out, c.composing, func() []composer.Command { return c.slash().all() })
	c.Question, c.Elicits = question.New(env, &c.out, c.state), question.NewElicitations(env, &c.out, c.state)
	c.find = find.New(env, &c.out, c.View)
	c.shells = shell.New(env, opts.Shell, c.onShellEvent)
	c.login = start.NewLogin(env, &c.out, c.loginPage)
	return c
}

// Afresh returns a copy of the page for a copy of its session on another screen, whose thread is drawn again. It
// is for tests.
func (c *Page) Afresh(screen *Screen, s *workspace.Session) *Page {
	copied := *c
	copied.screen, copied.Session = screen, s
	pane := *c.own()
	pane.View = pane.View.CopyFor(s.Thread)
	copied.transcriptPane, copied.panes = &pane, panes{&pane}
	copied.Question = c.Question.ForPage(&screen.Env, &copied.out, copied.state)
	copied.sending.c = &copied
	copied.Panels.inFront, copied.Panels.areas = copied.InFront, &copied.areas
	return &copied
}
