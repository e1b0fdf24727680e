package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/must"
)

var (
	keyName = regexp.MustCompile(`\b(?:(?:ctrl|alt|shift)\+[^\s,)]+|esc|enter|tab|pgup|pgdn|pgdown|f(?:[1-9]|1[0-2]))\b`)
	keyHint = regexp.MustCompile(`(?:^|· )([b-zB-HJ-Z?↑⌫]|space|down|home) [a-z]`) // "d details · c copy"
)

// fixedKeys are the keys that cannot be changed, and where. Only there the screen may name them itself.
var fixedKeys = []struct{ file, keys, why string }{
	{"ui/panel/*.go", "enter esc tab y", "lists and one-line editors"},
	{"ui/composer/*.go", "enter esc tab", "the completion is a list; tab is its name for the key that completes"},
	{"ui/page/keys.go", "esc", "what the key that stops means to a form"},
	{"ui/start/*.go", "enter esc y pgdn ctrl+s tab", "lists, forms, and the command of a login"},
	{"ui/start/wait.go", "ctrl+r", "reads the log of an agent that did not start"},
	{"ui/question/elicitation.go", "ctrl+s esc tab o n c down pgdn", "forms, and the page that an agent wants opened"},
	{"ui/question/fields.go", "enter", "a verb"},
	{"ui/widget/form/*.go", "enter", "buttons of a form"},
}

// The screen takes the names of keys from the key map, so that they are true after a change.
func TestNamedKeys(t *testing.T) {
	used := map[int]bool{}
	fixed := func(path, key string, inList bool) bool {
		if inList && (key == "enter" || key == "esc") {
			return true
		}
		for i, f := range fixedKeys {
			if ok, _ := filepath.Match(f.file, path); ok && slices.Contains(strings.Fields(f.keys), key) {
				used[i] = true
				return true
			}
		}
		return false
	}
	must.Do(t, filepath.WalkDir("ui", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"intent", "linear", "uitest"}, d.Name()) {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		var above []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				above = above[:len(above)-1]
				return true
			}
			above = append(above, n)
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || comparedKey(above) {
				return true
			}
			said, _ := strconv.Unquote(lit.Value)
			named := keyName.FindAllString(said, -1)
			for _, m := range keyHint.FindAllStringSubmatch(said, -1) {
				named = append(named, m[1])
			}
			for _, key := range named {
				if !fixed(path, key, inList(above)) {
					t.Errorf("%s: %s names %q; take it from the key map (intent.Keymap)", files.Position(lit.Pos()), lit.Value, key)
				}
			}
			return true
		})
		return nil
	}))
	for i, f := range fixedKeys {
		if !used[i] {
			t.Errorf("%s names none of %s (%s)", f.file, f.keys, f.why)
		}
	}
}

// comparedKey reports whether the innermost node is compared with a key that was pressed.
func comparedKey(above []ast.Node) bool {
	lit := above[len(above)-1]
	switch p := above[len(above)-2].(type) {
	case *ast.CaseClause, *ast.ImportSpec:
		return true
	case *ast.BinaryExpr:
		return p.Op == token.EQL || p.Op == token.NEQ
	case *ast.KeyValueExpr:
		return p.Key == lit
	}
	return false
}

// inList reports whether the innermost node belongs to the foot of a panel.List or panel.Writing.
func inList(above []ast.Node) bool {
	isFoot := func(e ast.Expr) bool {
		sel, ok := e.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Foot"
	}
	for i, n := range above {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Lhs, isFoot) {
				return true
			}
		case *ast.KeyValueExpr:
			key, ok := n.Key.(*ast.Ident)
			lit, in := above[i-1].(*ast.CompositeLit)
			if ok && in && key.Name == "Foot" {
				sel, ok := lit.Type.(*ast.SelectorExpr)
				return ok && sel.Sel.Name == "List"
			}
		}
	}
	return false
}
