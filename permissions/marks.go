package permissions

import (
	"fmt"
	"slices"
	"strings"
)

// Marks say how a part of a question reaches beyond the project.
type Marks uint8

// The marks, the least serious first.
const (
	Network        Marks = 1 << iota // it uses the network
	Outside                          // it names a file outside the session's directories
	PipedShell                       // a shell, or another interpreter, runs what it reads
	Secret                           // it names a sensitive file
	DeletesOutside                   // it deletes something outside the session's directories
)

// Severe reports whether m has a mark that is more than a reason to look twice.
func (m Marks) Severe() bool { return m&(Secret|DeletesOutside) != 0 }

// Text names the marks for the user, the most serious first.
func (m Marks) Text() (words []string) {
	for _, w := range []struct {
		mark Marks
		says string
	}{{DeletesOutside, "deletes outside the project"}, {Secret, "secret"}, {PipedShell, "runs what is piped into it"}, {Outside, "outside the project"}, {Network, "network"}} {
		if m&w.mark != 0 && (w.mark != Outside || m&DeletesOutside == 0) {
			words = append(words, w.says)
		}
	}
	return words
}

// Marks returns the marks of all verdicts together.
func (j Judgement) Marks() (m Marks) {
	for _, v := range j.Verdicts {
		m |= v.Marks
	}
	return m
}

// Breakdown lists the parts of a question if they say more than its text: for a command line
// with several parts, one that has marks or that no rule can allow, and wherever a rule matches
// a part.
func (q Question) Breakdown() []Verdict {
	all := withoutRepeats(q.Judgement.Verdicts, q.Facts.Commands)
	telling := func(v Verdict) bool { return v.Marks != 0 || v.NoRuleReason != "" }
	if slices.ContainsFunc(all, func(v Verdict) bool { return v.Rule != nil }) ||
		len(q.Facts.Commands) > 0 && (len(all) > 1 || slices.ContainsFunc(all, telling)) {
		return folded(all)
	}
	return nil
}

// withoutRepeats leaves out verdicts that repeat the whole line: the shell that wraps the other
// commands, and the line itself if the reason is about all of it.
func withoutRepeats(all []Verdict, of []CommandFact) (out []Verdict) {
	for _, v := range all {
		whole := slices.ContainsFunc(of, func(c CommandFact) bool {
			return 2*len(v.Text) > len(c.Line) && strings.Contains(c.Line, v.Text)
		})
		switch {
		case whole && len(all) > 1 && v.Effect == Allow && v.Rule == nil && v.NoRuleReason == "" && v.Marks == 0:
			continue
		case v.Text == "", whole && v.NoRuleReason != "" && v.Marks == 0:
			v.Text = "all of it"
		}
		if !slices.ContainsFunc(out, func(o Verdict) bool {
			return v.Text == "all of it" && o.Text == v.Text && o.NoRuleReason == v.NoRuleReason
		}) {
			out = append(out, v)
		}
	}
	return out
}

// With more than mostParts parts, folded joins runs of at least leastFolded parts that have
// nothing to say: the whole line is shown next to the breakdown.
const (
	mostParts   = 12
	leastFolded = 4
)

func folded(all []Verdict) (out []Verdict) {
	if len(all) <= mostParts {
		return all
	}
	plain := func(v Verdict) bool {
		return v.Effect == None && v.Marks == 0 && v.NoRuleReason == "" && v.NearMiss == ""
	}
	for len(all) > 0 {
		n := 0
		for n < len(all) && plain(all[n]) {
			n++
		}
		if n > 0 && n < len(all) {
			n-- // the next verdict may be about a name in this one
		}
		if n >= leastFolded {
			out = append(out, Verdict{Text: fmt.Sprintf("%d parts", n)})
		} else {
			n = max(n, 1)
			out = append(out, all[:n]...)
		}
		all = all[n:]
	}
	return out
}

// Description describes the outcome of a part: the effect, the rule that decided and the reason. It is
// raw.
func (v Verdict) Description() string {
	rule := ""
	if v.Rule != nil {
		rule = v.Rule.Command + v.Rule.Path + v.Rule.Host + v.Rule.Tool
		if v.Rule.Project {
			rule += " (the project's)"
		}
	}
	var says string
	switch {
	case v.Effect == Deny:
		says = "denied by the rule  " + rule
	case v.Effect == Confirm:
		says = "ask · by the rule  " + rule
	case v.Effect == Allow && v.Rule != nil:
		says = "allowed by your rule  " + rule
	case v.Effect == Allow:
		says = "allowed"
	default:
		says = "ask"
	}
	for _, w := range v.Marks.Text() {
		says += " · " + w
	}
	if v.Effect == None {
		for _, why := range []string{v.NoRuleReason, v.NearMiss} {
			if why != "" && (v.Marks == 0 || !slices.Contains(markWhys, why)) {
				return says + " · " + why
			}
		}
	}
	return says
}

// Reasons that a mark already states.
const (
	whyOutside   = "outside the session's directories"
	whySensitive = "sensitive"
	whyNetwork   = "network"
	whyReadsCode = "runs code that it reads"
)

// Reasons for a file or a host that is not known.
const (
	whyUnresolved = "cannot tell where it leads"
	whyMade       = "another part may change where it leads"
)

var markWhys = []string{whyOutside, whySensitive, whyNetwork, whyReadsCode}

// marks returns the marks of a file. known is false if it could not be looked up.
func (f FileFact) marks(known bool) (m Marks) {
	if known && !f.Inside {
		m |= Outside
	}
	if known && f.Secret {
		m |= Secret
	}
	return m
}

// marks returns the marks of a simple command itself; the files and hosts it names have their
// own verdicts.
func (p part) marks() (m Marks) {
	if len(p.words) == 0 {
		return 0
	}
	for _, at := range programs(p.words) {
		words := p.words[at:]
		if readsCode(words) {
			m |= PipedShell
		}
		if fetches(words) {
			m |= Network
		}
	}
	return m
}

// fetches reports whether a command uses the network.
func fetches(words []string) bool {
	return has(program(words[0]), "network", subcommand(words))
}

// subcommand returns the first word that is neither an option nor, for git, the value of one.
func subcommand(words []string) string {
	for i := 1; i < len(words); i++ {
		switch {
		case words[i] == "-C" || words[i] == "-c":
			i++
		case !strings.HasPrefix(words[i], "-"):
			return words[i]
		}
	}
	return ""
}

// deletes reports whether a simple command deletes the files it names.
func (p part) deletes() bool {
	return slices.ContainsFunc(programs(p.words), func(at int) bool {
		return has(program(p.words[at]), "deletes", p.words...)
	})
}

// mark adds the marks of a command to its verdicts. The first verdict is the command's own, the
// others are about what it names.
func (p part) mark(all []Verdict) []Verdict {
	named := Marks(0)
	for _, v := range all {
		named |= v.Marks
	}
	own := p.marks() &^ named
	if named&Outside != 0 && p.deletes() {
		own |= DeletesOutside
	}
	all[0].Marks |= own
	return all
}
