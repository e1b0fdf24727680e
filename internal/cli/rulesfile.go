package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"parley/internal/config"
	"parley/internal/filetrust"
	"parley/internal/smallfile"
	"parley/permissions"
)

// maxRules limits how much of a rule file is read. The parser's limit is lower.
const maxRules = 1 << 20

// RulesPath returns the path of the user's rule file: rules.toml next to the configuration. The
// file may not exist.
func RulesPath() (string, error) {
	path, err := config.Path()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(path), "rules.toml"), nil
}

// projectRules returns the path of a directory's rule file.
func projectRules(dir string) string { return filepath.Join(dir, ".parley", "rules.toml") }

// ruleFile is a rule file after reading. A missing file has no rules.
type ruleFile struct {
	path    string
	project bool
	missing bool
	rules   []permissions.Rule
	err     error // one line, with the file's name
}

// ruleFiles reads the user's rule file, or own instead if set, and those of the directories.
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

// readRules reads one file. Only the user may be able to write or replace the user's own file. A
// project's file can only tighten the rules, so its group may write it, and so may anyone who can
// write its directories.
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
	info, err := os.Stat(path) // before opening it: opening a pipe would block
	if err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if err != nil {
		return nil, smallfile.Cause(err)
	}
	if !project {
		err = filetrust.Check(path)
	} else if runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0 {
		err = fmt.Errorf("others can write it, so it is not read: chmod go-w %s", path)
	}
	if err != nil {
		return nil, smallfile.Cause(err)
	}
	return smallfile.Read(path, maxRules)
}

// rulebook combines the files. The first error is returned as a UsageError.
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

// Rules returns a function that loads the rules of a session: the user's, and those of the projects
// in its directories. These are place's, or roots if here is set, which means that the agent runs
// on this machine. Every call reads the files again. The error is a UsageError of one line.
func Rules(place Directories, here bool) func(roots []string) (*permissions.Rulebook, error) {
	return func(roots []string) (*permissions.Rulebook, error) {
		dirs := append([]string{place.Cwd}, place.Roots...)
		if here {
			dirs = slices.Clone(roots)
		}
		if place.Origin != "" {
			dirs = append(dirs, place.Origin)
		}
		files, err := ruleFiles("", dirs)
		if err != nil {
			return nil, UsageError{err.Error()}
		}
		return rulebook(files)
	}
}

// CheckRules returns the first error in the rules of a session in place, so that it can be reported
// before anything is started, and a line about rules that match nothing because of a mistake, or "".
func CheckRules(place Directories) (mistakes string, err error) {
	book, err := Rules(place, false)(nil)
	all := slices.DeleteFunc(book.Rules(), func(r permissions.Rule) bool { return r.Mistake == "" })
	switch len(all) {
	case 0:
		return "", err
	case 1:
		return fmt.Sprintf("Rule ignored: %s (%s)", all[0].Mistake, all[0].Where), err
	}
	return fmt.Sprintf("%d rules ignored: see parley rules check; the first is %s (%s)", len(all), all[0].Mistake, all[0].Where), err
}
