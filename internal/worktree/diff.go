package worktree

import (
	"context"
	"strconv"
	"strings"

	"parley/internal/gitsafe"
)

// Diff is what a merge of a work tree would bring.
type Diff struct {
	Patch     string
	Truncated bool // Patch has the beginning only
	Files     int  // how many files change
	Added     int  // lines; those of binary files are not counted
	Removed   int
}

// maxPatch bounds a patch, in bytes.
const maxPatch = 8 << 20

// Diff compares a work tree with the commit that it and the main one have in common: its own commits,
// what is uncommitted, and new files that git does not ignore. The index of the work tree learns the
// names of the new files, as by git add -N.
func (s *Store) Diff(ctx context.Context, t Tree) (Diff, error) {
	if err := gitsafe.Trusted(ctx, s.git, t.Path); err != nil { // add and diff run filters
		return Diff{}, err
	}
	if err := s.verify(ctx, t); err != nil { // or git would use a repository around the store
		return Diff{}, err
	}
	base, err := s.run(ctx, t.Main, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return Diff{}, ErrNoCommit
	}
	if common, err := s.run(ctx, t.Path, "merge-base", base, "HEAD"); err == nil {
		base = common
	}
	if _, err := s.run(ctx, t.Path, "add", "--intent-to-add", "--", "."); err != nil {
		return Diff{}, err
	}
	diff := func(format ...string) (string, error) {
		words := append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=all", "--src-prefix=a/", "--dst-prefix=b/"}, format...)
		return gitsafe.Run(ctx, s.git, t.Path, append(words, base, "--")...)
	}
	var d Diff
	counts, err := diff("--numstat", "-z")
	if err != nil {
		return Diff{}, err
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(counts, "\x00"), "\x00") {
		if added, rest, ok := strings.Cut(entry, "\t"); ok {
			removed, _, _ := strings.Cut(rest, "\t")
			a, _ := strconv.Atoi(added) // "-" for a binary file
			r, _ := strconv.Atoi(removed)
			d.Files, d.Added, d.Removed = d.Files+1, d.Added+a, d.Removed+r
		}
	}
	if d.Patch, err = diff("--patch"); err != nil {
		return Diff{}, err
	}
	if len(d.Patch) > maxPatch {
		d.Patch, d.Truncated = d.Patch[:strings.LastIndexByte(d.Patch[:maxPatch], '\n')+1], true
	}
	return d, nil
}
