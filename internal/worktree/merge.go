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
	o, err := s.open(ctx, t)
	if err != nil {
		return State{}, err
	}
	return o.state(ctx)
}

func (o opened) state(ctx context.Context) (st State, err error) {
	if st.Uncommitted, err = uncommitted(ctx, o.own); err != nil {
		return State{}, err
	}
	into, err := head(ctx, o.main)
	if err != nil {
		return State{}, err
	}
	// The branch is named, too: an agent may have checked out something else.
	only := []string{"--ignore-missing", "^" + into, "HEAD", ref(o.Tree), "--"}
	log, err := line(ctx, o.own, append([]string{"log", "--format=%h %s", "--max-count=" + strconv.Itoa(maxCommits)}, only...)...)
	if err != nil {
		return State{}, err
	}
	if log != "" {
		st.Commits = strings.Split(log, "\n")
	}
	count, err := line(ctx, o.own, append([]string{"rev-list", "--count"}, only...)...)
	if err != nil {
		return State{}, err
	}
	st.Total, err = strconv.Atoi(count)
	return st, err
}

// uncommitted lists the files of a worktree that differ from its commit, and the new ones that git does
// not ignore, relative to its root. A repository inside it ends in a slash.
func uncommitted(ctx context.Context, r *gitsafe.Repo) ([]string, error) {
	out, err := r.Run(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
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
	o, err := s.verify(ctx, t)
	if err != nil {
		return Merged{}, err
	}
	files, err := uncommitted(ctx, o.own)
	if err != nil {
		return Merged{}, err
	}
	into, err := o.mergeable(ctx, files)
	if err != nil {
		return Merged{}, err
	}
	committed, takeBack, err := o.commit(ctx, files, message)
	if err != nil {
		return Merged{}, err
	}
	m, err := Merged{}, o.nested(ctx)
	if err == nil {
		m, err = o.mergeCommitted(ctx, message)
	}
	if err != nil {
		takeBack()
		return Merged{}, err
	}
	m.Into, m.Commit = into, m.Commit || committed
	return m, nil
}

// mergeable returns the branch that a worktree with these uncommitted files would be merged into, or why
// it cannot be merged now.
func (o opened) mergeable(ctx context.Context, files []string) (into string, err error) {
	into, err = line(ctx, o.main, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return "", ErrNotOnBranch
	}
	for _, r := range []*gitsafe.Repo{o.main, o.own} {
		if r.Busy() {
			return into, fmt.Errorf("%w (%s)", ErrBusy, r.Top)
		}
	}
	for _, name := range files {
		if nested, ok := strings.CutSuffix(name, "/"); ok {
			return into, fmt.Errorf("%w: %s", ErrNested, nested)
		}
	}
	return into, o.filtered(ctx, files)
}

// filtered returns an ErrFiltered if a merge would bring a file that a configured filter converts.
func (o opened) filtered(ctx context.Context, files []string) error {
	filters := slices.Concat(o.main.Filters, o.own.Filters)
	if len(filters) == 0 {
		return nil
	}
	committed, err := o.main.Run(ctx, "diff", "--name-only", "-z", "--no-renames", "HEAD..."+o.Branch(), "--")
	if err != nil {
		return err
	}
	names := committed + strings.Join(append(files, ""), "\x00")
	attributes, err := o.own.RunInput(ctx, names, "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return err
	}
	for of := range slices.Chunk(strings.Split(attributes, "\x00"), 3) { // name, "filter", value
		if len(of) == 3 && slices.Contains(filters, of[2]) {
			return fmt.Errorf("%s: %w; commit it there and type: git merge %s", of[0], ErrFiltered, o.Branch())
		}
	}
	return nil
}

// mergeCommitted merges the branch of a worktree.
func (o opened) mergeCommitted(ctx context.Context, message string) (Merged, error) {
	if ancestor(ctx, o.main, o.Branch(), "HEAD") {
		return Merged{Nothing: true}, nil
	}
	if ancestor(ctx, o.main, "HEAD", o.Branch()) {
		_, err := o.main.Run(ctx, "merge", "--quiet", "--ff-only", o.Branch())
		return Merged{FastForward: true}, overwrites(err)
	}
	if err := o.conflicts(ctx, o.Branch()); err != nil {
		return Merged{}, err
	}
	_, err := o.main.Run(ctx, "merge", "--quiet", "--no-ff", "--no-edit", "-m", message, o.Branch())
	if err != nil && o.main.Busy() {
		_, aborted := o.main.Run(context.WithoutCancel(ctx), "merge", "--abort")
		err = errors.Join(err, aborted)
	}
	return Merged{Commit: true}, overwrites(err)
}

// commit commits what is uncommitted in a worktree, if anything is. takeBack removes that commit from the
// branch, unless another one has followed; the files stay.
func (o opened) commit(ctx context.Context, files []string, message string) (committed bool, takeBack func(), err error) {
	if len(files) == 0 {
		return false, func() {}, nil
	}
	own := o.own.Only(commitPlaces(o.own)...) // an agent can write there
	before, err := line(ctx, own, "rev-parse", "--verify", ref(o.Tree))
	if err != nil {
		return false, nil, err
	}
	made, err := commitOf(ctx, own, files, before, message)
	if err != nil {
		return false, nil, err
	}
	if err := setBranch(ctx, own, o.Tree, made, before, "commit by parley"); err != nil {
		return false, nil, err
	}
	return true, func() { // a commit that stays loses nothing
		setBranch(context.WithoutCancel(ctx), own, o.Tree, before, made, "taken back by parley")
	}, nil
}

// commitOf makes a commit of the files, on no branch.
func commitOf(ctx context.Context, own *gitsafe.Repo, files []string, parent, message string) (string, error) {
	// Unlike git add, it starts nothing in a submodule.
	if _, err := own.RunInput(ctx, strings.Join(append(files, ""), "\x00"), "update-index", "--add", "--remove", "--replace", "-z", "--stdin"); err != nil {
		return "", err
	}
	tree, err := line(ctx, own, "write-tree")
	if err != nil {
		return "", err
	}
	return line(ctx, own, "commit-tree", tree, "-p", parent, "-m", message)
}

// nested returns an ErrNested if the branch adds a repository: git would merge a link to it, without its
// files, which are then lost with the worktree.
func (o opened) nested(ctx context.Context) error {
	added, err := o.main.Run(ctx, "diff", "--raw", "--ignore-submodules=none", "--no-renames", "--diff-filter=A", "HEAD..."+o.Branch(), "--")
	for line := range strings.SplitSeq(added, "\n") {
		if strings.HasPrefix(line, ":000000 160000 ") {
			_, name, _ := strings.Cut(line, "\t")
			return fmt.Errorf("%w: %s", ErrNested, name)
		}
	}
	return err
}

// conflicts returns a *ConflictError if merging the commit into the main worktree's branch would conflict.
// It changes nothing.
func (o opened) conflicts(ctx context.Context, commit string) error {
	out, err := o.main.Run(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", "HEAD", commit)
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
func ancestor(ctx context.Context, r *gitsafe.Repo, a, b string) bool {
	_, err := r.Run(ctx, "merge-base", "--is-ancestor", a, b)
	return err == nil
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
	main, err := s.find(ctx, t.Main)
	if err != nil {
		return err
	}
	if _, err := main.Writing(filepath.Dir(t.Path)).Run(ctx, "worktree", "remove", "--force", t.Path); err != nil {
		return err
	}
	os.Remove(filepath.Join(main.Common, "worktrees")) // if it is empty
	return removeBranch(ctx, main, t)
}
