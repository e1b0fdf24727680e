package main

import (
	"go/ast"
	"strings"
	"testing"
)

// What a front end can reach of the workspace has no type of the engine: no exported method or field but
// those with which the app connects agents, and what tests of front ends need.
func TestTheWorkspaceHidesTheEngine(t *testing.T) {
	engine := func(n ast.Node) (found string) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "acpclient" {
					found = "acpclient." + n.Sel.Name
				}
			case *ast.Ident:
				if n.Name == "Connection" || n.Name == "Machine" {
					found = n.Name
				}
			}
			return true
		})
		return found
	}
	methods, fields := 0, 0
	for _, s := range sources(t) {
		if s.test || strings.HasSuffix(s.path, "/pretend.go") {
			continue
		}
		if under(s.pkg, "ui") {
			ast.Inspect(s.file, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Connection" {
					t.Errorf("%s: a front end has a connection", s.fset.Position(n.Pos()))
				}
				return true
			})
		}
		if s.pkg != "internal/workspace" {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !d.Name.IsExported() {
					continue
				}
				if methods++; engine(d.Type) != "" {
					t.Errorf("%s: %s has %s", s.fset.Position(d.Pos()), d.Name.Name, engine(d.Type))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					of, ok := spec.(*ast.TypeSpec)
					if !ok || of.Name.Name == "Connection" || of.Name.Name == "Machine" || of.Name.Name == "Options" {
						continue
					}
					var all *ast.FieldList
					switch of := of.Type.(type) {
					case *ast.StructType:
						all = of.Fields
					case *ast.InterfaceType:
						all = of.Methods
					default:
						continue
					}
					for _, f := range all.List {
						if len(f.Names) > 0 && !f.Names[0].IsExported() {
							continue
						}
						if fields++; engine(f.Type) != "" {
							t.Errorf("%s: %s has %s", s.fset.Position(f.Pos()), of.Name.Name, engine(f.Type))
						}
					}
				}
			}
		}
	}
	if methods < 100 || fields < 100 {
		t.Errorf("found %d methods and %d fields only", methods, fields)
	}
}

// Front ends read the fields of sessions and agents, and change them by methods only. Dir and Changes are
// not looked for: the description of an agent and a list, which they may change, have one too.
func TestFrontEndsChangeNoFields(t *testing.T) {
	all, names := sources(t), map[string]bool{}
	for _, s := range all {
		ast.Inspect(s.file, func(n ast.Node) bool {
			of, ok := n.(*ast.TypeSpec)
			if !ok || s.pkg != "internal/workspace" || of.Name.Name != "Session" && of.Name.Name != "Agent" {
				return true
			}
			for _, f := range of.Type.(*ast.StructType).Fields.List {
				for _, name := range f.Names {
					names[name.Name] = name.IsExported() && name.Name != "Dir" && name.Name != "Changes"
				}
			}
			return false
		})
	}
	if !names["Thread"] || !names["Spec"] {
		t.Fatalf("the fields are %v", names)
	}
	for _, s := range all {
		if s.test || !under(s.pkg, "ui") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			set, ok := n.(*ast.AssignStmt)
			if !ok {
				return true
			}
			for _, to := range set.Lhs {
				for sel, ok := to.(*ast.SelectorExpr); ok; sel, ok = sel.X.(*ast.SelectorExpr) {
					if names[sel.Sel.Name] {
						t.Errorf("%s: changes %s", s.fset.Position(sel.Pos()), sel.Sel.Name)
					}
				}
			}
			return true
		})
	}
}

// Each front end names each kind of news where it handles them, if only to say why it does nothing.
func TestFrontEndsKnowAllNews(t *testing.T) {
	kinds := map[string]bool{}
	named := map[string]map[string]bool{"the screen": {}, "the chat in lines": {}}
	frontEnds := map[string]string{"ui/workspace.go": "the screen", "ui/page/news.go": "the screen", "ui/linear/news.go": "the chat in lines"}
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				_, isStruct := n.Type.(*ast.StructType)
				if s.path == "internal/workspace/news.go" && isStruct && !strings.HasPrefix(n.Name.Name, "Of") {
					kinds[n.Name.Name] = true
				}
			case *ast.CaseClause:
				for _, e := range n.List {
					if sel, ok := e.(*ast.SelectorExpr); ok && frontEnds[s.path] != "" {
						named[frontEnds[s.path]][sel.Sel.Name] = true
					}
				}
			}
			return true
		})
	}
	if len(kinds) < 30 {
		t.Fatalf("found %d kinds of news only", len(kinds))
	}
	for frontEnd, names := range named {
		for kind := range kinds {
			if !names[kind] {
				t.Errorf("%s does not handle workspace.%s", frontEnd, kind)
			}
		}
	}
}
