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
	errNoWorktree = errors.New("not a git repository")
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

// find finds the repository that contains a directory.
func (g git) find(ctx context.Context, dir string) (*gitsafe.Repo, error) {
	if g == "" {
		return nil, errNoGit
	}
	r, err := gitsafe.Find(ctx, string(g), dir)
	var failed *gitsafe.Error
	if errors.Is(err, gitsafe.ErrNoFiles) || errors.As(err, &failed) && strings.Contains(failed.Stderr, "not a git repository") {
		err = errNoWorktree
	}
	return r, err
}

// locate returns where a repository has what is needed of it.
func locate(r *gitsafe.Repo, dir string) repository {
	repo := repository{prefix: r.Prefix, index: filepath.Join(r.Dir, "index"), objects: filepath.Join(r.Common, "objects"), sha256: r.SHA256,
		rules:    []string{filepath.Join(r.Common, "info", "exclude"), filepath.Join(r.Common, "config")},
		filtered: slices.ContainsFunc(r.Filters, func(name string) bool { return name != "lfs" })}
	for above := dir; repo.prefix != "" && len(repo.rules) < strings.Count(repo.prefix, "/")+2; {
		above = filepath.Dir(above)
		repo.rules = append(repo.rules, filepath.Join(above, ".gitignore"))
	}
	return repo
}

// tracked returns what git tracks below a directory: was, if the index is still the same.
func (g git) tracked(ctx context.Context, dir string, was *index) (*index, error) {
	ctx, stop := context.WithTimeout(ctx, gitTime) // a FIFO as an ignore file never ends
	defer stop()
	found, err := g.find(ctx, dir)
	if err != nil {
		return nil, err
	}
	repo := locate(found, dir)
	info, err := os.Lstat(repo.index)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &index{repository: repo}, nil
	case err != nil:
		return nil, err
	case was != nil && was.stamp == stampOf(info) && !was.recent && was.index == repo.index && was.prefix == repo.prefix:
		return was, nil
	}
	ix, err := readIndex(repo)
	if errors.Is(err, errUnknownIndex) || errors.Is(err, errDamagedRecord) {
		ix = &index{repository: repo, stamp: stampOf(info)}
		err = list(ctx, found, ix)
	}
	if err == nil && was != nil {
		ix.continues(was)
	}
	return ix, err
}

// list lets git list the files of an index.
func list(ctx context.Context, r *gitsafe.Repo, ix *index) error {
	out, err := r.Run(ctx, "ls-files", "-z", "--cached")
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
// of the worktree.
func (g git) ignored(ctx context.Context, dir string, names []string) (is []bool, err error) {
	ctx, stop := context.WithTimeout(ctx, gitTime)
	defer stop()
	r, err := g.find(ctx, dir)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(names, maxAsked) {
		asked := make([]string, len(some))
		for i, name := range some {
			if asked[i] = "./" + name; name == "." {
				asked[i] = "../" + filepath.Base(dir) // by the rules above it
			}
		}
		out, err := r.RunInput(ctx, strings.Join(asked, "\x00")+"\x00", "--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin", "--verbose", "--non-matching")
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
