// Package permissions asks the user and keeps what was decided.
//
// A Broker takes questions from wherever they come, lets a policy or an earlier
// decision answer at once, and otherwise posts them to a front end and waits.
// Every question is settled exactly once: by an option that it offered, or as
// cancelled. The package knows nothing of ACP; the strings of a question must
// have been made visible and safe before.
package permissions

import (
	"cmp"
	"slices"
	"strings"
)

// Option kinds of ACP. Others are possible and never chosen by a policy.
const (
	AllowOnce    = "allow_once"
	AllowAlways  = "allow_always"
	RejectOnce   = "reject_once"
	RejectAlways = "reject_always"
)

// Option is one possible answer.
type Option struct {
	ID   string // verbatim, not safe to show
	Name string
	Kind string
}

// Allows tells whether choosing the option lets the thing happen.
func (o Option) Allows() bool { return o.Kind == AllowOnce || o.Kind == AllowAlways }

// Origin says who wants to know.
type Origin int

// The origins of questions.
const (
	FromAgent  Origin = iota // the agent asked (session/request_permission)
	FromParley               // the agent wants a file or a command from parley, unasked
)

// BySandbox begins what an Answer says of a question that the sandbox has rejected.
const BySandbox = "the sandbox"

// Question is what the user is asked. All of it belongs to the reader and must
// not be changed once asked.
type Question struct {
	Key     uint64 // set by the broker, unique
	Session string
	Tool    string // id of the tool call, "" without one
	Origin  Origin
	Why     string // FromParley: why it is asked although the agent has asked about the same; "" where it has not
	Kind    string // of the tool call: read edit delete move search execute think fetch switch_mode other
	Heading string // "Run a command in ~/src"
	Words   string // what the agent calls it, "" if that adds nothing
	Body    []Part
	Details string // everything the agent sent about it, as JSON
	Options []Option
	// Outside is set when a path leads out of the session's directories, Secret
	// when one is known to be sensitive.
	Outside, Secret bool
	// Remember names what an allow_always of parley's own questions covers for
	// the rest of the session; "" for the agent's questions, whose "always" is
	// the agent's business.
	Remember string
	// Change is the write that one of parley's own questions is about, where what
	// is there now is known: the answer may put another text in its place. nil for
	// all other questions.
	Change *Change
	// Attends says that the question, one of parley's own about a command, may be
	// answered with the user's keyboard: the command gets a terminal of its own that
	// the front end attaches to.
	Attends bool

	// Refused, where it is not "", rejects the question without asking anybody, and
	// whatever rules, modes and earlier answers say: it is who does, such as BySandbox.
	Refused string

	Facts     Facts
	Judgement Judgement // of the rules there were when it was asked; set by the broker
}

// Subject is what the question is about, in a few words of what it shows: the command,
// else the files, else the hosts. It is "" where it names none of them, and need not be
// safe to show.
func (q Question) Subject() string {
	var names []string
	var roots []string
	if len(q.Facts.Files) > 0 && q.Origin == FromAgent { // what parley asks by itself is known by its whole path
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
			add(p.Path)
		}
	}
	if len(names) == 0 {
		for _, f := range q.Facts.Files {
			add(cmp.Or(f.Asked, f.Path))
		}
	}
	if len(names) == 0 {
		for _, h := range q.Facts.Hosts {
			add(h)
		}
	}
	return strings.Join(names, ", ")
}

// Change is the whole text of a file before and after, verbatim and not safe to
// show: what is to be read stands in the question's only Diff, line for line.
type Change struct {
	Path     string // as the agent wrote it
	Old, New string
}

// Part is a piece of a question's body.
type Part struct {
	Kind    PartKind
	Label   string // of a Field
	Text    string
	Path    string // of a Diff
	Old     string
	OldNone bool // there was no text before
	First   int  // lines of the file before the texts of a Diff; -1: they are a part of it, and it is not known which
}

// PartKind is how a part is to be shown.
type PartKind int

// The kinds of parts.
const (
	Text    PartKind = iota // running text
	Command                 // a command line
	Field                   // Label: Text
	Diff                    // Path, Old -> Text
	Warning                 // in the colour of danger
	Patch                   // Text is a unified diff
)

// Answer settles a question.
type Answer struct {
	OptionID  string // valid unless Cancelled
	Cancelled bool
	By        string // "you", "--approve-all", "you, earlier in this session"; "" when nobody decided
	// Text is what is to be written in place of the question's Change.New, verbatim;
	// nil: what was asked.
	Text *string
	// Attended: the command gets a terminal of its own, for the user's keyboard. Only
	// Broker.AnswerAttended sets it.
	Attended bool
}

// Asked is posted when a question needs the front end. It may come before the front end
// knows of the connection: a session that is being loaded can ask.
type Asked struct {
	Question Question
	Broker   *Broker // takes the answer
}

// EventSession names the session of the question.
func (a Asked) EventSession() string { return a.Question.Session }

// Settled is posted when a question that was Asked has its answer, whoever gave
// it.
type Settled struct {
	Session string
	Key     uint64
	Answer  Answer
}

// EventSession names the session of the question.
func (s Settled) EventSession() string { return s.Session }

// Event is Asked or Settled.
type Event interface{ EventSession() string }
