package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"parley/internal/config"
	"parley/internal/filetrust"
	"parley/permissions"
)

// maxRules bounds what is read of a file of rules; the parser refuses less.
const maxRules = 1 << 20

// RulesPath is the user's file of rules: rules.toml beside the configuration. It
// need not exist.
func RulesPath() (string, error) {
	path, err := config.Path()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(path), "rules.toml"), nil
}

// projectRules is the file of rules of a directory.
func projectRules(dir string) string { return filepath.Join(dir, ".parley", "rules.toml") }

// ruleFile is a file of rules that was read. A missing one has no rules.
type ruleFile struct {
	path    string
	project bool
	missing bool
	rules   []permissions.Rule
	err     error // one line, with the file's name
}

// ruleFiles reads the user's file, or own in its place, and those of directories.
func ruleFiles(own string, dirs []string) ([]ruleFile, error) {
	if own == "" {
		path, err := RulesPath()
		if err != nil && !errors.Is(err, config.ErrNoHome) {
			return nil, err
		}
		own = path
	}
	files := []ruleFile{readRules(own, false)}
	var seen []string
	for _, dir := range dirs {
		path := projectRules(filepath.Clean(dir))
		if !slices.Contains(seen, path) {
			seen = append(seen, path)
			files = append(files, readRules(path, true))
		}
	}
	return files, nil
}

// readRules reads one file. The user's own must be the user's alone to write or to
// replace; one of a project can only tighten, so there the group may write it, too,
// and whoever can write its directories.
func readRules(path string, project bool) ruleFile {
	f := ruleFile{path: path, project: project}
	data, err := readRuleFile(path, project)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.missing = true
	case err != nil:
		f.err = fmt.Errorf("%s: %w", path, err)
	default:
		f.rules, f.err = permissions.ParseRules(path, data, project)
	}
	return f
}

func readRuleFile(path string, project bool) ([]byte, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait
	if err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if err != nil {
		return nil, without(err)
	}
	if !project {
		err = filetrust.Check(path)
	} else if runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0 {
		err = fmt.Errorf("others can write it, so it is not read: chmod go-w %s", path)
	}
	if err != nil {
		return nil, without(err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, without(err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxRules))
}

// without is the cause of an error that names its file, which the caller does.
func without(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// rulebook is what the files say together; the first mistake is a UsageError.
func rulebook(files []ruleFile) (*permissions.Rulebook, error) {
	var all []permissions.Rule
	for _, f := range files {
		if f.err != nil {
			return nil, UsageError{f.err.Error()}
		}
		all = append(all, f.rules...)
	}
	b, err := permissions.NewRulebook(all)
	if err != nil {
		return nil, UsageError{err.Error()}
	}
	return b, nil
}

// Rules are those of sessions in place, or in the roots that they have, where those
// are on this machine: the user's, and what the projects there add. It is read anew
// with every call. The error is a UsageError of one line.
func Rules(place Place, here bool) func(roots []string) (*permissions.Rulebook, error) {
	return func(roots []string) (*permissions.Rulebook, error) {
		dirs := append([]string{place.Cwd}, place.Roots...)
		if here {
			dirs = roots
		}
		files, err := ruleFiles("", dirs)
		if err != nil {
			return nil, UsageError{err.Error()}
		}
		return rulebook(files)
	}
}

// CheckRules is the first mistake in the rules of a session in place, to be told
// before anything is started.
func CheckRules(place Place) error {
	_, err := Rules(place, false)(nil)
	return err
}
