package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/lazy"
)

// Judge returns what the rules make of a question. Everything it is about must be allowed, and
// one denied thing denies it. Judge calls f.Resolve and the other functions of f.
func (b *Rulebook) Judge(f Facts) Judgement {
	var j Judgement
	f.Resolve, f.lookRulePath, f.ListDir = bounded(f.Resolve, maxLooks), bounded(f.Resolve, maxOwnLooks), boundedLists(f.ListDir, maxLists)
	for _, c := range f.Commands {
		j.Verdicts = append(j.Verdicts, b.command(&f, c)...)
	}
	for _, file := range f.Files {
		v := b.verdict(&f, fileDemand(file, false), file.Path)
		if !filepath.IsAbs(file.Path) {
			v.unresolved = wantsRead
		}
		if v.Marks = file.marks(f.Resolve != nil); v.Marks&Outside != 0 && f.Kind == "delete" {
			v.Marks |= DeletesOutside
		}
		j.Verdicts = append(j.Verdicts, v)
		if f.searches(file) {
			j.Verdicts = append(j.Verdicts, Verdict{Text: file.Path, Effect: Allow, below: file.Path, skipHidden: true})
		}
	}
	for _, h := range f.Hosts {
		v := b.verdict(&f, demand{kind: wantsHost, host: h}, h)
		if unknownHost(h) {
			v.unresolved = wantsHost
		}
		j.Verdicts = append(j.Verdicts, v)
	}
	if len(j.Verdicts) == 0 || f.OtherEffects {
		text := f.Tool
		if text == "" {
			text = f.Kind
		}
		j.Verdicts = append(j.Verdicts, b.verdict(&f, demand{kind: wantsUse}, text))
	}
	all := j.Verdicts
	if j.Verdicts, j.Effect = b.combine(&f, j.Verdicts); j.Effect < Deny {
		j.MayHide = max(b.hidden(&f), b.hiddenBelow(&f, all), b.unresolved(all))
	}
	if j.Effect == Allow && j.MayHide >= Confirm {
		j.Effect = None
		j.Verdicts = append(j.Verdicts, Verdict{Text: "all of it", NoRuleReason: fmt.Sprintf("may contain something that a rule says to %s", j.MayHide)})
	}
	if f.Partial && j.Effect == Allow {
		j.Effect = None
		j.Verdicts = append(j.Verdicts, Verdict{Text: "more of it", NoRuleReason: "parley does not know everything it does"})
	}
	return j
}

// combine returns the verdicts that count, and their effect together. It walks directories only where
// the outcome depends on it, because that takes time.
func (b *Rulebook) combine(f *Facts, all []Verdict) ([]Verdict, Effect) {
	effect := Allow
	ruled := slices.ContainsFunc(all, func(v Verdict) bool { return v.Effect == Allow && v.Rule != nil })
	for i, v := range all {
		if ruled && v.filter && v.Effect == None {
			all[i].Effect, all[i].NearMiss = Allow, ""
		}
		effect = sum(effect, all[i])
	}
	var out []Verdict
	for _, v := range all {
		if v.below != "" {
			found := false
			if effect == Allow || f.Kind == kindSearch { // a search may pass without any rule
				v, found = b.checkBelow(f, v)
			}
			if !found {
				continue
			}
			effect = sum(effect, v)
		}
		out = append(out, v)
	}
	return out, effect
}

// hidden returns the strongest effect rules might have on parts of command lines that could not
// be read.
func (b *Rulebook) hidden(f *Facts) Effect {
	if b.strictest(ofAll) == None {
		return None
	}
	worst := None
	for _, p := range f.parts {
		for i := range b.rules {
			if rule := &b.rules[i]; !p.free && !b.spells(p) && rule.Effect > max(worst, Allow) && rule.mayHideIn(f, p) {
				worst = rule.Effect
			}
		}
	}
	return worst
}

