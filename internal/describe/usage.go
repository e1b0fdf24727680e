package describe

import (
	"fmt"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/words"
)

// nearlyUsed is the share of a limit from which on it is worth a line that nobody has asked for.
const nearlyUsed = 0.8

// Limit says what is left of a limit, as in "limit 85%, resets 14:00"; "" if that is not worth knowing now.
func Limit(l *event.RateLimit, now time.Time) string {
	if l == nil || l.Status == "allowed" && l.Utilization < nearlyUsed || !l.ResetsAt.IsZero() && !l.ResetsAt.After(now) {
		return ""
	}
	return limit(l, now)
}

// limit describes any limit.
func limit(l *event.RateLimit, now time.Time) string {
	said := "limit " + percent(l.Utilization)
	switch {
	case !l.Allows():
		said = "limit reached"
	case l.Utilization == 0:
		said = "limit not reached"
		if l.Status != "allowed" {
			said = "limit nearly reached"
		}
	}
	if !l.ResetsAt.IsZero() {
		said += ", resets " + words.Clock(l.ResetsAt, now)
	}
	return said
}

// Usage says what a session has used, as far as the agent has reported it: what each row is about, and the rest of it.
func Usage(t *thread.Thread, now time.Time) (rows [][2]string) {
	add := func(about, said string) {
		if said != "" {
			rows = append(rows, [2]string{about, said})
		}
	}
	if t.LastTurn != nil {
		add("Last turn", Tokens(*t.LastTurn))
	}
	if t.Spent != (event.TurnUsage{}) {
		add("Session", Tokens(t.Spent))
	}
	switch u := t.Usage; {
	case u.Size > 0:
		add("Context", fmt.Sprintf("%s, %s of %s tokens", percent(float64(u.Used)/float64(u.Size)), words.Thousands(u.Used), words.Thousands(u.Size)))
	case u.Used > 0:
		add("Context", words.Thousands(u.Used)+" tokens")
	}
	add("Cost", Money(t.Usage))
	if l := t.Usage.Limit; l != nil && (l.ResetsAt.IsZero() || l.ResetsAt.After(now)) {
		said := limit(l, now)
		if l.Type != "" {
			said = strings.ReplaceAll(l.Type, "_", " ") + " " + said
		}
		add("Limit", words.Sentence(said))
	}
	return rows
}

// Tokens says what turns took, as in "3,110 tokens: 2,468 in, 642 out".
func Tokens(u event.TurnUsage) string {
	var parts []string
	for _, p := range []struct {
		n    uint64
		what string
	}{{u.Input, "in"}, {u.Output, "out"}, {u.Thought, "thought"}, {u.CachedRead, "from the cache"}, {u.CachedWrite, "to the cache"}} {
		if p.n > 0 {
			parts = append(parts, words.Thousands(p.n)+" "+p.what)
		}
	}
	said := words.Thousands(u.Total) + " tokens"
	if len(parts) > 0 {
		said += ": " + strings.Join(parts, ", ")
	}
	return said
}

// Money returns what a session has cost; "" if that is not known.
func Money(u event.UsageChanged) string {
	switch u.Currency {
	case "":
		return ""
	case "USD":
		return fmt.Sprintf("$%.2f", u.Cost)
	case "EUR":
		return fmt.Sprintf("€%.2f", u.Cost)
	}
	return fmt.Sprintf("%.2f %s", u.Cost, u.Currency)
}

func percent(share float64) string { return fmt.Sprintf("%d%%", int(min(999, share*100))) }
