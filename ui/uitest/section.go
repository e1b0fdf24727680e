package uitest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/tty"
	"parley/ui/theme"
)

var (
	compared sync.Mutex              // held while a section is compared
	used     = map[string][]string{} // the sections that were compared, by file
)

// Section compares rows with one section of a page's golden file in a directory below
// testdata. With -update only that section is rewritten.
func Section(t *testing.T, dir string, p Page, heading string, rows []string) {
	t.Helper()
	compared.Lock()
	defer compared.Unlock()
	path := filepath.Join("testdata", dir, p.Name+".golden")
	used[path] = append(used[path], heading)
	styles := NewStyles(theme.For(p.Theme, tty.Colours{Dark: true}))
	got := make([]string, len(rows))
	for i, r := range rows {
		got[i] = styles.Row(r)
	}
	for len(got) > 0 && got[len(got)-1] == "" {
		got = got[:len(got)-1]
	}
	all, err := readSections(path)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(s section) bool { return s.heading == heading })
	if *update {
		if at < 0 {
			at, all = len(all), append(all, section{heading: heading})
		}
		all[at].rows = got
		if err := writeSections(path, all); err != nil {
			t.Fatal(err)
		}
		return
	}
	if at < 0 {
		t.Errorf("%s has no section %q", path, heading)
		return
	}
	for i := range max(len(got), len(all[at].rows)) {
		if want, is := line(all[at].rows, i), line(got, i); want != is {
			t.Errorf("%s, %s, row %d\nwant %s\ngot  %s", path, heading, i+1, want, is)
			return
		}
	}
}

type section struct {
	heading string
	rows    []string
}

func readSections(path string) ([]section, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return parseSections(string(data)), nil
}

const sectionMark = "== "

func parseSections(text string) []section {
	var all []section
	for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if heading, ok := strings.CutPrefix(l, sectionMark); ok {
			all = append(all, section{heading: heading})
		} else if n := len(all); n > 0 {
			all[n-1].rows = append(all[n-1].rows, l)
		}
	}
	for i := range all {
		for n := len(all[i].rows); n > 0 && all[i].rows[n-1] == ""; n-- {
			all[i].rows = all[i].rows[:n-1]
		}
	}
	return all
}

func writeSections(path string, all []section) error {
	slices.SortFunc(all, func(a, b section) int { return strings.Compare(a.heading, b.heading) })
	var b strings.Builder
	for i, s := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(sectionMark + s.heading + "\n")
		for _, r := range s.rows {
			b.WriteString(r + "\n")
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// Unused returns an error for golden sections that no test compared with anything. With
// -update it removes them. It must be called after all tests.
func Unused() error {
	var errs []error
	for path, headings := range used {
		all, err := readSections(path)
		if err != nil {
			errs = append(errs, err)
		}
		left := slices.DeleteFunc(slices.Clone(all), func(s section) bool { return !slices.Contains(headings, s.heading) })
		if len(left) == len(all) {
			continue
		}
		if *update {
			errs = append(errs, writeSections(path, left))
			continue
		}
		errs = append(errs, fmt.Errorf("%s has %d sections that nothing is compared with", path, len(all)-len(left)))
	}
	return errors.Join(errs...)
}
