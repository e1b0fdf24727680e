package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/doctor"
	"parley/internal/headless"
	"parley/internal/keeper"
	"parley/internal/programs"
	"parley/internal/record"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/internal/tty"
	"parley/internal/version"
	"parley/internal/words"
	"parley/permissions"
)

// NewDoctor is `parley doctor`. check validates what package config cannot; it returns nil if all is well.
func NewDoctor(s Streams, check func(*config.Config) error) *cobra.Command {
	var f probeFlags
	cmd := &cobra.Command{
		Use:   "doctor [AGENT|URL] [flags] [-- COMMAND ARG…]",
		Short: "Find out why something does not work, or examine an agent",
		Long: `Without an agent, check the terminal, the configuration, the rules, where parley keeps its files, git, the sandbox and the agents. Each line is ok, warn or fail; what to do about a fault is below it.

With an agent, examine how it keeps the Agent Client Protocol, for its authors: each line is pass, warn, fail or skip, with the section of the protocol and the message that shows a fault. It is started a few times, and gets a few short prompts if you agree. It is allowed nothing.

Exit codes: 0 nothing has failed, 1 something has, 2 usage.`,
		Example: `  parley doctor
  parley doctor demo
  parley doctor --no-prompt claude
  parley doctor --json --yes -- my-agent --acp`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, command, err := AgentOrCommand(cmd, args)
			if err != nil {
				return err
			}
			if name != "" || command != nil {
				return examineAgent(cmd, name, command, f, s)
			}
			cmd.Flags().Visit(func(flag *pflag.Flag) {
				if flag.Name != "json" {
					err = Usagef("--%s needs an agent, as in `%s demo`", flag.Name, cmd.CommandPath())
				}
			})
			if err != nil {
				return err
			}
			found := (&checkup{s: s, check: check}).run(cmd.Context())
			if cmd.Context().Err() != nil {
				return ExitCode(headless.ExitInterrupted)
			}
			return reportFindings(s, found, f.json)
		},
	}
	f.add(cmd)
	return cmd
}

// reportFindings prints all findings. The error is the exit code.
func reportFindings(s Streams, found []doctor.Finding, asJSON bool) error {
	var err error
	if asJSON {
		err = headless.WriteJSON(s.Out, found)
	} else {
		style := doctorStyle(s, found)
		for _, f := range found {
			style.Print(s.Out, f)
		}
		err = summarize(s, found)
	}
	if err == nil && doctor.Failed(found) {
		return ExitCode(1)
	}
	return err
}

// summarize prints how many checks have failed. The error is the exit code.
func summarize(s Streams, found []doctor.Finding) error {
	_, err := fmt.Fprintln(s.Out, "\n"+doctor.Summary(found))
	if err == nil && doctor.Failed(found) {
		return ExitCode(1)
	}
	return err
}

// plainWidth is the width of rows that are not on a terminal: what reads them wraps them.
const plainWidth = 10_000

// doctorStyle returns how findings are printed on the output.
func doctorStyle(s Streams, found []doctor.Finding) doctor.Style {
	style := doctor.Style{Width: plainWidth}
	for _, f := range found {
		style.Check = max(style.Check, text.Width(f.Check))
	}
	if out, ok := s.Out.(*os.File); ok && isTerminal(out) {
		style.Live = !tty.Of(os.Environ()).Dumb
		style.Colour = style.Live && os.Getenv("NO_COLOR") == ""
		if width, _, err := term.GetSize(out.Fd()); err == nil && width > 0 {
			style.Width = width
		}
	}
	return style
}

// checkup is this machine, as checks find it one after the other.
type checkup struct {
	s     Streams
	check func(*config.Config) error

	cwd   string
	setup *Setup // nil if the configuration cannot be read

	mu      sync.Mutex
	skipped []doctor.Finding // programs in the project, which are looked up at the same time
}

// run examines everything, in the order in which it is shown.
func (c *checkup) run(ctx context.Context) []doctor.Finding {
	found := slices.Concat(c.build(), c.terminal(ctx), c.directory(), c.configuration(), c.rules())
	found = append(found, doctor.StateDir(record.StateDir()), doctor.Sandbox(c.setup != nil && c.setup.Config.Sandbox))
	if c.cwd != "" {
		found = append(found, doctor.Git(ctx, c.cwd))
	}
	return slices.Concat(found, c.kept(), c.agents(ctx), c.programs(), doctor.Proxies(os.Getenv))
}

