package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/internal/agents"
	"parley/internal/headless"
	"parley/internal/installs"
	"parley/internal/registry"
)

func newAgentsInstall(s Streams) *cobra.Command {
	var with choices
	cmd := &cobra.Command{
		Use:   "install ID[@VERSION]",
		Short: "Install an agent, after showing what that would do",
		Long: `Install an agent of the registry into a directory of parley's own, in one exact version. It is used as soon as it has answered, and starts without a network. The older version stays until then, and the one used before is kept.

What would be downloaded or run is shown first, and you are asked once.`,
		Args: oneAgent,
		RunE: withCatalogue(s, func(ctx context.Context, c *Catalogue, args []string) error {
			return c.install(ctx, s, args[0], with)
		}),
	}
	with.flags(cmd)
	return cmd
}

// choices are what the user has said about an installation.
type choices struct{ yes, scripts, pinned bool }

func (c *choices) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&c.yes, "yes", "y", false, "do not ask")
	scriptsFlag(cmd, &c.scripts)
}

// install installs one agent: ID, or ID@VERSION.
func (c *Catalogue) install(ctx context.Context, s Streams, word string, with choices) error {
	x, note, err := c.Fetch(ctx)
	name, _, _ := strings.Cut(word, "@")
	if _, known := c.Entry(x, name); err != nil && !known {
		return interrupted(ctx, err)
	}
	if err != nil { // the table knows it
		note = err.Error()
	}
	if note != "" && c.registry != nil {
		s.PrintError(note)
	}
	p, err := c.Plan(ctx, x, word, with.scripts)
	if err != nil {
		return err
	}
	if i, ok := c.Installed(p.Entry.ID); ok && i.Version == p.Version && i.Pinned == with.pinned {
		fmt.Fprintf(s.Out, "%s %s is installed already.\n", i.ID, i.Version)
		return nil
	}
	return c.carryOut(ctx, s, []*installs.Plan{p}, with)
}

// carryOut shows plans, asks once, and does them.
func (c *Catalogue) carryOut(ctx context.Context, s Streams, plans []*installs.Plan, with choices) error {
	for i, p := range plans {
		if i > 0 {
			fmt.Fprintln(s.Out)
		}
		printFacts(s, p.Facts(homeDir(), "--scripts"))
	}
	if err := confirm(ctx, s, with.yes, "Install it?"); err != nil {
		return err
	}
	var failed error // one does not keep the others from it
	for _, p := range plans {
		show := progress{out: s.Err, onTerminal: isTerminal(s.Err)}
		a, err := c.Install(ctx, p, with.pinned, show.tell)
		show.end()
		switch {
		case err == nil:
			fmt.Fprintf(s.Out, "Installed %s %s; parley %s starts it.\n", a.ID, a.Version, a.Name)
		case ctx.Err() != nil:
			return interrupted(ctx, err)
		default:
			s.PrintError(err.Error())
			failed = ExitCode(1)
		}
	}
	return failed
}

// interrupted returns the error of something that ctx may have stopped.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ExitCode(headless.ExitInterrupted)
	}
	return err
}

// confirm asks once, at a terminal.
func confirm(ctx context.Context, s Streams, yes bool, question string) error {
	if yes {
		return nil
	}
	if !isTerminal(s.In) {
		return Usagef("nothing was changed: there is no terminal to ask at; --yes does it without a question")
	}
	yes, err := saysYes(ctx, s, "\n"+question)
	if err == nil && !yes {
		err = errDeclined
	}
	return err
}

// saysYes asks a question at a terminal.
func saysYes(ctx context.Context, s Streams, question string) (bool, error) {
	fmt.Fprint(s.Err, question+" [y/N] ")
	answer := strings.ToLower(nextAnswer(ctx, bufio.NewScanner(s.In)))
	if ctx.Err() != nil {
		return false, ExitCode(headless.ExitInterrupted)
	}
	return answer == "y" || answer == "yes", nil
}

// progress shows how far an installation is: on one line of a terminal, else one line for each step.
type progress struct {
	out        io.Writer
	onTerminal bool
	said       string
	open       bool
}

func (p *progress) tell(now installs.Progress) {
	switch {
	case p.onTerminal:
		fmt.Fprintf(p.out, "\r%s\x1b[K", now)
		p.open = true
	case now.Doing != p.said:
		p.said = now.Doing
		fmt.Fprintf(p.out, "parley: %s…\n", now.Doing)
	}
}

func (p *progress) end() {
	if p.open {
		fmt.Fprintln(p.out)
	}
}

