package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/ui/theme"
)

// The pictures in the documents match the golden screens.
func TestPicturesAreFresh(t *testing.T) {
	root := filepath.Join("..", "..")
	files, err := draw(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, svg := range files {
		old, err := os.ReadFile(filepath.Join(root, folder, name))
		if err != nil || !bytes.Equal(old, svg) {
			t.Errorf("%s/%s is stale: run go run ./internal/pictures", folder, name)
		}
		for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: got %v", name, err)
			}
		}
	}
	there, err := filepath.Glob(filepath.Join(root, folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if files[filepath.Base(path)] == nil {
			t.Errorf("no picture is called %s", path)
		}
	}
}

// Rows keep their columns, repeated cells are expanded, and inks have their colours.
func TestRender(t *testing.T) {
	th := theme.Dark()
	runs, err := parse("‹dim›╭─×9╮‹› a×b ␣×8<日>‹bad on userbar›x", th, style{fg: "#ffffff"})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range runs {
		texts = append(texts, r.text)
	}
	if got, want := strings.Join(texts, "|"), "╭─────────╮| a×b         <日>|x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if runs[1].at != 11 || runs[2].at != 11+13+4 {
		t.Errorf("columns %d, %d", runs[1].at, runs[2].at)
	}
	if runs[0].fg != hex(th.Dim.Spec().Fg) || runs[2].fg != hex(th.Bad.Spec().Fg) {
		t.Errorf("colours %q, %q", runs[0].fg, runs[2].fg)
	}
	if _, err := parse("‹none›x", th, style{}); err == nil {
		t.Error("an ink that does not exist is drawn")
	}
}