// unresolved returns the strongest effect rules might have on the files and hosts that verdicts name
// without saying which.
func (b *Rulebook) unresolved(all []Verdict) (worst Effect) {
	for _, v := range all {
		switch v.unresolved {
		case wantsRead:
			worst = max(worst, b.strictest(ofPaths))
		case wantsHost:
			worst = max(worst, b.strictest(ofHosts))
		}
	}
	return worst
}

// strictest returns the stronger of ask and deny that some rule of a kind has; None if no such rule has.
func (b *Rulebook) strictest(of func(*Rule) bool) (worst Effect) {
	if b == nil {
		return None
	}
	for i := range b.rules {
		if r := &b.rules[i]; r.Effect >= Confirm && of(r) {
			worst = max(worst, r.Effect)
		}
	}
	return worst
}

func ofPaths(r *Rule) bool { return r.Path != "" }
func ofHosts(r *Rule) bool { return r.Host != "" }
func ofAll(*Rule) bool     { return true }

// spells reports whether a rule allows a command word by word: its author has seen every word.
func (b *Rulebook) spells(p part) bool {
	return p.doubt == "" && slices.ContainsFunc(b.rules, func(r Rule) bool {
		return r.Effect == Allow && r.Mistake == "" && r.Agent == "" && slices.Equal(r.words, p.words)
	})
}

// sum combines an effect with that of one more verdict.
func sum(e Effect, v Verdict) Effect {
	switch {
	case e == Deny || v.Effect == Deny:
		return Deny
	case e == Confirm || v.Effect == Confirm:
		return Confirm
	case v.Effect == None || v.NoRuleReason != "":
		return None
	}
	return e
}

func (b *Rulebook) verdict(f *Facts, d demand, text string) Verdict {
	v := Verdict{Text: text, demand: d}
	v.Effect, v.Rule = b.strongest(f, d)
	return v
}

func fileDemand(file FileFact, beside bool) demand {
	d := demand{kind: wantsRead, file: file, beside: beside}
	if file.Write {
		d.kind = wantsWrite
	}
	return d
}

// command judges a command: a line by its parts, a program by its words.
func (b *Rulebook) command(f *Facts, c CommandFact) []Verdict {
	if len(c.Words) == 0 {
		parts := expandAll(f, partsOf(c.Line, c.Dir))
		f.parts, f.possible = append(f.parts, parts...), mayWork(parts, c.Dir)
		return b.around(f, b.parts(f, parts, c.Line), c)
	}
	r := reader{dir: c.Dir, work: new(nestedWork)}
	p := part{text: c.Line, words: c.Words, known: len(c.Words), dir: c.Dir, free: onlyWraps(c.Words), entered: r.script(c.Words)}
	if !p.free && slices.ContainsFunc(c.Words[1:], operator) || readByCmd && strings.ContainsAny(strings.Join(c.Words, " "), cmdSpecial) {
		p.doubt = "a word of it is special to a shell"
	}
	parts := expandAll(f, r.parts)
	f.parts, f.possible = append(f.parts, parts...), mayWork(append([]part{p}, parts...), c.Dir)
	return b.around(f, append(b.run(f, p), b.parts(f, parts, c.Line)...), c)
}

// operator reports whether a word would be an operator or a substitution in a command line.
func operator(w string) bool {
	return slices.Contains([]string{"&&", "||", "|", "|&", "&", ";", ">", ">>", "<", "<<", "2>", "&>"}, w) || strings.Contains(w, "$(") || strings.Contains(w, "`")
}

// parts judges all parts of a line. If there are too many, it keeps only those that a rule asks
// about or denies.
func (b *Rulebook) parts(f *Facts, parts []part, line string) []Verdict {
	var all []Verdict
	made, any := make([][]madePath, len(parts)), false
	for i, p := range parts {
		made[i] = f.makes(p)
		any = any || made[i] != nil
	}
	loops := any && unordered(line)
	for i, p := range parts {
		if any {
			f.before(made, i, loops)
		}
		all = append(all, b.part(f, p)...)
	}
	f.created = nil
	if len(all) <= maxParts {
		return all
	}
	all = slices.DeleteFunc(all, func(v Verdict) bool { return v.Effect < Confirm })
	return append(all[:min(len(all), maxParts)], Verdict{Text: line, NoRuleReason: "has too many parts to check"})
}

