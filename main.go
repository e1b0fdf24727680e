// parley is a terminal chat client for coding agents that speak the Agent
// Client Protocol.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/fang/v2"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/internal/agents"
	"parley/internal/cli"
	"parley/internal/config"
	"parley/internal/demo"
	"parley/internal/headless"
	"parley/internal/record"
	"parley/ui"
	"parley/ui/intent"
	"parley/ui/theme"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := execute(ctx, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}

// execute runs one command line and returns the exit code.
func execute(ctx context.Context, s cli.Streams, args []string) int {
	root := newRoot(s)
	root.SetArgs(args)
	root.Version = cli.Version()
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { help(ctx, s, cmd) })
	err := root.ExecuteContext(ctx)
	report(s.Err, err)
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

// help prints the help of a command. Only help goes through fang: it asks the
// terminal for its background colour, and whoever made a mistake or was
// interrupted should not have to wait for the answer.
func help(ctx context.Context, s cli.Streams, cmd *cobra.Command) {
	root := newRoot(s)
	root.SetArgs(append(strings.Fields(cmd.CommandPath())[1:], "--help"))
	fang.Execute(ctx, root, fang.WithVersion(cli.Version()), fang.WithoutManpage())
}

// report says what went wrong, in one line.
func report(w io.Writer, err error) {
	var code cli.ExitCode
	if err == nil || errors.As(err, &code) {
		return
	}
	fmt.Fprintf(w, "parley: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
}

type chatFlags struct {
	cwd, theme, prompt string
	resume             string
	protocol           string
	continues, inline  bool
	linear             bool
	addDirs            []string
	startTimeout       time.Duration
	offerTools         func() *bool
	remote             cli.RemoteFlags
}

func newRoot(s cli.Streams) *cobra.Command {
	var f chatFlags
	root := &cobra.Command{
		Use:   "parley [AGENT|URL] [flags] [-- COMMAND ARG…]",
		Short: "Chat with coding agents in a terminal",
		Long: `Chat with a coding agent over the Agent Client Protocol. Without an agent, a list of those found is offered.
AGENT is a name that ` + "`parley agents`" + ` lists; a URL (http, https, ws or wss) connects to an agent that runs elsewhere; a command
behind -- starts any other agent.`,
		Example: `  parley
  parley claude
  parley -- my-agent --acp
  parley wss://agents.example.com/acp
  parley run "what does this project do?"`,
		Args:          cobra.ArbitraryArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, args []string) error { return chat(cmd, args, f, s) },
	}
	flags := root.Flags()
	flags.StringVar(&f.cwd, "cwd", "", "the directory to work in (default: here)")
	flags.StringArrayVar(&f.addDirs, "add-dir", nil, "one more directory that the agent may work in (repeatable)")
	flags.StringVar(&f.theme, "theme", "", strings.Join(theme.Names(), ", ")+" (default: the configured one, else auto)")
	flags.StringVarP(&f.prompt, "prompt", "p", "", "send this as the first prompt")
	flags.StringVar(&f.protocol, "protocol", "", "the version of ACP to speak: auto, 1 or 2 (default: the agent's setting, else 1)")
	flags.StringVar(&f.resume, "resume", "", "open a session that the agent keeps, by its id")
	flags.BoolVarP(&f.continues, "continue", "c", false, "open the newest session that the agent keeps of this directory")
	flags.BoolVar(&f.inline, "inline", false, "leave the terminal its screen: the conversation goes into its scrollback")
	flags.BoolVar(&f.linear, "linear", false, "plain lines, one below the other, for screen readers; ACCESSIBLE=1 in the environment does the same")
	flags.DurationVar(&f.startTimeout, "start-timeout", 5*time.Minute, "give up on an agent that does not start; 0 waits for ever")
	f.offerTools = cli.OfferToolsFlag(root)
	f.remote.Add(flags)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return cli.UsageError{What: err.Error() + "; see --help"} })
	root.AddCommand(cli.NewRun(s), cli.NewServe(s), cli.NewAgents(s), cli.NewSessions(s), cli.NewMCP(s), newAgent(s), cli.NewConfig(s, func(c *config.Config) error { _, err := keymap(c); return err }))
	return root
}

