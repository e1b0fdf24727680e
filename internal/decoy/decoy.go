// Package decoy creates files that tests, and the programs they start, must not touch, and reports
// what happened to them. Only tests use it.
package decoy

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Secret is in every file that Home creates.
const Secret = "THE-SECRET-OF-A-DECOY"

// files are what is worth stealing from a home directory, or would be run or trusted if changed: one of each kind, because
// every test that is given a home directory makes all of them.
var files = []string{".ssh/id_ed25519", ".netrc", ".gitconfig", ".config/git/config", ".bashrc", ".local/bin/notes", "notes.txt"}

// ours are the directories in which parley keeps its own files on this system.
var ours = append([]string{".config/parley", ".local/state/parley"}, map[string][]string{
	"darwin":  {"Library/Application Support/parley"},
	"windows": {"AppData/Roaming/parley", "AppData/Local/parley"},
}[runtime.GOOS]...)

// Home fills dir with the files of a home directory. Programs that read one as their configuration
// find only a comment.
func Home(dir string) error {
	for _, name := range ours {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			return err
		}
	}
	for _, name := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte("# "+Secret+"\n"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Run runs the tests of a package with a home directory made by Home, and fails if they change it
// as Guard would.
func Run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "home")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	if err := Home(dir); err != nil {
		return failed(err)
	}
	for name, value := range map[string]string{
		"HOME": "", "USERPROFILE": "", "XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": ".local/state", "XDG_DATA_HOME": ".local/share",
		"XDG_CACHE_HOME": ".cache", "AppData": "AppData/Roaming", "LocalAppData": "AppData/Local",
	} {
		if err := os.Setenv(name, filepath.Join(dir, value)); err != nil {
			return failed(err)
		}
	}
	before, err := Tree(dir)
	if err != nil {
		return failed(err)
	}
	code := m.Run()
	if err := unchanged(dir, before); err != nil {
		return failed(err)
	}
	return code
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "FAIL:", err)
	return 1
}

// Guard fails the test if anything below dir is changed, added or removed before the test ends.
// parley's own files in a home directory may change.
func Guard(t testing.TB, dir string) {
	t.Helper()
	before, err := Tree(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unchanged(dir, before); err != nil {
			t.Error(err)
		}
	})
}

func unchanged(dir string, before map[string]string) error {
	after, err := Tree(dir)
	if err != nil {
		return err
	}
	maps.DeleteFunc(after, func(name, _ string) bool {
		return slices.ContainsFunc(ours, func(own string) bool { return name == own || strings.HasPrefix(name, own+"/") })
	})
	if diff := cmp.Diff(before, after); diff != "" {
		return fmt.Errorf("changed in %s:\n%s", dir, diff)
	}
	return nil
}

// Tree describes dir, as ".", and everything below it by slash-separated name: mode and content, or
// the target of a link.
func Tree(dir string) (map[string]string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += " " + string(text)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			what += " " + to
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		all[filepath.ToSlash(name)] = what
		return nil
	})
	return all, err
}