func newAgentsUpdate(s Streams) *cobra.Command {
	var with choices
	cmd := &cobra.Command{
		Use:   "update [ID…]",
		Short: "Update the agents that parley has installed, but for pinned ones",
		Args:  cobra.ArbitraryArgs,
		RunE: withCatalogue(s, func(ctx context.Context, c *Catalogue, args []string) error {
			return c.update(ctx, s, args, with)
		}),
	}
	with.flags(cmd)
	return cmd
}

func (c *Catalogue) update(ctx context.Context, s Streams, names []string, with choices) error {
	var all []installs.Installed
	for _, name := range names {
		i, ok := c.Installed(name)
		switch {
		case !ok:
			return c.notInstalled(name)
		case i.Pinned:
			return Usagef("%s is pinned at %s; `parley agents pin --off %s` lets it be updated", i.ID, i.Version, i.ID)
		}
		all = append(all, i)
	}
	if len(names) == 0 {
		all = slices.DeleteFunc(c.store.List(), func(i installs.Installed) bool { return i.Pinned })
	}
	if len(all) == 0 {
		fmt.Fprintln(s.Out, "Nothing to update.")
		return nil
	}
	x, err := c.index(ctx, s)
	if err != nil {
		return interrupted(ctx, err)
	}
	var plans []*installs.Plan
	var failed error
	for _, i := range all {
		e, ok := c.Entry(x, i.ID)
		if !ok || !registry.Newer(e.Version, i.Version) {
			continue
		}
		p, err := installs.NewPlan(ctx, c.store, e, installs.Options{Scripts: with.scripts})
		if err != nil {
			s.PrintError(err.Error())
			failed = ExitCode(1)
			continue
		}
		plans = append(plans, p)
	}
	if len(plans) > 0 {
		return cmp.Or(c.carryOut(ctx, s, plans, with), failed)
	}
	if failed == nil {
		fmt.Fprintln(s.Out, "Nothing to update.")
	}
	return failed
}

// notInstalled is the error about an agent that parley has not installed.
func (c *Catalogue) notInstalled(name string) error {
	var installed []agents.Agent
	for _, i := range c.store.List() {
		installed = append(installed, agents.Agent{Name: i.ID})
	}
	return Usagef("parley has not installed %q%s", name, agents.Closest(installed, name))
}

func newAgentsRemove(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "remove ID[@VERSION]",
		Short: "Remove an agent that parley has installed, or one version of it",
		Args:  oneAgent,
		RunE: withCatalogue(s, func(_ context.Context, c *Catalogue, args []string) error {
			name, version, _ := strings.Cut(args[0], "@")
			i, ok := c.Installed(name)
			if !ok {
				return c.notInstalled(name)
			}
			if err := c.store.Remove(i.ID, version); err != nil {
				if errors.Is(err, installs.ErrNotInstalled) {
					return Usagef("%s %s is not installed; there is %s", i.ID, version, strings.Join(c.store.Versions(i), ", "))
				}
				return err
			}
			fmt.Fprintln(s.Out, strings.TrimSpace("Removed "+i.ID+" "+version)+".")
			if left, ok := c.Installed(i.ID); ok {
				fmt.Fprintf(s.Out, "parley %s starts %s.\n", i.ID, left.Version)
			}
			return nil
		}),
	}
}

func newAgentsPin(s Streams) *cobra.Command {
	with := choices{pinned: true}
	var off bool
	cmd := &cobra.Command{
		Use:   "pin ID[@VERSION]",
		Short: "Use one version of an agent and leave it alone when others are updated",
		Args:  oneAgent,
		RunE: withCatalogue(s, func(ctx context.Context, c *Catalogue, args []string) error {
			name, version, _ := strings.Cut(args[0], "@")
			i, ok := c.Installed(name)
			switch {
			case !ok && version == "":
				return c.notInstalled(name)
			case off && version != "":
				return Usagef("--off takes no version")
			case ok && version == "":
				version = i.Version
			}
			if !ok || !slices.Contains(c.store.Versions(i), version) {
				return c.install(ctx, s, args[0], with)
			}
			if err := c.store.Use(i.ID, version, !off); err != nil {
				return err
			}
			if off {
				fmt.Fprintf(s.Out, "%s is updated again.\n", i.ID)
				return nil
			}
			fmt.Fprintf(s.Out, "Pinned %s at %s.\n", i.ID, version)
			return nil
		}),
	}
	with.flags(cmd)
	cmd.Flags().BoolVar(&off, "off", false, "let it be updated again")
	return cmd
}
