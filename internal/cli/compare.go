package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/agents"
	"parley/internal/headless"
	"parley/internal/programs"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/internal/worktree"
	"parley/terminal"
)

type compareFlags struct {
	headlessFlags
	agents       []string
	check        string
	checkTimeout time.Duration
}

// NewCompare is `parley compare`.
func NewCompare(s Streams) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare --agent A --agent B [flags] PROMPT…",
		Short: "Send one prompt to several agents and compare what they do",
		Long: `Send the same prompt to two or more agents at once, each in a new git worktree, and compare what they answer and change. Your own files stay as they are. An agent is its name or URL, and may have options of its session after it, as KEY=VALUE.

The worktrees are kept: ` + "`parley worktrees`" + ` shows, merges and removes them. Whatever would need your answer is rejected unless a flag allows it. Without a prompt, or with "-", the prompt is read from standard input.

Exit codes: 0 if every agent and every check was successful, else that of the first agent that was not, as for ` + "`parley run`" + `; 1 if only a check failed.`,
		Example: `  parley compare --agent claude --agent codex --approve-all "fix the failing test"
  parley compare --agent 'claude model=opus' --agent 'claude model=sonnet' --check "go test ./..." "rename Foo to Bar"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args, s) },
	}
	f.add(cmd, "text", "json")
	flags := cmd.Flags()
	flags.StringArrayVar(&f.agents, "agent", nil, "agent's name or URL, then options of its session: 'claude model=opus' (repeat it)")
	flags.StringVar(&f.check, "check", "", "run this command line in each worktree afterwards, one after the other")
	flags.DurationVar(&f.checkTimeout, "check-timeout", 10*time.Minute, "end a check after this long")
	return cmd
}

// contender is an agent with the options of its session.
type contender struct {
	agent    agents.Agent
	settings []headless.Setting
}

// title is what the user typed, without the password that a URL may hold.
func (c contender) title() string {
	title := c.agent.Name
	for _, s := range c.settings {
		title += " " + s.Key + "=" + s.Value
	}
	return safetext.Line(title, 60)
}

// name returns what to name its worktree after.
func (c contender) name() string {
	name := c.agent.Name
	for _, s := range c.settings {
		name += " " + s.Value
	}
	return worktree.NameOf(name)
}

// contender reads a value of --agent. A URL has no spaces, so it cannot be mistaken for options.
func (f *compareFlags) contender(setup *Setup, place Directories, typed string) (c contender, err error) {
	words, err := splitWords(typed, true)
	if err != nil {
		return c, Usagef("--agent: want a name or URL, then KEY=VALUE")
	}
	if c.agent, err = setup.Find(words[0]); err != nil {
		return c, err
	}
	for _, word := range words[1:] {
		setting, err := settingOf(word, "--agent "+c.agent.Name+": "+word)
		if err != nil {
			return c, err
		}
		c.settings = append(c.settings, setting)
	}
	_, err = setup.shared(c.agent, place) // reports wrong flags before anything is made
	return c, err
}

func (f *compareFlags) run(cmd *cobra.Command, args []string, s Streams) error {
	ctx := cmd.Context()
	s.Err = &sharedWriter{to: s.Err}
	if err := f.headlessFlags.check(); err != nil {
		return err
	}
	switch {
	case len(f.agents) < 2:
		return Usagef("nothing to compare: give --agent twice or more")
	case f.checkTimeout <= 0:
		return Usagef("--check-timeout %s: want a positive duration", f.checkTimeout)
	}
	place, err := NewDirectories(f.cwd, nil)
	if err != nil {
		return err
	}
	setup, err := f.load(place, s)
	if err != nil {
		return err
	}
	var field []contender
	var names []string
	for _, typed := range f.agents {
		c, err := f.contender(setup, place, typed)
		if err != nil {
			return err
		}
		field, names = append(field, c), append(names, c.name())
	}
	prompt, err := promptOf(args, s.In)
	if err != nil {
		return err
	}
	store, err := worktrees()
	if err != nil {
		return err
	}
	trees, uncommitted, err := store.CreateNew(ctx, place.Cwd, names...)
	switch {
	case err != nil && ctx.Err() != nil:
		s.PrintError("interrupted")
		return ExitCode(headless.ExitInterrupted)
	case errors.Is(err, worktree.ErrNoRepository), errors.Is(err, worktree.ErrNoFiles), errors.Is(err, worktree.ErrNoCommit):
		return Usagef("compare needs a git repository with a commit, for worktrees: %v", err)
	case err != nil:
		return err
	}
	if uncommitted > 0 {
		s.PrintError(words.Plural(uncommitted, "uncommitted file is", "uncommitted files are") + " not in the worktrees, which have the last commit")
	}
	var made []string
	for _, tree := range trees {
		programs.Guard(tree.Inside)
		made = append(made, tree.Name)
	}
	s.PrintError("running: " + strings.Join(made, ", "))
	c := comparison{Uncommitted: uncommitted, Results: make([]compared, len(field))}
	defer endSoonOnSecondSignal(ctx)()
	var wait sync.WaitGroup
	for i, contender := range field {
		c.Results[i] = compared{Name: contender.title(), Worktree: trees[i].Name, Branch: trees[i].Branch(), Path: trees[i].Path}
		wait.Go(func() { f.runOne(ctx, setup, contender, place, prompt, store, trees[i], &c.Results[i], s) })
	}
	wait.Wait()
	for i := range c.Results {
		if f.check != "" && ctx.Err() == nil {
			c.Results[i].Check = f.runCheck(ctx, setup, trees[i].Inside)
		}
	}
	interrupted := ctx.Err() != nil
	if interrupted {
		s.PrintError("interrupted")
	}
	c.Code = c.code(interrupted)
	if f.output == "json" {
		err = headless.WriteJSON(s.Out, c)
	} else {
		err = c.print(s.Out)
	}
	if err == nil && c.Code != 0 {
		err = ExitCode(c.Code)
	}
	return err
}

// diffTime bounds how long git may look for changes, also after an interruption.
const diffTime = time.Minute

// runOne sends the prompt to one agent in its worktree, and looks at what has changed.
func (f *compareFlags) runOne(ctx context.Context, setup *Setup, c contender, place Directories, prompt string, store *worktree.Store, tree worktree.Created, out *compared, s Streams) {
	opts, end, err := f.options(setup, c.agent, Directories{Cwd: tree.Inside, Origin: place.Cwd}, s)
	if err == nil {
		opts.Prompt, opts.Settings = prompt, c.settings
		out.Result = headless.Collect(ctx, opts, func(line string) { s.PrintError(tree.Name + ": " + line) })
		end()
	} else {
		out.Result = headless.Result{Agent: c.agent.Name, Cwd: tree.Inside, Error: err.Error(), Code: headless.ExitAgent}
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), diffTime)
	defer stop()
	diff, err := store.Diff(ctx, tree.Tree)
	if err != nil {
		out.DiffError = err.Error()
		s.PrintError(tree.Name + ": no diff: " + out.DiffError)
	}
	out.Files, out.Added, out.Removed, out.Diff, out.DiffTruncated = diff.Files, diff.Added, diff.Removed, diff.Patch, diff.Truncated
	line := fmt.Sprintf("%s: %s after %s", tree.Name, out.outcome(), out.took())
	if out.Error != "" && out.Result.Code != headless.ExitInterrupted {
		line += ": " + safetext.Line(out.Error, 500)
	}
	s.PrintError(line)
}

// maxCheckOutput bounds what is kept of the output of a check: its end, in bytes.
const maxCheckOutput = 64 << 10

// runCheck runs the user's command line, as the `!` of the chat does, but within the sandbox if that
// is on.
func (f *compareFlags) runCheck(ctx context.Context, setup *Setup, dir string) *checked {
	began := time.Now()
	out := &checked{Command: f.check}
	defer func() { out.Seconds = seconds(time.Since(began)) }()
	opts := terminal.Options{Environ: commandEnviron(), MaxOutput: maxCheckOutput}
	box, err := setup.bounds(agents.Agent{}, Directories{Cwd: dir})
	if err != nil {
		out.Error = err.Error()
		return out
	}
	if box != nil {
		opts.Confine = func(_ string, cmd *exec.Cmd) error { return box.Confine(cmd, []string{dir}) }
	}
	service := terminal.New(opts)
	defer service.Close()
	id, err := service.Create(ownSession, terminal.Command{Command: f.check, Shell: true, Dir: dir})
	if err != nil {
		out.Error = err.Error()
		return out
	}
	limited, stop := context.WithTimeout(ctx, f.checkTimeout)
	defer stop()
	exit, err := service.WaitForExit(limited, ownSession, id)
	switch {
	case err == nil:
		out.Code, out.Signal = exit.Code, exit.Signal
	case ctx.Err() != nil:
		out.Error = "interrupted"
	default:
		out.Error = fmt.Sprintf("not done within %s (--check-timeout)", f.checkTimeout)
	}
	if err != nil {
		_ = service.Kill(ownSession, id) // it may have ended
	}
	kept, _ := service.Output(ownSession, id)
	out.Output, out.Truncated = safetext.Clean(kept.Text), kept.Truncated
	return out
}

// sharedWriter lets several goroutines write whole lines.
type sharedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *sharedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}
