package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley/internal/agents"
)

// DescribeSource describes where an agent was found.
func DescribeSource(a agents.Agent) string {
	switch a.Source {
	case agents.Path:
		return "on PATH: " + a.Found
	case agents.Npx:
		return "through npx"
	case agents.Config:
		return "configured"
	case agents.Builtin:
		return "built in"
	case agents.Custom:
		return "from the command line"
	}
	return "not installed"
}

// NewAgents is `parley agents`.
func NewAgents(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "agents",
		Short: "List known agents and where they were found",
		Args:  NoArgs,
		RunE: func(*cobra.Command, []string) error {
			setup, err := Load(RemoteFlags{})
			if err != nil {
				return err
			}
			WarnSkippedPrograms(s.PrintError)
			w := tabwriter.NewWriter(s.Out, 0, 8, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tCOMMAND\tFOUND")
			for _, a := range setup.Agents {
				line := a.CommandLine()
				if a.Source == agents.Builtin {
					line = "parley agent demo"
				}
				where := DescribeSource(a)
				if a.Source == agents.Missing && a.Install != "" {
					where += "; " + a.Install
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", a.Name, line, where)
			}
			return w.Flush()
		},
	}
}
