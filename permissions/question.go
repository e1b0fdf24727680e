// Package permissions decides what an agent may do, and asks the user where it must.
//
// A [Broker] takes questions with [Broker.Ask]. The rules of the session (a [Rulebook]), its
// [Mode], earlier decisions and a [Policy] may answer a question at once. Otherwise the broker
// posts it as [Asked] and [Pending.Wait] blocks until the user answers, for example with
// [Broker.Answer]. Every question is settled exactly once: with one of the options it offered,
// or as cancelled.
//
// Rules are read with [ParseRules]. [Rulebook.Judge] says what they make of the [Facts] of a
// question. It reads command lines as a POSIX shell and bash would; a line it cannot read with
// certainty is asked, never allowed.
//
// The package knows nothing of ACP. Callers sanitise the strings of a question for the terminal
// first, except where a field says that it is raw or verbatim.
package permissions

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/linediff"
)

// The option kinds of ACP. A policy never chooses an option of any other kind.
const (
	AllowOnce    = "allow_once"
	AllowAlways  = "allow_always"
	RejectOnce   = "reject_once"
	RejectAlways = "reject_always"
)

// Option is one possible answer.
type Option struct {
	ID   string // as the agent sent it; not safe to show
	Name string
	Kind string
	// Grant names what choosing it allows for the rest of the session: later questions with an option of
	// the same grant. It is "" for the agent's own options: there the agent remembers.
	Grant string
	Wide  bool // Grant covers more than the question shows, as Name says
}

// Allows reports whether choosing the option grants the request.
func (o Option) Allows() bool { return o.Kind == AllowOnce || o.Kind == AllowAlways }

// Origin says who raised a question.
type Origin int

// The origins.
const (
	FromAgent  Origin = iota // the agent asked (session/request_permission)
	FromParley               // parley asks, because the agent requested a file or a command without asking first
)

// BySandbox is the prefix of [Answer.By] for a question that the sandbox rejected.
const BySandbox = "the sandbox"

// Question is what the user is asked. It is shared with readers and must not be changed once it
// has been passed to [Broker.Ask].
type Question struct {
	Key          uint64 // set by the broker, unique
	Session      string
	Subagent     string // the title of the sub-agent of the session that asks; "" if none does
	Tool         string // id of the tool call; "" if there is none
	Origin       Origin
	RepeatReason string // why it is asked again; FromParley: after the agent asked about the same thing. "" if it is the first time
	Kind         string // of the tool call: read edit delete move search execute think fetch switch_mode other
	Heading      string // "Change main.go": what allowing does, verb first
	Description  string // the agent's description; "" if it adds nothing
	Body         []Part
	Details      string // all that the agent sent about it, as JSON
	Options      []Option
	// Outside is set when a path is outside the session's directories, Secret when a path is
	// known to be sensitive.
	Outside, Secret bool
	// Change is the write that a question of parley is about, if the present content is known.
	// The answer may then replace the new text. It is nil for all other questions.
	Change *Change
	// Attendable says that the user may answer by taking the keyboard: the command then gets its
	// own terminal, which the front end attaches to. Only parley's questions about commands set
	// it.
	Attendable bool

	// RefusedBy, if not "", rejects the question without asking, whatever rules, modes and
	// earlier answers say. It names who refuses it, such as [BySandbox].
	RefusedBy string

	Facts     Facts
	Judgement Judgement // by the rules in force when it was asked; set by the broker
}

