package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/lazy"
)

// recursive returns verdicts for the directories that a command reads recursively. Whether they are
// harmless is decided last, in checkBelow, because it takes time.
func (b *Rulebook) recursive(f *Facts, p part, rd reading) []Verdict {
	var out []Verdict
	ends := rd.endings()
	add := func(text, name string) {
		out = append(out, f.each(p.dir, name, Verdict{Text: text, Effect: Allow, skipHidden: rd.skipHidden, ends: ends})...)
	}
	for _, it := range rd.items {
		if it.option == "" && slices.Contains([]class{classRead, classWrite, classOther, classOdd, classCode, classRev}, it.class) {
			add(it.text, it.text)
		}
		if _, value, found := strings.Cut(it.text, "="); found && it.option != "" && it.class == classOdd && value != "" { // --directory=x
			add(it.text, value)
		}
	}
	if len(out) == 0 && rd.known {
		add(".", ".")
	}
	return out
}

// each returns a verdict on what is below a directory, in each directory in which a command may work.
func (f *Facts) each(dir, name string, v Verdict) (out []Verdict) {
	at := directories{[]string{dir}, dir != ""}
	if dir == "" {
		at = f.possible
	}
	for _, dir := range at.dirs {
		v.below = joinDir(dir, name)
		if at.all = at.all && v.below != ""; v.below != "" {
			out = append(out, v)
		}
	}
	if !at.all {
		out = append(out, Verdict{Text: v.Text, NoRuleReason: whyContents, unresolved: wantsRead})
	}
	return out
}

const whyContents = "its contents are unknown"

