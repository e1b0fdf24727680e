package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/record"
	"parley/internal/safetext"
)

// NewSessions is `parley sessions`.
func NewSessions(s Streams) *cobra.Command {
	var cwd, protocol string
	var all, logs bool
	var remote RemoteFlags
	cmd := &cobra.Command{
		Use:   "sessions [AGENT] [flags] [-- COMMAND ARG…]",
		Short: "List an agent's sessions",
		Long: `Start an agent, list its sessions in this directory, and end it. Pass an id to --resume or ` + "`parley run --session`" + `.

With --logs no agent is started: parley lists the sessions in its own logs, those of all agents unless one is named.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			place, err := NewDirectories(cwd, nil)
			if err != nil {
				return err
			}
			setup, err := Load(remote)
			if err != nil {
				return err
			}
			WarnSkippedPrograms(s.PrintError)
			if err := CheckProtocol(protocol); err != nil {
				return err
			}
			setup.Protocol = protocol
			if logs {
				return printLogs(cmd, args, s, place, all)
			}
			agent, err := setup.named(cmd, args)
			if err != nil {
				return err
			}
			if all {
				return printSessions(cmd.Context(), s, setup, agent, place, "")
			}
			return printSessions(cmd.Context(), s, setup, agent, place, setup.NewSession(agent, place).Cwd)
		},
	}
	cmd.Flags().StringVar(&cwd, "cwd", "", "directory (default: here)")
	cmd.Flags().StringVar(&protocol, "protocol", "", "version of ACP: auto, 1 or 2 (default: the agent's setting, else 1)")
	cmd.Flags().BoolVar(&all, "all", false, "list the sessions of every directory")
	remote.Add(cmd.Flags())
	cmd.Flags().BoolVar(&logs, "logs", false, "list the sessions in parley's logs, without starting an agent")
	return cmd
}

// named finds the agent of `NAME` or `-- COMMAND ARG…`.
func (s *Setup) named(cmd *cobra.Command, args []string) (agents.Agent, error) {
	dash := cmd.ArgsLenAtDash()
	switch {
	case dash == 0 && len(args) > 0:
		return Custom(args), nil
	case dash >= 0:
		return agents.Agent{}, Usagef("name either an agent or a command after --, not both")
	case len(args) > 1:
		return agents.Agent{}, Usagef("only one agent at a time")
	case len(args) == 1:
		return s.Find(args[0])
	}
	return s.choose("", nil, "parley sessions demo")
}

// listPatience limits how long the agent may take.
const listPatience = 5 * time.Minute

type noSink struct{}

func (noSink) Post(event.Event) {}

func printSessions(ctx context.Context, s Streams, setup *Setup, agent agents.Agent, place Directories, dir string) error {
	ctx, stop := context.WithTimeout(ctx, listPatience)
	defer stop()
	client, err := setup.client(ctx, agent, place, acpclient.Options{Name: "parley", Version: Version(), Sink: noSink{}, Protocol: setup.protocol(agent), Versions: setup.versions})
	if err != nil {
		return err
	}
	defer client.Close()
	listed, err := Opening{KnownSessions: func() ([]event.StoredSession, error) { return KnownSessions(agent) }, Retitle: Retitle(agent, s.PrintError)}.sessions(ctx, client, dir)
	if err != nil {
		return err
	}
	if !client.Agent().List {
		s.PrintError(agentName(client) + " does not list sessions; these are from parley's logs")
	}
	w := tabwriter.NewWriter(s.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tUPDATED\tDIRECTORY\tTITLE")
	for _, l := range listed {
		if dir != "" && !sameDir(l.Cwd, dir) {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", safetext.Line(l.ID, 200), minute(l.Updated), safetext.Line(l.Cwd, 200), l.Title)
	}
	return w.Flush()
}

// minute formats a time for a list, "" if unknown.
func minute(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}

// printLogs lists the logged sessions of the agent given by `NAME` or `-- COMMAND ARG…`. The agent
// need not be installed.
func printLogs(cmd *cobra.Command, args []string, s Streams, place Directories, all bool) error {
	name := ""
	switch dash := cmd.ArgsLenAtDash(); {
	case dash == 0 && len(args) > 0:
		name = Custom(args).Name
	case dash >= 0:
		return Usagef("name either an agent or a command after --, not both")
	case len(args) > 1:
		return Usagef("only one agent at a time")
	case len(args) == 1:
		name = args[0]
	}
	dir, err := record.Dir()
	if err != nil {
		return err
	}
	logged, err := Logs(dir)
	if err != nil {
		return err
	}
	given := userNames(s.PrintError)
	w := tabwriter.NewWriter(s.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tAGENT\tUPDATED\tDIRECTORY\tPROMPTS\tTITLE")
	for _, g := range logged {
		if !all && !g.InDir(place.Cwd) || name != "" && !strings.EqualFold(g.Agent, safetext.Line(name, 80)) {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", safetext.Line(g.Session, 200), g.Agent, minute(g.Updated), g.Cwd, g.Prompts, cmp.Or(given(g.Agent, g.Session), g.Title))
	}
	return w.Flush()
}
