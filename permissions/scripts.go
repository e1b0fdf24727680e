package permissions

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// script reads the command lines in the words of a command. What eval or sh -c runs needs a
// rule like any command. Other lines are allowed by the rule that names them word for word.
func (r *reader) script(words []string) (entered []string) {
	const cost = maxNested / 4 // each is parsed again
	r.depth += cost
	defer func(dir string) { r.depth, r.dir = r.depth-cost, dir }(r.dir)
	c := wrappedBy(words)
	var lines []wrappedLine
	for _, command := range c.commands {
		line, ok := scriptOf(command)
		if command[0] == "eval" {
			line, ok = strings.Join(command[1:], " "), true
		}
		if ok {
			lines = append(lines, wrappedLine{line, notWrapped})
		}
	}
	if c.more {
		r.doubt(nil, "may run too many commands to check")
	}
	if lines = append(lines, c.lines...); len(lines) > 0 {
		if entered = read(words).dirs; len(entered) > 0 {
			r.dir = "" // which of them run there is not known
		}
	}
	seen := map[string]bool{}
	for _, l := range lines {
		if !seen[l.text] {
			seen[l.text] = true
			r.nested(l.text, l.how)
		}
	}
	return entered
}

// scriptOf returns the command line that a shell gets as an argument.
func scriptOf(words []string) (string, bool) {
	if !isShell(words[0]) {
		return "", false
	}
	for i, w := range words[1:] {
		if strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "c") && i+2 < len(words) {
			return words[i+2], true
		}
	}
	return "", false
}

// wrapping says how a part of a command line is wrapped by a word of another command.
type wrapping int

const (
	notWrapped    wrapping = iota
	surelyWrapped          // the word is a command line
	maybeWrapped           // it may be one: only rules that ask or deny count
)

// nested adds the parts of a command line that is a word of another.
func (r *reader) nested(line string, how wrapping) {
	if strings.TrimSpace(line) == "" && how != notWrapped {
		return
	}
	if r.depth > maxNested {
		r.doubt(nil, "nested too deeply to check")
		return
	}
	if !r.work.spend(line) {
		p := part{text: line, doubt: "has too many command lines to check", wrapped: how}
		if n := len(r.parts); n == 0 || r.parts[n-1].doubt != p.doubt || r.parts[n-1].wrapped != how {
			r.parts = append(r.parts, p)
		}
		return
	}
	parts := partsWithin(line, r.dir, r.depth, r.work)
	if how == maybeWrapped && len(parts) == 1 && parts[0].doubt == notParsed {
		return
	}
	for i := range parts {
		parts[i].wrapped = max(parts[i].wrapped, how)
		parts[i].repeated = parts[i].repeated || r.loops > 0
	}
	r.parts = append(r.parts, parts...)
}

// input reads the standard input of a statement if a shell in it runs its input. from is the
// statement before the pipe; nil if there is none.
func (r *reader) input(s, from *syntax.Stmt) {
	if from == nil && !slices.ContainsFunc(s.Redirs, func(d *syntax.Redirect) bool { return d.Hdoc != nil || d.Op == syntax.WordHdoc || d.Op == syntax.RdrIn }) {
		return
	}
	runs, other, console := false, "", false
	syntax.Walk(s, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			words := written(r, c.Args)
			runs = runs || readsLines(words)
			for _, at := range programs(words) {
				isConsole := has(program(words[at]), "console")
				if console = console || isConsole; isConsole || !isShell(words[at]) && readsCode(words[at:]) {
					other = words[at]
				}
			}
		}
		return !runs
	})
	if !runs && other == "" {
		return
	}
	if console {
		r.doubt(s, whyReadsCode)
	}
	text, known := "", false
	for _, d := range s.Redirs {
		if t, ok := r.document(d); ok {
			text, known = t, true
		}
	}
	if !known && from != nil {
		text, known = r.printed(from)
	}
	switch {
	case known && runs:
		r.nested(text, surelyWrapped)
	case known: // code of another language
		r.parts = append(r.parts, part{text: text, words: []string{other, text}, known: 2, dir: r.dir, wrapped: maybeWrapped})
	case from != nil:
		r.parts = append(r.parts, part{text: r.source(s), doubt: whyReadsCode, wrapped: maybeWrapped})
	}
}

