package permissions

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/internal/seeds"
)

// lines generates command lines from pieces that matter to a shell.
type lines struct{ *rand.Rand }

func (l lines) one(of ...string) string { return of[l.IntN(len(of))] }

func (l lines) word(depth int) string {
	switch l.IntN(14) {
	case 0:
		return "'" + l.one("a b", "x", "-l", "&& rm x", "/etc/x") + "'"
	case 1:
		return `"` + l.one("a b", "x", "$x", `\"`, "/etc/x") + `"`
	case 2:
		if depth > 0 {
			return fmt.Sprintf(l.one("$(%s)", "`%s`", "\"$(%s)\"", "<(%s)"), l.line(depth-1))
		}
	case 3:
		return l.one("*", "?", "[a]", "{a,b}", "{a,'b'}", "~", "~/x", "~root", "$x", "${x}", "$'x'", "=x", "a=b", "of=/etc/x", "-o/etc/x")
	case 4:
		return l.one("/etc/x", "../x", "sub", "sub/x", "a/../x", ".env", "/w/x")
	}
	return l.one("x", "y", "-l", "-la", "a", "--", "1")
}

func (l lines) simple(depth int) string {
	parts := []string{l.one("ls", "ls", "echo", "cat", "rm", "'ls'", `l\s`, "cd", "touch")}
	for range l.IntN(4) {
		parts = append(parts, l.word(depth))
	}
	if l.IntN(5) == 0 {
		parts = append(parts, l.one(">", ">>", "<", "2>", "&>", ">|", ">&", "<>")+l.one("", " ")+l.one("x", "/etc/x", "../x", "/dev/null", "sub/x", "1"))
	}
	if l.IntN(12) == 0 {
		parts = append([]string{l.one("A=b", "PATH=x", "! ", "time", "exec", "eval", "command")}, parts...)
	}
	return strings.Join(parts, " ")
}

func (l lines) line(depth int) string {
	if depth <= 0 {
		return l.simple(0)
	}
	a, b := l.line(depth-1), l.simple(depth-1)
	switch l.IntN(14) {
	case 0, 1:
		return a + l.one(" && ", " || ", "; ", " | ", "\n", " & ", " |& ") + b
	case 2:
		return "(" + a + ")"
	case 3:
		return "{ " + a + "; }"
	case 4:
		return "if " + a + "; then " + b + "; fi"
	case 5:
		return "for f in a b; do " + a + "; done"
	case 6:
		return a + " <<E\n" + l.one("x", "$(rm x)", "$x") + "\nE\n"
	case 7:
		return "case x in x) " + a + ";; esac"
	case 8:
		return "f() { " + a + "; }; " + b
	case 9:
		return "cd sub && " + b
	}
	return b
}

// someRules generates rules that fit the lines.
func (l lines) someRules(n int, effects ...Effect) []Rule {
	var out []Rule
	for range n {
		r := Rule{Effect: effects[l.IntN(len(effects))]}
		switch l.IntN(4) {
		case 0:
			r.Path = l.one("sub/**", "/etc/**", "**", "x", "~/**", "*", "**/x")
		case 1:
			r.Kind = l.one("execute", "read", "edit", "other")
		default:
			r.Command = l.one("ls *", "ls", "echo *", "cat *", "rm *", "touch *", "ls -l *", "cd *", "ls x")
		}
		r.Project = r.Effect != Allow && l.IntN(2) == 0
		out = append(out, r)
	}
	return out
}

func mustBook(t testing.TB, rules []Rule) *Rulebook {
	return must.Get(NewRulebook(rules))(t)
}

