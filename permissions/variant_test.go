package permissions

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"parley/internal/seeds"
)

// variant is a line of the corpus in another form with the same meaning, with equivalent rules.
type variant struct {
	how   string
	rules []Rule
	line  string
	same  bool // it must be allowed if the line is: shells read it alike
	wide  bool // a deny may match more: the program or the subcommand is uncertain
}

// variants returns those forms of a line that can be built.
func variants(rnd *rand.Rand, rules []Rule, line string, narrow bool) (out []variant) {
	add := func(how, line string, same bool) { out = append(out, variant{how, rules, line, same, false}) }
	for range 3 {
		if l, ok := requoted(rnd, line); ok {
			add("other quotes", l, true)
		}
	}
	more := append(slices.Clone(rules), Rule{Effect: Allow, Command: "helper *"})
	if !strings.Contains(line, "<<") && !strings.Contains(line, "#") && !strings.HasPrefix(line, "coproc") {
		// A pattern may match files that the helper creates.
		with := func(how, line string, same bool) {
			out = append(out, variant{how, more, line, same && !strings.Contains(line, " *") && !strings.Contains(line, " ?"), false})
		}
		with("the end of a list", "helper; "+line, !strings.Contains(line, "./") && !strings.Contains(line, "cd "))
		with("after &&", "helper && "+line, false)
		with("in a pipe", "helper | "+line, false)
		with("before a pipe", line+" | helper", false)
		with("on a separate line", "helper\n"+line+"\nhelper", false)
		with("in a subshell", "("+line+"\n)", true)
		with("in a group", "{ "+line+"\n}", true)
		with("in a branch", "if helper; then "+line+"\nfi", true)
		with("in a loop", "for f in a; do "+line+"\ndone", !strings.Contains(line, "cd ")) // the second iteration begins elsewhere
		with("in a substitution", "helper $("+line+"\n)", false)
		with("in a substitution in quotes", `helper "$(`+line+"\n)\"", false)
		with("in the background", line+" &", true)
		if quoted, err := syntax.Quote(line, syntax.LangPOSIX); err == nil {
			with("as a line for a shell", "bash -c "+quoted, false)
			script := append(slices.Clone(more), Rule{Effect: Allow, Command: "bash -c " + quoted})
			out = append(out, variant{"as a line for a shell that a rule names", script, "bash -c " + quoted, false, false})
		}
	}
	words, ok := plainWords(line)
	if !ok {
		return out
	}
	say := func(words []string) string {
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i], _ = syntax.Quote(w, syntax.LangPOSIX)
		}
		return strings.Join(quoted, " ")
	}
	// A program by its path, after others, and with options before its subcommand, with rules
	// changed in the same way.
	rewritten := func(how string, change func(words []string) []string, pattern func(string) string) {
		changed := slices.Clone(rules)
		for i, r := range changed {
			if r.Effect == Allow && r.Command != "" {
				changed[i].Command = pattern(r.Command)
				if changed[i].Compile() != nil {
					return
				}
			}
		}
		out = append(out, variant{how, changed, say(change(words)), false, true})
	}
	before := func(start ...string) (func([]string) []string, func(string) string) {
		return func(w []string) []string { return append(slices.Clone(start), w...) }, func(p string) string { return strings.Join(start, " ") + " " + p }
	}
	for _, start := range [][]string{{"env"}, {"env", "-i"}, {"env", "A=b"}, {"timeout", "5"}, {"nice", "-n", "5"}, {"nohup"}, {"command"}, {"stdbuf", "-oL"}, {"setsid", "-w"}, {"sudo", "-n"},
		{"timeout", "5", "nice"}, {"env", "A=b", "nohup"}} {
		change, pattern := before(start...)
		rewritten("after "+strings.Join(start, " "), change, pattern)
	}
	if !strings.Contains(words[0], "/") && profileOf(words[0]) != nil {
		rewritten("by its path", func(w []string) []string { return append([]string{"/usr/bin/" + w[0]}, w[1:]...) }, func(p string) string { return "/usr/bin/" + p })
	}
	if option := map[string]string{"git": "--no-pager", "npm": "--silent", "cargo": "--quiet", "go": "-C=.", "kubectl": "--namespace=x", "pnpm": "--silent"}[words[0]]; option != "" && len(words) > 1 {
		rewritten("with an option before its subcommand", func(w []string) []string { return append([]string{w[0], option}, w[1:]...) }, func(p string) string {
			name, rest, _ := strings.Cut(p, " ")
			return strings.TrimSpace(name + " " + option + " " + rest)
		})
	}
	if narrow {
		return out // the rule names options in their order
	}
	for how, w := range reordered(words) {
		add(how, say(w), false)
	}
	return out
}

