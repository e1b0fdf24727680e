package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/headless"
	"parley/internal/safetext"
)

// ExitCode is an error that only carries an exit code. Everything was already reported.
type ExitCode int

func (c ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// maxPrompt limits how much of stdin is read as a prompt.
const maxPrompt = 16 << 20

type runFlags struct {
	headlessFlags
	agent                string
	addDirs, config      []string
	session, mode, model string
	worktree             string // a name, or AutoWorktree
	continues            bool
	wait                 time.Duration
}

// NewRun is `parley run`.
func NewRun(s Streams) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] PROMPT… [-- COMMAND ARG…]",
		Short: "Send one prompt without a screen and print the answer",
		Long: `Send one prompt and print the answer. Whatever would need your answer is rejected unless a flag allows it. Without a prompt, or with "-", the prompt is read from standard input.

Exit codes: 0 done, 1 agent or protocol error (also if the agent says and does nothing), 2 usage, 3 timeout, 4 no such session, 5 permission denied, 130 interrupted.`,
		Example: `  parley run --agent claude "what does this project do?"
  parley run --approve-all "edit notes.txt and run ls" -- parley agent demo
  git diff | parley run -o json -`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, args, f, s) },
	}
	f.add(cmd, "text", "json", "stream-json")
	flags := cmd.Flags()
	flags.StringVar(&f.agent, "agent", "", "agent's name or URL (default: the configured one, else the first installed)")
	flags.StringArrayVar(&f.addDirs, "add-dir", nil, "also let the agent work in this directory (repeatable)")
	flags.StringVar(&f.session, "session", "", "continue the agent's session with this id or title")
	flags.BoolVarP(&f.continues, "continue", "c", false, "continue the session used last in this directory")
	flags.StringVar(&f.mode, "mode", "", "use this mode")
	flags.StringVar(&f.model, "model", "", "use this model")
	WorktreeFlag(flags, &f.worktree)
	flags.DurationVar(&f.wait, "wait", 0, "wait this long for what the agent does in the background after the turn (without a value: 10m)")
	flags.Lookup("wait").NoOptDefVal = "10m"
	flags.StringArrayVar(&f.config, "config", nil, "set an option of the session, as KEY=VALUE (repeatable)")
	return cmd
}

func run(cmd *cobra.Command, args []string, f runFlags, s Streams) error {
	words, commandLine := args, []string(nil)
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		words, commandLine = args[:dash], args[dash:]
		if len(commandLine) == 0 {
			return Usagef("no command after --")
		}
	}
	if err := f.check(); err != nil {
		return err
	}
	if f.wait < 0 {
		return Usagef("--wait %s: want a positive duration", f.wait)
	}
	if f.agent != "" && commandLine != nil {
		return Usagef("--agent and a command after -- cannot be used together")
	}
	if f.session != "" && f.continues {
		return Usagef("--session and --continue cannot be used together")
	}
	settings, err := f.settings()
	if err != nil {
		return err
	}
	place, err := NewDirectories(f.cwd, f.addDirs)
	if err != nil {
		return err
	}
	setup, err := f.load(place, s)
	if err != nil {
		return err
	}
	agent, err := setup.choose(f.agent, commandLine, "parley run --agent demo")
	if err != nil {
		return err
	}
	prompt, err := promptOf(words, s.In)
	if err != nil {
		return err
	}
	if f.worktree != "" {
		leave, err := f.enterWorktree(cmd.Context(), &place, s)
		if err != nil {
			return err
		}
		defer leave()
	}
	opts, end, err := f.options(setup, agent, place, s)
	if err != nil {
		return err
	}
	defer end()
	opts.Prompt, opts.Settings, opts.Wait = prompt, settings, f.wait
	opts.Format, opts.OneTerminal = f.output, isTerminal(s.Out) && isTerminal(s.Err)
	opts.Open = Opening{Agent: agent, Resume: f.session, Continue: f.continues, KnownSessions: func() ([]event.StoredSession, error) { return KnownSessions(agent) }, Retitle: Retitle(agent, s.PrintError), Notify: s.PrintError}.Open
	if agent.URL == "" && setup.keepsChanges() {
		if j := newJournals(agent.Name, true, event.NewLog(), setup.warn); j != nil {
			j.last = time.Minute
			defer j.closeAll() // which looks for changes a last time
			opts.Host.Watch = j.watch()
		}
	}
	defer endSoonOnSecondSignal(cmd.Context())()
	code := headless.Run(cmd.Context(), opts)
	if code != 0 {
		return ExitCode(code)
	}
	return nil
}

