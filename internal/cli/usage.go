package cli

import (
	"cmp"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley/internal/headless"
	"parley/internal/memory"
	"parley/internal/words"
)

// NewUsage is `parley usage`.
func NewUsage(s Streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show what the turns of each day took",
		Long:  "Show what the turns of all sessions took, by day and agent, in the chat and with `parley run`: the tokens that agents report. It is kept for 30 days.",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			store := Usage()
			if store == nil {
				return errors.New("there is nowhere to keep the usage: set HOME")
			}
			days, err := store.Days()
			if err != nil {
				return err
			}
			if asJSON {
				return headless.WriteJSON(s.Out, append([]memory.DayUsage{}, days...))
			}
			if len(days) == 0 {
				fmt.Fprintln(s.Out, "No agent has reported any usage.")
			}
			table := tabwriter.NewWriter(s.Out, 0, 8, 2, ' ', 0)
			for _, day := range days {
				for _, a := range day.Agents {
					fmt.Fprintf(table, "%s\t%s\t%s\n", day.Date, cmp.Or(words.OneLine(a.Agent), "others"), a)
				}
			}
			return table.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
