package acpclient_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/must"
)

// lastCase is the last number in the list of cases.
const lastCase = 202

// notCovered lists the cases without a test, with the reason. An entry that is no longer
// true fails the test, too.
var notCovered = map[int]string{}

var (
	caseMention = regexp.MustCompile(`(?i)\bcases? ?(\d[\d ,and-]*)`)
	caseNumber  = regexp.MustCompile(`(\d+)(?:-(\d+))?`)
	caseInName  = regexp.MustCompile(`[Cc]ase(\d+)`)
)

// TestCaseTable prints for each numbered case which tests cover it, according to the
// name of the test or of the script, or a comment or a string in the test. A case
// without a test must be listed with the reason.
func TestCaseTable(t *testing.T) {
	covered := map[int]map[string]bool{}
	must.Do(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return fs.SkipDir
		case strings.HasSuffix(path, ".txtar"):
			return scriptCases(path, covered)
		case strings.HasSuffix(path, "_test.go") && d.Name() != "cases_test.go":
			return testCases(path, covered)
		}
		return nil
	}))
	for n := 1; n <= lastCase; n++ {
		tests, why := slices.Sorted(maps.Keys(covered[n])), notCovered[n]
		switch {
		case len(tests) > 0 && why != "":
			t.Errorf("case %d: listed as not covered (%s), but there is %s", n, why, tests)
		case len(tests) > 0:
			t.Logf("case %3d  %s", n, strings.Join(tests, "  "))
		case why != "":
			t.Logf("case %3d  n/a: %s", n, why)
		default:
			t.Errorf("case %d: no test names it, and no reason is listed", n)
		}
	}
	for n := range notCovered {
		if n < 1 || n > lastCase {
			t.Errorf("case %d is listed, but does not exist", n)
		}
	}
}

func note(covered map[int]map[string]bool, n int, test string) {
	if covered[n] == nil {
		covered[n] = map[string]bool{}
	}
	covered[n][test] = true
}

// mentioned returns the numbers of the cases in a text: "case 12", "Cases 91, 94 and
// 95", "cases 31-36".
func mentioned(text string) (numbers []int) {
	for _, m := range caseMention.FindAllStringSubmatch(text, -1) {
		for _, r := range caseNumber.FindAllStringSubmatch(m[1], -1) {
			from, _ := strconv.Atoi(r[1])
			to := from
			if r[2] != "" {
				to, _ = strconv.Atoi(r[2])
			}
			for n := from; n <= min(to, 1000); n++ {
				numbers = append(numbers, n)
			}
		}
	}
	return numbers
}

// scriptCases finds the cases of a script in its name or in the text above it.
func scriptCases(path string, covered map[int]map[string]bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(filepath.Base(path), ".txtar")
	for _, m := range caseInName.FindAllStringSubmatch(base, -1) {
		n, _ := strconv.Atoi(m[1])
		note(covered, n, base+".txtar")
	}
	above, _, _ := strings.Cut(string(data), "\n-- ")
	for _, n := range mentioned(strings.ReplaceAll(above, "see case", "")) {
		note(covered, n, base+".txtar")
	}
	return nil
}

// testCases finds the cases in a test file: in the names of its functions, its comments
// and its strings.
func testCases(path string, covered map[int]map[string]bool) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	// in returns the name of the test at a position, or that of the file.
	in := func(pos token.Pos) string {
		dir := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator)))
		for _, d := range file.Decls {
			from := d.Pos()
			if f, ok := d.(*ast.FuncDecl); ok {
				if f.Doc != nil {
					from = f.Doc.Pos()
				}
				if from <= pos && pos <= f.End() {
					return dir + "." + f.Name.Name
				}
			}
		}
		return dir + "/" + filepath.Base(path)
	}
	for _, group := range file.Comments {
		for _, n := range mentioned(group.Text()) {
			note(covered, n, in(group.Pos()))
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			for _, m := range caseInName.FindAllStringSubmatch(node.Name.Name, -1) {
				n, _ := strconv.Atoi(m[1])
				note(covered, n, in(node.Pos()))
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(node.Value); err == nil && node.Kind == token.STRING {
				for _, n := range mentioned(text) {
					note(covered, n, in(node.Pos()))
				}
			}
		}
		return true
	})
	return nil
}

func TestMentioned(t *testing.T) {
	for text, want := range map[string]string{
		"Case 12: a banner":              "[12]",
		"Cases 91, 94 and 95: what":      "[91 94 95]",
		"cases 31-33 of 12":              "[31 32 33]",
		"case 07 request":                "[7]",
		"a showcase 5, in case it rains": "[]",
		"Case193":                        "[193]",
	} {
		if got := fmt.Sprint(mentioned(text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
