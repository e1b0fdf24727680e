package thread

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/event"
)

// Trust says who allowed what a tool call changed or ran, or who denied it.
type Trust int

// The values of Trust.
const (
	Harmless      Trust = iota // it only reads, has not run, or is unknown
	AllowedByUser              // the user said yes to it
	AllowedByRule              // a rule, a flag or an earlier answer of the user allowed it
	AllowedByMode              // the mode of the session allowed it
	Unasked                    // there was no permission
	DeniedByMode               // the mode of the session or a flag denied it
	DeniedByRule               // a rule of the user denies it
	DeniedByUser               // the user said no
)

var trustNames = [...]string{"", "asked", "by rule", "by mode", "ran without asking", "ran although it was rejected", "ran although your rule forbids it", "ran although you rejected it"}

var trustTitles = [...]string{"", "Allowed by you", "Allowed by a rule or an earlier answer", "Allowed by the mode", "Ran without asking", "Ran although it was rejected", "Ran although your rule forbids it", "Ran although you rejected it"}

func (t Trust) String() string { return trustNames[t] }

// Trusts are the values that a call that ran can have, the worst first.
var Trusts = []Trust{DeniedByUser, DeniedByRule, DeniedByMode, Unasked, AllowedByMode, AllowedByRule, AllowedByUser}

// Title is the heading for calls with this Trust.
func (t Trust) Title() string { return trustTitles[t] }

// Denied reports whether the call was denied.
func (t Trust) Denied() bool { return t >= DeniedByMode }

// answer is an answer: to a request by parley itself, or to one about a tool call. An
// answer about a tool call applies to other calls only if it was no.
type answer struct {
	turn    int
	subject string // the path or the command, or the deed of the call
	trust   Trust
}

// maxAnswers bounds the remembered answers.
const maxAnswers = 256

// trustOf returns the Trust that an answer gives, Harmless if nothing was decided.
func trustOf(e event.PermissionAnswered) Trust {
	user := e.By == "you" || strings.HasPrefix(e.By, event.ByClient) || e.By == "" // a log does not have it
	switch {
	case !e.Allowed && e.By == "" && e.Decision == "cancelled": // with the turn, or by the end of the connection
		return Harmless
	case e.Allowed && user:
		return AllowedByUser
	case e.Allowed && strings.HasPrefix(e.By, "mode: "):
		return AllowedByMode
	case e.Allowed:
		return AllowedByRule
	case user:
		return DeniedByUser
	case strings.HasPrefix(e.By, "your rule"):
		return DeniedByRule
	}
	return DeniedByMode
}

// answered records an answer: about a tool call, or to a request by parley itself.
func (t *Thread) answered(e event.PermissionAnswered) {
	trust, it := trustOf(e), t.call(e.ToolID)
	if it != nil {
		it.unanswered = trust == Harmless
	}
	if trust == Harmless {
		return
	}
	if it != nil {
		it.lastAnswer = trust
		it.Tool.Rejected = trust.Denied() && e.Decision != "cancelled" && !it.Tool.Final()
		t.judge(it)
		t.touch(it)
		if !trust.Denied() {
			trust = Harmless
		}
		t.family.add(answer{t.Turn, it.Tool.deed(), trust})
		return
	}
	t.family.add(answer{t.Turn, e.Subject, trust})
}

// onCall links an answer to the call that it is about, and reports whether there is one that has not ended.
// Of several answers about a call the first is linked, or the one that differs from those before; a
// cancelled question has none.
func (t *Thread) onCall(e *event.PermissionAnswered) bool {
	var about *Item
	it := t.call(e.ToolID)
	switch {
	case !e.Allowed && e.Decision == "cancelled":
	case it != nil && t.live[it]:
		about = it
	case it == nil && e.Subject != "":
		for it := range t.live {
			if (about == nil || it.Index > about.Index) && slices.Contains(it.Tool.subjects(t), e.Subject) {
				about = it
			}
		}
	}
	if about == nil {
		return false
	}
	if had := about.Tool.Answer; had == nil || had.Allowed != e.Allowed {
		about.Tool.Answer = e
		t.touch(about)
	}
	return true
}

// add records an answer, unless nobody knows what it is about.
func (f *family) add(a answer) {
	if a.subject == "" {
		return
	}
	f.answers = append(f.answers, a)
	if len(f.answers) > maxAnswers {
		f.answers = slices.Clone(f.answers[len(f.answers)-maxAnswers:])
	}
}

// judge determines who allowed a tool call that the agent says has run. Calls of a
// loaded history are not judged, because their questions are unknown.
func (t *Thread) judge(it *Item) {
	t.count(it.Tool.Trust, -1)
	it.Tool.Trust = t.trust(it)
	t.count(it.Tool.Trust, 1)
}

