package permissions

import (
	"path/filepath"
	"slices"
	"strings"
)

// Suggest returns rules that would have allowed a question, the narrowest first, for the user
// to choose from. The first covers exactly what is asked. It returns none if no rule can allow
// it.
func Suggest(q Question) []Rule {
	var open []demand
	for _, v := range q.Judgement.Verdicts {
		switch {
		case v.NoRuleReason != "" && v.demand.kind != wantsHost && v.demand.kind != wantsWrite && v.demand.kind != wantsRead:
			return nil
		case v.Effect == Confirm || v.Effect == Deny:
			return nil
		case v.Effect == None:
			open = append(open, v.demand)
		}
	}
	if len(open) == 0 || q.Facts.Partial {
		return nil
	}
	var out []Rule
	if len(open) > 1 { // a rule covers one thing, which may be a command with the file it writes
		if open[0].kind != wantsRun {
			return nil
		}
		return commandRules(open[0], func(r Rule) bool { return r.answers(q) })
	}
	for _, r := range suggestions(open[0], q.Facts) {
		r.Effect = Allow
		if r.Command == "" && literalStar(open[0], q.Facts) {
			continue // its name would be read as a pattern
		}
		if r.Compile() == nil && !slices.ContainsFunc(out, func(o Rule) bool { return o.Text() == r.Text() }) && r.matches(&q.Facts, open[0]) {
			out = append(out, r)
		}
	}
	return out
}

// answers reports whether a rule allows everything still open in a question.
func (r Rule) answers(q Question) bool {
	book, err := NewRulebook([]Rule{r})
	if err != nil {
		return false
	}
	still := book.Judge(q.Facts).Verdicts
	return !slices.ContainsFunc(q.Judgement.Verdicts, func(v Verdict) bool {
		return v.Effect == None && slices.ContainsFunc(still, func(s Verdict) bool { return s.Text == v.Text && s.Effect != Allow })
	})
}

// literalStar reports whether the name a rule would use has characters that are special in
// rules.
func literalStar(d demand, f Facts) bool {
	return strings.Contains(d.file.Path+d.host+f.Tool+f.Agent, "*")
}

func suggestions(d demand, f Facts) []Rule {
	switch d.kind {
	case wantsRun:
		return commandRules(d, func(r Rule) bool { return r.covers(&f, d.words, d.dir) })
	case wantsRead, wantsWrite:
		kind := natural[d.kind][0]
		if !d.beside && (f.Kind == "delete" || f.Kind == "move") {
			kind = f.Kind
		}
		// Whole names: what is allowed in one project is not allowed in the others.
		rules := []Rule{{Path: FromHome(d.file.Path), Kind: kind}}
		if d.file.Inside && !d.file.Secret {
			for _, root := range d.file.Roots {
				if rel, err := filepath.Rel(root, d.file.Path); err == nil && rel != "." && !strings.HasPrefix(rel, "..") {
					if dir := filepath.Dir(rel); dir != "." {
						rules = append(rules, Rule{Path: FromHome(filepath.Join(root, dir)) + "/**", Kind: kind})
					}
					if ext := filepath.Ext(rel); ext != "" {
						rules = append(rules, Rule{Path: strings.TrimSuffix(FromHome(root), "/") + "/**/*" + ext, Kind: kind})
					}
					break
				}
			}
		}
		return rules
	case wantsHost:
		if hostName().MatchString(d.host) {
			return []Rule{{Host: d.host}}
		}
		return nil
	}
	for _, kinds := range natural { // with one of these kinds, a rule would allow the tool more than this question asks
		if slices.Contains(kinds, f.Kind) {
			return nil
		}
	}
	if f.Tool != "" {
		return []Rule{{Tool: f.Tool, Agent: f.Agent, Kind: f.Kind}}
	}
	return nil
}

// FromHome returns a path as rules write it: with ~/ for the home directory.
func FromHome(file string) string {
	if rest, ok := strings.CutPrefix(file, homeDir()+string(filepath.Separator)); ok {
		file = "~/" + rest
	}
	return filepath.ToSlash(file)
}

// commandRules returns rules for a command: one for its exact words, and the widest that enough
// accepts, which names the program and as many of the next words as needed.
func commandRules(d demand, enough func(Rule) bool) (rules []Rule) {
	pattern := func(words []string, rest string) (r Rule, ok bool) {
		quoted := make([]string, len(words))
		for i, w := range words {
			if w == "" || strings.Contains(w, "*") {
				return r, false
			}
			quoted[i] = patternWord(w)
		}
		r = Rule{Effect: Allow, Command: strings.Join(quoted, " ") + rest}
		return r, r.Compile() == nil && enough(r)
	}
	if r, ok := pattern(d.words, ""); ok {
		rules = append(rules, r)
	}
	words, _ := core(d.words, d.dir)
	n := 1
	items := read(words).items
	if i := slices.IndexFunc(items, func(it item) bool { return it.option == "" }); i >= 0 && (items[i].class == classSub || items[i].class == classRisky) {
		n = items[i].word + 1
		if n == 2 && len(words) > 2 && !strings.HasPrefix(words[2], "-") && slices.Contains([]string{"run", "compose", "pr", "issue", "stash", "remote", "mod", "tool"}, words[1]) {
			n = 3
		}
	}
	for k := min(n, len(words)); k <= len(words); k++ {
		if r, ok := pattern(words[:k], " *"); ok {
			return append(rules, r)
		}
	}
	return rules
}

// patternWord quotes a word of a pattern if necessary.
func patternWord(w string) string {
	if strings.IndexFunc(w, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_@%+=:,./-", c))
	}) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// WouldAnswer returns how many of the questions that the user was asked these rules would
// allow.
func (b *Rulebook) WouldAnswer(asked []Facts) int {
	n := 0
	for _, f := range asked {
		if b.Judge(f).Effect == Allow {
			n++
		}
	}
	return n
}
