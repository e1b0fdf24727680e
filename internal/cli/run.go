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

	"parley/acpclient"
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
	agent, cwd, output                string
	addDirs, config                   []string
	session, mode, model              string
	protocol                          string
	continues                         bool
	timeout                           time.Duration
	approveAll, approveReads, denyAll bool
	offerTools, sandbox               func() *bool
	remote                            RemoteFlags
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
	flags := cmd.Flags()
	flags.StringVar(&f.agent, "agent", "", "agent's name or URL (default: the configured one, else the first installed)")
	flags.StringVar(&f.cwd, "cwd", "", "directory to work in (default: here)")
	flags.StringArrayVar(&f.addDirs, "add-dir", nil, "also let the agent work in this directory (repeatable)")
	flags.StringVarP(&f.output, "output", "o", "text", "output format: text, json or stream-json")
	flags.StringVar(&f.protocol, "protocol", "", "version of ACP: auto, 1 or 2 (default: the agent's setting, else 1)")
	flags.StringVar(&f.session, "session", "", "continue the agent's session with this id or title")
	flags.BoolVarP(&f.continues, "continue", "c", false, "continue the agent's newest session in this directory")
	flags.StringVar(&f.mode, "mode", "", "use this mode")
	flags.StringVar(&f.model, "model", "", "use this model")
	flags.StringArrayVar(&f.config, "config", nil, "set an option of the session, as KEY=VALUE (repeatable)")
	flags.DurationVar(&f.timeout, "timeout", 0, "give up after this long, such as 90s or 10m (default: never)")
	flags.BoolVar(&f.approveAll, "approve-all", false, "allow everything the agent asks for")
	flags.BoolVar(&f.approveReads, "approve-reads", false, "allow reading and searching in the session's directories, reject the rest")
	flags.BoolVar(&f.denyAll, "deny-all", false, "reject everything that needs an answer (the default)")
	f.offerTools = OfferToolsFlag(cmd)
	f.sandbox = SandboxFlag(cmd)
	f.remote.Add(flags)
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
	policy, err := f.policy()
	if err != nil {
		return err
	}
	if f.output != "text" && f.output != "json" && f.output != "stream-json" {
		return Usagef("-o %s: want text, json or stream-json", f.output)
	}
	if f.timeout < 0 {
		return Usagef("--timeout %s: want a positive duration", f.timeout)
	}
	if f.agent != "" && commandLine != nil {
		return Usagef("--agent and a command after -- cannot be used together")
	}
	if err := CheckProtocol(f.protocol); err != nil {
		return err
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
	if err := CheckRules(place); err != nil {
		return err
	}
	setup, err := Load(f.remote)
	if err != nil {
		return err
	}
	setup.Protocol, setup.OfferTools, setup.Sandbox = f.protocol, f.offerTools(), f.sandbox()
	setup.Warn = s.PrintError
	WarnSkippedPrograms(setup.Warn)
	agent, err := setup.choose(f.agent, commandLine, "parley run --agent demo")
	if err != nil {
		return err
	}
	tools, err := setup.tools(agent)
	if err != nil {
		return err
	}
	shared, err := setup.shared(agent, place)
	if err != nil {
		return err
	}
	bounds, err := setup.bounds()
	if err != nil {
		return err
	}
	prompt, err := promptOf(words, s.In)
	if err != nil {
		return err
	}
	opts := headless.Options{
		Agent: agent.Name, Custom: agent.Source == agents.Custom && agent.URL == "", Remote: shared, Rules: Rules(place, agent.URL == ""), Record: setup.NewQuestions(setup.questionsFail(nil)), Session: setup.NewSession(agent, place), Prompt: prompt,
		Connect: func(ctx context.Context, opts acpclient.Options) (*acpclient.Client, error) {
			client, err := setup.client(ctx, agent, place, opts)
			return client, withHowTo(err)
		},
		Open: Opening{Resume: f.session, Continue: f.continues, KnownSessions: func() ([]event.StoredSession, error) { return KnownSessions(agent) }, Retitle: Retitle(agent, s.PrintError), Notify: s.PrintError}.Open, Settings: settings, Protocol: setup.protocol(agent), Versions: setup.versions, Tools: tools, Commands: commands(), Sandbox: bounds,
		Format: f.output, Policy: policy, Timeout: f.timeout, Stdout: s.Out, Stderr: s.Err, OneTerminal: isTerminal(s.Out) && isTerminal(s.Err),
		LogIn: chatWith(agent), Version: Version(),
	}
	log := event.NewLog()
	rec := setup.record(agent, place, log)
	defer rec.Close()
	opts.Tap, opts.OnAgentInfo = rec.tap(), rec.introduced
	code := headless.Run(cmd.Context(), opts)
	if code != 0 {
		return ExitCode(code)
	}
	return nil
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
		key, value, ok := strings.Cut(c, "=")
		if !ok || key == "" {
			return nil, Usagef("--config %s: want KEY=VALUE", c)
		}
		out = append(out, headless.Setting{Key: key, Value: value})
	}
	return out, nil
}

func (f runFlags) policy() (headless.Policy, error) {
	n := 0
	policy := headless.DenyAll
	for _, p := range []struct {
		set    bool
		policy headless.Policy
	}{{f.denyAll, headless.DenyAll}, {f.approveReads, headless.ApproveReads}, {f.approveAll, headless.ApproveAll}} {
		if p.set {
			n++
			policy = p.policy
		}
	}
	if n > 1 {
		return "", Usagef("--approve-all, --approve-reads and --deny-all cannot be used together")
	}
	return policy, nil
}

// choose finds the agent of a command line. hint says how to name one.
func (s *Setup) choose(name string, commandLine []string, hint string) (agents.Agent, error) {
	switch {
	case commandLine != nil:
		return Custom(commandLine), nil
	case name != "":
		return s.Find(name)
	case s.Config.Agent != "": // do not fall back to another one
		return s.Find(s.Config.Agent)
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
		return "", Usagef("no prompt; type it after `parley run`, or pipe it in")
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