// build says how old this parley is, by what is recorded in it: nothing is asked for a newer one.
func (c *checkup) build() []doctor.Finding {
	f := doctor.Finding{Check: "parley", State: doctor.OK, Text: version.Long()}
	if day := version.Date(); !day.IsZero() {
		f.Text += ", " + words.Count(max(int(time.Since(day).Hours()/24), 0), "day") + " old"
	}
	return []doctor.Finding{f}
}

func (c *checkup) terminal(ctx context.Context) []doctor.Finding {
	in, out, err := terminalOf(c.s, "")
	if err != nil {
		return nil
	}
	return doctor.Terminal(ctx, in, out)
}

func (c *checkup) directory() []doctor.Finding {
	place, err := NewDirectories("", nil)
	if err != nil {
		return []doctor.Finding{{Check: "directory", State: doctor.Fail, Text: err.Error(), Fix: "cd to a directory that exists"}}
	}
	c.cwd = place.Cwd
	WarnSkippedPrograms(func(line string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.skipped = append(c.skipped, doctor.Finding{Check: "programs", State: doctor.Warn, Text: line,
			Fix: "to use it, give its path in the configuration, or after parley --"})
	})
	return nil
}

// programs are those that were skipped while others were looked up.
func (c *checkup) programs() []doctor.Finding {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.skipped
}

func (c *checkup) configuration() []doctor.Finding {
	f := doctor.Finding{Check: "configuration", State: doctor.Fail}
	path, err := config.Path()
	if err != nil {
		f.Text, f.Fix = err.Error(), "export HOME=… to your home directory"
		return []doctor.Finding{f}
	}
	setup, err := Load(RemoteFlags{})
	if err == nil {
		c.setup, err = setup, c.check(setup.Config)
	}
	if err != nil {
		f.Text, f.Fix = err.Error(), "change the file, then: parley config check"
		return []doctor.Finding{f}
	}
	f.State, f.Text = doctor.OK, path
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		f.Text += ", not written: parley config init writes one"
	}
	found := []doctor.Finding{f}
	if argv := setup.Config.NotifyCommand; argv != nil {
		if _, err := programs.Locate(argv[0]); err != nil {
			found = append(found, doctor.Finding{Check: "notify_command", State: doctor.Warn, Text: "cannot be run: " + err.Error(), Fix: "install the program, or change the configuration"})
		}
	}
	return found
}

func (c *checkup) rules() (found []doctor.Finding) {
	files, err := ruleFiles("", []string{c.cwd})
	if err != nil {
		return nil // as the configuration
	}
	fault := func(state doctor.State, text string) {
		found = append(found, doctor.Finding{Check: "rules", State: state, Text: text, Fix: "change the file, then: parley rules check"})
	}
	n := 0
	var all []permissions.Rule
	for _, file := range files {
		if file.err != nil {
			fault(doctor.Fail, file.err.Error())
		}
		for _, r := range file.rules {
			if n++; r.Mistake != "" {
				fault(doctor.Warn, "Rule ignored: "+r.Mistake+" ("+r.Where+")")
			}
		}
		all = append(all, file.rules...)
	}
	if _, err := permissions.NewRulebook(all); err != nil {
		fault(doctor.Fail, err.Error())
	}
	if len(found) == 0 {
		found = append(found, doctor.Finding{Check: "rules", State: doctor.OK, Text: words.Count(n, "rule") + ", no mistakes"})
	}
	return found
}

// kept checks the sessions that were started with --keep.
func (c *checkup) kept() (found []doctor.Finding) {
	const name = "kept sessions"
	if _, err := record.StateDir(); err != nil {
		return nil // as the state directory
	}
	all, err := keeper.List()
	switch {
	case err != nil:
		return []doctor.Finding{{Check: name, State: doctor.Fail, Text: "cannot be listed: " + err.Error(), Fix: "make the directory readable, then: parley ps"}}
	case len(all) == 0:
		return nil
	}
	live := 0
	for _, k := range all {
		if k.Live {
			live++
		}
		switch {
		case !k.Live && k.Why == keeper.Stopped:
			found = append(found, doctor.Finding{Check: name, State: doctor.Warn, Text: k.Name + " has ended: " + k.Why, Fix: "parley ps shows how to resume it; parley stop " + k.Name + " forgets it"})
		case k.Live && k.State == keeper.Waiting:
			found = append(found, doctor.Finding{Check: name, State: doctor.Warn, Text: k.Name + " waits for an answer", Fix: "parley attach " + k.Name})
		}
	}
	text := words.Count(live, "session") + " live"
	if ended := len(all) - live; ended > 0 {
		text += fmt.Sprintf(", %d ended without anybody there", ended)
	}
	return append(found, doctor.Finding{Check: name, State: doctor.OK, Text: text + ": parley ps"})
}