// plainWords returns the words of a line that is one simple command.
func plainWords(line string) ([]string, bool) {
	parts := partsOf(line, "/w")
	if len(parts) != 1 || parts[0].words == nil || parts[0].doubt != "" || strings.TrimSpace(line) != parts[0].text {
		return nil, false
	}
	return parts[0].words, true
}

// requoted rewrites the words of a line with other quotes and spaces.
func requoted(rnd *rand.Rand, line string) (string, bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
	if err != nil || unseen(line) || strings.Contains(line, "#") {
		return "", false
	}
	type change struct {
		from, to int
		text     string
	}
	var changes []change
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			_, redirect := n.(*syntax.Redirect)
			return !redirect
		}
		for i, w := range call.Args {
			text, why := literal(w)
			if i == 0 && slices.Contains([]string{"time", "!", "{", "[", "[["}, text) {
				return false
			}
			if strings.HasPrefix(text, "~") || strings.Contains(text, "\n") || strings.ContainsAny(line[w.Pos().Offset():w.End().Offset()], "~") {
				why = "quotes change it"
			}
			if why == "" && text != "" {
				quoted := quote(rnd, text)
				if i > 0 {
					quoted = []string{"", " ", "\t", "\\\n", " \\\n "}[rnd.IntN(5)] + quoted
				}
				changes = append(changes, change{int(w.Pos().Offset()), int(w.End().Offset()), quoted})
			}
		}
		return false
	})
	if len(changes) == 0 {
		return "", false
	}
	for _, c := range slices.Backward(changes) {
		line = line[:c.from] + c.text + line[c.to:]
	}
	return line, true
}

// quote writes a word in one of many ways that all shells read alike.
func quote(rnd *rand.Rand, w string) string {
	var b strings.Builder
	for len(w) > 0 {
		n := 1 + rnd.IntN(len(w))
		for n < len(w) && w[n]&0xC0 == 0x80 {
			n++
		}
		piece := w[:n]
		w = w[n:]
		switch rnd.IntN(4) {
		case 0:
			b.WriteString("'" + strings.ReplaceAll(piece, "'", `'\''`) + "'")
		case 1:
			b.WriteString(`"` + strings.NewReplacer("\\", `\\`, "$", `\$`, "`", "\\`", `"`, `\"`).Replace(piece) + `"`)
		case 2:
			for _, c := range piece {
				b.WriteString("\\" + string(c))
			}
		default:
			for _, c := range piece {
				if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,+:@%", c) {
					b.WriteByte('\\')
				}
				b.WriteRune(c)
			}
		}
	}
	return b.String()
}

// reordered returns the words with options in other places and other forms.
func reordered(words []string) map[string][]string {
	out := map[string][]string{}
	p, at := profileOf(words[0]), 1
	for p != nil && at < len(words) && p.subs[words[at]] != nil && !strings.HasPrefix(words[at], "-") {
		p, at = p.subs[words[at]], at+1
	}
	if p == nil || slices.Contains(words, "--") || at == len(words) {
		return out
	}
	takes := func(w string) takes {
		if p.style == styleGo {
			w = "-" + strings.TrimLeft(w, "-")
		}
		if o, ok := p.options[w]; ok {
			return o.takes
		}
		return -1 // not known
	}
	for i := at; i < len(words); i++ {
		w := words[i]
		if !strings.HasPrefix(w, "-") || len(w) < 2 {
			continue
		}
		name, value, joined := strings.Cut(w, "=")
		long := strings.HasPrefix(w, "--") || p.style == styleGo
		switch {
		case long && joined && (takes(name) == takesValue || takes(name) == -1):
			out["the value apart: "+w] = slices.Concat(words[:i], []string{name, value}, words[i+1:])
		case long && !joined && i+1 < len(words) && takes(w) == takesValue:
			out["the value in one word: "+w] = slices.Concat(words[:i], []string{w + "=" + words[i+1]}, words[i+2:])
		case p.style == styleGNU && len(w) == 2 && i+1 < len(words) && takes(w) == takesValue:
			out["the value glued: "+w] = slices.Concat(words[:i], []string{w + words[i+1]}, words[i+2:])
		}
		if p.style == styleGNU && len(w) > 2 && !long && strings.Trim(w[1:], "abcdefghijklmnopqrstuvwxyz") == "" && !slices.ContainsFunc([]byte(w[1:]), func(c byte) bool { return takes("-"+string(c)) != takesNone }) {
			var apart []string
			for _, c := range w[1:] {
				apart = append(apart, "-"+string(c))
			}
			out["letters apart: "+w] = slices.Concat(words[:i], apart, words[i+1:])
		}
		if p.style == styleGNU && len(w) == 2 && takes("-v") == takesNone && w != "-v" {
			out["among letters: "+w] = slices.Concat(words[:i], []string{"-v" + w[1:]}, words[i+1:])
		}
		if p.style == styleGNU && len(p.subs) == 0 {
			end := i + 1
			if !joined && takes(w) == takesValue {
				end = min(i+2, len(words))
			}
			if takes(w) != -1 || joined {
				out["at the end: "+w] = slices.Concat(words[:i], words[end:], words[i:end])
				out["at the beginning: "+w] = slices.Concat(words[:at], words[i:end], words[at:i], words[end:])
			}
		}
	}
	return out
}

