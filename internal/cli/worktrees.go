package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/internal/programs"
	"parley/internal/record"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/internal/worktree"
)

// AutoWorktree is the value of --worktree if the flag has none.
const AutoWorktree = "auto"

// WorktreeFlag defines --worktree.
func WorktreeFlag(flags *pflag.FlagSet, name *string) {
	flags.StringVar(name, "worktree", "", "work in a separate git worktree and branch of this name; without a name, in a new one")
	flags.Lookup("worktree").NoOptDefVal = AutoWorktree
}

// worktrees opens the store in the state directory.
func worktrees() (*worktree.Store, error) {
	if _, err := record.StateDir(); err != nil {
		return nil, err
	}
	return worktree.Open(WorktreesDir())
}

// WorktreesDir returns the directory of the worktrees, "" without a state directory.
func WorktreesDir() string {
	state, err := record.StateDir()
	if err != nil {
		return ""
	}
	return filepath.Join(state, "worktrees")
}

// confinedWorktrees is worktrees for a command without --sandbox: git is confined if the configuration says
// so.
func confinedWorktrees() (*worktree.Store, error) {
	setup, err := Load(RemoteFlags{})
	if err == nil {
		err = setup.CheckSandbox()
	}
	if err != nil {
		return nil, err
	}
	return worktrees()
}

// Worktree is the worktree in which a session works.
type Worktree struct {
	worktree.Created
	Notice string // a message for the user, "" if none

	store *worktree.Store
}

// EnterWorktree returns the worktree of that name for the repository of dir, which is created if it
// does not exist.
func EnterWorktree(ctx context.Context, dir, name string) (*Worktree, error) {
	store, err := worktrees()
	if err != nil {
		return nil, err
	}
	if name == AutoWorktree {
		name = time.Now().Format("0102-150405")
	}
	tree, uncommitted, err := store.Create(ctx, dir, name)
	if err != nil {
		return nil, err
	}
	programs.Guard(tree.Inside)
	return &Worktree{tree, notInTree(uncommitted), store}, nil
}

// MakeWorktrees makes a new worktree for each of the names, to which it adds numbers, for the repository
// of dir. After an error there are none.
func MakeWorktrees(ctx context.Context, dir string, names []string) (made []*Worktree, err error) {
	store, err := worktrees()
	if err != nil {
		return nil, err
	}
	safe := make([]string, 0, len(names))
	for _, name := range names {
		safe = append(safe, worktree.NameOf(name))
	}
	trees, uncommitted, err := store.CreateNew(ctx, dir, safe...)
	for _, tree := range trees {
		programs.Guard(tree.Inside)
		made = append(made, &Worktree{tree, notInTree(uncommitted), store})
	}
	return made, err
}

// notInTree says that uncommitted files are not in a new worktree; "" if there are none.
func notInTree(uncommitted int) string {
	if uncommitted == 0 {
		return ""
	}
	return fmt.Sprintf("This worktree has the last commit: %s not in it", words.Plural(uncommitted, "uncommitted file is", "uncommitted files are"))
}

// FindWorktree returns the worktree that a directory is in. It is merged into the user's worktree that
// from is in or, if from is in none, into the one that parley was started in.
func FindWorktree(ctx context.Context, from, dir string) (*Worktree, error) {
	store, err := worktrees()
	if err != nil {
		return nil, err
	}
	here, _ := os.Getwd()
	tree, err := store.At(ctx, dir, from, here)
	return &Worktree{worktree.Created{Tree: tree, Existed: true}, "", store}, err
}

// Preview looks at what merging the worktree would bring.
func (w *Worktree) Preview(ctx context.Context) (worktree.Preview, error) {
	return w.store.Preview(ctx, w.Tree)
}

// Message returns the message for a merge of what an agent did in the worktree for that prompt; "" is the
// first prompt in the logs.
func (w *Worktree) Message(prompt string) string { return mergeMessage(w.Tree, prompt) }

// Merge merges the worktree, which stays.
func (w *Worktree) Merge(ctx context.Context, message string) (worktree.Merged, error) {
	return w.store.Merge(ctx, w.Tree, message)
}

// Remove removes the worktree, whatever it holds.
func (w *Worktree) Remove(ctx context.Context) error { return w.store.Remove(ctx, w.Tree) }

// RemoveEmpty removes the worktree if EnterWorktree has made it and it holds nothing. If git does not
// say so, it stays.
func (w *Worktree) RemoveEmpty(ctx context.Context) {
	if state, err := w.store.State(ctx, w.Tree); err == nil && state.Empty() && !w.Existed {
		w.store.Remove(ctx, w.Tree)
	}
}

