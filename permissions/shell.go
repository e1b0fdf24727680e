package permissions

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"parley/internal/lazy"

	"mvdan.cc/sh/v3/syntax"
)

// maxLine bounds the length of a command line, in bytes, and maxParts the parts of one.
const (
	maxLine  = 16 << 10
	maxParts = 200
	// maxNested bounds the depth of nested commands.
	maxNested = 30
	maxOpen   = 200
	// maxNestedLines and maxNestedBytes bound the command lines found in words.
	maxNestedLines = 200
	maxNestedBytes = 4 * maxLine
)

// part is something that a command line does: a simple command, a file it redirects to or from,
// or something that cannot be judged.
type part struct {
	text     string   // source of the part
	words    []string // of a simple command
	dir      string   // where it runs; "" if unknown
	file     string   // of a redirection, as written
	write    bool
	doubt    string // why it cannot be judged; "" if it can
	known    int    // how many leading words are certain
	repeated bool   // a loop may run it more than once
	lost     bool   // after it no directory is certain, not even among the possible ones
	// entered are the directories in which the lines that it wraps run, by its options.
	entered []string
	// found is what it does with the files that find finds, if it only reads them.
	found *foundFiles
	// wrapped says how a word of another command wraps this part.
	wrapped wrapping
	// marked are the words with their marks, if the marks are the only doubt; see expanded.
	marked []string
	// listed are the directories that were listed to expand its patterns.
	listed []string
	// free says that it needs no rule: it only runs another part, or is the cat of a
	// here-document.
	free bool
}

// reader splits a command line into parts. It doubts whatever it does not know for certain: a
// parsing mistake causes more questions, never fewer.
type reader struct {
	line  string
	parts []part
	dir   string // of the next command; "" if unknown
	depth int
	loops int // depth of enclosing loops
	work  *nestedWork
}

// nestedWork counts the command lines found in words, for a line and all lines in it. Each
// may hold many others, so without a bound their number is exponential in the depth.
type nestedWork struct{ lines, bytes int }

func (w *nestedWork) spend(line string) bool {
	w.lines++
	w.bytes += len(line)
	return w.lines <= maxNestedLines && w.bytes <= maxNestedBytes
}

// readByCmd reports whether cmd runs the lines. It knows neither single quotes nor backslashes,
// and treats & and % specially where other shells see text.
var readByCmd = runtime.GOOS == "windows"

// sameToCmd matches a line that cmd reads as other shells do.
var sameToCmd = lazy.Regexp(`^([A-Za-z0-9_./:=+,@" -]|&&|\|\|?)*$`)

// cmdSpecial are the characters of a word that are special to cmd, which Windows uses to run
// batch files.
const cmdSpecial = "&|<>^%\"!()\r\n"

// partsOf splits a line that a POSIX shell or bash would run in dir.
func partsOf(line, dir string) []part { return partsWithin(line, dir, 0, new(nestedWork)) }

const notParsed = "it cannot be parsed"

func partsWithin(line, dir string, depth int, work *nestedWork) []part {
	r := &reader{line: line, dir: dir, depth: depth, work: work}
	if len(line) > maxLine {
		return []part{{text: line, doubt: "too long to check"}}
	}
	if openAtOnce(line) > maxOpen {
		return []part{{text: line, doubt: "nested too deeply to check"}}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
	if err != nil {
		return []part{{text: line, doubt: notParsed}}
	}
	r.list(file.Stmts)
	if unseen(line) {
		r.doubt(nil, "has invisible characters")
	}
	if readByCmd && !sameToCmd().MatchString(line) {
		r.doubt(nil, "cmd parses it differently")
	}
	r.comments(file)
	if r.stateful() && len(r.parts) > 1 {
		r.doubt(nil, "one part changes what the others mean")
	}
	if len(r.parts) == 0 {
		r.doubt(nil, "nothing in it that parley can check")
	}
	return r.parts
}

// openAtOnce returns how many parentheses are open at once, whatever they mean: each costs the
// parser time.
func openAtOnce(line string) int {
	open, most := 0, 0
	for i := range len(line) {
		switch line[i] {
		case '(':
			open++
			most = max(most, open)
		case ')':
			open--
		}
	}
	return most
}

// comments doubts comments that a shell without them, such as zsh at its prompt, would run or
// read as words of a command.
func (r *reader) comments(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		c, ok := n.(*syntax.Comment)
		if !ok {
			return true
		}
		start := strings.LastIndexByte(r.line[:c.Pos().Offset()], '\n') + 1
		if strings.TrimSpace(r.line[start:c.Pos().Offset()]) != "" || strings.ContainsAny(c.Text, ";&|<>()$`'\"{}\\") {
			r.doubt(c, "a comment, which is none to every shell")
		}
		return true
	})
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