// around adds verdicts on a command as a whole: its directory and its variables.
func (b *Rulebook) around(f *Facts, all []Verdict, c CommandFact) []Verdict {
	switch {
	case f.Resolve == nil:
	case c.Dir == "":
		all = append(all, Verdict{Text: c.Line, NoRuleReason: "cannot tell where it runs"})
	default:
		for _, v := range b.path(f, "", c.Dir, mayWrite) {
			v.Text = "in " + c.Dir
			all = append(all, v)
		}
	}
	if c.Env {
		all = append(all, Verdict{Text: c.Line, NoRuleReason: "sets variables"})
	}
	return all
}

// part judges a part of a line. If a word of another command wraps it, that command's rule
// allows it.
func (b *Rulebook) part(f *Facts, p part) []Verdict {
	all := b.judgePart(f, p)
	if found, ok := b.readsFound(f, p); ok && !slices.ContainsFunc(all, func(v Verdict) bool { return v.Effect >= Confirm }) {
		all = found
	}
	if p.wrapped == notWrapped {
		return all
	}
	return slices.DeleteFunc(all, func(v Verdict) bool {
		return v.Effect < Confirm && (p.wrapped == maybeWrapped || v.demand.kind == wantsRun && v.demand.words != nil && p.doubt == "")
	})
}

func (b *Rulebook) judgePart(f *Facts, p part) []Verdict {
	switch {
	case p.file != "" || p.write:
		v := Verdict{Text: p.text, NoRuleReason: p.doubt}
		if p.doubt == "" {
			var file FileFact
			var known bool
			v, file, known = b.file(f, p.dir, p.file, p.text, p.write)
			if v.Effect == None || v.Effect == Allow && !known {
				v = b.usual(f, v, file, known)
			}
		}
		return []Verdict{v}
	case p.words == nil:
		return []Verdict{{Text: p.text, NoRuleReason: p.doubt}}
	}
	return b.run(f, p)
}

// usual decides about a file that a command names and no rule matches: inside the session's
// directories it may be read.
func (b *Rulebook) usual(f *Facts, v Verdict, file FileFact, known bool) Verdict {
	v.Effect, v.Rule = None, nil
	switch {
	case !known && f.isMade(file.Path, file.RequestedPath):
		v.NoRuleReason = whyMade
	case !known:
		v.NoRuleReason = whyUnresolved
	case !file.Inside:
		v.NoRuleReason = whyOutside
	case file.Secret:
		v.NoRuleReason = whySensitive
	case !file.Write:
		v.Effect = Allow
	}
	return v
}

// run judges a simple command, and the files and hosts that its words name.
func (b *Rulebook) run(f *Facts, p part) []Verdict {
	d := demand{kind: wantsRun, words: p.words, dir: p.dir}
	if p.doubt != "" {
		d.words = p.words[:p.known] // a deny may match the words that are known
	}
	v := b.verdict(f, d, p.text)
	switch why := b.uncertain(f, p); {
	case why != "" && v.Effect <= Allow:
		if v.Effect, v.Rule, v.NoRuleReason = None, nil, why; why == whyMade {
			v.unresolved = wantsRead
		}
	case v.Effect == None && b != nil:
		v.NearMiss, v.filter = b.shortfall(f, d), passesOn(f, p)
	}
	if v.Effect == None && (p.free || p.words[0] == "cd") && v.NoRuleReason == "" {
		v.Effect, v.NearMiss = Allow, "" // its directory, or what it wraps, has its own verdicts
	}
	if p.free {
		return []Verdict{v}
	}
	return p.mark(append([]Verdict{v}, b.names(f, p, b.allowing(f, d))...))
}

