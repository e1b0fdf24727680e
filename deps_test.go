package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/must"
)

// source is one Go file of the project, for any system.
type source struct {
	path  string // with slashes
	pkg   string // its folder: "acpclient/wire", "." for the root
	test  bool
	lines int
	fset  *token.FileSet
	file  *ast.File
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	must.Do(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != "."):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		s := source{path: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), lines: strings.Count(string(text), "\n"), fset: token.NewFileSet()}
		if s.file, err = parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return err
		}
		all = append(all, s)
		return nil
	}))
	if len(all) < 100 {
		t.Fatalf("found %d files only", len(all))
	}
	return all
}

// imports returns the paths that a file imports, without the module name for packages of the
// project.
func (s source) imports() []string {
	var out []string
	for _, i := range s.file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		out = append(out, strings.TrimPrefix(p, "parley/"))
	}
	return out
}

// under reports whether a path is one of the trees or below one.
func under(p string, trees ...string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool { return p == tree || strings.HasPrefix(p, tree+"/") })
}

// inside returns a matcher for under.
func inside(trees ...string) func(string) bool {
	return func(p string) bool { return under(p, trees...) }
}

func outside(trees ...string) func(string) bool {
	return func(p string) bool { return !under(p, trees...) }
}

// is returns a matcher for whole paths.
func is(paths ...string) func(string) bool {
	return func(p string) bool { return slices.Contains(paths, p) }
}

// ours reports whether a path is a package of the project.
func ours(p string) bool {
	return under(p, "acpclient", "fsops", "terminal", "permissions", "ui", "internal")
}

// oursBut returns a matcher for the packages of the project except those allowed.
func oursBut(allowed ...string) func(string) bool {
	return func(p string) bool { return ours(p) && !slices.Contains(allowed, p) }
}

// components are the independent parts of the screen. Each declares what it needs of the page
// around it.
var components = []string{"ui/clipboard", "ui/composer", "ui/guard", "ui/inline", "ui/mouse", "ui/paint", "ui/panel", "ui/question", "ui/review", "ui/shell", "ui/start", "ui/status", "ui/transcript"}

// testPackages serve tests and are part of no program.
var testPackages = []string{"acpclient/acptest", "internal/alive", "internal/decoy", "internal/fakeagent", "internal/gittest", "internal/keeper/keepertest", "internal/undo/undotest", "internal/seeds", "internal/must", "internal/slowlink", "internal/testclient", "ui/uitest"}