func (t *Thread) count(trust Trust, n int) {
	for ; t != nil; t = t.parent {
		switch {
		case trust == Unasked:
			t.Unasked += n
		case trust.Denied():
			t.RanDenied += n
		}
	}
}

func (t *Thread) trust(it *Item) Trust {
	tool := it.Tool
	ran := tool.Status == "completed" || tool.Kind == "execute" && !it.unanswered && (tool.Status == "failed" || it.began)
	if tool.replayed || !ran {
		return Harmless
	}
	changes := slices.Contains([]string{"edit", "delete", "move", "execute"}, tool.Kind)
	trust := it.lastAnswer
	if trust == Harmless && (changes || it.forbidden) { // permission for a file does not matter if it was only read
		trust = t.answerAbout(it)
	}
	switch {
	case trust.Denied() && tool.Status != "completed": // it was refused
		return Harmless
	case it.forbidden && trust != DeniedByUser:
		return DeniedByRule
	case trust.Denied():
		return trust
	case !changes:
		return Harmless
	case trust == Harmless:
		return Unasked
	}
	return trust
}

// answerAbout returns the last answer of the turn to a request by parley for the call, or
// the no to another call that would have done the same. It is Harmless if there is
// neither.
func (t *Thread) answerAbout(it *Item) Trust {
	var subjects []string
	answers := t.family.answers
	for i := len(answers) - 1; i >= 0 && answers[i].turn >= it.Turn; i-- {
		if answers[i].turn > it.Turn {
			continue
		}
		if subjects == nil { // in most turns parley asks nothing itself
			subjects = it.Tool.subjects(t)
		}
		if slices.Contains(subjects, answers[i].subject) {
			return answers[i].trust
		}
	}
	return Harmless
}

// subjects returns what a request by parley about the call would name.
func (tool *Tool) subjects(t *Thread) []string {
	out := tool.Paths()
	for _, c := range tool.Content {
		if term := t.Terminal(c.Terminal); c.Terminal != "" && term != nil {
			out = append(out, term.Command)
		}
	}
	if line := tool.Command(); line != "" {
		out = append(out, line)
	}
	return append(out, tool.deed())
}

// deed identifies what a call does: the command, or the files and what is done to them.
// It is "" if that is unknown.
func (tool *Tool) deed() string {
	if line := tool.Command(); line != "" {
		return line
	}
	paths := tool.Paths()
	if len(paths) == 0 {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", tool.Kind, paths)
	for _, c := range tool.Content {
		if c.Diff != nil {
			fmt.Fprintf(h, " %d %s%d %s", len(c.Diff.Old), c.Diff.Old, len(c.Diff.New), c.Diff.New)
		}
		if c.Changes != nil {
			fmt.Fprintf(h, " %q", c.Changes.Patch)
		}
	}
	return string(h.Sum(nil))
}

// Command returns the command line in the input, verbatim, or "".
func (tool *Tool) Command() string { return event.CommandLine(tool.RawInput) }

// Paths returns the files that the call names, in order.
func (tool *Tool) Paths() []string {
	var out []string
	add := func(p string) {
		if p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for _, c := range tool.Content {
		if c.Diff != nil {
			add(c.Diff.Path)
		}
		if c.Changes != nil {
			for _, f := range c.Changes.Files {
				add(f.Path)
				add(f.OldPath)
			}
		}
	}
	for _, l := range tool.Locations {
		add(l.Path)
	}
	return out
}

// OnlyReads reports whether no call of a turn could have changed a file, according to the
// agent.
func (t *Thread) OnlyReads(turn int) bool {
	for _, t := range t.threads() {
		for i := len(t.Items) - 1; i >= 0 && t.Items[i].Turn >= turn; i-- {
			if it := t.Items[i]; it.Turn == turn && it.Tool != nil && !slices.Contains([]string{"read", "search", "think", "fetch", "switch_mode"}, it.Tool.Kind) {
				return false
			}
		}
	}
	return true
}

// NamesFile reports whether a call of the session or of a sub-agent has named a file, given as an
// absolute path.
func (t *Thread) NamesFile(path string) bool {
	return slices.ContainsFunc(t.threads(), func(t *Thread) bool {
		return slices.ContainsFunc(t.Items, func(it *Item) bool {
			return it.Tool != nil && slices.ContainsFunc(it.Tool.Paths(), func(p string) bool {
				return p == path || !strings.HasPrefix(p, "/") && strings.HasSuffix(path, "/"+p)
			})
		})
	})
}
