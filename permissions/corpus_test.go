package permissions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

// corpusLine is a line of testdata/lines: rules, a command line, the expected verdict and the reason,
// separated by tabs. README.md there describes the format.
type corpusLine struct {
	where  string
	rules  string
	line   string
	want   Effect
	reason string
}

// corpusEffects are the names of verdicts in the corpus. A line is asked because no rule allows it, or
// because a rule asks.
var corpusEffects = map[string]Effect{"allow": Allow, "ask": None, "deny": Deny}

// corpus reads all lines of testdata/lines.
func corpus(t testing.TB) []corpusLine { return linesOf(t, "testdata/lines/*.txt") }

// linesOf reads the lines of files.
func linesOf(t testing.TB, pattern string) (out []corpusLine) {
	t.Helper()
	files, err := filepath.Glob(filepath.FromSlash(pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no lines: %v", err)
	}
	for _, name := range files {
		text := must.Get(os.ReadFile(name))(t)
		for n, line := range strings.Split(string(text), "\n") {
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			where := fmt.Sprintf("%s:%d", filepath.Base(name), n+1)
			cells := strings.Split(line, "\t")
			if len(cells) != 4 {
				t.Fatalf("%s: %d cells, not rules, line, verdict and reason", where, len(cells))
			}
			want, ok := corpusEffects[cells[2]]
			if !ok {
				t.Fatalf("%s: verdict %q", where, cells[2])
			}
			out = append(out, corpusLine{where, cells[0], strings.NewReplacer("⏎", "\n", "⇥", "\t").Replace(cells[1]), want, cells[3]})
		}
	}
	return out
}

// corpusRules reads the rules of a line.
func corpusRules(text string) (rules []Rule, err error) {
	for one := range strings.SplitSeq(text, " , ") {
		r := Rule{Effect: Allow}
		for word, effect := range map[string]Effect{"ask": Confirm, "deny": Deny} {
			if rest, ok := strings.CutPrefix(one, word+" "); ok {
				r.Effect, one = effect, rest
			}
		}
		head, rest, _ := strings.Cut(one, " ")
		switch head {
		case "path":
			r.Path = rest
		case "read", "edit":
			r.Kind, r.Path = head, rest
		case "host":
			r.Host = rest
		case "kind":
			r.Kind = rest
		default:
			r.Command = one
		}
		if one != "" {
			err = errors.Join(err, r.Compile())
			rules = append(rules, r)
		}
	}
	return rules, err
}

// The lines are those of Linux.
func init() { sedOfGNU = true }

// corpusDisk is the disk of the corpus: /w is the session's directory, and some names in it are links.
func corpusDisk(path string) FileFact {
	return linked(map[string]string{"/w/to-env": "/w/.env", "/w/to-etc": "/etc", "/w/to-src": "/w/src", "/w/to-out.txt": "/data/out.txt", "/w/to-rm": "/usr/bin/rm", "/w/to-deep": "/w/src/very/deep"})(path)
}

// corpusBelow lists the files below its directories: conf has a sensitive one.
func corpusBelow(dir string, hidden bool, visit func(FileFact) bool) bool {
	for _, name := range []string{"/w/conf/.env", "/w/conf/a.yaml", "/w/src/a.go"} {
		if file := corpusDisk(name); strings.HasPrefix(name, dir+"/") && dir != "/w" && (hidden || !strings.Contains(name, "/.")) && !visit(file) {
			return false
		}
	}
	return true
}

// corpusNames lists its directories, as the shells of the playground see them.
func corpusNames(dir string) (names []string, all bool) {
	list := map[string]string{
		"/w": ".env .git README.md a b conf docs go.mod src sub to-deep to-env to-etc to-out.txt to-src x y odd", "/w/src": "a.go very", "/w/conf": ".env a.yaml",
		"/w/docs": "x", "/w/sub": "sub", "/w/odd": "-l.go --output=x.md x.go", "/etc": "passwd",
	}[dir]
	return strings.Fields(list), true
}

func corpusFacts(line string) Facts {
	return Facts{Agent: "a", Kind: "execute", Commands: []CommandFact{{Line: line, Dir: "/w"}}, Resolve: corpusDisk, Walk: corpusBelow, ListDir: corpusNames}
}

// TestCorpus judges every line of the corpus by its rules.
func TestCorpus(t *testing.T) {
	t.Parallel()
	all := corpus(t)
	seen := map[string]string{}
	for _, c := range all {
		if other := seen[c.rules+"\t"+c.line]; other != "" {
			t.Errorf("%s: the same as %s", c.where, other)
		}
		seen[c.rules+"\t"+c.line] = c.where
		rules, err := corpusRules(c.rules)
		if c.want == None && strings.HasPrefix(c.reason, "no rule: ") {
			if err == nil {
				t.Errorf("%s: %q may be a rule: %s", c.where, c.rules, c.reason)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: got %v", c.where, err)
			continue
		}
		got := mustBook(t, rules).Judge(corpusFacts(c.line))
		if got.Effect != c.want && !(c.want == None && got.Effect == Confirm) {
			t.Errorf("%s: %q with %q is %v, want %v: %s; %s", c.where, c.line, c.rules, got.Effect, c.want, c.reason, reasons(got))
		}
	}
	if len(all) < 1000 {
		t.Errorf("only %d lines", len(all))
	}
}

// reasons returns, in short form, why a line is not allowed.
func reasons(j Judgement) string {
	var out []string
	for _, v := range j.Verdicts {
		if v.Effect != Allow || v.NoRuleReason != "" {
			out = append(out, fmt.Sprintf("%s: %v %s%s", v.Text, v.Effect, v.NoRuleReason, v.NearMiss))
		}
	}
	return strings.Join(out, "; ")
}
