// Package app connects the command line to the screen. It is the only package that imports both,
// and main runs it.
package app

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"parley/internal/agents"
	"parley/internal/cli"
	"parley/internal/demo"
	"parley/internal/keeper"
	"parley/internal/npx"
	"parley/internal/safetext"
	"parley/internal/sandbox"
	"parley/internal/version"
	"parley/ui"
	"parley/ui/guard"
	"parley/ui/theme"
)

// Execute runs one command line and returns the exit code. When ctx ends, it ends everything it
// started.
func Execute(ctx context.Context, s cli.Streams, args []string) int {
	return ExecuteWith(ctx, s, args, nil)
}

// ExecuteWith is Execute with a hook that may change the options of the screen. Tests use it to
// make the screen fail.
func ExecuteWith(ctx context.Context, s cli.Streams, args []string, adjust func(*ui.Options)) int {
	if len(args) > 0 { // handled before cobra: their arguments are not parley's flags, and they must start fast
		switch args[0] {
		case sandbox.Command:
			return cli.SandboxExec(args[1:], s)
		case npx.Command:
			return cli.NpxExec(args[1:], s)
		case keeper.Command:
			return keeper.Serve(args[1:])
		}
	}
	keeper.Kept() // first, so that nothing that is started gets its connection
	setInstallation()
	root := newRoot(s, adjust, args)
	root.SetArgs(args)
	root.Version = version.Long()
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { help(ctx, s, cmd) })
	err := execute(ctx, s, root)
	report(s, err)
	var code cli.ExitCode
	var usage cli.UsageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		return 2
	}
	return 1
}

// execute runs a command. A panic becomes an error, so that what the command has deferred is done.
func execute(ctx context.Context, s cli.Streams, root *cobra.Command) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = reportCrash(s, guard.NewPanicError(cause))
		}
	}()
	return root.ExecuteContext(ctx)
}

// help prints the help of a command. Only help goes through fang, because fang asks the terminal
// for its background colour. Error messages should not wait for that.
func help(ctx context.Context, s cli.Streams, cmd *cobra.Command) {
	root := newRoot(s, nil, nil)
	root.SetArgs(append(strings.Fields(cmd.CommandPath())[1:], "--help"))
	fang.Execute(ctx, root, fang.WithVersion(version.Name()), fang.WithoutManpage())
}

// report prints an error in one line.
func report(s cli.Streams, err error) {
	var code cli.ExitCode
	if err == nil || errors.As(err, &code) {
		return
	}
	s.PrintError(err.Error())
}

type chatFlags struct {
	cwd, theme, prompt string
	resume             string
	protocol           string
	mode, model        string
	worktree           string // a name, or cli.AutoWorktree
	continues, inline  bool
	linear             bool
	addDirs            []string
	startTimeout       time.Duration
	offerTools         func() *bool
	sandbox            func() *bool
	remote             cli.RemoteFlags
	systemPrompt       cli.SystemPromptFlags
	keep               bool
	keepFor            time.Duration
	args               []string          // of parley
	adjust             func(*ui.Options) // nil outside of tests
}