// Ending is what happens to a worktree at the end of a chat.
type Ending struct {
	Merge, Remove bool   // neither: it is kept
	Message       string // of the commit that a merge makes
}

// Leave asks what happens to the work that the session left in its worktree: with ask or, if that is nil, in lines
// at a terminal. Keeping it is the default, and what happens without a terminal. A worktree that
// EnterWorktree has made and that holds nothing is removed. If ctx ends, it is kept.
func (w *Worktree) Leave(ctx context.Context, s Streams, ask func(context.Context) (Ending, error)) error {
	look := context.WithoutCancel(ctx) // it says what is kept
	state, err := w.store.State(look, w.Tree)
	if err != nil {
		return err
	}
	switch {
	case state.Empty() && !w.Existed:
		return w.store.Remove(look, w.Tree)
	case state.Empty():
		return nil
	}
	atTerminal := isTerminal(s.In) && isTerminal(s.Out)
	if ask != nil && atTerminal {
		return w.end(ctx, s, state, ask)
	}
	fmt.Fprintf(s.Out, "Worktree %s: %s\n", w.Name, summary(state))
	if atTerminal {
		answers := bufio.NewScanner(s.In)
		fmt.Fprint(s.Out, "[k]eep, [m]erge, or [d]iscard? ")
		switch strings.ToLower(nextAnswer(ctx, answers)) {
		case "m", "merge":
			message := mergeMessage(w.Tree, "")
			ask := func() (string, error) { return askMessage(ctx, s, message, answers) }
			if err := changeMessage(ctx, w.store, w.Tree, &message, ask); err != nil {
				return err
			}
			return mergeWorktree(ctx, s, w.store, w.Tree, message, askRemoval(ctx, s, w.Tree, answers))
		case "d", "discard":
			return removeWorktree(ctx, s, w.store, w.Tree, answers)
		}
	}
	w.printKept(s)
	return nil
}

// end does with a worktree in that state what ask returns.
func (w *Worktree) end(ctx context.Context, s Streams, state worktree.State, ask func(context.Context) (Ending, error)) error {
	ending, err := ask(ctx)
	switch {
	case ctx.Err() != nil: // an interrupt chooses nothing
		w.printKept(s)
		return nil
	case err != nil:
		w.printKept(s)
		return err
	case ending.Merge:
		err := mergeWorktree(ctx, s, w.store, w.Tree, ending.Message, func() bool { return ending.Remove })
		if err != nil {
			w.printKept(s)
		}
		return err
	case !ending.Remove:
		w.printKept(s)
		return nil
	}
	now, err := w.store.State(ctx, w.Tree)
	if err == nil && !reflect.DeepEqual(now, state) {
		err = errors.New("it has changed since it was listed")
	}
	if err == nil {
		err = w.store.Remove(ctx, w.Tree)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", w.Name, err)
	}
	_, err = fmt.Fprintf(s.Out, "Removed %s\n", w.Name)
	return err
}

func (w *Worktree) printKept(s Streams) {
	fmt.Fprintf(s.Out, "Kept. `parley worktrees merge %s` merges it, `parley worktrees remove %s` removes it\n", w.Name, w.Name)
}

// changeMessage lets the user change the message of the commit that a merge makes, unless change is nil. The
// user is not asked if the merge makes no commit, or is refused: Merge says why.
func changeMessage(ctx context.Context, store *worktree.Store, tree worktree.Tree, message *string, change func() (string, error)) error {
	if change == nil {
		return nil
	}
	preview, err := store.Preview(ctx, tree)
	if err == nil && preview.Makes && preview.Refused == nil {
		*message, err = change()
	}
	return err
}

// askMessage asks for the message of a commit in a line.
func askMessage(ctx context.Context, s Streams, message string, answers *bufio.Scanner) (string, error) {
	fmt.Fprintf(s.Out, "Commit message (enter for %q): ", message)
	return cmp.Or(nextAnswer(ctx, answers), message), context.Cause(ctx)
}

// askRemoval returns what asks whether a worktree that was merged is removed. It is, unless the user
// says no.
func askRemoval(ctx context.Context, s Streams, tree worktree.Tree, answers *bufio.Scanner) func() bool {
	return func() bool {
		fmt.Fprintf(s.Out, "Remove the worktree %s? [Y/n] ", tree.Name)
		answer := strings.ToLower(nextAnswer(ctx, answers))
		return ctx.Err() == nil && answer != "n" && answer != "no"
	}
}

