package undo

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"hash"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/gitsafe"
)

const (
	gitTime = 30 * time.Second
	// maxAsked is how many names git is asked about at once; the answers are read as a whole.
	maxAsked = 20_000
)

var (
	errNoGit      = errors.New("git was not found")
	errNoWorkTree = errors.New("no git repository here")
	errIgnored    = errors.New("git ignores this directory")
	errSaid       = errors.New("git said something unexpected")
)

// git asks the program with that path about the repository that contains a directory. It runs nothing that the
// repository names; see gitsafe.
type git string

// repository is where the repository of a root has its files.
type repository struct {
	index    string
	objects  string
	prefix   string   // of the names in the index that are below the root; "" or ends in a slash
	rules    []string // files outside the root that say what is ignored
	sha256   bool     // of objects; else SHA-1
	filtered bool     // programs of the user's convert files, so they may differ from their blobs
}

func (r *repository) newHash() hash.Hash {
	if r.sha256 {
		return sha256.New()
	}
	return sha1.New()
}

// run runs a git command in dir. Its standard input has the names, each with a NUL.
func (g git) run(ctx context.Context, dir string, names []string, words ...string) (string, error) {
	if g == "" {
		return "", errNoGit
	}
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(ctx, gitTime) // a FIFO as an ignore file never ends
	defer stop()
	input := ""
	if len(names) > 0 {
		input = strings.Join(names, "\x00") + "\x00"
	}
	out, err := gitsafe.RunInput(ctx, string(g), dir, input, words...)
	failed := (*gitsafe.Error)(nil)
	if errors.As(err, &failed) && (strings.Contains(failed.Stderr, "not a git repository") || strings.Contains(failed.Stderr, "must be run in a work tree")) {
		err = errNoWorkTree
	}
	return out, err
}

// locate finds the repository of a directory.
func (g git) locate(ctx context.Context, dir string) (repository, error) {
	out, err := g.run(ctx, dir, nil, "rev-parse", "--is-inside-work-tree", "--show-prefix", "--git-path", "index", "--git-path", "objects",
		"--git-path", "info/exclude", "--git-path", "config", "--show-object-format")
	if err != nil {
		return repository{}, err
	}
	lines := strings.Split(out, "\n")
	if lines[0] == "false" {
		return repository{}, errNoWorkTree
	}
	if len(lines) != 8 { // a directory with a line break
		return repository{}, errSaid
	}
	for i, l := range lines[2:6] {
		if l = filepath.FromSlash(l); !filepath.IsAbs(l) {
			l = filepath.Join(dir, l)
		}
		lines[2+i] = l
	}
	r := repository{prefix: lines[1], index: lines[2], objects: lines[3], rules: lines[4:6], sha256: lines[6] == "sha256"}
	for above := dir; r.prefix != "" && len(r.rules) < strings.Count(r.prefix, "/")+2; {
		above = filepath.Dir(above)
		r.rules = append(r.rules, filepath.Join(above, ".gitignore"))
	}
	return r, nil
}

// tracked returns what git tracks below a directory: was, if the index is still the same.
func (g git) tracked(ctx context.Context, dir string, was *index) (*index, error) {
	repo, err := g.locate(ctx, dir)
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(repo.index)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &index{repository: repo}, nil
	case err != nil:
		return nil, err
	case was != nil && was.stamp == stampOf(info) && !was.recent && was.index == repo.index && was.prefix == repo.prefix:
		return was, nil
	}
	filters, err := g.run(ctx, dir, nil, "config", "--name-only", "--get-regexp", `^filter\.`)
	if failed := (*gitsafe.Error)(nil); err != nil && (!errors.As(err, &failed) || failed.Code() != 1) { // 1: there are none
		return nil, err
	}
	repo.filtered = slices.ContainsFunc(strings.Fields(filters), func(key string) bool { return !strings.HasPrefix(key, "filter.lfs.") })
	ix, err := readIndex(repo)
	if errors.Is(err, errUnknownIndex) || errors.Is(err, errDamagedRecord) {
		ix = &index{repository: repo, stamp: stampOf(info)}
		err = g.list(ctx, dir, ix)
	}
	if err == nil && was != nil {
		ix.continues(was)
	}
	return ix, err
}

// list lets git list the files of an index.
func (g git) list(ctx context.Context, dir string, ix *index) error {
	out, err := g.run(ctx, dir, nil, "ls-files", "-z", "--cached")
	if err != nil {
		return err
	}
	names := strings.Split(out, "\x00")
	slices.Sort(names)
	in := ""
	for _, name := range slices.Compact(names) {
		if properName(name, &in) {
			ix.files = append(ix.files, tracked{name: name})
		}
	}
	return nil
}

// ignored reports which of some names below a directory git ignores; "." is the directory, if it is not the top
// of the work tree.
func (g git) ignored(ctx context.Context, dir string, names []string) (is []bool, err error) {
	for some := range slices.Chunk(names, maxAsked) {
		asked := make([]string, len(some))
		for i, name := range some {
			if asked[i] = "./" + name; name == "." {
				asked[i] = "../" + filepath.Base(dir) // by the rules above it
			}
		}
		out, err := g.run(ctx, dir, asked, "--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin", "--verbose", "--non-matching")
		if failed := (*gitsafe.Error)(nil); err != nil && (!errors.As(err, &failed) || failed.Code() != 1) { // 1: none is
			return nil, err
		}
		fields := strings.Split(out, "\x00") // of each: where the pattern is, its line, the pattern, the name
		if len(fields) != 4*len(some)+1 {
			return nil, errSaid
		}
		for i := range some {
			is = append(is, fields[4*i] != "" && !strings.HasPrefix(fields[4*i+2], "!"))
		}
	}
	return is, nil
}

func holdsDotGit(name string) bool {
	for len(name) >= len(".git") {
		part, rest, _ := strings.Cut(name, "/")
		if strings.EqualFold(part, ".git") {
			return true
		}
		name = rest
	}
	return false
}

// hidden is what git does not list: ignored names, and nested repositories. A file there that is
// listed later may have existed before.
type hidden map[string]bool

func (h hidden) holds(name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if h[name] {
			return true
		}
	}
	return h["."]
}