// tree returns verdicts for the directories of a repository that a git command works on without naming
// the files: those its pathspecs name, else the whole worktree. Only rules that ask or deny count for
// those: tracked content was committed before, and a rule that allows git pull accepts what comes with
// it. So a sensitive tracked file does not make every git diff ask.
func (b *Rulebook) tree(f *Facts, p part, rd reading) []Verdict {
	if rd.profile == nil || b.strictest(ofPaths) == None {
		return nil
	}
	t := rd.profile.says["tree"]
	var operands []item
	for _, it := range rd.items {
		if it.option == "" && it.class != classSub && it.class != classRisky && it.of == rd.profile.name {
			operands = append(operands, it)
		}
	}
	content := rd.content || rd.firstUnknown >= 0 && slices.ContainsFunc(t, isOption) // words after an unknown one were not read
	if !content && (!slices.ContainsFunc(t, func(w string) bool { return !isOption(w) }) || rd.names || slices.Contains(t, "operands") && len(operands) == 0) {
		return nil
	}
	v := Verdict{Text: strings.Join(p.words, " "), Effect: Allow, tracked: true, write: rd.profile.is("risky") || rd.profile.lists("links", "all")}
	v.trackedOnly = rd.firstUnknown < 0 && !v.write && strings.HasPrefix(rd.profile.name, "git ")
	dash := slices.Index(p.words, "--")
	var out []Verdict
	for _, it := range operands {
		file, known := lookUp(f, p.dir, it.text, false)
		switch {
		case slices.Contains(t, "whole") || it.word < dash || it.class == classText:
		case strings.HasPrefix(it.text, ":") || strings.ContainsAny(it.text, `*?[\`) && dash < 0 || strings.ContainsAny(it.text, `*?[\`) && it.word > dash:
			return f.inRepository(p.dir, v)
		case known && file.Exists || dash >= 0 && it.word > dash:
			out = append(out, f.each(p.dir, it.text, v)...)
		}
	}
	if len(out) == 0 && rd.profile.name != "git clone" {
		out = f.inRepository(p.dir, v)
	}
	return out
}

func isOption(word string) bool { return strings.HasPrefix(word, "-") }

// inRepository returns a verdict on the whole repository of a directory.
func (f *Facts) inRepository(dir string, v Verdict) []Verdict {
	out := f.each(dir, ".", v)
	for i := range out {
		if out[i].below != "" {
			out[i].below = repository(f, out[i].below)
		}
	}
	return out
}

// repository returns the root of the repository that contains dir, or dir if there is none.
func repository(f *Facts, dir string) string {
	if f.Resolve == nil || dir == "" {
		return dir
	}
	for at := f.Resolve(dir).Path; at != ""; at = filepath.Dir(at) {
		if f.Resolve(filepath.Join(at, ".git")).Exists {
			return at
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return dir
}

// checkBelow says why a directory may not be read recursively; it returns false if it may.
func (b *Rulebook) checkBelow(f *Facts, v Verdict) (Verdict, bool) {
	why := ""
	all := b.below(f, v, func(name string, file FileFact, by Effect) bool {
		switch {
		case by >= Confirm:
			why = fmt.Sprintf("below it lies %s, of which a rule says %s", name, by)
		case v.plain && strings.ContainsAny(file.RequestedPath, " \t\n\r\v\f'\"\\"):
			why = fmt.Sprintf("below it lies %s, of which xargs makes several names", name)
		case by == Allow || v.tracked:
		case file.Secret && file.Inside && otherEnding(v.ends, file):
		case file.Secret:
			why = fmt.Sprintf("below it lies %s, which is sensitive", name)
		case !file.Inside:
			why = fmt.Sprintf("below it lies %s, a link that leads outside the session's directories", name)
		}
		return why == ""
	})
	switch {
	case why != "" || all:
	case f.Walk == nil || v.below == "":
		why = whyContents
	default:
		why = "too many files below it to check"
	}
	return Verdict{Text: v.Text, NoRuleReason: why}, why != ""
}

// below visits what is below the directory of a verdict with the effect of the rules, until
// visit returns false. It returns false if it could not visit everything.
func (b *Rulebook) below(f *Facts, v Verdict, visit func(name string, file FileFact, by Effect) bool) bool {
	dir := v.below
	if f.Walk == nil || dir == "" {
		return false
	}
	if f.Resolve != nil {
		dir = f.Resolve(dir).Path
	}
	say := func(file FileFact) bool {
		name, err := filepath.Rel(dir, file.RequestedPath)
		if err != nil {
			name = file.RequestedPath
		}
		by := b.verdict(f, fileDemand(file, true), name).Effect
		if by >= Confirm && v.trackedOnly && f.Tracked != nil && file.Exists && !f.Tracked(file.Path) && !f.Tracked(file.RequestedPath) {
			return true
		}
		if v.write {
			file.Write = true
			by = max(by, b.verdict(f, fileDemand(file, true), name).Effect)
		}
		return visit(name, file, by)
	}
	if v.tracked && f.lookRulePath != nil {
		stars, stopped := b.namedBelow(f, dir, say)
		if stopped || !stars {
			return true
		}
	}
	return f.Walk(dir, !v.skipHidden, say)
}

// namedBelow visits the files below a directory that rules which ask or deny name without a *,
// if they exist or might be created with the directory. stars reports whether some rule has a
// *.
func (b *Rulebook) namedBelow(f *Facts, dir string, visit func(FileFact) bool) (stars, stopped bool) {
	at := f.Resolve(dir)
	for i := range b.rules {
		r := &b.rules[i]
		switch {
		case r.Effect < Confirm || r.Path == "":
			continue
		case strings.Contains(r.Path, "*"):
			stars = true
			continue
		}
		for _, p := range pathPatterns(r.Path, at.Roots) {
			file := f.lookRulePath("/" + strings.Join(append(slices.Clip(p.base), p.names...), "/"))
			for _, path := range []string{file.Path, file.RequestedPath} {
				rel, err := filepath.Rel(dir, path)
				if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) && (file.Exists || !at.Exists) && !visit(file) {
					return stars, true
				}
			}
		}
	}
	return stars, false
}

// hiddenBelow returns the strongest effect of rules on files below the directories that a
// command reads.
func (b *Rulebook) hiddenBelow(f *Facts, all []Verdict) (worst Effect) {
	if b.strictest(ofPaths) == None {
		return None
	}
	for _, v := range all {
		if v.below == "" {
			continue
		}
		complete := b.below(f, v, func(_ string, _ FileFact, by Effect) bool {
			if by >= Confirm {
				worst = max(worst, by)
			}
			return worst < Deny
		})
		if !complete {
			worst = max(worst, b.strictest(ofPaths))
		}
	}
	return worst
}

// ending is a pattern that only says how names end.
var ending = lazy.Regexp(`^\*\.[A-Za-z0-9]+$`)

// endings returns the endings to which options limit a recursive read; none if it may read
// other files.
func (rd reading) endings() (ends []string) {
	for _, it := range rd.items {
		switch {
		case it.class == classFlag:
		case slices.Contains([]string{"--exclude", "--exclude-from", "--iglob"}, it.option):
			return nil // files that no such option matches are read
		case slices.Contains([]string{"--include", "-g", "--glob"}, it.option):
			if !ending().MatchString(it.text) {
				return nil
			}
			ends = append(ends, strings.ToLower(it.text[1:]))
		}
	}
	return ends
}

// otherEnding reports whether a file has none of the endings, both as named and where it leads.
func otherEnding(ends []string, file FileFact) bool {
	return len(ends) > 0 && !slices.ContainsFunc(ends, func(end string) bool {
		return strings.HasSuffix(strings.ToLower(file.RequestedPath), end) || strings.HasSuffix(strings.ToLower(file.Path), end)
	})
}
