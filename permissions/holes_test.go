package permissions

import (
	"testing"

	"parley/internal/must"
)

// hole is a line that once passed by mistake.
type hole struct {
	why   string
	rules []string // commands that are allowed
	line  string
}

func checkHoles(t *testing.T, more string, holes []hole) {
	t.Helper()
	for _, h := range holes {
		if got := rulebook(t, allowing(h.rules...)+more).Judge(lineFacts(h.line)); got.Effect == Allow {
			t.Errorf("%s: %q passes with %q: %+v", h.why, h.line, h.rules, got.Verdicts)
		}
	}
}

// The directory in which a part of a line runs decides which files it means.
func TestHolesOfDirectories(t *testing.T) {
	files := []string{"ls *", "cat *", "touch *", "echo *", "mv *", "git mv *", "git *", "./build.sh *"}
	checkHoles(t, (&Rule{Effect: Deny, Path: "config/**", Kind: "edit"}).Text(), []hole{
		{"dash takes &> for the end of a command", files, "echo &>/dev/null rm -rf src"},
		{"the same, appending", files, "echo &>>/dev/null rm -rf src"},
		{"a cd that dash runs in the background", files, "cd a/b &>/dev/null && cat ../../x"},
		{"the last command of a pipe, in zsh", files, "echo | cd config && touch x"},
		{"the last command of a pipe, and a program", files, "echo | cd sub && ./build.sh"},
		{"a negated cd", files, "! cd config; touch x"},
		{"a negated cd, otherwise", files, "! cd config || touch x"},
		{"a cd that worked before the left side failed", files, "cd config && cat nothing || touch x"},
		{"the second round of a loop", files, "for f in 1 2; do touch x; cd config; done"},
		{"the second round of a loop, outside", files, "cd a/b && for f in 1 2; do cat ../../x; cd /w; done"},
		{"the second round of a while loop", files, "while ls; do ./build.sh; cd sub; done"},
		{"the condition of a loop", files, "while ./build.sh; cd sub; do ls; done"},
		{"a loop in a loop", files, "for f in 1 2; do for g in 1 2; do touch x; done; cd config; done"},
		{"the directory itself is moved", files, "cd a/b && mv /w/a/b /w/z && cat ../../x"},
		{"a directory above is moved", files, "cd a/b && git mv ../../a ../../z/y/a && cat ../../../../x"},
	})
	for _, line := range []string{"echo &>/dev/null", "ls src &>/dev/null && cat x", "for f in a b; do ls -l; cat x; done", "cd src && mv x.go y.go && cat ../x", "cd src && ls | cat", "cd src || touch x"} {
		if got := rulebook(t, allowing(files...)).Judge(lineFacts(line)); got.Effect != Allow {
			t.Errorf("%q is asked: %+v", line, got.Verdicts)
		}
	}
}

func TestHolesOfPrograms(t *testing.T) {
	checkHoles(t, (&Rule{Effect: Allow, Host: "example.com"}).Text(), []hole{
		{"a name that the URL completes", []string{"curl -o *"}, "curl -o '.en#1' 'https://example.com/[v-v]'"},
		{"settings that name other files", []string{"git *"}, "git config -f x.cfg --includes --list"},
		{"the same, with a subcommand", []string{"git *"}, "git config list --includes -f x.cfg"},
		{"a file of options for a value", []string{"pytest *"}, "pytest -k @o.txt"},
		{"the same, after a module", []string{"python3 -m pytest *"}, "python3 -m pytest -qm @o.txt"},
		{"the same, of mypy", []string{"mypy *"}, "mypy --exclude @o.txt src"},
		{"the same, of binutils", []string{"strings *"}, "strings -n @o.txt"},
		{"the same, in a cluster", []string{"strings *"}, "strings -an @o.txt"},
		{"a file of options after --", []string{"strings *"}, "strings -- @o.txt"},
		{"providers, which the project holds", []string{"terraform *"}, "terraform validate"},
	})
}

// The name of a subcommand is not a path.
func TestSubcommandsAreNoPaths(t *testing.T) {
	text := allowing("git *") + (&Rule{Effect: Deny, Path: "config/**"}).Text()
	if got := rulebook(t, text).Judge(lineFacts("git config user.name")); got.Effect != Allow {
		t.Errorf("got %+v", got.Verdicts)
	}
}

