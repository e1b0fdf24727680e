package permissions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/lazy"

	"mvdan.cc/sh/v3/syntax"
)

// Rule says what to do with the questions it matches. Everything it names must match; what it
// leaves out matches anything. A rule that allows is stricter: it must name a path to allow
// files that are outside the session's directories or sensitive, and with only a tool it allows
// running or fetching something only if its kind says so.
type Rule struct {
	Effect  Effect
	Agent   string // a name with * for any characters
	Kind    string // of tool calls: read, edit, delete, move, search, execute, fetch, ...
	Tool    string // the tool's own name, with *
	Path    string // *, ** and ~/; relative to the session's directories
	Command string // words of a simple command, with * for the rest or inside a word
	Host    string // with *

	Where   string // its file and line, for messages
	Project bool   // from a project's file, which may only ask and deny
	Mistake string // why it matches nothing, though it was written to allow something; "" if it can match

	words []string // of Command
}

// kinds are the kinds of tool calls; others begin with _.
var kinds = []string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}

// tooWide is a mistake in a rule that allows: it would allow anything. It is safe to ignore such a rule.
type tooWide string

func (e tooWide) Error() string { return string(e) }

func tooWidef(format string, args ...any) error { return tooWide(fmt.Sprintf(format, args...)) }

// load is Compile for rules of a file: one that is too wide has a Mistake, and matches nothing.
func (r *Rule) load() error {
	err := r.Compile()
	if ignored(err) {
		r.Mistake, err = err.Error(), nil
	}
	return err
}

func ignored(err error) bool {
	var wide tooWide
	return errors.As(err, &wide)
}

// Compile parses a rule's command and returns what is wrong with the rule, in words for the user.
func (r *Rule) Compile() error {
	if r.Effect == None {
		return fmt.Errorf("a rule must say allow, ask or deny")
	}
	named := 0
	for _, s := range []string{r.Path, r.Command, r.Host} {
		if s != "" {
			named++
		}
	}
	switch {
	case named > 1:
		return fmt.Errorf("a rule may have a path, a command or a host, but only one of them")
	case named == 0 && r.Agent == "" && r.Kind == "" && r.Tool == "":
		return fmt.Errorf("a rule must have at least one of agent, kind, tool, path, command and host")
	case r.Kind != "" && !slices.Contains(kinds, r.Kind) && !strings.HasPrefix(r.Kind, "_"):
		return fmt.Errorf("unknown kind %q (use %s)", r.Kind, strings.Join(kinds, ", "))
	case slices.ContainsFunc(splitPath(r.Path), func(n string) bool { return n == "." || n == ".." }):
		return fmt.Errorf("path %q: write it without . and .. (it starts with /, with ~/, or in the session's directories)", r.Path)
	case strings.HasPrefix(r.Path, "~") && !strings.HasPrefix(r.Path, "~/"):
		return fmt.Errorf("path %q: only your own home directory works here, written ~/", r.Path)
	case strings.Contains(r.Host, "/") || strings.Contains(r.Host, ":") && !strings.Contains(r.Host, "::"):
		return fmt.Errorf("host %q: write only the name, without scheme, port or path", r.Host)
	case r.Project && r.Effect == Allow:
		return fmt.Errorf("a project's rules may ask and deny, not allow: put this one into your own rules.toml, next to the file that `parley config path` prints")
	}
	if r.Command == "" {
		return nil
	}
	words, err := patternWords(r.Command)
	if err != nil {
		return err
	}
	if assignment().MatchString(words[0]) {
		return fmt.Errorf("command %q begins with a variable: leave it out, rules match from the program on", r.Command)
	}
	r.words = words
	stars := strings.Contains(strings.Join(words, " "), "*")
	switch name := program(words[0]); {
	case r.Effect != Allow:
	case slices.ContainsFunc(programs(words), func(at int) bool { return has(program(words[at]), "never") }):
		return tooWidef("command %q: no rule can allow a program that takes file names from its input: name the files in a command instead", r.Command)
	case stars && has(name, "closed"):
		return tooWidef("command %q: %s can run anything its arguments say: write out every word, without *", r.Command, name)
	case stars && openEnded(words):
		return tooWidef("command %q would allow any program: name what it runs", r.Command)
	}
	return nil
}

