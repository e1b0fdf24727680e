package thread

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/event"
)

// Trust says on whose word a tool call has changed or run something, or against
// whose.
type Trust int

// What is known of a tool call.
const (
	Harmless    Trust = iota // it reads, it has not run, or nothing is known of it
	UserAsked                // the user said yes to it
	ByRule                   // a rule, a flag or an earlier answer of the user's did
	ByMode                   // the mode of the session did
	Unasked                  // nobody was asked
	AgainstMode              // the mode of the session or a flag said no
	AgainstRule              // a rule of the user's says no
	AgainstUser              // the user said no
)

var trustNames = [...]string{"", "asked", "by rule", "by mode", "ran without asking", "ran although it was rejected", "ran although your rule forbids it", "ran although you rejected it"}

func (t Trust) String() string { return trustNames[t] }

// Trusts are what a call that was carried out can have, the worst first.
var Trusts = []Trust{AgainstUser, AgainstRule, AgainstMode, Unasked, ByMode, ByRule, UserAsked}

// Title stands above calls of that sort.
func (t Trust) Title() string {
	switch t {
	case ByRule:
		return "allowed by a rule or an earlier answer"
	case ByMode:
		return "allowed by the mode"
	}
	return t.String()
}

// Against tells whether the answer was no.
func (t Trust) Against() bool { return t >= AgainstMode }

// word is an answer about something: what parley itself asked about, or what a
// tool call was to do. Of the latter only a no counts for other calls.
type word struct {
	turn    int
	subject string // the path or the command, or the deed of the call
	trust   Trust
}

// maxWords bounds those that are remembered.
const maxWords = 256

// trustOf is what an answer says of what it was about; Harmless where nobody answered.
func trustOf(e event.PermissionAnswered) Trust {
	user := e.By == "you" || e.By == "" // a log does not know who
	switch {
	case !e.Allowed && e.By == "" && e.Decision == "cancelled": // the turn was, or the connection is lost
		return Harmless
	case e.Allowed && user:
		return UserAsked
	case e.Allowed && strings.HasPrefix(e.By, "mode: "):
		return ByMode
	case e.Allowed:
		return ByRule
	case user:
		return AgainstUser
	case strings.HasPrefix(e.By, "your rule"):
		return AgainstRule
	}
	return AgainstMode
}

// answered notes an answer: about a tool call, or about what parley asked by itself.
func (t *Thread) answered(e event.PermissionAnswered) {
	trust, it := trustOf(e), t.call(e.ToolID)
	if it != nil {
		it.unanswered = trust == Harmless
	}
	if trust == Harmless {
		return
	}
	if it != nil {
		it.word = trust
		it.Tool.Rejected = trust.Against() && e.Decision != "cancelled" && !it.Tool.Final()
		t.judge(it)
		t.touch(it)
		if !trust.Against() {
			trust = Harmless
		}
		t.addWord(it.Tool.deed(), trust)
		return
	}
	t.addWord(e.Subject, trust)
}

func (t *Thread) addWord(subject string, trust Trust) {
	if subject == "" {
		return
	}
	t.words = append(t.words, word{t.Turn, subject, trust})
	if len(t.words) > maxWords {
		t.words = slices.Clone(t.words[len(t.words)-maxWords:])
	}
}

// judge finds out on whose word a tool call was carried out, as far as the agent
// has said that it was. What was loaded from a history is not judged: nobody knows
// what was asked then.
func (t *Thread) judge(it *Item) {
	t.count(it.Tool.Trust, -1)
	it.Tool.Trust = t.trust(it)
	t.count(it.Tool.Trust, 1)
}

func (t *Thread) count(trust Trust, n int) {
	switch {
	case trust == Unasked:
		t.Unasked += n
	case trust.Against():
		t.Against += n
	}
}

func (t *Thread) trust(it *Item) Trust {
	tool := it.Tool
	ran := tool.Status == "completed" || tool.Kind == "execute" && !it.unanswered && (tool.Status == "failed" || it.began)
	if tool.replayed || !ran {
		return Harmless
	}
	changes := slices.Contains([]string{"edit", "delete", "move", "execute"}, tool.Kind)
	trust := it.word
	if trust == Harmless && (changes || it.forbidden) { // a word about a file says nothing of reading it
		trust = t.wordAbout(it)
	}
	switch {
	case trust.Against() && tool.Status != "completed": // it was refused
		return Harmless
	case it.forbidden && trust != AgainstUser:
		return AgainstRule
	case trust.Against():
		return trust
	case !changes:
		return Harmless
	case trust == Harmless:
		return Unasked
	}
	return trust
}

// wordAbout is the last answer of the turn about what parley itself was asked for by a
// call, or the no to another call that would have done the same; Harmless where there
// is neither.
func (t *Thread) wordAbout(it *Item) Trust {
	var subjects []string
	for i := len(t.words) - 1; i >= 0 && t.words[i].turn >= it.Turn; i-- {
		if t.words[i].turn > it.Turn {
			continue
		}
		if subjects == nil { // in most turns parley has asked nothing
			subjects = it.Tool.subjects(t)
		}
		if slices.Contains(subjects, t.words[i].subject) {
			return t.words[i].trust
		}
	}
	return Harmless
}

// subjects are what a question of parley's own about the call would name.
func (tool *Tool) subjects(t *Thread) []string {
	out := tool.Paths()
	for _, c := range tool.Content {
		if term := t.terminals[c.Terminal]; c.Terminal != "" && term != nil {
			out = append(out, term.Command)
		}
	}
	if line := tool.Command(); line != "" {
		out = append(out, line)
	}
	return append(out, tool.deed())
}

// deed is what two calls that do the same have in common: the command, or the files
// with what is done to them; "" where that is not known.
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

// Command is the command line of the input, as the agent sent it; "" where there is
// none.
func (tool *Tool) Command() string { return event.CommandLine(tool.RawInput) }

// Paths are the files that the call names, in the order of their coming.
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

// Silent tells whether no call of a turn could have changed a file, by what the
// agent says of it.
func (t *Thread) Silent(turn int) bool {
	for i := len(t.Items) - 1; i >= 0 && t.Items[i].Turn >= turn; i-- {
		if it := t.Items[i]; it.Turn == turn && it.Tool != nil && !slices.Contains([]string{"read", "search", "think", "fetch", "switch_mode"}, it.Tool.Kind) {
			return false
		}
	}
	return true
}

// Named tells whether a call has named a file, an absolute path.
func (t *Thread) Named(path string) bool {
	return slices.ContainsFunc(t.Items, func(it *Item) bool {
		return it.Tool != nil && slices.ContainsFunc(it.Tool.Paths(), func(p string) bool {
			return p == path || !strings.HasPrefix(p, "/") && strings.HasSuffix(path, "/"+p)
		})
	})
}
