package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/cli"
	"parley/internal/clipboard"
	"parley/internal/closest"
	"parley/internal/config"
	"parley/internal/demo"
	"parley/internal/finder"
	"parley/internal/headless"
	"parley/internal/intent"
	"parley/internal/keeper"
	"parley/internal/notify"
	"parley/internal/picture"
	"parley/internal/tty"
	"parley/internal/workspace"
	"parley/ui"
	"parley/ui/theme"
)

// chat runs the screen.
func chat(cmd *cobra.Command, args []string, f chatFlags, s cli.Streams) error {
	c, err := cli.LoadConfig()
	if err != nil {
		return err
	}
	keep, err := f.keeps(cmd, c, s)
	if err != nil {
		return err
	}
	var notKept *keeper.StartError
	if !cmd.Flags().Changed("linear") {
		f.linear = accessible(os.Getenv("ACCESSIBLE")) || c.Linear
	}
	if keep {
		if err := f.drawable(); err != nil && cli.HasTerminal(s) {
			return err
		}
		err := cli.Keep(cmd.Context(), s, keeper.Options{Args: f.args, Idle: f.keepFor})
		if !errors.As(err, &notKept) || cmd.Flags().Changed("keep") {
			return err
		}
	}
	place, err := cli.NewDirectories(f.cwd, f.addDirs)
	if err != nil {
		return err
	}
	setup, err := cli.NewSetup(c, f.remote)
	if err != nil {
		return err
	}
	other, err := setup.UseProject(place)
	if err != nil {
		return err
	}
	mistakes, err := cli.CheckRules(place)
	if err != nil {
		return err
	}
	start, err := agentToStart(cmd, args, setup)
	if err != nil {
		return err
	}
	if start == "" && f.continues {
		start = setup.LastAgent(place.Cwd)
	}
	if out, ok := s.Out.(*os.File); !f.linear && (!ok || !term.IsTerminal(out.Fd())) {
		return cli.Usagef("the chat needs a terminal; `parley run PROMPT` works without one")
	}
	profile := func(environ []string) tty.Profile {
		return tty.Of(environ).Configured(setup.Config.Notify, setup.Config.Progress)
	}
	terminal := profile(os.Environ())
	if err := f.drawable(); err != nil {
		return err
	}
	look := f.theme
	if look == "" {
		look = setup.Config.Theme
	}
	if err := checkTheme(look); err != nil {
		return err
	}
	if err := cli.CheckProtocol(f.protocol); err != nil {
		return err
	}
	setup.Protocol, setup.OfferTools, setup.Sandbox = f.protocol, f.offerTools(), f.sandbox()
	if err := setup.CheckSandbox(); err != nil {
		return err
	}
	if setup.SystemPrompt, err = f.systemPrompt.Read(); err != nil {
		return err
	}
	if f.resume != "" && f.continues {
		return cli.Usagef("--resume and --continue cannot be used together")
	}
	keys, err := keymap(setup.Config)
	if err != nil {
		return cli.UsageError{Message: err.Error()}
	}
	if d, err := time.ParseDuration(setup.Config.StartTimeout); err == nil && !cmd.Flags().Changed("start-timeout") {
		f.startTimeout = d
	}
	resumeWithin, _ := time.ParseDuration(setup.Config.ResumeWithin) // 0 if it is not set
	notices := warnings(setup)
	if notKept != nil {
		setup.Warn("This session ends with the terminal: " + notKept.Error())
	}
	trees := &trees{from: place.Cwd}
	defer trees.removeEmpty(context.WithoutCancel(cmd.Context())) // also after a start that failed
	if f.worktree != "" {
		tree, err := trees.Enter(cmd.Context(), f.worktree)
		if err != nil {
			return cli.Usagef("--worktree: %v", err)
		}
		place.Origin, place.Cwd, f.cwd = place.Cwd, tree.Dir, tree.Dir
		if tree.Notice != "" {
			setup.Warn(tree.Notice)
		}
	}
	home, _ := os.UserHomeDir()
	preferred, found := setup.Default()
	opts := ui.Options{FrontEnd: workspace.FrontEnd{Options: workspace.Options{Prompt: f.prompt, Resume: f.resume, Cwd: place.Cwd, Worktrees: trees, ResumeWithin: resumeWithin}, Start: start, Choice: preferred.Name, Home: home, TreesDir: cli.WorktreesDir()}, Branch: cli.Branch(place.Cwd),
		Theme: look, Terminal: terminal, Profile: profile, Keys: keys, Density: setup.Config.Density, SidePanel: setup.Config.SidePanel}
	if opts.Inline = setup.Config.Inline; cmd.Flags().Changed("inline") {
		opts.Inline = f.inline
	}
	opts.Registry = offerRegistry(setup)
	for _, a := range setup.Agents {
		at := len(opts.Agents)
		if !found && a.Name == preferred.Name { // if no agent is installed, the demo comes first
			at = 0
		}
		opts.Agents = slices.Insert(opts.Agents, at, configuredSpec(setup, a))
	}
	opts.TypedAgent = func(line string) (workspace.Spec, error) {
		a, err := setup.TypedAgent(line)
		if err != nil {
			return workspace.Spec{}, err
		}
		return configuredSpec(setup, a), nil
	}
	opts.PreferEnd = setup.Config.Keep != nil && !*setup.Config.Keep
	opts.Keeper, opts.Notify = keeper.Kept(), notify.New(setup.Config.NotifyCommand, setup.Warn)
	defer opts.Notify.Close()
	opts.ResumeArgs = func(s workspace.ResumableSession) []string {
		cwd := f.cwd
		if opts.Keeper != nil { // it is resumed from anywhere
			cwd = place.Cwd
		}
		words := resumeArgs(s, args, cmp.Or(s.Agent.Dir, cwd))
		if words != nil && f.linear && cmd.Flags().Changed("linear") {
			words = slices.Insert(words, slices.Index(words, "--resume"), "--linear")
		}
		return words
	}
	opts.OpenURL, opts.OnIdle = cli.OpenURL, freeAfterTurn
	endSoon, ended := cli.EndSoon()
	defer ended()
	opts.EndSoon = endSoon
	life := cmd.Context()
	if f.linear { // where ctrl+c does not quit
		var stop func()
		life, stop = signal.NotifyContext(context.WithoutCancel(life), syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
		defer stop()
	}
	opts.Kept, opts.AttachKept = otherKept, attachKept(life)
	opts.LoginCommand = func(a workspace.Spec, method event.AuthMethod) workspace.LoginCommand {
		agent, _ := setup.Find(a.Name)
		return setup.LoginCommand(life, cli.WithVariables(agent, a.Env), method, in(place, a))
	}
	opts.AgentLogin = func(a workspace.Spec, c event.AuthCommand) (workspace.AgentLogin, error) {
		agent, err := setup.Find(a.Name)
		if err != nil {
			return workspace.AgentLogin{}, err
		}
		return setup.NewAgentLogin(life, cli.WithVariables(agent, a.Env), c, in(place, a))
	}
	opts.Logs = func() ([]workspace.Logged, error) { return setup.Logged(place.Cwd) }
	opts.Names, opts.Usage = cli.Names(), cli.Usage()
	opts.Notices = notices
	for _, line := range []string{mistakes, other} {
		if line != "" {
			setup.Warn(line)
		}
	}
	opts.Templates = templates(place, setup.Warn)
	warnCtx, stop := context.WithCancel(life)
	defer stop()
	warnLater(warnCtx, setup.Warn, sweepAfter, sweep)
	if !f.linear {
		warnLater(warnCtx, setup.Warn, 0, func(ctx context.Context) string { return conflict(ctx, terminal.Multiplexer, keys) })
	}
	dialer := &dialer{setup: setup, place: place, patience: f.startTimeout, screenCtx: life, first: cli.Opening{Resume: f.resume, Continue: f.continues, Settings: cli.ModeAndModel(f.mode, f.model)}}
	defer dialer.close()
	opts.Connect, opts.Redial = dialer.connect, dialer.redial
	opts.RestoreDraft = f.resume == "" && !f.continues
	defer addTyping(cmd.Context(), &opts, setup, place)()
	addDesktop(cmd.Context(), &opts, setup.Config, place)
	if kept := keeper.Kept(); kept != nil {
		if err := letClientsJoin(&opts.FrontEnd, kept.Name(), setup.Config.ApproveFromClients); err != nil {
			setup.Warn("Other clients cannot join: " + err.Error())
		}
	}
	files := &finder.Projects{}
	defer files.Close()
	opts.ReadFile, opts.FindFiles, opts.OpenPicture, opts.ClipboardPicture = finder.Read, files.Find, picture.Read, clipboard.Image
	if f.adjust != nil {
		f.adjust(&opts)
	}
	var left workspace.ResumableSession
	if f.linear {
		left, err = chatInLines(life, opts.FrontEnd, s)
	} else {
		left, err = ui.Run(life, opts)
	}
	if err = reportCrash(s, err); err != nil && left.Session == "" {
		return err
	}
	interrupted := err == nil && life.Err() != nil // by a signal
	if !interrupted {
		var ask func(context.Context, workspace.Unmerged) (cli.Ending, error)
		if !f.linear {
			ask = func(ctx context.Context, u workspace.Unmerged) (cli.Ending, error) { return askEnding(ctx, opts, u) }
		}
		err = trees.leave(life, s, err, ask)
		interrupted = err == nil && life.Err() != nil
	}
	// Its worktree may have been removed.
	if _, gone := os.Stat(cmp.Or(left.Agent.Dir, place.Cwd)); gone == nil {
		if words := opts.ResumeArgs(left); words != nil {
			fmt.Fprintln(s.Out, "Resume: parley "+strings.Join(words, " "))
		}
	}
	if interrupted {
		return cli.ExitCode(headless.ExitInterrupted)
	}
	return err
}

// keeps reports whether this process only starts parley, so that it outlives the terminal. Nothing of the environment is
// used before that: what is kept needs it, too.
func (f *chatFlags) keeps(cmd *cobra.Command, c *config.Config, s cli.Streams) (bool, error) {
	if keeper.Kept() != nil {
		return false, nil
	}
	if !cmd.Flags().Changed("keep") {
		f.keep = c.Keep != nil && *c.Keep && keeper.Supported && cli.HasTerminal(s)
	}
	if !cmd.Flags().Changed("keep-for") {
		f.keepFor, _ = time.ParseDuration(c.KeepFor) // checked when it was read
	} else if !f.keep || f.keepFor < 0 {
		return false, cli.Usagef("--keep-for needs --keep, and a time such as 12h")
	}
	return f.keep, nil
}

// drawable returns an error if the chat needs a screen that this terminal cannot draw.
func (f *chatFlags) drawable() error {
	if f.linear || runtime.GOOS == "windows" || !tty.Of(os.Environ()).Dumb {
		return nil
	}
	return cli.Usagef("this terminal cannot draw the screen (TERM=%s); `parley --linear` chats in lines", os.Getenv("TERM"))
}

// resumeArgs returns the arguments of parley that resume a session. It returns nil if there is none, or if its
// id cannot be typed.
func resumeArgs(left workspace.ResumableSession, args []string, cwd string) []string {
	if left.Session == "" || left.Session[0] == '-' {
		return nil
	}
	words := []string{"--resume", left.Session}
	if cwd != "" {
		words = append(words, "--cwd", cwd)
	}
	switch {
	case left.Agent.Custom:
		words = append(append(words, "--"), args...)
	case left.Agent.Remote && len(args) == 1 && cli.IsURL(args[0]):
		if args[0] != left.Agent.Command { // the URL is not safe to show as it is
			return nil
		}
		words = append([]string{args[0]}, words...)
	default:
		words = append([]string{left.Agent.Name}, words...)
	}
	plain := regexp.MustCompile(`^[A-Za-z0-9_.:/@+=-]+$`)
	if slices.ContainsFunc(words, func(w string) bool { return !plain.MatchString(w) }) {
		return nil
	}
	return words
}

// agentToStart returns the name of the agent to start at once, "" for the start screen. A command
// after -- is added to the agents.
func agentToStart(cmd *cobra.Command, args []string, setup *cli.Setup) (string, error) {
	name, command, err := cli.AgentOrCommand(cmd, args)
	var a agents.Agent
	switch {
	case err != nil:
	case command != nil:
		a = cli.Custom(command)
	case name != "":
		a, err = setup.Find(name)
	default:
		return setup.PreferredAgent(), nil
	}
	if meant := mistyped(cmd, args, setup.Agents); err != nil && meant != "" {
		return "", cli.Usagef("no agent or command %q (did you mean parley %s?); parley --help lists the commands", args[0], meant)
	}
	if a.Source == agents.Custom {
		setup.Agents = append([]agents.Agent{a}, setup.Agents...)
	}
	return a.Name, err
}

// mistyped returns the subcommand that the first argument, which names no agent, was probably meant to
// be, "" if none is as close as the closest agent.
func mistyped(root *cobra.Command, args []string, known []agents.Agent) string {
	if len(args) == 0 || root.ArgsLenAtDash() == 0 {
		return ""
	}
	var names, commands []string
	for _, a := range known {
		if strings.EqualFold(a.Name, args[0]) {
			return ""
		}
		names = append(names, a.Name)
	}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			commands = append(commands, c.Name())
		}
	}
	meant := closest.Name(args[0], append(names, commands...))
	if !slices.Contains(commands, meant) {
		return ""
	}
	return meant
}

