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
// what is uncommitted, and new files that git does not ignore. It changes nothing.
func (s *Store) Diff(ctx context.Context, t Tree) (Diff, error) {
	c, err := s.compare(ctx, t)
	if err != nil {
		return Diff{}, err
	}
	defer c.remove()
	files, err := c.files(ctx)
	if err != nil {
		return Diff{}, err
	}
	d := Diff{Files: len(files)}
	for _, f := range files {
		d.Added, d.Removed = d.Added+f.Added, d.Removed+f.Removed
	}
	if d.Patch, err = c.diff(ctx, "--patch"); err != nil {
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
	// Refused is why it cannot be merged now, nil if it can. What would be overwritten is found by Merge only.
	Refused error
}

// Preview looks at what merging a worktree would bring. It changes nothing.
func (s *Store) Preview(ctx context.Context, t Tree) (Preview, error) {
	c, err := s.compare(ctx, t)
	if err != nil {
		return Preview{}, err
	}
	defer c.remove()
	var p Preview
	if p.State, err = c.state(ctx); err != nil {
		return Preview{}, err
	}
	if p.Files, err = c.files(ctx); err != nil {
		return Preview{}, err
	}
	p.Into, p.Refused = c.mergeable(ctx, p.Uncommitted)
	diverged := !ancestor(ctx, c.main, "HEAD", t.Branch())
	p.Makes = len(p.Uncommitted) > 0 || diverged
	if p.Refused == nil && diverged {
		p.Refused = c.conflict(ctx, p.Uncommitted)
	}
	return p, context.Cause(ctx)
}

// conflict is conflicts for the branch and a commit of the files, which nothing refers to.
func (c comparison) conflict(ctx context.Context, files []string) error {
	commit, err := c.Branch(), error(nil)
	if len(files) > 0 {
		commit, err = commitOf(ctx, c.indexed.Only(commitPlaces(c.own)...), files, ref(c.Tree), "tried by parley")
	}
	if err != nil {
		return err
	}
	return c.conflicts(ctx, commit)
}

// comparison compares a worktree with a commit.
type comparison struct {
	opened
	base    string
	indexed *gitsafe.Repo // with an index that has the new files, too
	remove  func()        // it
}

// compare compares a worktree with the commit that it and the main one have in common.
func (s *Store) compare(ctx context.Context, t Tree) (c comparison, err error) {
	if c.opened, err = s.verify(ctx, t); err != nil {
		return c, err
	}
	if c.base, err = head(ctx, c.main); err != nil {
		return c, err
	}
	if common, err := line(ctx, c.own, "merge-base", c.base, "HEAD"); err == nil {
		c.base = common
	}
	added, err := c.own.Run(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return c, err
	}
	var entries strings.Builder
	for name := range strings.SplitSeq(added, "\x00") {
		if name != "" && !strings.HasSuffix(name, "/") { // a repository
			entries.WriteString("100644 " + c.own.EmptyBlob() + "\t" + name + "\x00")
		}
	}
	if c.indexed, c.remove, err = c.own.WithIndex(); err != nil || entries.Len() == 0 {
		return c, err
	}
	if _, err = c.indexed.RunInput(ctx, entries.String(), "update-index", "--add", "--replace", "-z", "--index-info"); err != nil {
		c.remove()
	}
	return c, err
}

// files returns what differs.
func (c comparison) files(ctx context.Context) ([]File, error) {
	counts, err := c.diff(ctx, "--numstat", "-z")
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

func (c comparison) diff(ctx context.Context, format ...string) (string, error) {
	words := append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=all", "--src-prefix=a/", "--dst-prefix=b/"}, format...)
	return c.indexed.Run(ctx, append(words, c.base, "--")...)
}