func newRoot(s cli.Streams, adjust func(*ui.Options), args []string) *cobra.Command {
	f := chatFlags{adjust: adjust, args: args}
	root := &cobra.Command{
		Use:   "parley [AGENT|URL] [flags] [-- COMMAND ARG…]",
		Short: "Chat with coding agents in a terminal",
		Long: `Chat with a coding agent over the Agent Client Protocol (ACP). Without an agent, parley lists those it finds.

AGENT is a name from ` + "`parley agents`" + `. A URL (http, https, ws or wss) connects to a remote agent. To start any other agent, type its command after --.`,
		Example: `  parley
  parley claude
  parley -- my-agent --acp
  parley wss://agents.example.com/acp
  parley run "what does this project do?"`,
		Args:          cobra.ArbitraryArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, args []string) error { return chat(cmd, args, f, s) },

		PersistentPreRunE: func(*cobra.Command, []string) error { return checkHome() },
	}
	flags := root.Flags()
	flags.StringVar(&f.cwd, "cwd", "", "directory to work in (default: here)")
	flags.StringArrayVar(&f.addDirs, "add-dir", nil, "also let the agent work in this directory (repeatable)")
	flags.StringVar(&f.theme, "theme", "", "theme: "+strings.Join(theme.Names(), ", ")+" (default: from the configuration, else auto)")
	flags.StringVarP(&f.prompt, "prompt", "p", "", "send this as the first prompt")
	flags.StringVar(&f.protocol, "protocol", "", "version of ACP: auto, 1 or 2 (default: the agent's setting, else 1)")
	flags.StringVar(&f.mode, "mode", "", "start the first session in this mode")
	flags.StringVar(&f.model, "model", "", "use this model in the first session")
	flags.StringVar(&f.resume, "resume", "", "open the agent's session with this id")
	flags.BoolVarP(&f.continues, "continue", "c", false, "open the session used last in this directory, with the agent used last if none is named")
	flags.BoolVar(&f.inline, "inline", false, "write the conversation into the terminal's scrollback instead of taking over the screen")
	flags.BoolVar(&f.linear, "linear", false, "print plain lines, for screen readers (or set ACCESSIBLE=1)")
	flags.BoolVar(&f.keep, "keep", false, "let the session outlive this terminal: parley attach returns to it (default: from the configuration)")
	flags.DurationVar(&f.keepFor, "keep-for", 0, "with --keep: end after being idle for this long with no terminal; 0 never does (default: from the configuration)")
	flags.DurationVar(&f.startTimeout, "start-timeout", 5*time.Minute, "how long an agent may take to start; 0 waits forever")
	cli.WorktreeFlag(flags, &f.worktree)
	f.offerTools = cli.OfferToolsFlag(root)
	f.sandbox = cli.SandboxFlag(root)
	f.remote.Add(flags)
	f.systemPrompt.Add(flags)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if meant := mistyped(root, cmd.Flags().Args(), agents.Known()); cmd == root && meant != "" {
			return cli.Usagef("%s (did you mean parley %s?); see --help", err, meant)
		}
		return cli.UsageError{Message: err.Error() + "; see --help"}
	})
	root.AddCommand(
		cli.NewRun(s),
		cli.NewCompare(s),
		cli.NewAttach(s),
		cli.NewPs(s),
		cli.NewStop(s),
		cli.NewServe(s),
		cli.NewACP(s),
		cli.NewTokens(s),
		cli.NewAgents(s),
		cli.NewSessions(s),
		cli.NewWorktrees(s),
		cli.NewReview(s),
		cli.NewUsage(s),
		cli.NewMCP(s),
		cli.NewRules(s),
		cli.NewConfig(s, checkKeymap),
		cli.NewDoctor(s, checkKeymap),
		newMan(s),
		newAgent(s),
	)
	return root
}

// checkHome returns an error for a relative home directory: what it means depends on where parley is
// started, so settings would be missed, and logs end up in a project.
func checkHome() error {
	if home, err := os.UserHomeDir(); err == nil && !filepath.IsAbs(home) {
		return cli.Usagef("HOME is a relative path (%s): set it to the absolute path of your home directory", safetext.Line(home, 200))
	}
	return nil
}

// newAgent is `parley agent demo`.
func newAgent(s cli.Streams) *cobra.Command {
	agent := &cobra.Command{Use: "agent", Short: "Agents that are part of parley", Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	agent.AddCommand(&cobra.Command{
		Use:   "demo",
		Short: "Run the demo agent on standard input and output",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Ignore(syscall.SIGPIPE) // a client that leaves must not kill the agent
			return demo.Run(cmd.Context(), s.In, s.Out, demo.Options{Version: version.Name()})
		},
	})
	return agent
}
