package workspace

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"parley/internal/safetext"
	"parley/internal/words"
)

// maxName is how many characters the name of a session has at most.
const maxName = 100

// names are the names of sessions: those that were stored, and those given since.
type names struct {
	stored func(agent, session string) string
	given  map[[2]string]string // by agent and session
	failed string               // the last error of loading them, so that it is reported once
}

func newNames() names {
	return names{stored: func(_, _ string) string { return "" }, given: map[[2]string]string{}}
}

// loadNames loads the stored names in a task.
func (w *Workspace) loadNames() {
	store := w.opts.Names
	if store == nil {
		return
	}
	w.begin(func() Result {
		stored, err := store.Load()
		return after(func() {
			switch {
			case err == nil:
				w.names.stored, w.names.failed = stored, ""
				w.tell(SessionsListed{})
			case err.Error() != w.names.failed:
				w.names.failed = err.Error()
				w.say(w.names.failed)
			}
		})
	})
}

// NameOf returns the user's name for a session of an agent, "" if it has none.
func (w *Workspace) NameOf(agent, session string) string {
	if session == "" {
		return ""
	}
	if name, ok := w.names.given[[2]string{agent, session}]; ok {
		return name
	}
	return w.names.stored(agent, session)
}

// TitleOf returns the user's name for a session of an agent, else title.
func (w *Workspace) TitleOf(agent, session, title string) string {
	if name := w.NameOf(agent, session); name != "" {
		return name
	}
	return title
}

// Title returns the user's name for the session, else the agent's title, which may be "".
func (s *Session) Title() string {
	return s.w.TitleOf(s.Agent.Spec.Name, s.Thread.Session, s.Thread.Title)
}

// ErrNotNamed is returned by Rename for a session that has no id yet.
var ErrNotNamed = errors.New("the session is not open yet; rename it once it is")

// Rename gives a session of an agent a name of the user's; "" gives the agent's title back. If the
// agent can rename sessions, it is told, and the title of its answer becomes the name. What fails is
// reported as Said, and the name stays.
func (w *Workspace) Rename(agent, session, name string) error {
	if session == "" {
		return ErrNotNamed
	}
	name = safetext.Line(name, maxName)
	w.setName(agent, session, name)
	a := w.holder(agent, session)
	if a == nil || name == "" || !a.Info().SetTitle {
		return nil
	}
	client, title := a.conn.Client, ""
	a.request(func(ctx context.Context) (err error) {
		title, err = client.SetTitle(ctx, session, name)
		return err
	}, func(err error) {
		switch title = safetext.Line(title, maxName); {
		case err != nil:
			w.say("renamed in parley only: " + answerOf(err))
		case title != name && w.NameOf(agent, session) == name:
			w.setName(agent, session, title)
			w.say("the agent named it: " + title)
		}
	})
	return nil
}

// holder returns the connected agent of that name that has a session open, else the first one of that
// name, nil if there is none.
func (w *Workspace) holder(name, session string) (found *Agent) {
	for _, a := range w.Agents() {
		if a.Spec.Name != name || a.Info() == nil {
			continue
		}
		if slices.ContainsFunc(a.Sessions(), func(s *Session) bool { return s.Thread.Session == session }) {
			return a
		}
		if found == nil {
			found = a
		}
	}
	return found
}

// setName keeps the name of a session.
func (w *Workspace) setName(agent, session, name string) {
	w.names.given[[2]string{agent, session}] = name
	store := w.opts.Names
	if store == nil {
		return
	}
	w.begin(func() Result {
		if err := store.Save(agent, session, name); err != nil {
			return after(func() { w.say(err.Error()) })
		}
		return nil
	})
}

// nameAfter gives a session without a name that of its first prompt. It is only stored if prompts are.
func (w *Workspace) nameAfter(agent, session, prompt string) {
	text := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Co, r) { // an image, say
			return -1
		}
		return r
	}, prompt)
	name := safetext.Line(words.OneLine(text), maxName)
	switch {
	case name == "" || w.NameOf(agent, session) != "":
	case w.opts.KeepPrompts:
		w.setName(agent, session, name)
	default:
		w.names.given[[2]string{agent, session}] = name
	}
}

// prompted reports a prompt that was sent. The first one of a fork is its name: the agent's title, if
// it has one, is of the conversation before it.
func (s *Session) prompted(n PromptSent) {
	if s.unnamed {
		s.unnamed = false
		s.w.nameAfter(s.Agent.Spec.Name, s.Thread.Session, n.Text)
	}
	s.Tree.prompt = cmp.Or(s.Tree.prompt, n.Text)
	s.w.tell(n)
}

// Rename gives the session a name, as Workspace.Rename does.
func (s *Session) Rename(name string) error {
	return s.w.Rename(s.Agent.Spec.Name, s.Thread.Session, name)
}
