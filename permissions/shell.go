package permissions

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxLine bounds the command lines that are looked at, and maxParts what may be
// in one.
const (
	maxLine  = 16 << 10
	maxParts = 200
)

// part is something that a command line does: a simple command, a file that it
// redirects to or from, or something that cannot be judged.
type part struct {
	text  string   // of the line, as it was written
	words []string // of a simple command
	dir   string   // where it runs; "" where that is not known
	file  string   // of a redirection, as it was written
	write bool
	doubt string // why it cannot be judged; "" where it can
}

// reader takes a command line apart. What it does not know for sure is a doubt:
// so that parsing makes more questions, never fewer.
type reader struct {
	line  string
	parts []part
	dir   string // of the command that comes next; "" where it is not known
	depth int
}

// partsOf takes a line apart that a POSIX shell or bash would run in dir.
func partsOf(line, dir string) []part {
	r := &reader{line: line, dir: dir}
	if len(line) > maxLine {
		return []part{{text: line, doubt: "it is longer than parley looks at"}}
	}
	if strings.IndexFunc(line, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }) >= 0 {
		return []part{{text: line, doubt: "it has control characters"}}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return []part{{text: line, doubt: "it cannot be parsed"}}
	}
	r.list(file.Stmts)
	if len(r.parts) > maxParts {
		return []part{{text: line, doubt: "it has more parts than parley looks at"}}
	}
	if r.stateful() && len(r.parts) > 1 {
		r.doubt(nil, "one part of it changes what the others mean")
	}
	if len(r.parts) == 0 {
		r.doubt(nil, "it does nothing that parley knows")
	}
	return r.parts
}

func (r *reader) source(n syntax.Node) string {
	if n == nil {
		return r.line
	}
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(r.line) {
		return r.line
	}
	return r.line[from:to]
}

func (r *reader) doubt(n syntax.Node, why string) {
	r.parts = append(r.parts, part{text: r.source(n), doubt: why})
}

// list is a sequence: a cd in it is not followed, since whether it worked does
// not matter to what comes next.
func (r *reader) list(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		before := r.dir
		r.statement(s)
		if r.dir != before && len(stmts) > 1 {
			r.dir = ""
		}
	}
}

// apart reads statements whose cd is their own, or may not happen.
func (r *reader) apart(own bool, stmts []*syntax.Stmt) {
	before := r.dir
	r.list(stmts)
	switch {
	case own:
		r.dir = before
	case r.dir != before:
		r.dir = ""
	}
}

func (r *reader) statement(s *syntax.Stmt) {
	if r.depth++; r.depth > 30 {
		r.doubt(s, "it is nested deeper than parley looks at")
		r.depth--
		return
	}
	defer func() { r.depth-- }()
	if s.Coprocess {
		r.doubt(s, "a coprocess")
	}
	before := r.dir
	r.command(s)
	if s.Background || s.Negated {
		r.dir = before
	}
	for _, redirect := range s.Redirs {
		r.redirect(redirect, before)
	}
}

func (r *reader) command(s *syntax.Stmt) {
	switch c := s.Cmd.(type) {
	case nil: // redirections alone
	case *syntax.CallExpr:
		r.call(c)
	case *syntax.BinaryCmd:
		r.binary(c)
	case *syntax.Block:
		r.apart(false, c.Stmts)
	case *syntax.Subshell:
		r.apart(true, c.Stmts)
	case *syntax.IfClause:
		for branch := c; branch != nil; branch = branch.Else {
			r.apart(false, branch.Cond)
			r.apart(false, branch.Then)
		}
	case *syntax.WhileClause:
		r.apart(false, c.Cond)
		r.apart(false, c.Do)
	case *syntax.ForClause:
		r.loop(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.statement(c.Stmt)
		}
	default:
		r.doubt(s, "parley does not judge this kind of command")
	}
}

func (r *reader) binary(c *syntax.BinaryCmd) {
	before := r.dir
	switch c.Op {
	case syntax.AndStmt: // what a cd on the left did is done
		r.statement(c.X)
		r.statement(c.Y)
	case syntax.OrStmt: // the right side runs where the left one did not work
		r.statement(c.X)
		after := r.dir
		r.dir = before
		r.statement(c.Y)
		if after != before || r.dir != before {
			r.dir = ""
		}
	default: // a pipe: subshells
		r.statement(c.X)
		r.dir = before
		r.statement(c.Y)
		r.dir = before
	}
}

func (r *reader) loop(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || strings.ToLower(iter.Name.Value) != iter.Name.Value || strings.HasSuffix(iter.Name.Value, "_proxy") {
		r.doubt(c, "a loop over something else than words")
		return
	}
	for _, w := range iter.Items {
		r.inner(w)
	}
	r.apart(false, c.Do)
}

// call is a simple command.
func (r *reader) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		r.inner(a)
	}
	if len(c.Assigns) > 0 {
		r.doubt(c, "it sets a variable")
		return
	}
	if len(c.Args) == 0 {
		return
	}
	p := part{text: r.source(c), dir: r.dir}
	for _, w := range c.Args {
		text, why := literal(w)
		if why != "" {
			r.inner(w)
			if p.doubt == "" {
				p.doubt = why
			}
		}
		p.words = append(p.words, text)
	}
	r.parts = append(r.parts, p)
	if p.doubt != "" {
		if len(p.words) > 0 && p.words[0] == "cd" {
			r.dir = ""
		}
		return
	}
	r.follow(p.words)
	r.script(p.words)
}

// follow keeps the directory.
func (r *reader) follow(words []string) {
	if !slices.Contains([]string{"cd", "pushd", "popd"}, words[0]) {
		return
	}
	if words[0] == "cd" && len(words) == 2 && !strings.HasPrefix(words[1], "-") && words[1] != "" {
		r.dir = joinDir(r.dir, words[1])
	} else {
		r.dir = ""
	}
}

// script reads the line that a shell is given as an argument.
func (r *reader) script(words []string) {
	if !isShell(words[0]) {
		return
	}
	for i, w := range words[1:] {
		if strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") && i+2 < len(words) {
			r.parts = append(r.parts, partsOf(words[i+2], r.dir)...)
			return
		}
	}
}

// redirect is a file that is opened. dir is where.
func (r *reader) redirect(d *syntax.Redirect, dir string) {
	if d.Hdoc != nil {
		r.inner(d.Hdoc)
	}
	p := part{text: r.source(d), dir: dir}
	text, why := literal(d.Word)
	if why != "" {
		r.inner(d.Word)
	}
	switch d.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	case syntax.DplIn, syntax.DplOut:
		if why == "" && strings.Trim(text, "0123456789-") == "" {
			return
		}
		p.write = true // >&name opens a file
	case syntax.RdrIn:
	default:
		p.write = true
	}
	if p.file, p.doubt = text, why; text == "/dev/null" && why == "" {
		return
	}
	r.parts = append(r.parts, p)
}

// inner reads the command lines inside of words.
func (r *reader) inner(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.apart(true, n.Stmts)
			return false
		case *syntax.ProcSubst:
			r.apart(true, n.Stmts)
			return false
		case *syntax.ArithmExp:
			r.doubt(n, "arithmetic")
		case *syntax.ParamExp:
			if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps {
				r.doubt(n, "an expansion that can run commands")
			}
		}
		return true
	})
}