// Subject returns what the question is about in a few words: the command, else the files, else
// the hosts. It is "" if the question names none of them. It is not safe to show.
func (q Question) Subject() string {
	var names []string
	var roots []string
	if len(q.Facts.Files) > 0 && q.Origin == FromAgent { // parley's own questions show the whole path
		roots = q.Facts.Files[0].Roots
	}
	add := func(name string) {
		for _, root := range roots {
			if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(root, "/")+"/"); ok {
				name = rest
				break
			}
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, p := range q.Body {
		switch p.Kind {
		case Command:
			return p.Text
		case Diff:
			add(q.clean(p.Path))
		}
	}
	if len(names) == 0 {
		for _, f := range q.Facts.Files {
			add(cmp.Or(f.RequestedPath, f.Path))
		}
	}
	if len(names) == 0 {
		for _, h := range q.Facts.Hosts {
			add(h)
		}
	}
	return strings.Join(names, ", ")
}

// clean returns a path without "..", doubled slashes and the like, if the facts say that this leads to the
// same file: after a link, ".." leads elsewhere.
func (q Question) clean(path string) string {
	if clean := filepath.Clean(path); slices.ContainsFunc(q.Facts.Files, func(f FileFact) bool { return f.RequestedPath == clean }) {
		return clean
	}
	return path
}

// Title says who asks and, if it is not for the first time, why. agent is the name to show.
func (q Question) Title(agent string) string {
	asker := agent
	if q.Subagent != "" {
		asker += "'s sub-agent " + q.Subagent
	}
	switch {
	case q.Origin == FromAgent && q.RepeatReason != "":
		return asker + " asks again: " + q.RepeatReason
	case q.Origin == FromAgent:
		return asker + " asks"
	case q.RepeatReason != "":
		return "parley asks again: " + q.RepeatReason
	}
	return "parley asks: " + agent + " did not ask first"
}

// Change is the whole text of a file before and after, verbatim and not safe to show. The
// question's only Diff part shows it line for line.
type Change struct {
	Path     string // as the agent sent it
	Old, New string
}

// Part is a piece of a question's body.
type Part struct {
	Kind    PartKind
	Label   string // of a Field part
	Text    string
	Path    string // of a Diff part
	Old     string
	NewFile bool // the file did not exist before
	// Overwrites says that Old is what the file holds, although the agent shows it as new.
	Overwrites bool
	Named      bool // Path, or that of a Patch's only file, is in the heading
	First      int  // number of lines before the texts of a Diff; -1 if they are an excerpt at an unknown place
}

// Texts returns the texts of a Diff part.
func (p Part) Texts() linediff.Texts {
	return linediff.Texts{Path: p.Path, Old: p.Old, New: p.Text, OldMissing: p.NewFile, First: p.First}
}

// PartKind says how to show a part.
type PartKind int

// The kinds of parts.
const (
	Text    PartKind = iota // running text
	Command                 // a command line
	Field                   // Label: Text
	Diff                    // Path, Old -> Text
	Warning                 // text in the warning colour
	Patch                   // Text is a unified diff
)

// Answer settles a question.
type Answer struct {
	OptionID  string // valid unless Cancelled
	Cancelled bool
	By        string // who decided: "you", "client: phone", "--approve-all", "you, earlier in this session"; "" if cancelled
	// Text, if not nil, is written instead of Change.New, verbatim.
	Text *string
	// Attended says that the command gets its own terminal for the user's keyboard. Only
	// [Broker.AnswerAttended] sets it.
	Attended bool
}

// byClient begins the By of an answer that the user gave at another client.
const byClient = "client: "

// ByUser reports whether the user decided, here or at another client, when asked.
func (a Answer) ByUser() bool { return a.By == "you" || strings.HasPrefix(a.By, byClient) }

// Asked is posted when the user has to answer a question. It may arrive before the front end
// knows the session: an agent can ask while it loads one.
type Asked struct {
	Question Question
	Broker   *Broker // takes the answer
}

// EventSession returns the session of the question.
func (a Asked) EventSession() string { return a.Question.Session }

// Settled is posted when a question announced by [Asked] has been answered or cancelled.
type Settled struct {
	Session string
	Key     uint64
	Answer  Answer
}

// EventSession returns the session of the question.
func (s Settled) EventSession() string { return s.Session }

// Event is an [Asked] or a [Settled].
type Event interface{ EventSession() string }
