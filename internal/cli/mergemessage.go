package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/record"
	"parley/internal/redact"
	"parley/internal/safetext"
	"parley/internal/worktree"
)

// maxSubject is how long the first line of a commit message may be, in characters.
const maxSubject = 72

// mergeMessage returns the message for a commit of what an agent did in a worktree for that prompt; ""
// is the first prompt in the logs. Without any it is the name of the worktree.
func mergeMessage(tree worktree.Tree, prompt string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(cmp.Or(prompt, firstPromptIn(tree))), "\n")
	return cmp.Or(safetext.Line(redact.Text(first), maxSubject), tree.Name)
}

// firstPromptIn returns the beginning of the first prompt that was sent in a worktree since it was made,
// "" if no log has it. An earlier worktree may have had the same name.
func firstPromptIn(tree worktree.Tree) (first string) {
	made, err := os.Lstat(filepath.Join(tree.Path, ".git"))
	if err != nil {
		return ""
	}
	dir, err := record.Dir()
	if err != nil {
		return ""
	}
	logs, _ := record.List(dir)
	var oldest time.Time
	for _, e := range logs {
		if e.Started.Before(made.ModTime()) || !oldest.IsZero() && !e.Started.Before(oldest) {
			continue
		}
		for _, s := range e.Sessions {
			if s.First != "" && within(cmp.Or(s.Cwd, e.Cwd), tree.Path) {
				first, oldest = s.First, e.Started
			}
		}
	}
	return first
}

// editMessage lets the user edit a message in $EDITOR.
func editMessage(ctx context.Context, s Streams, message, dir string) (string, error) {
	e, err := NewEditing(ctx, message, dir)
	if err != nil {
		return "", err
	}
	e.Command.SetStdin(s.In)
	e.Command.SetStdout(s.Out)
	e.Command.SetStderr(s.Err)
	failed := e.Command.Run()
	text, err := e.Done()
	if err := cmp.Or(failed, err); err != nil {
		return "", err
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", errors.New("not merged: the message is empty")
	}
	return text, nil
}