// list reads a sequence. A cd in it is not followed, since later commands run whether or not it
// succeeded.
func (r *reader) list(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		before := r.dir
		r.statement(s)
		if r.dir != before && len(stmts) > 1 {
			r.dir = ""
		}
	}
}

// apart reads statements whose cd has no effect outside (own), or may not happen.
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
	if r.depth++; r.depth > maxNested {
		r.doubt(s, "nested too deeply to check")
		r.depth--
		return
	}
	defer func() { r.depth-- }()
	if s.Coprocess {
		r.doubt(s, "a coprocess")
	}
	before := r.dir
	r.command(s)
	switch {
	case s.Background:
		r.dir = before
	case s.Negated && r.dir != before:
		r.dir = ""
	}
	for _, redirect := range s.Redirs {
		r.redirect(redirect, before)
		r.ended(s, redirect, before)
	}
	r.input(s, nil)
}

// ended accounts for shells without &>, such as dash: there the & ends the command and runs it
// in the background, and the words after the file are another command.
func (r *reader) ended(s *syntax.Stmt, d *syntax.Redirect, before string) {
	if d.Op != syntax.RdrAll && d.Op != syntax.AppAll {
		return
	}
	if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[len(c.Args)-1].Pos().After(d.Pos()) {
		r.doubt(s, "shells disagree on where a command ends")
	}
	if r.dir != before {
		r.dir = ""
	}
}

func (r *reader) command(s *syntax.Stmt) {
	switch c := s.Cmd.(type) {
	case nil:
		r.doubt(s, "a redirection without a command, for which zsh runs a program")
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
		r.repeated(func() {
			r.apart(false, c.Cond)
			r.apart(false, c.Do)
		})
	case *syntax.ForClause:
		r.loop(c)
	case *syntax.TimeClause:
		if c.PosixFormat {
			r.doubt(s, "an option of time, which zsh takes for a program")
		}
		if c.Stmt != nil {
			r.statement(c.Stmt)
		}
	default:
		r.doubt(s, "a kind of command that parley cannot check")
		r.inner(s.Cmd) // rules that deny may match what is in it
	}
}

func (r *reader) binary(c *syntax.BinaryCmd) {
	before := r.dir
	switch c.Op {
	case syntax.AndStmt: // a cd on the left has succeeded
		r.statement(c.X)
		r.statement(c.Y)
	case syntax.OrStmt: // the right side runs if the left one failed
		r.statement(c.X)
		after := r.dir
		if _, simple := c.X.Cmd.(*syntax.CallExpr); after != before && (!simple || c.X.Negated) {
			r.dir = "" // a cd in it may have succeeded
		} else {
			r.dir = before
		}
		r.statement(c.Y)
		if after != before || r.dir != before {
			r.dir = ""
		}
	default: // a pipe: subshells, except the last command in zsh
		from := len(r.parts)
		r.statement(c.X)
		r.dir = before
		to := len(r.parts)
		r.statement(c.Y)
		r.piped(c, from, to)
		r.input(c.Y, c.X)
		if r.dir != before {
			r.dir = ""
		}
	}
}

// repeated reads the body of a loop. From the second iteration on it begins in the directory
// where the previous one ended.
func (r *reader) repeated(round func()) {
	before := r.dir
	r.loops++
	defer func() { r.loops-- }()
	if round(); before != "" && r.dir != before {
		r.dir = ""
		round()
		r.dir = ""
	}
}

