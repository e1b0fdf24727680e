package worktree

import (
	"context"
	"strconv"
	"strings"

	"parley/internal/gitsafe"
)

// Diff is what a merge of a worktree would bring.
type Diff struct {
	Patch     string
	Truncated bool // Patch has the beginning only
	Files     int  // how many files change
	Added     int  // lines; those of binary files are not counted
	Removed   int
}

// maxPatch bounds a patch, in bytes.
const maxPatch = 8 << 20

// File is a file that a merge would change.
type File struct {
	Path           string // relative to the root of the worktree, with slashes
	Added, Removed int    // lines; 0 for a binary file
}

// Diff compares a worktree with the commit that it and the main one have in common: its own commits,
// what is uncommitted, and new files that git does not ignore. The index of the worktree learns the
// names of the new files, as by git add -N.
func (s *Store) Diff(ctx context.Context, t Tree) (Diff, error) {
	base, err := s.prepareDiff(ctx, t)
	if err != nil {
		return Diff{}, err
	}
	files, err := s.files(ctx, t, base)
	if err != nil {
		return Diff{}, err
	}
	d := Diff{Files: len(files)}
	for _, f := range files {
		d.Added, d.Removed = d.Added+f.Added, d.Removed+f.Removed
	}
	if d.Patch, err = s.diff(ctx, t, base, "--patch"); err != nil {
		return Diff{}, err
	}
	if len(d.Patch) > maxPatch {
		d.Patch, d.Truncated = d.Patch[:strings.LastIndexByte(d.Patch[:maxPatch], '\n')+1], true
	}
	return d, nil
}

// Preview is what merging a worktree would bring.
type Preview struct {
	State
	Files []File // that change
	Into  string // the branch that it goes to; "" if none is checked out
	Makes bool   // it makes a commit, which has a message
	// Refused is why it cannot be merged now, nil if it can. Conflicts are found by Merge only.
	Refused error
}

// Preview looks at what merging a worktree would bring. It changes no more than Diff does.
func (s *Store) Preview(ctx context.Context, t Tree) (Preview, error) {
	base, err := s.prepareDiff(ctx, t)
	if err != nil {
		return Preview{}, err
	}
	var p Preview
	if p.State, err = s.State(ctx, t); err != nil {
		return Preview{}, err
	}
	if p.Files, err = s.files(ctx, t, base); err != nil {
		return Preview{}, err
	}
	p.Into, p.Refused = s.mergeable(ctx, t)
	p.Makes = len(p.Uncommitted) > 0 || !s.ancestor(ctx, t.Main, "HEAD", t.Branch())
	return p, context.Cause(ctx)
}

// prepareDiff makes sure that diff can be called, and returns the commit to compare a worktree with.
func (s *Store) prepareDiff(ctx context.Context, t Tree) (base string, err error) {
	if err := s.verify(ctx, t); err != nil { // or git would use a repository around the store
		return "", err
	}
	if err := gitsafe.Trusted(ctx, s.git, t.Path); err != nil { // add and diff run filters
		return "", err
	}
	base, err = s.run(ctx, t.Main, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return "", ErrNoCommit
	}
	if common, err := s.run(ctx, t.Path, "merge-base", base, "HEAD"); err == nil {
		base = common
	}
	_, err = s.run(ctx, t.Path, "add", "--intent-to-add", "--", ".")
	return base, err
}

// files returns what differs from a commit in a worktree.
func (s *Store) files(ctx context.Context, t Tree, base string) ([]File, error) {
	counts, err := s.diff(ctx, t, base, "--numstat", "-z")
	if err != nil {
		return nil, err
	}
	var files []File
	for entry := range strings.SplitSeq(strings.TrimSuffix(counts, "\x00"), "\x00") {
		if fields := strings.SplitN(entry, "\t", 3); len(fields) == 3 {
			f := File{Path: fields[2]}
			f.Added, _ = strconv.Atoi(fields[0]) // "-" for a binary file
			f.Removed, _ = strconv.Atoi(fields[1])
			files = append(files, f)
		}
	}
	return files, nil
}

// diff compares a worktree with a commit.
func (s *Store) diff(ctx context.Context, t Tree, base string, format ...string) (string, error) {
	words := append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=all", "--src-prefix=a/", "--dst-prefix=b/"}, format...)
	return gitsafe.Run(ctx, s.git, t.Path, append(words, base, "--")...)
}
