package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/headless"
)

// headlessFlags are the flags of the commands that send a prompt without a screen.
type headlessFlags struct {
	cwd, output, protocol             string
	formats                           []string // the values of --output; the first is the default
	timeout                           time.Duration
	approveAll, approveReads, denyAll bool
	offerTools, sandbox               func() *bool
	remote                            RemoteFlags
	systemPrompt                      SystemPromptFlags
}

// orList returns "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// add defines the flags. formats are the values of --output; the first is the default.
func (f *headlessFlags) add(cmd *cobra.Command, formats ...string) {
	f.formats = formats
	flags := cmd.Flags()
	flags.StringVar(&f.cwd, "cwd", "", "directory to work in (default: here)")
	flags.StringVarP(&f.output, "output", "o", formats[0], "output format: "+orList(formats))
	flags.StringVar(&f.protocol, "protocol", "", "version of ACP: auto, 1 or 2 (default: the agent's setting, else 1)")
	flags.DurationVar(&f.timeout, "timeout", 0, "give up after this long, such as 90s or 10m (default: never)")
	flags.BoolVar(&f.approveAll, "approve-all", false, "allow everything the agent asks for")
	flags.BoolVar(&f.approveReads, "approve-reads", false, "allow reading and searching in the session's directories, reject the rest")
	flags.BoolVar(&f.denyAll, "deny-all", false, "reject everything that needs an answer (the default)")
	f.offerTools = OfferToolsFlag(cmd)
	f.sandbox = SandboxFlag(cmd)
	f.remote.Add(flags)
	f.systemPrompt.Add(flags)
}

// check rejects invalid values.
func (f *headlessFlags) check() error {
	chosen := 0
	for _, policy := range []bool{f.denyAll, f.approveReads, f.approveAll} {
		if policy {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return Usagef("--approve-all, --approve-reads and --deny-all cannot be used together")
	case !slices.Contains(f.formats, f.output):
		return Usagef("-o %s: want %s", f.output, orList(f.formats))
	case f.timeout < 0:
		return Usagef("--timeout %s: want a positive duration", f.timeout)
	}
	return CheckProtocol(f.protocol)
}

// policy returns what decides questions.
func (f *headlessFlags) policy() headless.Policy {
	switch {
	case f.approveAll:
		return headless.ApproveAll
	case f.approveReads:
		return headless.ApproveReads
	}
	return headless.DenyAll
}

// load reads the rules and the configuration.
func (f *headlessFlags) load(place Directories, s Streams) (*Setup, error) {
	mistakes, err := CheckRules(place)
	if err != nil {
		return nil, err
	}
	setup, err := Load(f.remote)
	if err != nil {
		return nil, err
	}
	note, err := setup.UseProject(place)
	if err != nil {
		return nil, err
	}
	if note != "" {
		s.PrintError(note)
	}
	setup.Protocol, setup.OfferTools, setup.Sandbox = f.protocol, f.offerTools(), f.sandbox()
	if setup.SystemPrompt, err = f.systemPrompt.Read(); err != nil {
		return nil, err
	}
	setup.Warn = s.PrintError
	WarnSkippedPrograms(setup.Warn)
	if mistakes != "" {
		setup.Warn(mistakes)
	}
	return setup, setup.CheckSandbox()
}

// options returns how to run a prompt, which it leaves to set, with an agent in a place. end must
// be called after the run.
func (f *headlessFlags) options(setup *Setup, agent agents.Agent, place Directories, s Streams) (opts headless.Options, end func(), err error) {
	with, err := setup.assemble(agent, place, event.NewLog(), nil, true)
	if err != nil {
		return opts, nil, err
	}
	return headless.Options{
		Host: with.host, Client: with.client, Custom: agent.Typed(), LogIn: chatWith(agent),
		Connect: func(ctx context.Context, opts acpclient.Options) (*acpclient.Client, error) {
			return setup.client(ctx, agent, place, opts)
		},
		Session: with.session, Log: with.record.Path(), OnAgentInfo: with.record.introduced, Policy: f.policy(),
		Timeout: f.timeout, Usage: Usage(), Stdout: s.Out, Stderr: s.Err,
	}, with.record.Close, nil
}
