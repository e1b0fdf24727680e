// Command pictures draws golden screens of the tests as SVG for the documents:
//
//	go run ./internal/pictures
//
// Run it in the root of the repository; it writes docs/pictures. A test fails if these
// files are out of date.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"parley/ui/theme"
)

// picture is a state of a golden file, which names inks instead of colours.
type picture struct{ name, golden, state string }

const screens = "ui/testdata/screens/80x24-dark.golden"

// pictures are the pictures of the documents, each drawn in a dark and a light theme.
var pictures = []picture{
	{"chat", "internal/e2e/testdata/demo-dark.golden", "chat"}, // from the real program
	{"question", screens, "question"},
	{"diff", screens, "hunks, one refused"},
	{"sessions", screens, "sessions"},
	{"compare", "ui/testdata/screens/120x30-dark.golden", "compare"},
}

var themes = []*theme.Theme{theme.Dark(), theme.Light()}

const folder = "docs/pictures"

// draw returns all pictures by file name, for the repository at root.
func draw(root string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, th := range themes {
		for _, p := range pictures {
			path := filepath.Join(root, p.golden)
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			rows, ok := state(string(text), p.state)
			if !ok {
				return nil, fmt.Errorf("%s has no state %q", path, p.state)
			}
			svg, err := render(rows, th)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", path, p.state, err)
			}
			out[p.name+"-"+th.Name+".svg"] = svg
		}
	}
	return out, nil
}

func write(root string) error {
	files, err := draw(root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
		return err
	}
	for name, svg := range files {
		path := filepath.Join(root, folder, name)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, svg) {
			continue
		}
		if err := os.WriteFile(path, svg, 0o644); err != nil {
			return err
		}
		fmt.Println(filepath.Join(folder, name))
	}
	return nil
}

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "draw the pictures:", err)
		os.Exit(1)
	}
}