// patternWords returns the words of a command pattern, unquoted.
func patternWords(command string) ([]string, error) {
	var words []string
	bad := fmt.Errorf("command %q: write the words of one simple command, with * for the rest", command)
	for w, err := range syntax.NewParser().WordsSeq(strings.NewReader(command)) {
		if err != nil {
			return nil, bad
		}
		text, why := literal(w)
		if why != "" && strings.Contains(w.Lit(), "*") && !strings.ContainsAny(w.Lit(), "?[{~\\") {
			text, why = w.Lit(), ""
		}
		if why != "" {
			return nil, bad
		}
		words = append(words, text)
	}
	if len(words) == 0 {
		return nil, bad
	}
	return words, nil
}

// assignment matches the beginning of a word that sets a variable for a program.
var assignment = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*\+?=`)

// Name returns the rule in short form.
func (r *Rule) Name() string {
	var words []string
	for _, f := range [...]struct{ name, value string }{
		{"command", r.Command}, {"path", r.Path}, {"host", r.Host}, {"tool", r.Tool}, {"kind", r.Kind}, {"agent", r.Agent},
	} {
		if f.value != "" {
			words = append(words, f.name+" "+f.value)
		}
	}
	return r.Effect.String() + " " + strings.Join(words, ", ")
}

// demandKind is what a question wants.
type demandKind int

const (
	wantsUse demandKind = iota // the use of a tool about which nothing else is known
	wantsRun
	wantsRead
	wantsWrite
	wantsHost
)

// natural are the kinds of tool calls that mean the same as a demand.
var natural = map[demandKind][]string{
	wantsRun: {"execute"}, wantsRead: {"read", "search"}, wantsWrite: {"edit"}, wantsHost: {"fetch"},
}

// demand is one thing that a question wants and that must be allowed.
type demand struct {
	kind   demandKind
	words  []string // wantsRun: nil if unknown
	dir    string   // wantsRun: where it runs; "" if unknown
	file   FileFact
	host   string
	beside bool // named by a command line that is about something else
}

// matches reports whether a rule applies to a demand of a question.
func (r *Rule) matches(f *Facts, d demand) bool {
	if r.Mistake != "" || r.Agent != "" && !matchText(r.Agent, f.Agent) || r.Tool != "" && !matchText(r.Tool, f.Tool) {
		return false
	}
	if r.Kind != "" && !(r.Kind == f.Kind && !d.beside) && !slices.Contains(natural[d.kind], r.Kind) {
		return false
	}
	if r.Effect == Allow && r.Kind == "edit" && (f.Kind == "delete" || f.Kind == "move") && !d.beside {
		return false
	}
	switch {
	case r.Command != "":
		if d.kind != wantsRun || len(d.words) == 0 {
			return false
		}
		if r.Effect == Allow {
			return r.covers(f, d.words, d.dir)
		}
		return r.speaksOf(f, d.words, d.dir)
	case r.Path != "":
		return (d.kind == wantsRead || d.kind == wantsWrite) && r.meansFile(f, d.file)
	case r.Host != "":
		return d.kind == wantsHost && matchHost(r.Host, d.host)
	}
	if r.Effect != Allow {
		return true
	}
	files := d.kind == wantsRead || d.kind == wantsWrite
	says := slices.Contains(natural[d.kind], r.Kind) || files && slices.Contains([]string{"", "delete", "move"}, r.Kind)
	if r.Tool != "" && d.kind != wantsUse && !says {
		return false // the agent chooses the name of a tool
	}
	return !files || d.file.Inside && !d.file.Secret
}

// Rulebook is an immutable set of rules, safe for concurrent use. A nil Rulebook has no rules.
type Rulebook struct{ rules []Rule }

// NewRulebook returns a rulebook of rules, or the first mistake in them.
func NewRulebook(rules []Rule) (*Rulebook, error) {
	b := &Rulebook{rules: slices.Clone(rules)}
	for i := range b.rules {
		if err := b.rules[i].Compile(); err != nil && !(b.rules[i].Mistake != "" && ignored(err)) {
			if w := b.rules[i].Where; w != "" {
				err = fmt.Errorf("%s: %w", w, err)
			}
			return nil, err
		}
	}
	return b, nil
}

// Rules returns the rules, in the order of their files.
func (b *Rulebook) Rules() []Rule {
	if b == nil {
		return nil
	}
	return slices.Clone(b.rules)
}

// strongest returns what the rules say of a demand: deny wins over ask, ask over allow,
// whatever their order.
func (b *Rulebook) strongest(f *Facts, d demand) (effect Effect, by *Rule) {
	if b == nil {
		return None, nil
	}
	for i := range b.rules {
		if r := &b.rules[i]; r.Effect > effect && r.matches(f, d) {
			effect, by = r.Effect, r
		}
	}
	return effect, by
}