// newAgent is `parley agent demo`.
func newAgent(s cli.Streams) *cobra.Command {
	agent := &cobra.Command{Use: "agent", Short: "Agents that parley brings along", Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	agent.AddCommand(&cobra.Command{
		Use:   "demo",
		Short: "The demo agent, over standard input and output",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Ignore(syscall.SIGPIPE) // a client that is gone is no crash
			return demo.Run(cmd.Context(), s.In, s.Out, demo.Options{Version: cli.Version()})
		},
	})
	return agent
}

// chat shows the screen.
func chat(cmd *cobra.Command, args []string, f chatFlags, s cli.Streams) error {
	setup, err := cli.Load()
	if err != nil {
		return err
	}
	place, err := cli.NewPlace(f.cwd, f.addDirs)
	if err != nil {
		return err
	}
	start, err := startOf(cmd, args, setup)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("linear") {
		f.linear = accessible(os.Getenv("ACCESSIBLE")) || setup.Config.Linear
	}
	if out, ok := s.Out.(*os.File); !f.linear && (!ok || !term.IsTerminal(out.Fd())) {
		return cli.Usagef("the chat needs a terminal; `parley run PROMPT` works without one")
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
	setup.Protocol, setup.OfferTools, setup.Remote = f.protocol, f.offerTools(), f.remote
	if f.resume != "" && f.continues {
		return cli.Usagef("--resume and --continue exclude each other")
	}
	keys, err := keymap(setup.Config)
	if err != nil {
		return cli.UsageError{What: err.Error()}
	}
	if d, err := time.ParseDuration(setup.Config.StartTimeout); err == nil && !cmd.Flags().Changed("start-timeout") {
		f.startTimeout = d
	}
	home, _ := os.UserHomeDir()
	preferred, _ := setup.Default()
	opts := ui.Options{Start: start, Choice: preferred.Name, Prompt: f.prompt, Cwd: place.Cwd, Home: home, Branch: cli.Branch(place.Cwd),
		Theme: look, NoColor: os.Getenv("NO_COLOR") != "", Keys: keys, Density: setup.Config.Density,
		Notify: ui.Notification(cli.Notify(setup.Config.Notify, os.Getenv)), Progress: cli.Progress(setup.Config.Progress, os.Getenv)}
	if opts.Inline = setup.Config.Inline; cmd.Flags().Changed("inline") {
		opts.Inline = f.inline
	}
	for _, a := range setup.Agents {
		o := offer(a)
		o.Shared = setup.SharesFiles(a)
		if setup.Insecure(a) {
			o.Warning = "any certificate is accepted"
		}
		opts.Agents = append(opts.Agents, o)
	}
	opts.OpenURL = cli.OpenURL
	opts.Advice = func() string { return conflict(cmd.Context(), keys) }
	opts.LoginCommand = func(a ui.Agent, method acpclient.AuthMethod) tea.ExecCommand {
		agent, _ := setup.Find(a.Name)
		return cli.LoginCommand(cli.WithVariables(agent, a.Env), method, place)
	}
	opts.AskedLogin = func(a ui.Agent, c acpclient.AuthCommand) (ui.AskedLogin, error) {
		agent, err := setup.Find(a.Name)
		if err != nil {
			return ui.AskedLogin{}, err
		}
		asked, err := cli.NewAskedLogin(cli.WithVariables(agent, a.Env), c, place)
		return ui.AskedLogin{Command: asked, Line: asked.Line, Program: asked.Program, Dir: asked.Dir}, err
	}
	opts.Resume = f.resume
	opts.Logs = func() ([]ui.Logged, error) { return logs(place.Cwd) }
	dialer := &dialer{setup: setup, place: place, patience: f.startTimeout, first: cli.Opening{Resume: f.resume, Continue: f.continues}}
	opts.Connect, opts.Redial = dialer.connect, dialer.redial
	opts.TakeDraft = f.resume == "" && !f.continues
	defer remember(cmd.Context(), &opts, setup, place)()
	lend(cmd.Context(), &opts, setup.Config, place)
	files := &projectFiles{}
	defer files.Close()
	opts.Files, opts.Pictures = files, desktopPictures{}
	if f.linear {
		return chatInLines(cmd, opts, args, f, s)
	}
	left, err := ui.Run(cmd.Context(), opts)
	if err != nil {
		return err
	}
	if line := comeBack(left, args, f.cwd); line != "" {
		fmt.Fprintln(s.Out, line)
	}
	if cmd.Context().Err() != nil { // a signal ended it
		return cli.ExitCode(headless.ExitInterrupted)
	}
	return nil
}

// comeBack says how to go on with the session that was left; "" where there is
// none, or where its name is nothing to type.
func comeBack(left ui.Left, args []string, cwd string) string {
	if left.Session == "" || left.Session[0] == '-' {
		return ""
	}
	words := []string{"--resume", left.Session}
	if cwd != "" {
		words = append(words, "--cwd", cwd)
	}
	switch {
	case left.Agent.Custom:
		words = append(append(words, "--"), args...)
	case left.Agent.Remote && len(args) == 1 && cli.IsURL(args[0]):
		if args[0] != left.Agent.Command { // there is something in it that is not for the screen
			return ""
		}
		words = append([]string{args[0]}, words...)
	default:
		words = append([]string{left.Agent.Name}, words...)
	}
	plain := regexp.MustCompile(`^[A-Za-z0-9_.:/@+=-]+$`)
	if slices.ContainsFunc(words, func(w string) bool { return !plain.MatchString(w) }) {
		return ""
	}
	return "come back: parley " + strings.Join(words, " ")
}

// logs lists the sessions that there are logs of, for the screen: those of the
// directory first.
func logs(cwd string) ([]ui.Logged, error) {
	dir, err := record.Dir()
	if err != nil {
		return nil, err
	}
	kept, err := cli.Logs(dir)
	here, elsewhere := []cli.Logged{}, []cli.Logged{}
	for _, g := range kept {
		if g.In(cwd) {
			here = append(here, g)
		} else {
			elsewhere = append(elsewhere, g)
		}
	}
	var out []ui.Logged
	for _, g := range append(here, elsewhere...) {
		out = append(out, ui.Logged{Agent: g.Agent, Session: g.Session, Cwd: g.Cwd, Title: g.Title, Updated: g.Updated, Prompts: g.Prompts, Replay: g.Replay,
			Behind: func(ctx context.Context, spans []acpclient.Span, request int64) ([]ui.Message, error) {
				found, err := g.Behind(ctx, spans, request)
				return messages(found), err
			}})
	}
	return out, err
}

func messages(found []cli.Behind) []ui.Message {
	var out []ui.Message
	for _, b := range found {
		out = append(out, ui.Message{At: b.At, Out: b.Out, JSON: b.Data, Cut: b.Cut, Before: b.Before})
	}
	return out
}

// dialer starts agents for the screen. What the command line says of a session to
// open is for the first one that is opened. Its methods may be called from any
// goroutine.
type dialer struct {
	setup    *cli.Setup
	place    cli.Place
	patience time.Duration

	mu    sync.Mutex
	first cli.Opening
}

// next is how to open the next session; opened says that it worked.
func (d *dialer) next() (o cli.Opening, opened func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.first, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.first = cli.Opening{}
	}
}