// agents checks those that are configured or installed. All others are in `parley agents`.
func (c *checkup) agents(ctx context.Context) (found []doctor.Finding) {
	setup := c.setup
	if setup == nil {
		setup = &Setup{Config: &config.Config{}, Agents: agents.Discover(programs.NewPath(os.Environ()).Find)}
	}
	for _, a := range setup.Agents {
		if f, ok := setup.examine(ctx, a, Directories{Cwd: c.cwd}); ok {
			found = append(found, f)
		}
	}
	if name := setup.Config.Agent; name != "" {
		if a, ok := agents.Find(setup.Agents, name); ok && a.Source == agents.Missing {
			found = append(found, doctor.Finding{Check: a.Name, State: doctor.Fail, Text: "the agent of the configuration is not installed", Fix: a.Install})
		}
	}
	if len(found) > 0 {
		return found
	}
	if _, err := programs.Find("npx"); err == nil {
		return []doctor.Finding{{Check: "agents", State: doctor.OK, Text: "no agent is installed; npx fetches those that are npm packages"}}
	}
	return []doctor.Finding{{Check: "agents", State: doctor.Warn, Text: "no agent is installed", Fix: "parley agents lists known ones; parley demo needs none"}}
}

// examine returns what is known of an agent without running it; false for one that is not installed, or that npx
// would fetch.
func (s *Setup) examine(ctx context.Context, a agents.Agent, place Directories) (doctor.Finding, bool) {
	f := doctor.Finding{Check: a.Name, State: doctor.OK, Text: DescribeSource(a)}
	login := false
	if logins := Logins(); logins != nil {
		login = logins.Needed(a.Name)
	}
	switch {
	case a.Source == agents.Missing, a.Source == agents.Builtin, a.Source == agents.Npx && !login:
		return f, false
	case a.URL != "":
		f.Text += ": " + a.CommandLine()
		r, err := s.remoteOf(a)
		if err == nil {
			_, err = tlsOf(r)
		}
		if err != nil {
			f.State, f.Text, f.Fix = doctor.Fail, err.Error(), "change the configuration, then: parley doctor"
			return f, true
		}
	case a.Source != agents.Npx:
		cmd, err := s.program(a, place)
		if err != nil {
			f.State, f.Text, f.Fix = doctor.Fail, err.Error(), "install it, or change its command in the configuration"
			if a.Source == agents.Path {
				f.Fix = a.Install
			}
			return f, true
		}
		if name := programs.NewPath(cmd.Env).NeedsMissing(cmd); name != "" {
			name = safetext.Line(name, 80)
			f.State, f.Text, f.Fix = doctor.Fail, f.Text+"; it needs "+name+", which is not found", "install "+name+", or add its directory to PATH"
			return f, true
		}
		if a.Source == agents.Config {
			f.Text += ": " + safetext.Line(cmd.Path, 300)
		}
		pkg := doctor.PackageOf(a.Found, a.Package)
		if a.Source == agents.Installed {
			pkg = doctor.Package{Version: a.Version} // its node is that with which it was installed
		}
		if pkg.Version != "" {
			f.Text += ", " + safetext.Line(pkg.Version, 40)
		}
		if have, need := pkg.OldNode(ctx); need != "" {
			f.State, f.Text, f.Fix = doctor.Warn, f.Text+"; it needs node "+need+", and this is "+have, "install node "+need+" or later, or put its directory first in PATH"
			return f, true
		}
	}
	if login {
		f.State, f.Text, f.Fix = doctor.Warn, f.Text+"; login needed last time", chatWith(a)+" offers it"
	}
	return f, true
}
