package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/internal/gitsafe"
)

// State is what a worktree holds that the branch of the main one does not have.
type State struct {
	Uncommitted []string // changed and new files, relative to the root
	Commits     []string // one line each, the newest first; at most maxCommits
	Total       int      // how many commits there are
}

// Empty reports whether nothing would be lost with the worktree.
func (s State) Empty() bool { return len(s.Uncommitted) == 0 && s.Total == 0 }

// maxCommits bounds how many commits State names.
const maxCommits = 50

// State looks at a worktree.
func (s *Store) State(ctx context.Context, t Tree) (State, error) {
	if t.Broken != nil {
		return State{}, t.Broken
	}
	var st State
	var err error
	if st.Uncommitted, err = s.uncommitted(ctx, t.Path); err != nil {
		return State{}, err
	}
	head, err := s.run(ctx, t.Main, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return State{}, ErrNoCommit
	}
	// The branch is named, too: an agent may have checked out something else.
	only := []string{"--ignore-missing", "^" + head, "HEAD", "refs/heads/" + t.Branch(), "--"}
	log, err := s.run(ctx, t.Path, append([]string{"log", "--format=%h %s", "--max-count=" + strconv.Itoa(maxCommits)}, only...)...)
	if err != nil {
		return State{}, err
	}
	if log != "" {
		st.Commits = strings.Split(log, "\n")
	}
	count, err := s.run(ctx, t.Path, append([]string{"rev-list", "--count"}, only...)...)
	if err != nil {
		return State{}, err
	}
	st.Total, err = strconv.Atoi(count)
	return st, err
}

// uncommitted lists the files of a worktree that differ from its commit, and the new ones that git does
// not ignore, relative to its root.
func (s *Store) uncommitted(ctx context.Context, root string) ([]string, error) {
	if err := gitsafe.Trusted(ctx, s.git, root); err != nil { // status may run filters
		return nil, err
	}
	out, err := s.run(ctx, root, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
	if err != nil {
		return nil, err
	}
	var files []string
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) > 3 {
			files = append(files, entry[3:])
		}
	}
	return files, nil
}

// ConflictError says that a merge would conflict. Nothing was changed.
type ConflictError struct{ Files []string }

func (e *ConflictError) Error() string {
	const most = 5
	names := strings.Join(e.Files[:min(most, len(e.Files))], ", ")
	if more := len(e.Files) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return "the merge would conflict in " + names
}

// Merged says what a merge did.
type Merged struct {
	Into        string // the branch
	FastForward bool
	Nothing     bool // there was nothing to merge
	Commit      bool // it made a commit with the message
}

// Merge commits what is uncommitted in the worktree, with the message, and merges its branch into the
// branch of the main worktree: by a fast-forward if that is possible, otherwise by a merge commit. If
// the merge would conflict (*ConflictError) or overwrite uncommitted changes, nothing changes. The
// worktree stays in any case.
func (s *Store) Merge(ctx context.Context, t Tree, message string) (Merged, error) {
	if t.Broken != nil {
		return Merged{}, t.Broken
	}
	into, err := s.mergeable(ctx, t)
	if err != nil {
		return Merged{}, err
	}
	committed, takeBack, err := s.commit(ctx, t, message)
	if err != nil {
		return Merged{}, err
	}
	m, err := Merged{}, s.nested(ctx, t)
	if err == nil {
		m, err = s.mergeCommitted(ctx, t, message)
	}
	if err != nil {
		takeBack()
		return Merged{}, err
	}
	m.Into, m.Commit = into, m.Commit || committed
	return m, nil
}

// mergeable returns the branch that a worktree would be merged into, or why it cannot be merged now.
func (s *Store) mergeable(ctx context.Context, t Tree) (into string, err error) {
	if err := gitsafe.Trusted(ctx, s.git, t.Path); err != nil {
		return "", err
	}
	if inside, _ := s.run(ctx, t.Main, "rev-parse", "--is-inside-work-tree"); inside != "true" {
		return "", ErrBare
	}
	into, err = s.run(ctx, t.Main, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return "", ErrNotOnBranch
	}
	for _, dir := range []string{t.Main, t.Path} {
		if err := s.idle(ctx, dir); err != nil {
			return into, fmt.Errorf("%w (%s)", err, dir)
		}
	}
	return into, s.verify(ctx, t)
}

// mergeCommitted merges the branch of a worktree.
func (s *Store) mergeCommitted(ctx context.Context, t Tree, message string) (Merged, error) {
	if s.ancestor(ctx, t.Main, t.Branch(), "HEAD") {
		return Merged{Nothing: true}, nil
	}
	if s.ancestor(ctx, t.Main, "HEAD", t.Branch()) {
		_, err := s.run(ctx, t.Main, "merge", "--quiet", "--ff-only", t.Branch())
		return Merged{FastForward: true}, overwrites(err)
	}
	if err := s.conflicts(ctx, t); err != nil {
		return Merged{}, err
	}
	_, err := s.run(ctx, t.Main, "-c", "commit.gpgSign=false", "merge", "--quiet", "--no-ff", "--no-edit", "-m", message, t.Branch())
	if err != nil && s.idle(context.WithoutCancel(ctx), t.Main) != nil {
		_, aborted := s.run(context.WithoutCancel(ctx), t.Main, "merge", "--abort")
		err = errors.Join(err, aborted)
	}
	return Merged{Commit: true}, overwrites(err)
}