// laws checks what holds for every line and every set of rules.
func laws(t testing.TB, l lines, line string) {
	rules := l.someRules(1+l.IntN(5), Allow, Allow, Allow, Confirm, Deny)
	f := lineFacts(line)
	was := mustBook(t, rules).Judge(f)
	say := func(what string, rules []Rule, now Judgement) {
		var text strings.Builder
		for _, r := range rules {
			text.WriteString(r.Name() + "; ")
		}
		t.Errorf("%s: %q with %s: %v became %v", what, line, text.String(), was.Effect, now.Effect)
	}
	// One more rule that asks or denies never weakens the result.
	more := append(slices.Clone(rules), l.someRules(1, Confirm, Deny)...)
	if now := mustBook(t, more).Judge(f); strength(now.Effect) < strength(was.Effect) {
		say("a rule that tightens", more, now)
	}
	// The order of rules does not matter.
	mixed := slices.Clone(rules)
	l.Shuffle(len(mixed), func(i, k int) { mixed[i], mixed[k] = mixed[k], mixed[i] })
	if now := mustBook(t, mixed).Judge(f); now.Effect != was.Effect {
		say("another order", mixed, now)
	}
	// A line is not allowed with one more command that is not.
	// A backslash at its end would make that a word of the same command.
	if now := mustBook(t, rules).Judge(lineFacts(strings.TrimRight(line, `\`) + "\nnot-known x")); now.Effect == Allow && !slices.ContainsFunc(rules, func(r Rule) bool { return r.Kind == "execute" }) {
		say("one more command", rules, now)
	}
	if was.Effect == Allow {
		for _, v := range was.Verdicts {
			if v.Effect != Allow || v.NoRuleReason != "" {
				t.Errorf("%q is allowed, and %+v is not", line, v)
			}
		}
	}
}

// strength orders the effects: allowed, asked, denied.
func strength(e Effect) int { return map[Effect]int{Allow: 0, None: 1, Confirm: 2, Deny: 3}[e] }

func TestLaws(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds.Of(20_000)) {
		l := lines{rand.New(rand.NewPCG(seed, 1))}
		laws(t, l, l.line(l.IntN(4)))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, a := range attacks {
		f.Add(a.line, uint64(1))
	}
	f.Add(`ls \`, uint64(92))
	f.Fuzz(func(t *testing.T, line string, seed uint64) {
		laws(t, lines{rand.New(rand.NewPCG(seed, 2))}, line)
	})
}

func FuzzParseRules(f *testing.F) {
	f.Add("[[allow]]\ncommand = \"ls *\"\n[[deny]]\npath = '**/x'\n", "ls x", true)
	f.Add("[[ask]]\nkind = \"edit\"\nagent = \"*\"", "", false)
	f.Add("allow = [{command = 'x'}]", "x", false)
	f.Add("[[allow]]\ntool = \"\"\"\n[[deny]]\n\"\"\"", "x", false)
	f.Fuzz(func(t *testing.T, text, line string, project bool) {
		rules, err := ParseRules("f", []byte(text), project)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
			return
		}
		var again strings.Builder
		for _, r := range rules {
			if project && r.Effect == Allow {
				t.Errorf("a project allows: %s", r.Name())
			}
			again.WriteString(r.Text())
		}
		same, err := ParseRules("f", []byte(again.String()), project)
		if err != nil || len(same) != len(rules) {
			t.Fatalf("%q became %q: %v", text, again.String(), err)
		}
		f := lineFacts(line)
		if a, b := mustBook(t, rules).Judge(f).Effect, mustBook(t, same).Judge(f).Effect; a != b {
			t.Errorf("%q: %v, written again %v", text, a, b)
		}
	})
}

// Matching patterns with many stars takes polynomial time.
func TestStars(t *testing.T) {
	long := strings.Repeat("a", 10_000)
	for _, pattern := range []string{strings.Repeat("*a", 500) + "b", strings.Repeat("a*", 500) + "b", strings.Repeat("*", 1000) + "b"} {
		if matchText(pattern, long) {
			t.Errorf("%.20s…", pattern)
		}
	}
	names := slices.Repeat([]string{"a"}, 3000)
	pattern := strings.Split(strings.Repeat("**/a/", 200)+"b", "/")
	if matchNames(pattern, names) {
		t.Error("matches")
	}
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"**", "/a/b", false}, {"**", "/w/a/b", true}, {"a/**/b", "/w/a/b", true}, {"a/**/b", "/w/a/x/y/b", true}, {"a/**/b", "/w/a/x", false}, {"**/b", "/w/b", true}, {"**/*.go", "/w/x/y.go", true},
		{"*", "/w/a", true}, {"*", "/w/a/b", false}, {"a/**", "/w/a", true}, {"/x/*/y", "/x/1/y", true}, {"/x/*/y", "/x/1/2/y", false}, {"**/a/**/a", "/w/a/b/a/c/a", true},
	} {
		if got := pathPatterns(c.pattern, []string{"/w"})[0].matches(c.path, true); got != c.want {
			t.Errorf("%s %s: %v", c.pattern, c.path, got)
		}
	}
}

// Names that an agent gives its tools and files are not patterns.
func TestSuggestedNames(t *testing.T) {
	for _, f := range []Facts{
		{Kind: "other", Tool: "*", OtherEffects: true},
		{Kind: "fetch", Hosts: []string{"*"}},
		{Kind: "read", Files: []FileFact{{Path: "/etc/**"}}},
		{Kind: "edit", Files: []FileFact{{Path: "/w/**", Inside: true, Write: true, Roots: []string{"/w"}}}},
	} {
		q := Question{Facts: f, Judgement: (*Rulebook)(nil).Judge(f)}
		if got := Suggest(q); len(got) > 0 {
			t.Errorf("%+v: got %+v", f, got)
		}
	}
	for kind, want := range map[string]string{"edit": "edit", "delete": "delete", "move": "move"} {
		f := Facts{Kind: kind, Files: []FileFact{{Path: "/w/src/x", Inside: true, Write: true, Roots: []string{"/w"}}}}
		got := Suggest(Question{Facts: f, Judgement: (*Rulebook)(nil).Judge(f)})
		if len(got) == 0 || got[0].Kind != want {
			t.Errorf("%s: got %+v", kind, got)
		}
		for _, r := range got {
			if mustBook(t, []Rule{r}).Judge(f).Effect != Allow {
				t.Errorf("%s does not answer it", r.Name())
			}
		}
	}
}

// A rule suggested in one project does not apply to another, and answers its question.
func TestSuggestedPathsAreOfTheProject(t *testing.T) {
	home := homeDir()
	in := func(root string) Facts {
		return Facts{Kind: "edit", Files: []FileFact{{Path: filepath.Join(root, "src", "x.go"), Inside: true, Write: true, Roots: []string{root}}}}
	}
	for root, want := range map[string]string{
		filepath.Join(home, "a"): "~/a/src/x.go ~/a/src/** ~/a/**/*.go",
		"/w/a":                   "/w/a/src/x.go /w/a/src/** /w/a/**/*.go",
		"/":                      "/src/x.go /src/** /**/*.go",
	} {
		f, texts := in(root), []string{}
		for _, r := range Suggest(Question{Facts: f, Judgement: (*Rulebook)(nil).Judge(f)}) {
			texts = append(texts, r.Path)
			book := mustBook(t, []Rule{r})
			if book.Judge(f).Effect != Allow {
				t.Errorf("%s does not answer the question", r.Name())
			}
			if other := filepath.Join(filepath.Dir(root), "other"); root != "/" && book.Judge(in(other)).Effect == Allow {
				t.Errorf("%s also allows it in %s", r.Name(), other)
			}
		}
		if got := strings.Join(texts, " "); got != want {
			t.Errorf("%s: %s, not %s", root, got, want)
		}
	}
}

// A rule with a mistake does not hide why another rule does not cover a command.
func TestNearMissBesideAMistake(t *testing.T) {
	j := rulebook(t, allowing("npm run *", "npm run build *")).Judge(lineFacts("npm run build -- --x"))
	if why := j.Verdicts[0].NearMiss; why == "" || strings.Contains(why, "mistake") {
		t.Errorf("%q", why)
	}
}

func TestRuleMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"[[allow]]\n":                                      "f:1: a rule must have at least one of",
		"\n[[deny]]\nkind = \"exec\"":                      `f:2: unknown kind "exec" (use read, edit`,
		"[[deny]]\npath = \"./x\"":                         `f:1: path "./x": write it without`,
		"[[deny]]\npath = \"../x\"":                        "f:1: path",
		"[[deny]]\npath = \"~root/x\"":                     "only your own home",
		"[[deny]]\nhost = \"https://x\"":                   "write only the name",
		"[[allow]]\nkind = \"edit\"\ncommand = \"\"":       `f:1: command "": it must not be empty`,
		"[[deny]]\ncommand = \"a\u200bb\"":                 "have invisible characters",
		"[[deny]]\ncommand = \"a && b\"":                   "words of one simple command",
		"[[allow]]\ncomand = \"x\"":                        "f:2: unknown key",
		"[[permit]]\ncommand = \"x\"":                      "unknown key",
		"allow = [{command = \"x\"}]":                      "on a line of its own",
		"[[allow]]\ncommand = \"x\"\npath = \"y\"":         "one of them",
		"[[allow]]\ncommand = x":                           "f:2:",
		"[[allow]]\ncommand = 1":                           "f:2:",
		fmt.Sprintf("# %s", strings.Repeat("x", maxRules)): "larger than",
	} {
		_, err := ParseRules("f", []byte(text), false)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: got %v, want %q", text, err, want)
		}
	}
	if _, err := ParseRules("f", []byte("[[allow]]\ncommand = \"x\""), true); err == nil || !strings.Contains(err.Error(), "f:1: a project's rules may ask and deny, not allow") {
		t.Errorf("got %v", err)
	}
}