// readsLines reports whether a program of a command runs the lines of its input.
func readsLines(words []string) bool {
	return slices.ContainsFunc(wrappedBy(words).commands, func(command []string) bool {
		if isShell(command[0]) || command[0] == "." || command[0] == "source" {
			return readsCode(command)
		}
		rd, known := shallow(command)
		return known && rd.profile.runs() && !slices.ContainsFunc(rd.items, func(it item) bool {
			return it.class.isCode() && (it.class != classCode || it.option == "" && !slices.Contains(rd.profile.operands, classCmd))
		})
	})
}

// written returns words as far as they are known, else their source.
func written(r *reader, words []*syntax.Word) (out []string) {
	for _, w := range words {
		text, why := literal(w)
		if why != "" && why != ansiQuotes {
			text = strings.Trim(r.source(w), `"`)
		}
		out = append(out, text)
	}
	return out
}

// document returns the source of a here-document or here-string.
func (r *reader) document(d *syntax.Redirect) (string, bool) {
	switch {
	case d.Hdoc != nil:
		return r.source(d.Hdoc), true
	case d.Op == syntax.WordHdoc:
		return written(r, []*syntax.Word{d.Word})[0], true
	}
	return "", false
}

// printed returns what a statement prints, if that is obvious.
func (r *reader) printed(s *syntax.Stmt) (string, bool) {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
			return "", false
		}
		if y, ok := c.Y.Cmd.(*syntax.CallExpr); ok && len(c.Y.Redirs) == 0 && passes(written(r, y.Args)) {
			return r.printed(c.X)
		}
		return r.printed(c.Y)
	case *syntax.CallExpr:
		words := written(r, c.Args)
		if len(words) == 0 {
			return "", false
		}
		switch name := program(words[0]); {
		case name == "echo" && len(words) > 1:
			text := strings.Join(words[1:], " ")
			for strings.HasPrefix(text, "-") {
				_, text, _ = strings.Cut(text, " ")
			}
			if decoded, _, _ := expand.Format(new(expand.Config), text, nil); decoded != text {
				text += "\n" + decoded
			}
			return text, true
		case name == "printf" && len(words) > 1:
			return formatted(words[1:]), true
		case name == "cat" && len(words) == 1:
			for _, d := range s.Redirs {
				if text, ok := r.document(d); ok {
					return text, true
				}
			}
		}
	}
	return "", false
}

// passes reports whether a command prints its input.
func passes(words []string) bool {
	return len(words) > 0 && (program(words[0]) == "tee" || program(words[0]) == "cat" && len(words) == 1)
}

// formatted returns what printf prints.
func formatted(words []string) string {
	var out strings.Builder
	for args := words[1:]; ; {
		text, n, err := expand.Format(new(expand.Config), words[0], args)
		if out.WriteString(text); err != nil || n == 0 || n >= len(args) || out.Len() > maxLine {
			break
		}
		args = args[n:]
	}
	return out.String()
}

// substituted reads what substitutions print in the words of a shell, eval or source, which run
// it, and in the variables of any command.
func (r *reader) substituted(c *syntax.CallExpr, words []string) {
	var run []syntax.Node
	for _, a := range c.Assigns {
		run = append(run, a)
	}
	if slices.ContainsFunc(wrappedBy(words).commands, func(command []string) bool {
		return isShell(command[0]) || has(command[0], "evaluates")
	}) {
		for _, w := range c.Args {
			run = append(run, w)
		}
	}
	for _, w := range run {
		syntax.Walk(w, func(n syntax.Node) bool {
			var stmts []*syntax.Stmt
			switch n := n.(type) {
			case *syntax.CmdSubst:
				stmts = n.Stmts
			case *syntax.ProcSubst:
				stmts = n.Stmts
			default:
				return true
			}
			for _, s := range stmts {
				if text, ok := r.printed(s); ok {
					r.nested(text, maybeWrapped)
				}
			}
			return false
		})
	}
}

// variable judges an assignment like an argument of env: the value may be a command, a file or
// a host.
func (r *reader) variable(a *syntax.Assign) {
	if a.Name == nil || a.Value == nil || r.depth > maxNested {
		return
	}
	words := []string{"env", a.Name.Value + "=" + written(r, []*syntax.Word{a.Value})[0]}
	p := part{text: r.source(a), words: words, known: 2, dir: r.dir, wrapped: maybeWrapped}
	if _, p.doubt = literal(a.Value); p.doubt != "" {
		if p.known = 1; !namesCommand(a.Name.Value) {
			return
		}
	}
	if r.parts = append(r.parts, p); p.doubt == "" {
		r.script(words)
	}
}
