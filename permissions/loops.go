package permissions

import (
	"slices"
	"strings"

	"parley/internal/lazy"

	"mvdan.cc/sh/v3/syntax"
)

// maxRounds bounds the rounds of a loop that are read one by one.
const maxRounds = 20

// loopNames are the names of loop variables that mean nothing to any shell, besides single letters.
var loopNames = strings.Fields("file dir name item pkg")

// plainItem is a word that is the same with and without quotes, and no option.
var plainItem = lazy.Regexp(`^[A-Za-z0-9_./][A-Za-z0-9_./@%+,-]*$`)

// rounds reads a loop once for each value of its variable. It returns false if these are not known, or
// the body does not use them.
func (r *reader) rounds(c *syntax.ForClause, iter *syntax.WordIter) bool {
	name := iter.Name.Value
	var values []string
	for _, w := range iter.Items {
		text, why := literal(w)
		if why != "" || !plainItem().MatchString(text) || len(values) == maxRounds {
			return false
		}
		values = append(values, text)
	}
	again := false
	for _, s := range c.Do {
		syntax.Walk(s, func(n syntax.Node) bool {
			inner, ok := n.(*syntax.WordIter)
			again = again || ok && inner.Name.Value == name
			return true
		})
	}
	if again {
		return false
	}
	read := false
	for _, value := range values {
		restore := r.give(c.Do, name, value)
		if restore == nil {
			break
		}
		r.repeated(func() { r.apart(false, c.Do) })
		restore()
		read = true
	}
	return read
}

// give replaces a variable by its value in the body of a loop. It returns how to take that back, or nil
// if nothing was replaced.
func (r *reader) give(body []*syntax.Stmt, name, value string) (restore func()) {
	var undo []func()
	replace := func(parts []syntax.WordPart, quoted bool) {
		for i, p := range parts {
			e, ok := p.(*syntax.ParamExp)
			if !ok || !slices.Contains([]string{"$" + name, "${" + name + "}"}, r.source(e)) || r.continues(e) {
				continue
			}
			undo = append(undo, func() { parts[i] = p })
			if quoted {
				parts[i] = &syntax.Lit{ValuePos: e.Pos(), ValueEnd: e.End(), Value: value}
			} else {
				parts[i] = &syntax.SglQuoted{Left: e.Pos(), Right: e.End(), Value: value}
			}
		}
	}
	for _, s := range body {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Word:
				replace(n.Parts, false)
			case *syntax.DblQuoted:
				replace(n.Parts, true)
			}
			return true
		})
	}
	if undo == nil {
		return nil
	}
	return func() {
		for _, u := range undo {
			u()
		}
	}
}

// continues reports whether zsh reads what follows an expansion as a part of it.
func (r *reader) continues(e *syntax.ParamExp) bool { return continues(r.line, int(e.End().Offset())) }

func continues(line string, end int) bool {
	return strings.HasPrefix(line[end:], "[") || strings.HasPrefix(line[end:], ":")
}