// A * inside a word matches what is below a directory, and one name of a branch.
func TestHolesOfStars(t *testing.T) {
	checkHoles(t, "", []hole{
		{"up from a directory", []string{"rm -rf build/*"}, "rm -rf build/../src"},
		{"up to the directory", []string{"rm -rf build/*"}, "rm -rf build/.."},
		{"up, in the value of an option", []string{"mytool --out=build/*"}, "mytool --out=build/../src"},
		{"another branch", []string{"git push origin feature/*"}, "git push origin feature/x:main"},
	})
	for _, c := range []struct{ rule, line string }{
		{"rm -rf build/*", "rm -rf build/x"}, {"git push origin feature/*", "git push origin feature/x"}, {"git log main..*", "git log main..x"},
		{"git push origin *", "git push origin x:main"}, {"cat ../w/*", "cat ../w/x"},
	} {
		if got := rulebook(t, allowing(c.rule)).Judge(lineFacts(c.line)); got.Effect != Allow {
			t.Errorf("%q with %q: %+v", c.line, c.rule, got.Verdicts)
		}
	}
}

// A suggested rule answers similar questions, and no others.
func TestSuggestedRulesAreNoWider(t *testing.T) {
	run := []CommandFact{{Line: "rm -rf src", Dir: "/w"}}
	for why, c := range map[string]struct {
		rules string
		asked Facts
		later Facts
	}{
		"a tool that ran nothing then runs a command": {"", Facts{Agent: "a", Tool: "look", Kind: "other"}, Facts{Agent: "a", Tool: "look", Kind: "execute", Commands: run}},
		"the same, of another kind":                   {"", Facts{Agent: "a", Tool: "look", Kind: "other"}, Facts{Agent: "a", Tool: "look", Kind: "other", Commands: run}},
		"a tool then fetches":                         {"", Facts{Agent: "a", Tool: "look", Kind: "other"}, Facts{Agent: "a", Tool: "look", Kind: "fetch", Hosts: []string{"evil.example"}}},
		"a host that is none": {allowing("curl *"), Facts{Agent: "a", Kind: "execute", Commands: []CommandFact{{Line: "curl 'http x'", Dir: "/w"}}},
			Facts{Agent: "a", Kind: "execute", Commands: []CommandFact{{Line: "curl 'evil x'", Dir: "/w"}}}},
	} {
		c.asked.Resolve, c.asked.Walk, c.later.Resolve, c.later.Walk = project, nothingBelow, project, nothingBelow
		for _, r := range Suggest(Question{Facts: c.asked, Judgement: rulebook(t, c.rules).Judge(c.asked)}) {
			b := must.Get(NewRulebook(append(rulebook(t, c.rules).Rules(), r)))(t)
			if got := b.Judge(c.later); got.Effect == Allow {
				t.Errorf("%s: %s answers %+v", why, r.Name(), got.Verdicts)
			}
		}
	}
}

// cmd reads quotes, & and % differently.
func TestHolesOfCmd(t *testing.T) {
	defer func(was bool) { readByCmd = was }(readByCmd)
	readByCmd = true
	b := rulebook(t, allowing("git log *", "npm view *", "ls *", "jest *"))
	for line, want := range map[string]Effect{
		"git log 'a & calc & b'": None, `git log "%PATH%"`: None, `ls src\..\..\x`: None, "git log ^& calc": None, "ls\ncalc": None, "git log --author='x y'": None,
		"git log --oneline -3 && ls src": Allow, `git log --author="x y"`: Allow,
	} {
		if got := b.Judge(lineFacts(line)); got.Effect != want {
			t.Errorf("%q: got %v, want %v; %+v", line, got.Effect, want, got.Verdicts)
		}
	}
	for _, c := range []struct {
		words []string
		want  Effect
	}{{[]string{"jest", "-t", `x" & calc & "`}, None}, {[]string{"jest", "-t", "%x%"}, None}, {[]string{"jest", "-t", "x y"}, Allow}} {
		f := lineFacts("")
		f.Commands = []CommandFact{{Words: c.words, Dir: "/w"}}
		if got := b.Judge(f); got.Effect != c.want {
			t.Errorf("%q: got %v, want %v; %+v", c.words, got.Effect, c.want, got.Verdicts)
		}
	}
}

// File systems that fold case treat ſ as s.
func TestHolesOfLetters(t *testing.T) {
	text := allowing("touch *") + (&Rule{Effect: Deny, Path: "secrets/**"}).Text()
	if got := rulebook(t, text).Judge(lineFacts("touch ſecrets/x")); got.Effect != Deny {
		t.Errorf("got %+v", got.Verdicts)
	}
}