// TestVariants judges other forms of each line of the corpus. A line that is not allowed is allowed in
// no form, one that is denied is denied in every form, and one that is allowed is denied in none.
func TestVariants(t *testing.T) {
	t.Parallel()
	judged := 0
	for i, c := range corpus(t) {
		rules, err := corpusRules(c.rules)
		if err != nil || strings.HasPrefix(c.reason, "no rule: ") {
			continue
		}
		if _, err := syntax.NewParser().Parse(strings.NewReader(c.line), ""); err != nil {
			continue
		}
		sum := fnv.New64()
		fmt.Fprint(sum, c.rules, c.line)
		rnd := rand.New(rand.NewPCG(sum.Sum64(), 1))
		first := mustBook(t, rules).Judge(corpusFacts(c.line))
		was := first.Effect
		for k, v := range variants(rnd, rules, c.line, c.reason == "the rule says less") {
			if !seeds.All() && (i+k)%10 != 0 {
				continue
			}
			b, err := NewRulebook(v.rules)
			if err != nil {
				continue // such a rule is a mistake
			}
			if _, err := syntax.NewParser().Parse(strings.NewReader(v.line), ""); err != nil {
				continue // not a valid line, such as one with two &
			}
			judged++
			j := b.Judge(corpusFacts(v.line))
			switch {
			case was != Allow && j.Effect == Allow && !onlyAside(first) && !slices.ContainsFunc(v.rules, func(r Rule) bool { return r.Command == "*" }),
				was == Deny && j.Effect != Deny,
				was == Allow && j.Effect == Deny && !v.wide,
				was == Allow && v.same && j.Effect != Allow:
				t.Errorf("%s: %s: %q with %s is %v, and %q is %v: %s", c.where, v.how, c.line, c.rules, was, v.line, j.Effect, reasons(j))
			}
		}
	}
	t.Logf("%d variants", judged)
}

// TestCarriedByWords judges each line of the corpus as the argument of a shell, given as words and as a
// line, with the same result.
func TestCarriedByWords(t *testing.T) {
	t.Parallel()
	for i, c := range corpus(t) {
		if !seeds.All() && i%5 != 0 {
			continue
		}
		rules, err := corpusRules(c.rules)
		quoted, cannot := syntax.Quote(c.line, syntax.LangPOSIX)
		if err != nil || cannot != nil || strings.HasPrefix(c.reason, "no rule: ") {
			continue
		}
		b, line := mustBook(t, rules), corpusFacts("bash -c "+quoted)
		words := corpusFacts("bash -c " + quoted)
		words.Commands[0].Words = []string{"bash", "-c", c.line}
		j, k := b.Judge(line), b.Judge(words)
		if max(j.Effect, j.MayHide) != max(k.Effect, k.MayHide) {
			t.Errorf("%s: %q with %s is %v and hides %v as words of a shell, and %v and hides %v in a line: %s", c.where, c.line, c.rules, k.Effect, k.MayHide, j.Effect, j.MayHide, reasons(k))
		}
	}
}