func (d *dialer) connect(ctx context.Context, a ui.Agent, sink acpclient.Sink, log *acpclient.Log) (*ui.Connection, error) {
	opening, opened := d.next()
	return d.dial(ctx, a, opening, opened, sink, log)
}

// redial connects again, to open the sessions of before.
func (d *dialer) redial(ctx context.Context, a ui.Agent, sink acpclient.Sink, log *acpclient.Log) (*ui.Connection, error) {
	return d.dial(ctx, a, cli.Opening{None: true}, func() {}, sink, log)
}

func (d *dialer) dial(ctx context.Context, a ui.Agent, opening cli.Opening, opened func(), sink acpclient.Sink, log *acpclient.Log) (*ui.Connection, error) {
	agent, err := d.setup.Find(a.Name)
	if err != nil {
		return nil, err
	}
	c, err := d.setup.Connect(ctx, cli.WithVariables(agent, a.Env), d.place, opening, d.patience, sink, log)
	if c == nil {
		return nil, err
	}
	if err == nil {
		opened()
	}
	conn := &ui.Connection{Client: c.Client, Session: c.Session, Template: d.setup.NewSession(agent, d.place), Broker: c.Host.Broker(), Close: c.Close}
	conn.Behind = func(ctx context.Context, session string, spans []acpclient.Span, request int64) ([]ui.Message, error) {
		found, err := c.Behind(ctx, session, spans, request)
		return messages(found), err
	}
	conn.Open = func(ctx context.Context) (*acpclient.Session, error) {
		s, err := opening.Open(ctx, c.Client, conn.Template)
		if err == nil {
			opened()
		}
		return s, err
	}
	return conn, err
}

