package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"parley/internal/must"
)

// lookup loads the names below a directory.
func lookup(t *testing.T, dir string) func(agent, session string) string {
	t.Helper()
	return must.Get(NewNames(dir).Load())(t)
}

func TestNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if got := lookup(t, dir)("fake", "s1"); got != "" {
		t.Errorf("a session is called %q before it has a name", got)
	}
	names := NewNames(dir)
	for _, one := range [][3]string{{"fake", "s1", "first"}, {"other", "s1", "the other's"}, {"fake", "s2", "second"}, {"fake", "s1", "again\x1b[31m\nred" + strings.Repeat("x", 200)}, {"fake", "s2", ""}} {
		must.Do(t, names.Save(one[0], one[1], one[2]))
	}
	of := lookup(t, dir)
	if got := of("fake", "s1"); !strings.HasPrefix(got, "again redxx") || len([]rune(got)) != maxName {
		t.Errorf("the name is %q", got)
	}
	if of("other", "s1") != "the other's" || of("fake", "s2") != "" {
		t.Errorf("the names are %q and %q", of("other", "s1"), of("fake", "s2"))
	}
	if info, err := os.Stat(filepath.Join(dir, "names.json")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if names.Save("fake", strings.Repeat("i", 1<<20), "long") == nil {
		t.Error("a session id of a megabyte is kept")
	}
}

// The oldest names make room for new ones; a name that was given again counts as new.
func TestNamesAreBounded(t *testing.T) {
	dir := t.TempDir()
	names := NewNames(dir)
	all := make([]string, maxNames)
	for i := range all {
		all[i] = fmt.Sprintf(`{"agent":"fake","session":"s%d","name":"n%d"}`, i, i)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "names.json"), []byte("["+strings.Join(all, ",")+"]"), 0o600))
	for _, s := range []string{"s0", "new"} {
		must.Do(t, names.Save("fake", s, "now"))
	}
	of := lookup(t, dir)
	if of("fake", "s0") != "now" || of("fake", "new") != "now" || of("fake", "s1") != "" || of("fake", "s2") != "n2" {
		t.Errorf("kept %q %q %q %q", of("fake", "s0"), of("fake", "new"), of("fake", "s1"), of("fake", "s2"))
	}
}

// A file that cannot be read is reported and stays as it is.
func TestDamagedNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.json")
	for _, damaged := range []string{"", "[{", `{"agent":1}`, "[" + strings.Repeat(" ", maxNamesFile) + "]"} {
		must.Do(t, os.WriteFile(path, []byte(damaged), 0o600))
		names := NewNames(filepath.Dir(path))
		_, err := names.Load()
		saved := names.Save("fake", "s1", "name")
		for _, err := range []error{err, saved} {
			if err == nil || !strings.Contains(err.Error(), "names.json is damaged") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%.20q: %v", damaged, err)
			}
		}
		if now, _ := os.ReadFile(path); string(now) != damaged {
			t.Errorf("%.20q was replaced by %.80q", damaged, now)
		}
	}
}

// Processes that name sessions at once lose none of the names.
func TestNamesAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := NewNames(dir).Save("fake", fmt.Sprint(i), "name"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	of := lookup(t, dir)
	for i := range 20 {
		if of("fake", fmt.Sprint(i)) == "" && runtime.GOOS != "windows" {
			t.Errorf("the name of session %d is lost", i)
		}
	}
}