// nextAnswer returns the user's next line; "" at the end of the input or of ctx.
func nextAnswer(ctx context.Context, answers *bufio.Scanner) string {
	line := make(chan string, 1)
	go func() {
		answers.Scan()
		line <- strings.TrimSpace(answers.Text())
	}()
	select {
	case <-ctx.Done():
		return ""
	case answer := <-line:
		return answer
	}
}

// summary describes in a few words what a worktree holds.
func summary(state worktree.State) string {
	return words.Count(len(state.Uncommitted), "uncommitted file") + ", " + words.Count(state.Total, "commit") + " to merge"
}

// NewWorktrees is `parley worktrees`.
func NewWorktrees(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "worktrees",
		Short: "List, show, merge and remove the git worktrees of sessions",
		Long: "List the git worktrees that `parley --worktree` and `parley compare` made, with what was not merged yet. " +
			"NAME is a worktree of this repository; for diff and remove also of another one, if no other has that name.",
		Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := confinedWorktrees()
			if err != nil {
				return err
			}
			return listWorktrees(cmd.Context(), s, store)
		},
	}
	diffCmd := &cobra.Command{
		Use: "diff NAME", Short: "Show what merging a worktree would change", Args: cobra.ExactArgs(1),
		RunE: withWorktrees(func(cmd *cobra.Command, store *worktree.Store, tree worktree.Tree, _ bool) error {
			return diffWorktree(cmd.Context(), s, store, tree)
		}),
	}
	var message string
	var edit, keep bool
	answers := bufio.NewScanner(s.In)
	mergeCmd := &cobra.Command{
		Use: "merge NAME", Short: "Commit what is uncommitted there, merge it into the branch you are on, and remove the worktree, unless you keep it", Args: cobra.ExactArgs(1),
		RunE: withWorktrees(func(cmd *cobra.Command, store *worktree.Store, tree worktree.Tree, here bool) error {
			switch {
			case tree.Broken != nil:
				return fmt.Errorf("merge %s: %w", tree.Name, tree.Broken)
			case !here:
				return fmt.Errorf("%s belongs to %s: run this there, on the branch to merge into", tree.Name, tree.Main)
			}
			atTerminal := isTerminal(s.In) && isTerminal(s.Out)
			text := cmp.Or(message, mergeMessage(tree, ""))
			var change func() (string, error)
			switch {
			case edit:
				change = func() (string, error) { return editMessage(cmd.Context(), s, text, tree.Main) }
			case message == "" && atTerminal:
				change = func() (string, error) { return askMessage(cmd.Context(), s, text, answers) }
			}
			if err := changeMessage(cmd.Context(), store, tree, &text, change); err != nil {
				return err
			}
			remove := func() bool { return !keep }
			if atTerminal && !keep {
				remove = askRemoval(cmd.Context(), s, tree, answers)
			}
			return mergeWorktree(cmd.Context(), s, store, tree, text, remove)
		}),
	}
	mergeCmd.Flags().StringVarP(&message, "message", "m", "", "message of the commit, if the merge makes one (default: the first prompt)")
	mergeCmd.Flags().BoolVarP(&edit, "edit", "e", false, "edit the message in $EDITOR")
	mergeCmd.Flags().BoolVar(&keep, "keep", false, "keep the worktree after the merge")
	removeCmd := &cobra.Command{
		Use: "remove NAME…", Short: "Remove worktrees and their branches, after listing what would be lost", Args: cobra.MinimumNArgs(1),
		RunE: withWorktrees(func(cmd *cobra.Command, store *worktree.Store, tree worktree.Tree, _ bool) error {
			return removeWorktree(cmd.Context(), s, store, tree, answers)
		}),
	}
	cmd.AddCommand(diffCmd, mergeCmd, removeCmd)
	return cmd
}

// withWorktrees finds the worktrees named by the arguments and runs a function for each. here says that
// parley was started in the worktree that it would be merged into.
func withWorktrees(run func(cmd *cobra.Command, store *worktree.Store, tree worktree.Tree, here bool) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		store, err := confinedWorktrees()
		if err != nil {
			return err
		}
		cwd, err := directory("", "")
		if err != nil {
			return err
		}
		for _, name := range args {
			tree, here, err := store.Find(cmd.Context(), cwd, name)
			if err != nil {
				return fmt.Errorf("%w; `parley worktrees` lists them", err)
			}
			if err := run(cmd, store, tree, here); err != nil {
				return err
			}
		}
		return nil
	}
}