// allowing returns the rules for commands that allow this one.
func (b *Rulebook) allowing(f *Facts, d demand) (by []*Rule) {
	if b == nil {
		return nil
	}
	for i := range b.rules {
		if r := &b.rules[i]; r.Effect == Allow && r.Command != "" && r.matches(f, d) {
			by = append(by, r)
		}
	}
	return by
}

// shortfall returns why the first rule whose words match does not cover a command.
func (b *Rulebook) shortfall(f *Facts, d demand) string {
	mistake := ""
	for i := range b.rules {
		r := &b.rules[i]
		if r.Effect != Allow || r.Command == "" || r.Agent != "" && !matchText(r.Agent, f.Agent) {
			continue
		}
		words, dir := d.words, d.dir
		if !matchWords(r.words, words) {
			words, dir = core(words, dir)
		}
		if matchWords(r.words, words) {
			if why := r.shortfall(f, words, dir); r.Mistake == "" && why != "" {
				return why
			} else if r.Mistake != "" && mistake == "" {
				mistake = "your rule has a mistake: " + r.Mistake
			}
		}
	}
	return mistake
}

// uncertain returns why no rule can allow a simple command, or "".
func (b *Rulebook) uncertain(f *Facts, p part) string {
	if p.doubt != "" {
		return p.doubt
	}
	places := programs(p.words)
	switch {
	case slices.ContainsFunc(places, func(at int) bool { return readsCode(p.words[at:]) }):
		return whyReadsCode
	case slices.ContainsFunc(places, func(at int) bool { return listsFiles(p.words[at:]) }):
		return "works on file names that it reads"
	case p.words[0] == "cd" && (len(p.words) != 2 || p.words[1] == "" || strings.HasPrefix(p.words[1], "-") || searched(p.words[1])):
		return whyUnresolved
	case f.loaded(p) != "":
		return "it would run " + f.loaded(p) + " of the directory it runs in"
	case f.isMadeIn(p.listed), slices.ContainsFunc(places, func(at int) bool { return f.makesProgram(p, at) }):
		return whyMade
	case slices.ContainsFunc(places, func(at int) bool { return strings.Contains(p.words[at], "/") && !strings.HasPrefix(p.words[at], "/") }):
		if dir, known := lookUp(f, "", p.dir, false); p.dir == "" || !known || !slices.Contains(dir.Roots, dir.Path) {
			return "which program this is depends on where it runs"
		}
	}
	return ""
}

// loaded returns the name of a file that a command would import from its directory; "" if there is none.
func (f *Facts) loaded(p part) string {
	rd := read(p.words)
	if rd.profile == nil || !rd.profile.is("loads") || f.ListDir == nil {
		return ""
	}
	dir := p.dir
	for _, to := range rd.dirs {
		dir = joinDir(dir, to)
	}
	names, all := f.ListDir(dir)
	for _, name := range names {
		module, end, _ := strings.Cut(strings.TrimLeft(name, "_"), ".") // _json helps json
		if rd.profile.lists("loads", module) && moduleEnd().MatchString(end) {
			return name
		}
	}
	if !all || dir == "" {
		return "something"
	}
	return ""
}

// moduleEnd matches what follows the name of a Python module and a dot; a package has no dot.
var moduleEnd = lazy.Regexp(`^$|^(.*\.)?(pyc?|so|pyd)$`)

// listsFiles reports whether a command reads names of files from a file or a pipe.
func listsFiles(words []string) bool {
	if has(program(words[0]), "never") {
		return true
	}
	return slices.ContainsFunc(read(words).items, func(it item) bool {
		name, _, _ := strings.Cut(it.option, "=")
		return it.class == classList || it.class == classOdd && slices.Contains(listOptions, name)
	})
}

// listOptions are options that name a file with names of files, for programs without a profile.
var listOptions = []string{"-T", "--files-from", "--files0-from", "--pathspec-from-file"}