// commit commits what is uncommitted in a worktree, if anything is. takeBack removes that commit from the
// branch, unless another one has followed; the files stay.
func (s *Store) commit(ctx context.Context, t Tree, message string) (committed bool, takeBack func(), err error) {
	files, err := s.uncommitted(ctx, t.Path)
	if err != nil || len(files) == 0 {
		return false, func() {}, err
	}
	before, err := s.run(ctx, t.Path, "rev-parse", "HEAD")
	if err != nil {
		return false, nil, err
	}
	if _, err := s.run(ctx, t.Path, "add", "--all"); err != nil {
		return false, nil, err
	}
	if _, err := s.run(ctx, t.Path, "-c", "commit.gpgSign=false", "commit", "--quiet", "--no-verify", "-m", message); err != nil {
		return false, nil, err
	}
	made, err := s.run(ctx, t.Path, "rev-parse", "HEAD")
	return true, func() { // a commit that stays loses nothing
		s.run(context.WithoutCancel(ctx), t.Path, "update-ref", "refs/heads/"+t.Branch(), before, made)
	}, err
}

// nested returns an ErrNested if the branch adds a repository: git would merge a link to it, without its
// files, which are then lost with the worktree.
func (s *Store) nested(ctx context.Context, t Tree) error {
	added, err := s.run(ctx, t.Main, "diff", "--raw", "--no-renames", "--diff-filter=A", "HEAD..."+t.Branch(), "--")
	for line := range strings.SplitSeq(added, "\n") {
		if strings.HasPrefix(line, ":000000 160000 ") {
			_, name, _ := strings.Cut(line, "\t")
			return fmt.Errorf("%w: %s", ErrNested, name)
		}
	}
	return err
}

// conflicts returns a *ConflictError if merging the branch into the main worktree's would conflict. It
// changes nothing.
func (s *Store) conflicts(ctx context.Context, t Tree) error {
	out, err := s.run(ctx, t.Main, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", "HEAD", t.Branch())
	var failed *gitsafe.Error
	if errors.As(err, &failed) && failed.Code() == 1 {
		_, names, _ := strings.Cut(out, "\x00") // the first is the tree
		files := strings.FieldsFunc(names, func(r rune) bool { return r == 0 })
		slices.Sort(files)
		return &ConflictError{Files: slices.Compact(files)}
	}
	return err
}

// ancestor reports whether commit a is in the history of b.
func (s *Store) ancestor(ctx context.Context, dir, a, b string) bool {
	_, err := s.run(ctx, dir, "merge-base", "--is-ancestor", a, b)
	return err == nil
}

// idle returns ErrBusy while a merge, rebase, cherry-pick or revert is in progress.
func (s *Store) idle(ctx context.Context, dir string) error {
	for _, name := range []string{"MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		path, err := s.run(ctx, dir, "rev-parse", "--path-format=absolute", "--git-path", name)
		if err != nil {
			return err
		}
		if _, err := os.Lstat(filepath.FromSlash(path)); err == nil {
			return ErrBusy
		}
	}
	return nil
}

// OverwriteError says that a merge would overwrite uncommitted changes. Nothing was changed.
type OverwriteError struct{ Files []string }

func (e *OverwriteError) Error() string {
	return "uncommitted changes would be overwritten in " + strings.Join(e.Files, ", ") + ": commit or move them first"
}

// overwrites makes an *OverwriteError of git's refusal to overwrite files.
func overwrites(err error) error {
	var failed *gitsafe.Error
	if !errors.As(err, &failed) || !strings.Contains(failed.Stderr, "would be overwritten by merge") {
		return err
	}
	var files []string
	for line := range strings.SplitSeq(failed.Stderr, "\n") {
		if name, ok := strings.CutPrefix(line, "\t"); ok {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return err
	}
	return &OverwriteError{Files: files}
}

// Remove removes a worktree and its branch, with everything in it that is not merged: show its State
// and ask first. Of a broken one only the files are removed.
func (s *Store) Remove(ctx context.Context, t Tree) error {
	if rel, err := filepath.Rel(s.dir, t.Path); err != nil || !filepath.IsLocal(rel) || rel == "." {
		return fmt.Errorf("%s is not a worktree of parley's", t.Path)
	}
	defer s.tidy(filepath.Dir(t.Path))
	if t.Broken != nil {
		return os.RemoveAll(t.Path)
	}
	if _, err := s.run(ctx, t.Main, "worktree", "remove", "--force", t.Path); err != nil {
		return err
	}
	_, err := s.run(ctx, t.Main, "branch", "--quiet", "-D", t.Branch())
	return err
}