// arrows lists the forbidden imports. ARCHITECTURE.md gives the reasons. Tests are exempt.
var arrows = []struct {
	rule  string
	from  func(pkg string) bool
	never func(imported string) bool
}{
	{"only the app imports ui", outside("ui", "internal/app", "internal/pictures"), inside("ui")},
	{"pictures need the colours alone", is("internal/pictures"), oursBut("ui/theme")},
	{"only main imports the app", outside("."), inside("internal/app")},
	{"ui sees events, not messages", inside("ui"), is("acpclient/jsonrpc", "acpclient/transport", "acpclient/wire")},
	{"ui starts nothing and dials nowhere", inside("ui"), is("os/exec", "net", "net/http")},
	{"lines need no screen", inside("ui/linear"), func(p string) bool { return under(p, "ui") && !under(p, "ui/linear") }},
	{"ui has no services of its own", inside("ui"), inside("fsops", "terminal")},
	{"keys, widths and emulation need no screen", inside("internal/intent", "internal/glyphs", "internal/text", "internal/emulator"), oursBut("internal/emulator", "internal/glyphs", "internal/text", "internal/words")},
	{"widgets know nothing of ACP", inside("ui/widget"), inside("acpclient", "permissions")},
	{"components know nothing of each other", is(components...), is(components...)},
	{"components know no page", is(components...), is("ui", "ui/page")},
	{"services know nothing of ACP", inside("fsops", "terminal", "permissions"), inside("acpclient")},
	{"fsops stands alone", inside("fsops"), ours},
	{"permissions compare texts", inside("permissions"), oursBut("internal/lazy", "internal/linediff")},
	{"the registry is read, and nothing installed", is("internal/registry"), oursBut("internal/atomicfile", "internal/lazy", "internal/safetext", "internal/smallfile")},
	{"installs know no engine", is("internal/installs"), oursBut("internal/agents", "internal/atomicfile", "internal/filelock", "internal/process", "internal/programs", "internal/registry", "internal/safetext", "internal/smallfile", "internal/words")},
	{"words stand alone", is("internal/words"), ours},
	{"a keeper knows nothing of what it keeps", is("internal/keeper"), oursBut("internal/filelock", "internal/lazy", "internal/localsock", "internal/process", "internal/record", "internal/safetext", "internal/smallfile", "internal/termmodes", "internal/words", "terminal")},
	{"a socket has no messages", is("internal/localsock"), oursBut("internal/record")},
	{"the router passes messages on", is("internal/router"), oursBut("acpclient/jsonrpc", "acpclient/transport", "internal/envelope", "internal/hello", "internal/jsonscan", "internal/safetext")},
	{"tokens are a file", is("internal/access"), oursBut("internal/atomicfile", "internal/filelock", "internal/filetrust", "internal/hello", "internal/lazy", "internal/smallfile")},
	{"notes are given to a program", is("internal/notify"), oursBut("internal/process", "internal/programs", "internal/safetext")},
	{"a greeting is one line", is("internal/hello"), oursBut("internal/safetext")},
	{"what the terminal can do needs no screen", is("internal/tty"), ours},
	{"comparing texts needs no screen", is("internal/linediff"), oursBut("internal/patch", "internal/words")},
	{"undo looks at files and git", is("internal/undo"), oursBut("fsops", "internal/atomicfile", "internal/filelock", "internal/gitsafe", "internal/programs")},
	{"git is run by these", outside("internal/doctor", "internal/finder", "internal/undo", "internal/stage", "internal/worktree", "internal/cli"), is("internal/gitsafe")},
	{"staging knows git alone", is("internal/stage"), oursBut("internal/gitsafe")},
	{"terminal builds on process", inside("terminal"), oursBut("internal/lazy", "internal/process")},
	{"the engine declares its services", inside("acpclient"), inside("fsops", "terminal", "permissions", "ui", "internal/host", "internal/toolserver")},
	{"tools serve what the engine declares", is("internal/toolserver"), oursBut("acpclient", "acpclient/jsonrpc", "acpclient/wire", "internal/safetext")},
	{"one room for MCP", outside("internal/toolserver"), inside("github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go")},
	{"the engine does not know its thread", is("acpclient"), is("acpclient/thread")},
	{"the probe sees messages as they are sent", is("internal/doctor/probe"), oursBut("acpclient/jsonrpc", "acpclient/transport", "internal/doctor", "internal/envelope", "internal/jsonscan", "internal/safetext", "internal/words")},
	{"JSON-RPC knows nothing of ACP", is("acpclient/jsonrpc"), oursBut("acpclient/transport", "internal/envelope", "internal/jsonscan")},
	{"transports carry bytes", is("acpclient/transport"), oursBut("internal/process", "internal/jsonscan", "internal/outflow")},
	{"messages have no behaviour", is("acpclient/wire"), oursBut("internal/jsonscan")},
	{"events know nothing of the engine", is("acpclient/event"), oursBut("internal/linediff", "internal/safetext")},
	{"the thread is made of events", inside("acpclient/thread"), oursBut("acpclient/event", "acpclient/thread")},
	{"front ends stand on the workspace", inside("ui"), is("acpclient")},
	{"clients stand on the workspace", is("internal/join"), oursBut("acpclient/event", "acpclient/jsonrpc", "acpclient/thread", "acpclient/transport", "acpclient/wire", "permissions", "internal/attach", "internal/emulator", "internal/hello", "internal/linediff", "internal/picture", "internal/safetext", "internal/token", "internal/words", "internal/workspace")},
	{"the workspace draws nothing", is("internal/workspace"), oursBut("acpclient", "acpclient/event", "acpclient/thread", "permissions", "internal/attach", "internal/carried", "internal/closest", "internal/finder", "internal/keeper", "internal/linediff", "internal/memory", "internal/notes", "internal/notify", "internal/safetext", "internal/template", "internal/undo", "internal/words")},
	{"the gateway relays", inside("internal/gateway"), oursBut("acpclient/transport", "internal/envelope", "internal/jsonscan", "internal/outflow", "internal/redact", "internal/safetext")},
	{"an envelope is no more than JSON", is("internal/envelope"), oursBut("internal/jsonscan")},
	{"nothing of Charm's below the screen", inside("acpclient", "fsops", "terminal", "permissions", "internal/workspace"), inside("charm.land", "github.com/charmbracelet")},
	{"files are found in one room", outside("internal/finder"), inside("github.com/junegunn/fzf", "github.com/boyter/gocodewalker")},
	{"only tests import what serves tests", outside(), is(testPackages...)},
	{"WebSockets on both sides of the wire", outside("acpclient/transport", "internal/gateway"), inside("github.com/coder/websocket")},
	{"glamour and chroma in the transcript", outside("ui/transcript", "ui/widget"), inside("charm.land/glamour", "github.com/alecthomas/chroma")},
}