// conflict returns a line about keys that a multiplexer intercepts, only the first time.
func conflict(ctx context.Context, multiplexer string, keys *intent.Keymap) string {
	return cli.KeyConflict(multiplexer, cli.MultiplexerKeys(ctx, multiplexer), func(key string) string {
		for _, in := range []intent.Context{intent.Chat, intent.Draft, intent.Always} {
			if name := intent.NameOf(in, keys.Of(in, key)); name != "" {
				return name
			}
		}
		return ""
	})
}

// keymap returns the keymap that the configuration sets.
func keymap(c *config.Config) (*intent.Keymap, error) {
	keys, err := intent.NewKeymap(c.Keymap, c.Keys)
	var wrong *intent.KeyError
	if errors.As(err, &wrong) {
		err = c.ErrorAt(wrong.What, wrong.Path...)
	}
	return keys, err
}

// checkKeymap returns an error about the keys that the configuration sets.
func checkKeymap(c *config.Config) error {
	_, err := keymap(c)
	return err
}

func checkTheme(name string) error {
	if name == "" || theme.Known(name) {
		return nil
	}
	return cli.Usagef("--theme %s: want one of %s", name, strings.Join(theme.Names(), ", "))
}

// configuredSpec is agentSpec with the settings that apply to the agent.
func configuredSpec(setup *cli.Setup, a agents.Agent) workspace.Spec {
	o := agentSpec(a)
	logins := cli.Logins()
	o.NeedsLogin = logins != nil && o.Missing == "" && logins.Needed(a.Name)
	o.Shared = setup.SharesFiles(a)
	if setup.Insecure(a) {
		o.Warning = "any certificate is accepted"
	}
	if o.Remote {
		o.Access = setup.DescribeAccess(a)
	}
	return o
}

// agentSpec describes an agent for the start screen.
func agentSpec(a agents.Agent) workspace.Spec {
	o := workspace.Spec{Name: a.Name, About: a.About(), Command: a.CommandLine(), Where: cli.DescribeSource(a), Custom: a.Typed(), Remote: a.URL != ""}
	switch a.Source {
	case agents.Custom, agents.Config, agents.Installed, agents.Path:
		o.Section = "Installed"
	case agents.Npx:
		o.Section = "Through npx"
	case agents.Builtin:
		o.Section, o.Command, o.Tour = "Built in", "parley agent demo", demo.Tour
	default:
		o.Section, o.Missing = "Not installed", a.Install
	}
	return o
}