func listWorktrees(ctx context.Context, s Streams, store *worktree.Store) error {
	all, err := store.List(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(s.Out, "No worktrees. `parley --worktree=NAME` makes one")
		return err
	}
	rows := [][]string{{"NAME", "REPOSITORY", "UNCOMMITTED", "COMMITS", "DIRECTORY"}}
	for _, tree := range all {
		uncommitted, commits := "?", "?"
		if tree.Broken != nil {
			tree.Main = "(gone)"
		} else if state, err := store.State(ctx, tree); err == nil {
			uncommitted, commits = fmt.Sprint(len(state.Uncommitted)), fmt.Sprint(state.Total)
		}
		rows = append(rows, []string{tree.Name, safetext.Line(tree.Main, 200), uncommitted, commits, safetext.Line(tree.Path, 200)})
	}
	return printTable(s.Out, rows)
}

// diffWorktree prints what merging would change: a patch as it is for other programs, and safe to
// show at a terminal.
func diffWorktree(ctx context.Context, s Streams, store *worktree.Store, tree worktree.Tree) error {
	diff, err := store.Diff(ctx, tree)
	if err != nil {
		return fmt.Errorf("compare %s: %w", tree.Name, err)
	}
	text := diff.Patch
	if isTerminal(s.Out) {
		text = safetext.Source(text)
	}
	if _, err := io.WriteString(s.Out, text); err != nil {
		return err
	}
	if diff.Truncated {
		s.PrintError("the diff is longer; the rest is not shown: the files are in " + tree.Path)
	}
	return nil
}

// mergeWorktree merges a worktree and removes it if remove says so. Nothing is lost then.
func mergeWorktree(ctx context.Context, s Streams, store *worktree.Store, tree worktree.Tree, message string, remove func() bool) error {
	merged, err := store.Merge(ctx, tree, message)
	if err != nil {
		return fmt.Errorf("merge %s: %w", tree.Name, err)
	}
	line := fmt.Sprintf("Merged %s into %s", tree.Name, merged.Into)
	switch {
	case merged.Nothing:
		line = fmt.Sprintf("%s has nothing that %s does not have", tree.Name, merged.Into)
	case merged.FastForward:
		line += " (fast-forward)"
	}
	if merged.Commit {
		subject, _, _ := strings.Cut(message, "\n")
		line += ": " + safetext.Line(subject, 200)
	}
	fmt.Fprintln(s.Out, line)
	state, err := store.State(ctx, tree)
	if err != nil || !state.Empty() || !remove() { // something still changes it, or the user keeps it
		return err
	}
	return store.Remove(ctx, tree)
}

// removeWorktree removes a worktree. If that would lose work, the user must confirm.
func removeWorktree(ctx context.Context, s Streams, store *worktree.Store, tree worktree.Tree, answers *bufio.Scanner) error {
	var state worktree.State
	var err error
	if tree.Broken == nil {
		state, err = store.State(ctx, tree)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", tree.Name, err)
	}
	if tree.Broken != nil {
		fmt.Fprintf(s.Out, "%s: %s\nIf you moved it, type this there instead: git worktree repair %s\nAll files in %s would be lost\n",
			tree.Name, safetext.Line(tree.Broken.Error(), 300), tree.Path, tree.Path)
	} else if !state.Empty() {
		listLost(s.Out, tree, state)
	}
	if tree.Broken != nil || !state.Empty() {
		fmt.Fprintf(s.Out, "Type %s to remove it: ", tree.Name)
		if nextAnswer(ctx, answers) != tree.Name {
			fmt.Fprintln(s.Out, "Kept")
			return nil
		}
	}
	if err := store.Remove(ctx, tree); err != nil {
		return fmt.Errorf("remove %s: %w", tree.Name, err)
	}
	_, err = fmt.Fprintf(s.Out, "Removed %s\n", tree.Name)
	return err
}

// listLost lists what exists only in this worktree.
func listLost(out io.Writer, tree worktree.Tree, state worktree.State) {
	const most = 20
	fmt.Fprintf(out, "Only in %s:\n", tree.Path)
	list := func(what string, lines []string, total int) {
		for _, line := range lines[:min(most, len(lines))] {
			fmt.Fprintf(out, "  %s %s\n", what, safetext.Line(line, 200))
		}
		if more := total - most; more > 0 {
			fmt.Fprintf(out, "  … %d more\n", more)
		}
	}
	list("commit", state.Commits, state.Total)
	list("file  ", state.Uncommitted, len(state.Uncommitted))
}
