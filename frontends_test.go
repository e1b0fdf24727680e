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
				if n.Name == "Connection" {
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
					if !ok || of.Name.Name == "Connection" || of.Name.Name == "Options" {
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
