package cli

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/headless"
	"parley/internal/record"
	"parley/internal/safetext"
	"parley/internal/version"
	"parley/internal/workspace"
)

// NewSessions is `parley sessions`.
func NewSessions(s Streams) *cobra.Command {
	var cwd, protocol string
	var all, logs, asJSON bool
	var remote RemoteFlags
	cmd := &cobra.Command{
		Use:   "sessions [AGENT] [flags] [-- COMMAND ARG…]",
		Short: "List an agent's sessions",
		Long: `Start an agent, list its sessions in this directory, and end it. Pass an id to --resume or ` + "`parley run --session`" + `.

With --logs no agent is started: parley lists the sessions in its own logs, those of all agents unless one is named.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, command, err := AgentOrCommand(cmd, args)
			if err != nil {
				return err
			}
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
				if command != nil {
					name = Custom(command).Name
				}
				return printLogs(name, s, place, all, asJSON)
			}
			agent, err := setup.choose(name, command, "parley sessions demo")
			if err != nil {
				return err
			}
			dir := ""
			if !all {
				dir = setup.NewSession(agent, place).Cwd
			}
			return printSessions(cmd.Context(), s, setup, agent, place, dir, asJSON)
		},
	}
	cmd.Flags().StringVar(&cwd, "cwd", "", "directory (default: here)")
	cmd.Flags().StringVar(&protocol, "protocol", "", "version of ACP: auto, 1 or 2 (default: the agent's setting, else 1)")
	cmd.Flags().BoolVar(&all, "all", false, "list the sessions of every directory")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	remote.Add(cmd.Flags())
	cmd.Flags().BoolVar(&logs, "logs", false, "list the sessions in parley's logs, without starting an agent")
	return cmd
}

// AgentOrCommand reads the arguments of `[NAME] [-- COMMAND ARG…]`: a name, a command, or neither.
func AgentOrCommand(cmd *cobra.Command, args []string) (name string, command []string, err error) {
	switch dash := cmd.ArgsLenAtDash(); {
	case dash == 0 && len(args) > 0:
		return "", args, nil
	case dash == len(args):
		return "", nil, Usagef("no command after --; type one, as in `%s -- my-agent --acp`", cmd.CommandPath())
	case dash > 0:
		return "", nil, Usagef("name either an agent (%s) or a command after --, not both", args[0])
	case len(args) > 1:
		return "", nil, Usagef("only one agent at a time; type a command after --, as in `%s -- %s`", cmd.CommandPath(), strings.Join(args, " "))
	case len(args) == 1:
		return args[0], nil, nil
	}
	return "", nil, nil
}

// listPatience limits how long the agent may take.
const listPatience = 5 * time.Minute

type noSink struct{}

func (noSink) Post(event.Event) {}

// sessionInfo is what JSON output says about a session in a list.
type sessionInfo struct {
	Session string `json:"session"`
	Agent   string `json:"agent"`
	Cwd     string `json:"cwd"`
	Title   string `json:"title"`
	Updated string `json:"updated"`
}

// listedSession is an object of `parley sessions --json`.
type listedSession struct {
	sessionInfo
	Prompts int  `json:"prompts"`
	Run     bool `json:"run"`
}

// printSessions lists the sessions of an agent in dir, or all with "".
func printSessions(ctx context.Context, s Streams, setup *Setup, agent agents.Agent, place Directories, dir string, asJSON bool) error {
	ctx, stop := context.WithTimeout(ctx, listPatience)
	defer stop()
	client, err := setup.client(ctx, agent, place, acpclient.Options{Name: "parley", Version: version.Name(), Sink: noSink{}, Protocol: setup.protocol(agent), Versions: setup.versions})
	if err != nil {
		return err
	}
	defer client.Close()
	listed, err := Opening{Agent: agent, KnownSessions: func() ([]event.StoredSession, error) { return KnownSessions(agent) }, Retitle: Retitle(agent, s.PrintError), Notify: s.PrintError}.sessions(ctx, client, dir)
	if err != nil {
		return err
	}
	if !client.Agent().List {
		s.PrintError(agent.DisplayName(client.Agent().Label()) + " does not list sessions; these are from parley's logs")
	}
	listed = slices.DeleteFunc(listed, func(l event.StoredSession) bool { return dir != "" && !sameDir(l.Cwd, dir) })
	if asJSON {
		logged, err := logsOf(agent)
		if err != nil {
			return err
		}
		list := []listedSession{}
		for _, l := range listed {
			one := listedSession{sessionInfo: sessionInfo{l.ID, agent.Name, l.Cwd, l.Title, second(l.Updated)}}
			if i := slices.IndexFunc(logged, func(g workspace.Logged) bool { return g.Session == l.ID && sameDir(g.Dir, l.Cwd) }); i >= 0 {
				one.Prompts, one.Run = logged[i].Prompts, logged[i].Run
			}
			list = append(list, one)
		}
		return headless.WriteJSON(s.Out, list)
	}
	rows := [][]string{{"ID", "UPDATED", "DIRECTORY", "TITLE"}}
	for _, l := range listed {
		rows = append(rows, []string{safetext.Line(l.ID, 200), minute(l.Updated), safetext.Line(l.Cwd, 200), l.Title})
	}
	return printTable(s.Out, rows)
}

// minute formats a time for a list, "" if unknown.
func minute(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}

// second formats a time for JSON, "" if unknown.
func second(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}

// printLogs lists the logged sessions of an agent, which need not be installed, or with "" of all.
func printLogs(name string, s Streams, place Directories, all, asJSON bool) error {
	dir, err := record.Dir()
	if err != nil {
		return err
	}
	logged, err := Logs(dir)
	if err != nil {
		return err
	}
	logged = slices.DeleteFunc(logged, func(g workspace.Logged) bool {
		return !all && !sameDir(g.Dir, place.Cwd) || name != "" && !strings.EqualFold(g.Agent, safetext.Line(name, 80))
	})
	given := userNames(s.PrintError)
	for i, g := range logged {
		logged[i].Title = cmp.Or(given(g.Agent, g.Session), g.Title)
	}
	if asJSON {
		list := []listedSession{}
		for _, g := range logged {
			list = append(list, listedSession{sessionInfo{g.Session, g.Agent, g.Dir, g.Title, second(g.Updated)}, g.Prompts, g.Run})
		}
		return headless.WriteJSON(s.Out, list)
	}
	rows := [][]string{{"ID", "AGENT", "UPDATED", "DIRECTORY", "PROMPTS", "TITLE"}}
	for _, g := range logged {
		rows = append(rows, []string{safetext.Line(g.Session, 200), g.Agent, minute(g.Updated), g.Cwd, strconv.Itoa(g.Prompts), g.Title})
	}
	return printTable(s.Out, rows)
}
