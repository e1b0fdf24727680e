package permissions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"

	"mvdan.cc/sh/v3/syntax"
)

// sections calls check for each section of each profile, with the words that lead to it.
func sections(t *testing.T, check func(t *testing.T, p *profile, parents []*profile, words []string)) {
	var walk func(p *profile, parents []*profile, words []string)
	walk = func(p *profile, parents []*profile, words []string) {
		t.Run(strings.Join(words, " "), func(t *testing.T) { check(t, p, parents, words) })
		if p.is("global") {
			parents = append(slices.Clip(parents), p)
		}
		for _, name := range slices.Sorted(maps.Keys(p.subs)) {
			walk(p.subs[name], parents, append(slices.Clip(words), name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(profiles())) {
		walk(profiles()[name], nil, []string{name})
	}
}

// readAfter describes how the words after those of a section are read, one per line: the class, the
// option it belongs to, and the text.
func readAfter(section []string, more ...string) string {
	var b strings.Builder
	for _, it := range read(append(slices.Clip(section), more...)).items {
		if it.word >= len(section) {
			fmt.Fprintf(&b, "%d %q %q\n", it.class, it.option, it.text)
		}
	}
	return b.String()
}

func readAs(c class, option, text string) string { return fmt.Sprintf("%d %q %q\n", c, option, text) }

// lists reports whether a section, or one whose options count in it, has an option.
func lists(p *profile, parents []*profile, name string) bool {
	if p.style == styleGo {
		name = "-" + strings.TrimLeft(name, "-")
	}
	return slices.ContainsFunc(append([]*profile{p}, parents...), func(p *profile) bool {
		_, ok := p.options[name]
		return ok
	})
}

// short reports whether an option is a letter that can be in a cluster.
func short(p *profile, name string) bool {
	return (p.style == styleGNU || p.style == stylePOSIX) && len(name) == 2 && name != "--"
}

func TestProfilesHaveSources(t *testing.T) {
	sections(t, func(t *testing.T, p *profile, _ []*profile, words []string) {
		if p.source == "" {
			t.Error("it does not say which manual it was made from")
		}
		for what, names := range p.says {
			for _, name := range names {
				name, _, _ = strings.Cut(name, "=")
				if _, ok := p.options[name]; !ok && slices.Contains([]string{"recursive", "hidden", "instead"}, what) {
					t.Errorf("%s speaks of %s, which is not among the options", what, name)
				}
				if !isOption(name) && (what == "links" || what == "tree") && !slices.Contains([]string{"all", "always", "named", "operands", "whole"}, name) {
					t.Errorf("%s: unknown word %s", what, name)
				}
			}
		}
		if len(words) == 1 && (profileOf("./"+words[0]) != nil || profileOf("/w/bin/"+words[0]) != nil || read([]string{"./" + words[0]}).known) {
			t.Error("a program of the project has the profile of one that is called the same")
		}
	})
}

// Each option is read as declared, in each form of its style and in no other.
func TestProfileOptions(t *testing.T) {
	sections(t, func(t *testing.T, p *profile, parents []*profile, words []string) {
		for name, o := range p.options {
			if begin, ok := strings.CutSuffix(name, "*"); ok && slices.Contains(p.begins, begin) {
				if got, want := readAfter(words, begin+"zz"), readAs(o.class, begin+"zz", begin+"zz"); got != want {
					t.Errorf("%szz is read as %s", begin, got)
				}
				continue
			}
			check := func(want string, more ...string) {
				t.Helper()
				if got := readAfter(words, more...); got != want {
					t.Errorf("%q is read as\n%snot as\n%s", more, got, want)
				}
			}
			unknown := func(more ...string) {
				t.Helper()
				if rd := read(append(slices.Clip(words), more...)); rd.known {
					t.Errorf("%q is taken for known: %+v", more, rd.items)
				}
			}
			flag, value := readAs(classFlag, name, name), readAs(o.class, name, "zz")
			if o.takes == takesNone && o.class == classRisky || o.takes == takesAttached && o.class == classLine {
				flag = readAs(classRisky, name, name)
			}
			joined := name + "=zz"
			if short(p, name) {
				joined = name + "zz"
			}
			switch {
			case o.named:
				check(flag+readAs(classText, name, "yy")+value, name, "yy", "zz")
				unknown(name)
				unknown(name, "yy")
				unknown(name, "yy", "-z")
				unknown(joined, "zz")
			case o.takes == takesValue:
				check(flag+value, name, "zz")
				check(value, joined)
				unknown(name)
			case o.takes == takesAttached:
				check(flag, name)
				check(value, joined)
				if got := readAfter(words, name, "zz"); !strings.HasPrefix(got, flag) || strings.Contains(got, value) {
					t.Errorf("%s zz is read as %s", name, got)
				}
			default:
				check(flag, name)
				if short(p, name) && !lists(p, parents, name+name[1:]) {
					check(flag+flag, name+name[1:])
				} else if !short(p, name) && strings.HasPrefix(name, "-") && !slices.Contains(p.begins, "-") {
					unknown(joined)
				}
			}
		}
	})
}

// Options that a profile does not list are asked and named: invented ones, and prefixes of those
// listed.
func TestUnlistedOptions(t *testing.T) {
	t.Parallel()
	judged := 0
	sections(t, func(t *testing.T, p *profile, parents []*profile, words []string) {
		if slices.Contains(p.begins, "-") {
			return
		}
		made := []string{"--zz-not-known", "-zz-not-known"}
		if o := p.options["-z"]; o.takes != takesNone {
			made[1] = "-%zz-not-known"
		}
		for name, o := range p.options {
			cut := name[:len(name)-1]
			if len(cut) < 3 || !strings.HasPrefix(name, "-") || lists(p, parents, cut) || short(p, cut) || short(p, name) {
				continue
			}
			made = append(made, cut)
			if o.takes != takesNone {
				made = append(made, cut+"=zz")
			}
		}
		var pattern []string
		for _, w := range words {
			quoted := must.Get(syntax.Quote(w, syntax.LangBash))(t)
			pattern = append(pattern, quoted)
		}
		rules, err := NewRulebook([]Rule{{Effect: Allow, Command: strings.Join(pattern, " ") + " *"}})
		for _, w := range made {
			if rd := read(append(slices.Clip(words), w)); rd.known {
				t.Errorf("%s is taken for known: %+v", w, rd.items)
			}
			if err != nil {
				continue // a rule must name what it runs
			}
			judged++
			got := rules.Judge(Facts{Kind: "execute", Resolve: project, Commands: []CommandFact{{Words: append(slices.Clip(words), w), Dir: "/w"}}})
			name, _, _ := strings.Cut(w, "=")
			if v := got.Verdicts[0]; got.Effect != None || v.NoRuleReason == "" && !strings.Contains(v.NearMiss, name) {
				t.Errorf("%s: %v, and the reason is %q", w, got.Effect, v.NearMiss)
			}
		}
	})
	if judged < 100 {
		t.Errorf("only %d options were judged: the test says little", judged)
	}
}

// covered is a line, and whether the rule covers it.
type covered struct {
	rule, line string
	want       Effect
	reason     string
}

func checkCovered(t *testing.T, lines []covered) {
	t.Helper()
	for _, c := range lines {
		f := lineFacts(c.line)
		f.Walk = nothingBelow
		if got := rulebook(t, allowing(c.rule)).Judge(f); got.Effect != c.want {
			t.Errorf("%s: %q with %q is %v, want %v; %+v", c.reason, c.line, c.rule, got.Effect, c.want, got.Verdicts)
		}
	}
}