// enterWorktree makes a worktree the place of the run. leave removes it at the end if it holds nothing, and
// otherwise says what it holds.
func (f runFlags) enterWorktree(ctx context.Context, place *Directories, s Streams) (leave func(), err error) {
	tree, err := EnterWorktree(ctx, place.Cwd, f.worktree)
	if err != nil {
		return nil, Usagef("--worktree: %v", err)
	}
	if tree.Notice != "" {
		s.PrintError(tree.Notice)
	}
	place.Origin, place.Cwd = place.Cwd, tree.Inside
	return func() {
		if err := tree.Leave(context.WithoutCancel(ctx), Streams{Out: s.Err}, nil); err != nil {
			s.PrintError(err.Error())
		}
	}, nil
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// chatWith returns the command that opens the chat with an agent.
func chatWith(a agents.Agent) string {
	switch {
	case a.URL != "" && a.Source == agents.Custom:
		return "parley " + a.CommandLine()
	case a.Source == agents.Custom:
		return "parley -- " + a.CommandLine()
	}
	return "parley " + safetext.Line(a.Name, 80)
}

// ModeAndModel returns the settings for --mode and --model. "" means not set.
func ModeAndModel(mode, model string) []headless.Setting {
	var out []headless.Setting
	for _, s := range []headless.Setting{{Key: "mode", Value: mode}, {Key: "model", Value: model}} {
		if s.Value != "" {
			out = append(out, s)
		}
	}
	return out
}

// settings returns the options to set before the prompt.
func (f runFlags) settings() ([]headless.Setting, error) {
	out := ModeAndModel(f.mode, f.model)
	for _, c := range f.config {
		setting, err := settingOf(c, "--config "+c)
		if err != nil {
			return nil, err
		}
		out = append(out, setting)
	}
	return out, nil
}

// settingOf reads KEY=VALUE. where is what the error begins with.
func settingOf(word, where string) (headless.Setting, error) {
	key, value, ok := strings.Cut(word, "=")
	if !ok || key == "" {
		return headless.Setting{}, Usagef("%s: want KEY=VALUE", where)
	}
	return headless.Setting{Key: key, Value: value}, nil
}

// choose finds the agent of a command line. hint says how to name one.
func (s *Setup) choose(name string, commandLine []string, hint string) (agents.Agent, error) {
	switch {
	case commandLine != nil:
		return Custom(commandLine), nil
	case name != "":
		return s.Find(name)
	case s.PreferredAgent() != "": // do not fall back to another one
		return s.Find(s.PreferredAgent())
	}
	a, ok := s.Default()
	if !ok {
		return a, Usagef("no agent found; `parley agents` lists known ones; to try the demo, type: %s", hint)
	}
	return a, nil
}

// promptOf joins the words, or reads standard input.
func promptOf(words []string, in io.Reader) (string, error) {
	prompt := strings.Join(words, " ")
	if len(words) > 0 && prompt != "-" {
		if strings.TrimSpace(prompt) == "" {
			return "", Usagef("the prompt is empty")
		}
		return prompt, nil
	}
	if prompt != "-" && isTerminal(in) {
		return "", Usagef("no prompt; type it after the flags, or pipe it in")
	}
	data, err := io.ReadAll(io.LimitReader(in, maxPrompt+1))
	switch {
	case err != nil:
		return "", Usagef("read the prompt from standard input: %v", err)
	case len(data) > maxPrompt:
		return "", Usagef("the prompt is larger than %d bytes", maxPrompt)
	case strings.TrimSpace(string(data)) == "":
		return "", Usagef("the prompt is empty")
	}
	return strings.ToValidUTF8(string(data), "\ufffd"), nil
}