func TestArrows(t *testing.T) {
	all := sources(t)
	for _, a := range arrows {
		applies := false
		for _, s := range all {
			if s.test || !a.from(s.pkg) {
				continue
			}
			applies = true
			for _, p := range s.imports() {
				if a.never(p) {
					t.Errorf("%s: %s imports %s", a.rule, s.path, p)
				}
			}
		}
		if !applies {
			t.Errorf("%s: there is no such package", a.rule)
		}
	}
}

// The chat in lines starts without what only the screen needs.
func TestLinesNeedNoScreen(t *testing.T) {
	screen := inside("parley/ui/theme", "charm.land/bubbletea", "charm.land/lipgloss", "charm.land/glamour", "github.com/alecthomas/chroma")
	for _, front := range []struct {
		pkg   string
		needs bool
	}{{"./ui/linear", false}, {"./ui", true}} {
		out, err := exec.Command("go", "list", "-deps", front.pkg).Output()
		if err != nil {
			t.Skip("no go command")
		}
		if found := slices.DeleteFunc(strings.Fields(string(out)), func(p string) bool { return !screen(p) }); len(found) > 0 != front.needs {
			t.Errorf("%s depends on %q", front.pkg, found)
		}
	}
}

// No package compiles a regular expression when the program starts: lazy.Regexp does when it is used.
func TestExpressionsAreCompiledOnUse(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || slices.Contains(testPackages, s.pkg) || s.pkg == "internal/pictures" {
			continue
		}
		for _, d := range s.file.Decls {
			if _, isFunc := d.(*ast.FuncDecl); isFunc {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if call, ok := n.(*ast.SelectorExpr); ok && call.Sel.Name == "MustCompile" {
					t.Errorf("%s: compiled at the start", s.fset.Position(call.Pos()))
				}
				_, isFunc := n.(*ast.FuncLit)
				return !isFunc
			})
		}
	}
}

// Nobody but internal/gitsafe, and tests, looks up or starts git.
func TestGitIsCalledInOnePlace(t *testing.T) {
	starts := []string{"Command", "CommandContext", "CommandIn", "Find", "LookPath", "StartProcess"}
	found := 0
	for _, s := range sources(t) {
		if s.test || s.pkg == "internal/gittest" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := ""
			switch f := call.Fun.(type) {
			case *ast.SelectorExpr:
				name = f.Sel.Name
			case *ast.Ident:
				name = f.Name
			}
			for _, arg := range call.Args {
				text, _ := arg.(*ast.BasicLit)
				if text == nil || !slices.Contains(starts, name) || strings.TrimSuffix(path.Base(strings.Trim(text.Value, "\"`")), ".exe") != "git" {
					continue
				}
				if found++; s.pkg != "internal/gitsafe" {
					t.Errorf("%s: starts git", s.fset.Position(call.Pos()))
				}
			}
			return true
		})
	}
	if found == 0 {
		t.Error("git is started nowhere")
	}
}

// The matchers must match, or the rules above check nothing.
func TestArrowMatchers(t *testing.T) {
	for _, ok := range []bool{
		inside("ui")("ui"), inside("ui")("ui/transcript"), !inside("ui")("uix"), outside("ui", ".")("internal/cli"), !outside("ui", ".")("."),
		oursBut("internal/process")("acpclient"), !oursBut("internal/process")("internal/process"), !ours("os/exec"), ours("permissions"),
		is("net", "net/http")("net"), !is("net")("net/url"), inside("github.com/coder/websocket")("github.com/coder/websocket/wsjson"),
	} {
		if !ok {
			t.Fatal("a matcher is broken")
		}
	}
}

// Some versions of these modules are expensive and must stay out of the build list.
func TestBuildList(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	out, err := exec.Command(goTool, "list", "-m", "-f", "{{.Path}} {{.Version}}", "all").Output()
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for l := range strings.Lines(string(out)) {
		name, version, _ := strings.Cut(strings.TrimSpace(l), " ")
		versions[name] = version
	}
	// Later versions rewrite every row with CJK or emoji on each frame.
	if got := versions["github.com/charmbracelet/ultraviolet"]; got != "v0.0.0-20260703014108-f5a850f9c2b7" {
		t.Errorf("ultraviolet %q", got)
	}
	// 0.0.26 and 0.0.27 spend tens of milliseconds in init.
	var minor, patch int
	if n, err := fmt.Sscanf(versions["github.com/mattn/go-runewidth"], "v0.%d.%d", &minor, &patch); n != 2 || minor == 0 && patch < 28 {
		t.Errorf("go-runewidth %q, %v", versions["github.com/mattn/go-runewidth"], err)
	}
}

