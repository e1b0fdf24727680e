package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/acpclient/transport"
	"parley/internal/agents"
	"parley/internal/doctor"
	"parley/internal/doctor/probe"
	"parley/internal/headless"
	"parley/internal/safetext"
	"parley/internal/version"
	"parley/internal/words"
)

// probeFlags say how `parley doctor AGENT` examines an agent.
type probeFlags struct {
	probe.Options
	json, yes, noPrompt bool
	remote              RemoteFlags
}

func (f *probeFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVarP(&f.yes, "yes", "y", false, "an agent: send prompts without asking first")
	flags.BoolVar(&f.noPrompt, "no-prompt", false, "an agent: send no prompt")
	flags.StringVar(&f.Prompt, "prompt", probe.DefaultPrompt, "an agent: the prompt to send")
	flags.StringVar(&f.CancelPrompt, "cancel-prompt", "", "an agent: a prompt that takes a while, to be cancelled (default: that of --prompt)")
	flags.StringVar(&f.PermissionPrompt, "permission-prompt", "", "an agent: also send this prompt, for which it must ask for permission")
	flags.BoolVar(&f.Large, "large-prompt", false, "an agent: also send a prompt of 1 MB")
	f.remote.Add(flags)
}

// probeGrace is how long an agent may take to end: some need longer than parley waits, which is a warning.
const probeGrace = 8 * time.Second

// examineAgent is `parley doctor AGENT`.
func examineAgent(cmd *cobra.Command, name string, commandLine []string, f probeFlags, s Streams) error {
	if strings.TrimSpace(f.Prompt) == "" && !f.noPrompt {
		return Usagef("the prompt is empty; --no-prompt sends none")
	}
	setup, err := Load(f.remote)
	if err != nil {
		return err
	}
	agent, err := setup.choose(name, commandLine, "parley doctor demo")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "parley-doctor-")
	if err == nil {
		defer os.RemoveAll(dir)
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return fmt.Errorf("make a directory for the agent: %w", err)
	}
	ctx := cmd.Context()
	o := f.Options
	o.Dir, o.Version, o.Patience, o.Grace = dir, version.Name(), probe.DefaultPatience, probeGrace
	if agent.Source == agents.Builtin { // its prompts cost nothing, and its words are known
		f.yes, o.Large = true, true
		o.CancelPrompt, o.PermissionPrompt = cmp.Or(o.CancelPrompt, "long"), cmp.Or(o.PermissionPrompt, "edit notes.txt")
	}
	if o.Dial, err = setup.probed(agent, &o); err != nil {
		return err
	}
	if f.noPrompt {
		o.Prompt = ""
	} else if err := f.consent(ctx, s, agent, &o); err != nil {
		return err
	}
	style := doctorStyle(s, nil)
	style.Check = probe.NameCells
	if !f.json {
		o.Begun = func(check string) { style.Waiting(s.Out, check) }
		o.Found = func(finding doctor.Finding) { style.Print(s.Out, finding) }
	}
	defer endSoonOnSecondSignal(ctx)()
	found, err := probe.Run(ctx, o)
	switch {
	case ctx.Err() != nil:
		style.Clear(s.Out)
		return ExitCode(headless.ExitInterrupted)
	case err != nil:
		return err
	case f.json:
		return reportFindings(s, found, true)
	}
	return summarize(s, found)
}

// probed returns how to connect to an agent. A command that was typed runs in the current directory, in which its
// arguments may name files; any other agent runs in the directory of the sessions.
func (s *Setup) probed(a agents.Agent, o *probe.Options) (func(context.Context) (transport.Conn, error), error) {
	if a.URL != "" {
		r, err := s.remoteOf(a)
		o.Cwd = cmp.Or(s.Remote.cwd, a.Dir)
		return func(ctx context.Context) (transport.Conn, error) {
			remote, err := dialing(ctx, r)
			if err != nil {
				return nil, err
			}
			remote.Jar = s.jars.jar(a.Name)
			return transport.Dial(ctx, remote)
		}, err
	}
	place, err := NewDirectories(o.Dir, nil)
	if a.Typed() && err == nil {
		place, err = NewDirectories("", []string{o.Dir})
	}
	if err != nil {
		return nil, err
	}
	start, err := s.starting(a, place)
	return func(context.Context) (transport.Conn, error) {
		return transport.StartStdio(transport.StdioOptions{Command: start.Path, Args: start.Args, Env: start.Env, Dir: start.Dir, Grace: o.Grace})
	}, err
}

// consent says which prompts are sent, and asks once. If the user does not want them, none is sent.
func (f probeFlags) consent(ctx context.Context, s Streams, a agents.Agent, o *probe.Options) error {
	if a.Source == agents.Builtin {
		return nil
	}
	n, cancelled := o.Prompts()
	line := fmt.Sprintf("Sends up to %s to %s (%s), of which %d are cancelled at once. They may cost money.",
		words.Count(n, "prompt"), a.Name, safetext.Line(o.Prompt, 60), cancelled)
	if f.yes {
		fmt.Fprintln(s.Err, safetext.Line(line, 500))
		return nil
	}
	if !isTerminal(s.In) {
		return Usagef("%s Add --yes, or --no-prompt to send none", line)
	}
	yes, err := saysYes(ctx, s, safetext.Line(line, 500)+" Send them?")
	if !yes {
		o.Prompt = ""
	}
	return err
}
