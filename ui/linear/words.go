package linear

import (
	"cmp"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/internal/workspace"
)

// called returns the agent's name for display.
func called(a *workspace.Agent) string { return cmp.Or(words.OneLine(a.Name()), a.Spec.Name, "agent") }

// title returns the session's name for display.
func title(s *workspace.Session) string {
	if title := s.Title(); title != "" {
		return title
	}
	if all := s.Thread.Prompts(); len(all) > 0 {
		return safetext.Line(typed(all[0]), 60)
	}
	return "new session"
}

func typed(it *thread.Item) string {
	_, own := carried.Split(string(it.Text))
	return own
}

// dialing reports whether an agent is being started.
func dialing(a *workspace.Agent) bool {
	_, dialing := a.Dialing()
	return dialing
}

// retrying reports whether an agent's connection is lost and another attempt is planned or
// running.
func retrying(a *workspace.Agent) bool {
	_, retrying := a.Retrying()
	return retrying
}

// since returns how long ago t was, 0 for the zero time.
func since(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return time.Since(t)
}

// busy reports whether a turn is running.
func busy(s *workspace.Session) bool { return s.Busy() || s.Running() }

// attachment names a block that is not text.
func attachment(b *event.Content) string {
	kind := map[event.ContentKind]string{event.ImageContent: "an image", event.AudioContent: "a sound", event.LinkContent: "a link",
		event.ResourceContent: "a resource", event.UnknownContent: "unsupported content"}[b.Kind]
	if kind == "" {
		return words.OneLine(b.Text)
	}
	return strings.TrimSpace(words.OneLine(kind + " " + b.MimeType + " " + cmp.Or(b.Name, b.URI)))
}

// spoken returns a duration in words.
func spoken(d time.Duration) string {
	d = d.Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return words.Count(h, "hour") + " " + words.Count(m, "minute")
	case m > 0:
		return words.Count(m, "minute") + " " + words.Count(s, "second")
	}
	return words.Count(s, "second")
}

// splitLines returns the lines of a text, without the newline at its end.
func splitLines(s string) []string {
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// sentence returns a line with a capital first letter.
func sentence(line string) string {
	if line == "" {
		return ""
	}
	return strings.ToUpper(line[:1]) + strings.TrimSuffix(line[1:], ".")
}
