package main

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"parley/internal/must"
)

// oddWords are words that made readers stop, with what to write instead. The list is short on
// purpose: it keeps old habits from coming back, and is no guide to good prose.
var oddWords = []struct {
	word    *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bbehind\b`), "after, past, below"},
	{regexp.MustCompile(`(?i)\bstands?\b`), "is, appears"},
	{regexp.MustCompile(`(?i)\b(goes|go|going|went) on\b`), "continue"},
	{regexp.MustCompile(`(?i)\bany more\b`), "no longer"},
	{regexp.MustCompile(`(?i)\banew\b`), "again"},
	{regexp.MustCompile(`(?i)\bfor ever\b`), "forever"},
	{regexp.MustCompile(`(?i)\bnobody's\b`), "dropped, ignored"},
	{regexp.MustCompile(`(?i)\bfor good\b`), "permanently"},
	{regexp.MustCompile(`(?i)\bto be had\b`), "available"},
	{regexp.MustCompile(`(?i)\blest\b`), "so that … not"},
	{regexp.MustCompile(`(?i)\bwhat becomes of\b`), "what happens to"},
	{regexp.MustCompile(`(?i)\ball the same\b`), "anyway, still"},
	{regexp.MustCompile(`(?i)\bwhat came\b`), "the message, the text received"},
	{regexp.MustCompile(`(?i)\bas the agent words it\b`), "the agent's description"},
}

// rightWords are phrases that contain an odd word and mean what they say.
var rightWords = regexp.MustCompile(`(?i)behind (an? |the )?(reverse |caching |buffering |throttled |real )*(prox(y|ies)|(load )?balancers?|nginx|haproxy|symlinks?|links?|gateway|flag|interface|firewall)` +
	`|left behind|(falls?|fallen|fell|lags?|far) behind|stands? (for|alone|out)|stand[- ]?ins?|standstill|as it stands`)

// No comment, no message and no name of a test uses words that a reader has to translate.
func TestPlainWords(t *testing.T) {
	check := func(where, text string) {
		text = rightWords.ReplaceAllString(text, "")
		for _, odd := range oddWords {
			if at := odd.word.FindString(text); at != "" {
				t.Errorf("%s: %q (write: %s)", where, at, odd.instead)
			}
		}
	}
	must.Do(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && (d.Name() == "testdata" && path != "testdata" || strings.HasPrefix(d.Name(), ".") && path != ".") {
				return filepath.SkipDir
			}
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil || path == "words_test.go" {
			return err
		}
		switch filepath.Ext(path) {
		case ".md":
			for i, line := range strings.Split(string(src), "\n") {
				check(path+":"+strconv.Itoa(i+1), line)
			}
		case ".go":
			eachText(t, path, src, check)
		}
		return nil
	}))
}

// eachText calls do for every comment of a file, and for its strings. Of what only tests use, it takes
// the names of tests and the messages of failures: what tests send and expect is data.
func eachText(t *testing.T, path string, src []byte, do func(where, text string)) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, parser.ParseComments)
	if err != nil {
		if list, ok := err.(scanner.ErrorList); !ok || list.Len() > 0 {
			t.Fatal(err)
		}
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			do(fset.Position(c.Pos()).String(), c.Text)
		}
	}
	literals := func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			do(fset.Position(lit.Pos()).String(), lit.Value)
		}
		return true
	}
	if !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path, "ui/uitest") && !strings.HasPrefix(path, "testdata") {
		ast.Inspect(f, literals)
		return
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			do(fset.Position(n.Pos()).String(), capital.ReplaceAllString(n.Name.Name, " $0"))
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && failure.MatchString(s.Sel.Name) && len(n.Args) > 0 {
				literals(n.Args[0])
			}
		}
		return true
	})
}

var (
	capital = regexp.MustCompile(`[A-Z]`)
	failure = regexp.MustCompile(`(?i)^(error|fatal|skip|log)f?$`)
)
