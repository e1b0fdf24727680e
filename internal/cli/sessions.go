package cli

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/internal/agents"
	"parley/internal/safetext"
)

// NewSessions is `parley sessions`.
func NewSessions(s Streams) *cobra.Command {
	var cwd string
	var all bool
	cmd := &cobra.Command{
		Use:   "sessions [AGENT] [flags] [-- COMMAND ARG…]",
		Short: "List the sessions that an agent keeps",
		Long: `Start an agent, list the sessions that it keeps of this directory, and end it again. The id is what
--resume and ` + "`parley run --session`" + ` take.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			setup, err := Load()
			if err != nil {
				return err
			}
			place, err := NewPlace(cwd, nil)
			if err != nil {
				return err
			}
			agent, err := setup.named(cmd, args)
			if err != nil {
				return err
			}
			if all {
				return printSessions(cmd.Context(), s, agent, place, "")
			}
			return printSessions(cmd.Context(), s, agent, place, place.Cwd)
		},
	}
	cmd.Flags().StringVar(&cwd, "cwd", "", "the directory (default: here)")
	cmd.Flags().BoolVar(&all, "all", false, "those of every directory")
	return cmd
}

// named finds the agent of `NAME` or `-- COMMAND ARG…`.
func (s *Setup) named(cmd *cobra.Command, args []string) (agents.Agent, error) {
	dash := cmd.ArgsLenAtDash()
	switch {
	case dash == 0 && len(args) > 0:
		return Custom(args), nil
	case dash >= 0:
		return agents.Agent{}, Usagef("either an agent or a command behind --")
	case len(args) > 1:
		return agents.Agent{}, Usagef("one agent at a time")
	case len(args) == 1:
		return s.Find(args[0])
	}
	return s.choose("", nil)
}

// listPatience bounds how long the agent may take.
const listPatience = 5 * time.Minute

type noSink struct{}

func (noSink) Post(acpclient.Event) {}

func printSessions(ctx context.Context, s Streams, agent agents.Agent, place Place, dir string) error {
	ctx, stop := context.WithTimeout(ctx, listPatience)
	defer stop()
	client, err := acpclient.Launch(ctx, command(agent, place.Cwd), acpclient.Options{Name: "parley", Version: Version(), Sink: noSink{}})
	if err != nil {
		return err
	}
	defer client.Close()
	kept, err := client.ListSessions(ctx, dir)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(s.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tUPDATED\tDIRECTORY\tTITLE")
	for _, l := range kept {
		if dir != "" && l.Cwd != dir {
			continue
		}
		updated := ""
		if !l.Updated.IsZero() {
			updated = l.Updated.Local().Format("2006-01-02 15:04")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", safetext.Line(l.ID, 200), updated, safetext.Line(l.Cwd, 200), l.Title)
	}
	return w.Flush()
}