// startOf is the agent to start at once, "" for the start screen. A command
// behind -- joins the agents as one of its own.
func startOf(cmd *cobra.Command, args []string, setup *cli.Setup) (string, error) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		switch {
		case dash > 0:
			return "", cli.Usagef("either an agent (%s) or a command behind --, not both", args[0])
		case len(args) == 0:
			return "", cli.Usagef("no command behind --")
		}
		a := cli.Custom(args)
		setup.Agents = append([]agents.Agent{a}, setup.Agents...)
		return a.Name, nil
	}
	switch {
	case len(args) > 1:
		return "", cli.Usagef("one agent at a time; a command goes behind --, as in `parley -- %s`", strings.Join(args, " "))
	case len(args) == 1:
		a, err := setup.Find(args[0])
		if a.Source == agents.Custom { // a URL
			setup.Agents = append([]agents.Agent{a}, setup.Agents...)
		}
		return a.Name, err
	}
	return setup.Config.Agent, nil
}

// conflict is a line about keys that a multiplexer takes, told once.
func conflict(ctx context.Context, keys *intent.Keymap) string {
	who, taken := cli.TakenKeys(ctx, os.Getenv)
	return cli.KeyConflict(who, taken, func(key string) string {
		for _, in := range []intent.Context{intent.Chat, intent.Draft, intent.Always} {
			if name := intent.NameOf(in, keys.Of(in, key)); name != "" {
				return name
			}
		}
		return ""
	})
}

// keymap are the keys of the configuration.
func keymap(c *config.Config) (*intent.Keymap, error) {
	keys, err := intent.NewKeymap(c.Keymap, c.Keys)
	var wrong *intent.KeyError
	if errors.As(err, &wrong) {
		err = c.Wrong(wrong.What, wrong.Path...)
	}
	return keys, err
}

func checkTheme(name string) error {
	if name == "" || theme.Known(name) {
		return nil
	}
	return cli.Usagef("--theme %s: want one of %s", name, strings.Join(theme.Names(), ", "))
}

// offer is an agent as the start screen shows it.
func offer(a agents.Agent) ui.Agent {
	o := ui.Agent{Name: a.Name, Title: a.Title, Command: a.CommandLine(), Where: cli.Where(a), Custom: a.Source == agents.Custom && a.URL == "", Remote: a.URL != ""}
	switch a.Source {
	case agents.Custom, agents.Config, agents.Path:
		o.Section = "found"
	case agents.Npx:
		o.Section = "through npx"
	case agents.Builtin:
		o.Section, o.Command = "built in", "parley agent demo"
	default:
		o.Section, o.Missing = "not installed", a.Install
	}
	return o
}
