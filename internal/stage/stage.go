// Package stage adds changes of files to the index of git: whole files, or single hunks of them. It
// runs nothing that the repository names, and changes nothing but the index and the objects.
//
// The index may hold other changes of a file. Those stay: the change is merged into what the index
// holds, and is refused where both touch the same lines.
package stage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/gitsafe"
)

// The reasons for which nothing is staged. The errors of Stage wrap them.
var (
	ErrNoRepository = errors.New("not a git repository")
	ErrInProgress   = errors.New("git is in the middle of a merge or rebase: finish that first")
	ErrConflict     = errors.New("the index holds other changes of these lines: use git add")
	ErrUntracked    = errors.New("git does not track it yet: use git add")
	ErrStaged       = errors.New("it is staged already")
	ErrElsewhere    = errors.New("it is in a submodule, or its .git leads to another repository: use git add")
	ErrConverted    = errors.New("git would convert it: use git add")
	ErrNoText       = errors.New("it is no text file: use git add")
)

// File is the change of one file.
type File struct {
	Path          string // absolute, with the links of its directories followed
	Before, After string
	// BeforeMode and AfterMode are as git writes them, "" if unknown.
	BeforeMode, AfterMode string
	Created, Deleted      bool
}

// maxContent bounds what the index may hold of a file, in bytes.
const maxContent = 4 << 20

const gitTime = 30 * time.Second

// Stage adds the changes to the index of the repository that the first is in: all of them, or none
// with an error of one line. git is an absolute path. It waits for the disk and for git.
func Stage(ctx context.Context, git string, files ...File) error {
	ctx, stop := context.WithTimeout(ctx, gitTime)
	defer stop()
	r, err := open(ctx, git, files[0].Path)
	if err != nil {
		return err
	}
	var patch strings.Builder
	for _, f := range files {
		if err := r.add(ctx, &patch, f); err != nil {
			return err
		}
	}
	if patch.Len() == 0 {
		return ErrStaged
	}
	_, err = r.RunInput(ctx, patch.String(), "apply", "--cached", "--whitespace=nowarn", "--no-ignore-whitespace", "-")
	return err
}

// repository is the one that a worktree belongs to. Its commands run in the root.
type repository struct{ *gitsafe.Repo }

// open finds the repository of a file and makes sure that its index can be changed.
func open(ctx context.Context, git, path string) (*repository, error) {
	dir := filepath.Dir(path)
	for { // a deleted file may have taken its directory along
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil, ErrNoRepository
		}
		dir = up
	}
	found, err := gitsafe.Find(ctx, git, dir)
	var failed *gitsafe.Error
	switch {
	case errors.Is(err, gitsafe.ErrNoFiles), errors.As(err, &failed) && strings.Contains(failed.Stderr, "not a git repository"):
		return nil, ErrNoRepository
	case err != nil:
		return nil, err
	case !found.Owned():
		return nil, ErrElsewhere
	}
	r := &repository{found.AtTop()}
	return r, r.quiet(ctx)
}

// quiet returns ErrInProgress if the repository is in the middle of something.
func (r *repository) quiet(ctx context.Context) error {
	if r.Busy() {
		return ErrInProgress
	}
	unmerged, err := r.Run(ctx, "ls-files", "--unmerged", "-z")
	if err == nil && unmerged != "" {
		return ErrInProgress
	}
	return err
}

// add adds to a patch what the change of a file makes of the index.
func (r *repository) add(ctx context.Context, patch *strings.Builder, f File) error {
	rel, err := filepath.Rel(r.Top, f.Path)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s: %w", filepath.Base(f.Path), ErrNoRepository)
	}
	name := filepath.ToSlash(rel)
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			return fmt.Errorf("%s: %w", name, ErrNoRepository)
		}
	}
	if strings.Contains(f.Before+f.After, "\x00") || (f.BeforeMode == linkMode) != (f.AfterMode == linkMode) && !f.Created && !f.Deleted {
		return ErrNoText
	}
	is, err := r.indexed(ctx, name)
	if err != nil {
		return err
	}
	to, err := is.with(f)
	if err != nil || to == is {
		return err
	}
	if is.mode == "" && to.mode != linkMode { // else the ends of lines are as they are in the index
		if err := r.converted(ctx, name, to.content); err != nil {
			return err
		}
	}
	write(patch, name, is, to)
	return nil
}

// converted returns ErrConverted if git would add other content than this under a new name, as its
// attributes and core.autocrlf say.
func (r *repository) converted(ctx context.Context, name, content string) error {
	attr, err := r.Run(ctx, "check-attr", "-z", "filter", "--", name)
	if err != nil {
		return err
	}
	if fields := strings.Split(attr, "\x00"); len(fields) < 3 || fields[2] != "unspecified" && fields[2] != "unset" {
		return ErrConverted // and git runs no filter below
	}
	added, err := r.RunInput(ctx, content, "hash-object", "--stdin", "--path="+name)
	if err != nil {
		return err
	}
	plain, err := r.RunInput(ctx, content, "hash-object", "--stdin", "--no-filters")
	if err == nil && added != plain {
		err = ErrConverted
	}
	return err
}

const (
	fileMode = "100644"
	linkMode = "120000"
)

// indexed returns what the index holds of a file.
func (r *repository) indexed(ctx context.Context, name string) (entry, error) {
	out, err := r.Run(ctx, "ls-files", "--stage", "-z", "--", name)
	if err != nil || out == "" {
		return entry{}, err
	}
	head, listed, _ := strings.Cut(strings.TrimSuffix(out, "\x00"), "\t")
	fields := strings.Fields(head) // mode, object, stage
	if len(fields) != 3 || listed != name || !strings.HasPrefix(fields[0], "100") && fields[0] != linkMode {
		return entry{}, ErrNoText
	}
	content, err := r.Run(ctx, "cat-file", "blob", fields[1])
	if err != nil {
		return entry{}, err
	}
	if len(content) > maxContent || strings.Contains(content, "\x00") {
		return entry{}, ErrNoText
	}
	return entry{mode: fields[0], content: content}, nil
}