// tracked returns the files of the project: those that git tracks or would add, or without git all
// files but git's own.
func tracked(t *testing.T) []string {
	t.Helper()
	if out, err := exec.Command("git", "ls-files", "-z", "-co", "--exclude-standard").Output(); err == nil && len(out) > 0 {
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	var all []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch {
		case d.Name() == ".git" && d.IsDir(): // in a linked worktree it is a file
			return filepath.SkipDir
		case d.Type().IsRegular() && !slices.Contains([]string{".git", "parley", "parley.exe"}, name):
			all = append(all, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// No file names a directory or package registry of the machine it was written on.
func TestSpeaksOfItselfAlone(t *testing.T) {
	// Match absolute paths only, not the end of ../root/file. The users in nobody are those of the
	// examples.
	dir := regexp.MustCompile(`(^|[^\w.-])/(` + strings.Join([]string{"work", "root", "home", "Users"}, "|") + `)/(\w*)`)
	nobody := []string{"ada", "me", "u"}
	host := regexp.MustCompile(`(` + strings.Join([]string{"proxy.golang", "sum.golang", "registry.npmjs", "pypi", "files.pythonhosted"}, "|") + `)\.org`)
	for _, name := range tracked(t) {
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // removed, but still in git's index
		}
		if err != nil {
			t.Error(err)
			continue
		}
		for n, line := range strings.Split(string(text), "\n") {
			for _, m := range dir.FindAllStringSubmatch(line, -1) {
				if m[2] != "home" && m[2] != "Users" || !slices.Contains(nobody, m[3]) {
					t.Errorf("%s:%d: a path of some machine in %.120q", name, n+1, line)
				}
			}
			if host.MatchString(line) {
				t.Errorf("%s:%d: a package registry in %.120q", name, n+1, line)
			}
		}
	}
}

// Only a few packages look up programs or start them by name. A look-up anywhere else may find a
// program that the project under work brings along.
func TestProgramsAreFoundInOnePlace(t *testing.T) {
	finders := []string{"internal/programs", "internal/process", "internal/npx"}
	found := map[string]bool{}
	for _, s := range sources(t) {
		if s.test || slices.Contains(testPackages, s.pkg) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "exec" && slices.Contains([]string{"LookPath", "Command", "CommandContext"}, sel.Sel.Name) {
				found[s.pkg] = true
				if !slices.Contains(finders, s.pkg) {
					t.Errorf("%s: exec.%s, want package programs", s.fset.Position(n.Pos()), sel.Sel.Name)
				}
			}
			return true
		})
	}
	for _, pkg := range finders {
		if !found[pkg] {
			t.Errorf("%s looks nothing up", pkg)
		}
	}
}

// longFiles may have more than 500 lines. Each needs a comment with the reason.
var longFiles = []string{}

func TestFilesAreShort(t *testing.T) {
	for _, s := range sources(t) {
		if long := slices.Contains(longFiles, s.path); s.lines > 500 != long {
			t.Errorf("%s has %d lines; listed as long: %v", s.path, s.lines, long)
		}
	}
}

// maxMethods bounds the methods of a type; those that it gets by embedding are not counted. A type with more
// has parts with a state of their own.
const maxMethods = 60

func TestTypesAreNarrow(t *testing.T) {
	methods := map[string]int{}
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && !s.test {
				methods[s.pkg+"."+receiver(f)]++
			}
		}
	}
	for name, n := range methods {
		if n > maxMethods {
			t.Errorf("%s has %d methods, more than %d", name, n, maxMethods)
		}
	}
}

// receiver returns the name of the type that a method is of.
func receiver(d *ast.FuncDecl) (name string) {
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// Every package and every exported name has a doc comment.
func TestDocComments(t *testing.T) {
	documented := map[string]bool{}
	packages := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		packages[s.pkg] = true
		documented[s.pkg] = documented[s.pkg] || s.file.Doc != nil
		if s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: %s has no comment", s.fset.Position(name.Pos()), name.Name)
			}
		}
	}
	for pkg := range packages {
		if !documented[pkg] {
			t.Errorf("package %s has no comment", pkg)
		}
	}
}

// undocumented returns the exported names that a declaration leaves without a comment.
func undocumented(d ast.Decl) []*ast.Ident {
	var out []*ast.Ident
	bare := func(name *ast.Ident, docs ...*ast.CommentGroup) {
		if name.IsExported() && !slices.ContainsFunc(docs, func(g *ast.CommentGroup) bool { return g != nil }) {
			out = append(out, name)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !obvious(d) {
			bare(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				bare(spec.Name, d.Doc, spec.Doc)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					bare(name, d.Doc, spec.Doc, spec.Comment)
				}
			}
		}
	}
	return out
}

// obvious reports whether a method needs no comment: its meaning is given by the language, or its
// type is not exported.
func obvious(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return false
	}
	name := receiver(d)
	return !ast.IsExported(name) || slices.Contains([]string{"Error", "String", "Unwrap", "Is"}, d.Name.Name)
}
