package fsops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxBelow bounds the entries that Walk visits; each takes about 5 µs.
	maxBelow = 20_000
	// maxSettings bounds the .git/config and .gitignore files that Walk reads, in bytes.
	maxSettings = 256 << 10
)

// Walk visits everything below a directory, which must be a resolved path, until visit returns
// false. all is false if it could not visit everything: there is too much, or something cannot be
// read. Links are visited and not followed; their Target says where they lead. A .git is skipped
// with its contents, unless its config holds a credential: what it stores was in the files before,
// and search tools read it routinely.
//
// Without hidden it also skips what developer tools skip: names that begin with a dot, and
// directories that the .gitignore in a repository's root names literally, unless an ignore file there,
// above or on the way includes them again.
//
// Like Resolve, it does not protect against later changes. It blocks for as long as the disk takes.
func (s *Service) Walk(session, dir string, hidden bool, visit func(Target) bool) (all bool, err error) {
	sess, release, err := s.use(session)
	if err != nil {
		return false, fmt.Errorf("look below %s: %w", dir, err)
	}
	defer release()
	b := descent{sess: sess, hidden: hidden, visit: visit, left: maxBelow}
	return b.directory(dir, b.ignored(dir), b.includedAbove(dir)), nil
}

// descent is one call of Walk.
type descent struct {
	sess   *session
	hidden bool
	visit  func(Target) bool
	left   int // entries that may still come
}

// directory walks one directory. It returns false if the walk must end.
func (b *descent) directory(dir string, ignored map[string]bool, included []string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		info, statErr := os.Lstat(dir)
		return errors.Is(statErr, fs.ErrNotExist) || statErr == nil && !info.IsDir() // nothing lies below a file
	}
	for _, e := range entries {
		if own, again := rulesOf(dir, e.Name()); own {
			ignored, included = nil, append(slices.Clip(included), again...)
		}
	}
	for _, e := range entries {
		name := e.Name()
		if b.left--; b.left < 0 {
			return false
		}
		if !b.hidden && (strings.HasPrefix(name, ".") && !includes(included, name) || e.IsDir() && ignored[name]) {
			continue
		}
		if !b.entry(filepath.Join(dir, name), e, ignored, included) {
			return false
		}
	}
	return true
}

func (b *descent) entry(path string, e os.DirEntry, ignored map[string]bool, included []string) bool {
	if plainName(e.Name()) == ".git" {
		return !credentials(path) || b.visit(Target{Path: path, Resolved: path, Inside: true, Exists: true, Secret: ".git/config"})
	}
	t := Target{Path: path, Resolved: path, Exists: true, Inside: b.sess.holding(path) != nil, Secret: secret(path)}
	if e.Type()&os.ModeSymlink != 0 {
		var err error
		if t, _, err = b.sess.resolve(path); err != nil {
			t = Target{Path: path, Resolved: path, Symlink: true} // its target is unknown
		}
	}
	return b.visit(t) && (!e.IsDir() || b.directory(path, ignored, included))
}

// credentials reports whether the config of a repository holds, or may hold, a secret.
func credentials(git string) bool {
	info, err := os.Stat(git)
	if err != nil || !info.IsDir() { // in a worktree .git is a file that refers to it
		return err != nil
	}
	file := filepath.Join(git, "config")
	if info, err = os.Stat(file); err != nil {
		return !os.IsNotExist(err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxSettings {
		return true
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return true
	}
	text = bytes.ToLower(text)
	for _, word := range []string{"extraheader", "password", "token", "oauth", "proxy"} {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	for _, after := range bytes.Split(text, []byte("://"))[1:] { // https://user:secret@host
		line, _, _ := bytes.Cut(after, []byte("\n"))
		if place, _, _ := bytes.Cut(line, []byte("/")); bytes.Contains(place, []byte("@")) && bytes.Contains(place, []byte(":")) {
			return true
		}
	}
	return false
}

// ignored returns the directories that the .gitignore in a repository's root names literally.
func (b *descent) ignored(dir string) map[string]bool {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); b.hidden || err != nil {
		return nil
	}
	names := map[string]bool{}
	for line := range strings.SplitSeq(settings(filepath.Join(dir, ".gitignore")), "\n") {
		line = strings.TrimSuffix(strings.TrimRight(line, " \r"), "/")
		if line != "" && !strings.HasPrefix(line, "#") && !strings.ContainsAny(line, `/*?[\`) {
			names[line] = true
		}
	}
	return names
}

// ignoreFiles are the files that tell developer tools what to skip. A line that begins with ! includes
// names again, also hidden ones.
var ignoreFiles = []string{".gitignore", ".ignore", ".rgignore", ".fdignore", "exclude"}

// rulesOf reports whether a file of a directory has rules of its own, which may include again what is
// ignored above, and the patterns of those that do.
func rulesOf(dir, name string) (own bool, again []string) {
	if !slices.Contains(ignoreFiles, name) {
		return false, nil
	}
	for line := range strings.Lines(settings(filepath.Join(dir, name))) {
		if pattern, ok := strings.CutPrefix(line, "!"); ok {
			again = append(again, strings.TrimSpace(pattern))
		}
	}
	return name != ".gitignore" || again != nil, again
}

// includedAbove returns the patterns of the directories above dir, and of its repository.
func (b *descent) includedAbove(dir string) (included []string) {
	for ; !b.hidden && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		for _, name := range ignoreFiles {
			for _, at := range []string{filepath.Dir(dir), filepath.Join(dir, ".git", "info")} {
				_, again := rulesOf(at, name)
				included = append(included, again...)
			}
		}
	}
	return included
}

// includes reports whether one of the patterns may be about a name: any part of it matches.
func includes(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return slices.ContainsFunc(strings.Split(pattern, "/"), func(part string) bool {
			ok, err := filepath.Match(part, name)
			return ok || err != nil
		}) || pattern == ""
	})
}

// settings returns the text of a small file. For one that cannot be read it returns "!", which in a
// .gitignore includes everything again.
func settings(file string) string {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return ""
	case !info.Mode().IsRegular() || info.Size() > maxSettings:
		return "!"
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "!"
	}
	return string(text)
}

// maxNames bounds the names that ListDir returns.
const maxNames = 2000

// ListDir lists the names in a directory, which must be a resolved path. all is false if there are
// too many or they cannot be read. A path that is not a directory has no names.
func (s *Service) ListDir(session, dir string) (names []string, all bool, err error) {
	_, release, err := s.use(session)
	if err != nil {
		return nil, false, fmt.Errorf("list %s: %w", dir, err)
	}
	defer release()
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return nil, err == nil || errors.Is(err, fs.ErrNotExist), nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, false, nil
	}
	defer f.Close()
	if names, err = f.Readdirnames(maxNames + 1); err != nil && !errors.Is(err, io.EOF) {
		return nil, false, nil
	}
	return names, len(names) <= maxNames, nil
}