func (r *reader) loop(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	switch {
	case !ok || c.Select:
		r.doubt(c, "loops over something other than words")
		r.inner(c.Loop)
	case len(iter.Name.Value) > 1 && !slices.Contains(loopNames, iter.Name.Value): // PATH, or path in zsh
		r.doubt(c, "sets a variable")
		fallthrough
	default:
		for _, w := range iter.Items {
			r.inner(w)
		}
		if r.rounds(c, iter) {
			return
		}
	}
	r.repeated(func() { r.apart(false, c.Do) })
}

// call reads a simple command.
func (r *reader) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		r.inner(a)
	}
	p := part{text: r.source(c), dir: r.dir, doubt: assigns(c.Assigns), repeated: r.loops > 0}
	if len(c.Args) == 0 {
		if len(c.Assigns) > 0 {
			p.doubt = "sets a variable"
			r.parts = append(r.parts, p)
		}
		return
	}
	expands := p.doubt == ""
	for _, w := range c.Args {
		text, why := withMarks(w, r.line)
		p.marked = append(p.marked, text)
		if why == "" {
			r.texts(w)
			text, why = unmarked(text)
		} else {
			expands = false
			r.inner(w)
		}
		if p.doubt == "" {
			p.doubt = why
		}
		p.words = append(p.words, text)
		if p.known == len(p.words)-1 && (why == "" || why == ansiQuotes) {
			p.known++
		}
	}
	if !expands || p.doubt == "" {
		p.marked = nil
	}
	p.free = p.doubt == "" && onlyWraps(p.words)
	p.found = p.exec()
	r.parts = append(r.parts, p)
	r.follow(&r.parts[len(r.parts)-1], strings.HasPrefix(c.Args[len(c.Args)-1].Lit(), "~"))
	at := len(r.parts) - 1
	r.parts[at].entered = r.script(p.words)
	r.substituted(c, p.words)
}

// follow tracks the working directory. tilde says that the last word begins with an unquoted ~.
func (r *reader) follow(p *part, tilde bool) {
	if slices.Contains(p.words, "mv") && slices.ContainsFunc(p.words, r.above) {
		r.dir, p.lost = "", true
	}
	for _, at := range moves(p.words) {
		to, known := cdTarget(p.words[at:])
		if at > 0 || p.words[0] != "cd" || !known || p.doubt != "" || strings.Contains(to, "..") || strings.HasPrefix(p.words[len(p.words)-1], "~") && !tilde {
			r.dir = "" // shells disagree on where .. leads after a link
		} else {
			r.dir = joinDir(r.dir, to)
		}
	}
}

// above reports whether a word names the current directory or a parent: moving that moves the
// current directory.
func (r *reader) above(word string) bool {
	if word == "" || r.dir == "" {
		return false
	}
	from, err := filepath.Rel(joinDir(r.dir, word), r.dir)
	return err == nil && from != ".." && !strings.HasPrefix(from, ".."+string(filepath.Separator))
}

// redirect reads a redirection. dir is where its file is opened.
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
	if why == "" && (strings.HasPrefix(text, "!") || strings.HasPrefix(text, "/dev/tcp/") || strings.HasPrefix(text, "/dev/udp/")) {
		why = "shells disagree on what it opens" // >! of zsh, the network of bash
	}
	if p.file, p.doubt = text, why; text == "/dev/null" && why == "" {
		return
	}
	r.parts = append(r.parts, p)
}

// inner reads the command lines inside words.
func (r *reader) inner(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			if r.apart(true, n.Stmts); n.TempFile || n.ReplyVar {
				r.doubt(n, "a substitution that parley cannot check")
			}
			return false
		case *syntax.ProcSubst:
			r.apart(true, n.Stmts)
			return false
		case *syntax.Stmt:
			r.apart(true, []*syntax.Stmt{n})
			return false
		case *syntax.Assign:
			r.variable(n)
		case *syntax.ArithmExp:
			r.doubt(n, "arithmetic")
		case *syntax.ParamExp:
			if !n.Short && (n.Exp != nil || n.Index != nil || n.Slice != nil || n.Repl != nil || n.Excl || n.Names != 0) {
				r.doubt(n, "an expansion that can run commands, or set variables")
			}
		}
		return true
	})
}
