package uitest

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/tty"
	"parley/ui/theme"
)

// Size is the size of a screen, in cells.
type Size struct{ Width, Height int }

// Page is a screen for golden sections: its size, and the name of its theme.
type Page struct {
	Name string
	Size
	Theme string
}

// Pages returns the sizes that screens are drawn in. Rows name their inks, so one theme with colours is enough: the
// style sheet ui/theme/testdata/inks.golden says what the inks of each theme are.
func Pages() []Page {
	return []Page{{"40x12-plain", Size{40, 12}, "plain"}, {"120x40-plain", Size{120, 40}, "plain"}, {"160x50-plain", Size{160, 50}, "plain"}, {"80x24-dark", Size{80, 24}, "dark"}}
}

// Book is a set of golden files with many sections each, one file for each page.
type Book struct {
	dir      string
	sections map[string][]string // the lines of each page's file
}

// NewBook returns a book with its files in a directory below testdata.
func NewBook(dir string) *Book { return &Book{dir: dir, sections: map[string][]string{}} }

// Add checks rows and adds them to the file of a page, under a heading.
func (b *Book) Add(t *testing.T, p Page, heading string, rows []string) {
	t.Helper()
	CheckRows(t, rows, p.Width)
	styles := NewStyles(theme.For(p.Theme, tty.Colours{Dark: true}))
	lines := append(b.sections[p.Name], "== "+heading)
	if slices.Contains(lines[:len(lines)-1], "== "+heading) {
		t.Errorf("two sections of %s are called %q", p.Name, heading)
	}
	for _, r := range rows {
		lines = append(lines, styles.Row(r))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	b.sections[p.Name] = append(lines, "")
}

// Check compares the files with those below testdata. With -update it rewrites them.
func (b *Book) Check(t *testing.T) {
	t.Helper()
	for _, p := range Pages() {
		Golden(t, b.dir+"/"+p.Name, strings.Split(strings.TrimSuffix(strings.Join(b.sections[p.Name], "\n"), "\n"), "\n"))
	}
}
