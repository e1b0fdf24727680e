package cli

import (
	"cmp"
	"errors"
	"fmt"

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
			var rows [][]string
			for _, day := range days {
				for _, a := range day.Agents {
					rows = append(rows, []string{day.Date, cmp.Or(words.OneLine(a.Agent), "others"), a.String()})
				}
			}
			return printTable(s.Out, rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
