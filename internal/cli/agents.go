package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"parley/internal/agents"
	"parley/internal/headless"
	"parley/internal/installs"
	"parley/internal/registry"
	"parley/internal/text"
	"parley/internal/words"
)

// DescribeSource describes where an agent was found.
func DescribeSource(a agents.Agent) string {
	switch a.Source {
	case agents.Path:
		return "on PATH: " + a.Found
	case agents.Installed:
		return "installed by parley"
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

// Listed is an agent in a list: known, installed, or in the registry.
type Listed struct {
	Name        string `json:"name"` // what the user types
	ID          string `json:"id,omitempty"`
	Title       string `json:"title,omitempty"`
	Version     string `json:"version,omitempty"`
	Latest      string `json:"latest,omitempty"` // in the registry, if that is newer
	Pinned      bool   `json:"pinned,omitempty"`
	How         string `json:"how"`
	Command     string `json:"command,omitempty"`
	Description string `json:"description,omitempty"`
	License     string `json:"license,omitempty"`
	Repository  string `json:"repository,omitempty"`

	Install   string `json:"install,omitempty"` // by the user
	Startable bool   `json:"startable"`         // it need not be installed first
	Entry     bool   `json:"-"`                 // parley can install it
}

// List lists the agents of the setup, and those of the registry that are not among them.
func (c *Catalogue) List(x *registry.Index) (all []Listed) {
	used := map[string]bool{}
	mine := c.agents()
	for _, a := range mine {
		l := Listed{Name: a.Name, ID: a.ID, Title: a.Title, How: DescribeSource(a), Command: a.CommandLine(), Description: a.About(), Startable: a.Source != agents.Missing}
		e, known := c.Entry(x, cmp.Or(a.ID, a.Name))
		if known {
			used[e.ID], l.Entry = true, true
			l.ID, l.License, l.Repository = cmp.Or(l.ID, e.ID), e.License, e.Repository
		}
		switch a.Source {
		case agents.Installed:
			i, _ := c.store.Find(a.ID)
			l.Version, l.Pinned, l.License = a.Version, i.Pinned, cmp.Or(i.License, l.License)
			if known && registry.Newer(e.Version, a.Version) {
				l.Latest = e.Version
			}
		case agents.Npx:
			l.Version = a.Version
		case agents.Builtin:
			l.Command = "parley agent demo"
		case agents.Missing:
			l.Command, l.Install = "", a.Install
			inTable, _ := agents.Find(agents.Known(), a.Name)
			_, inRegistry := x.Find(e.ID)
			switch {
			case !known || a.Install != inTable.Install: // it says why the one on PATH does not count
				l.How += "; " + a.Install
			case inRegistry:
				l.How = "in the registry"
			default:
				l.How += " (npm)"
			}
			l.Version = e.Version
		}
		all = append(all, l)
	}
	for _, e := range x.Entries {
		name := agents.Alias(e.ID, npmPackage(e))
		_, taken := agents.Find(mine, name)
		if used[e.ID] || e.ID == agents.Demo || taken {
			continue
		}
		all = append(all, Listed{Name: e.ID, ID: e.ID, Title: e.Name, Version: e.Version, How: "in the registry", Description: agents.Agent{Name: e.ID, Title: e.Name, Description: e.Description}.About(), License: e.License, Repository: e.Repository, Entry: true})
	}
	return all
}

func (l Listed) matches(search string) bool {
	return registry.Entry{ID: l.Name + " " + l.ID, Name: l.Title, Description: l.Description}.Matches(search)
}

// NewAgents is `parley agents`.
func NewAgents(s Streams) *cobra.Command {
	var asJSON, refresh bool
	cmd := &cobra.Command{
		Use:   "agents [SEARCH…]",
		Short: "List, install, update and remove agents",
		Long: `List known agents, those that parley has installed, and those of the registry, by the words of a search in their names and descriptions.

The registry is fetched only with --refresh, and by install, update, and show of an agent that is not known; it is kept in the state directory.

Exit codes: 0 done, 1 it failed or you said no (what was installed before is unchanged), 2 usage (no such agent, or a question and no terminal), 130 interrupted.`,
		Example: `  parley agents --refresh python
  parley agents install opencode
  parley agents update --yes`,
		Args: cobra.ArbitraryArgs,
		RunE: withCatalogue(s, func(ctx context.Context, c *Catalogue, args []string) (err error) {
			x := c.Kept()
			if refresh {
				if x, err = c.index(ctx, s); err != nil {
					return interrupted(ctx, err)
				}
				for _, wrong := range x.Wrong {
					s.PrintError("left out of the registry: " + wrong)
				}
			}
			return c.print(s, x, strings.Join(args, " "), asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&refresh, "refresh", false, "fetch the registry first")
	cmd.AddCommand(newAgentsShow(s), newAgentsInstall(s), newAgentsUpdate(s), newAgentsRemove(s), newAgentsPin(s))
	return cmd
}

// withCatalogue is a command that needs the catalogue.
func withCatalogue(s Streams, run func(ctx context.Context, c *Catalogue, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		setup, err := Load(RemoteFlags{})
		if err != nil {
			return err
		}
		WarnSkippedPrograms(s.PrintError)
		c, err := setup.NewCatalogue()
		if err != nil {
			return err
		}
		return run(cmd.Context(), c, args)
	}
}

// index fetches the registry.
func (c *Catalogue) index(ctx context.Context, s Streams) (*registry.Index, error) {
	x, note, err := c.Fetch(ctx)
	if err != nil {
		return nil, err
	}
	if note != "" {
		s.PrintError(note)
	}
	return x, nil
}

// print prints a list of agents.
func (c *Catalogue) print(s Streams, x *registry.Index, search string, asJSON bool) error {
	list := slices.DeleteFunc(c.List(x), func(l Listed) bool { return !l.matches(search) })
	if asJSON {
		return headless.WriteJSON(s.Out, append([]Listed{}, list...))
	}
	rows := [][]string{{"NAME", "VERSION", "DESCRIPTION", "HOW"}}
	for _, l := range list {
		version := l.Version
		if l.Latest != "" {
			version += " → " + l.Latest
		}
		if l.Pinned {
			version += " (pinned)"
		}
		rows = append(rows, []string{l.Name, version, l.Description, l.How})
	}
	cutDescriptions(rows, widthOf(s.Out))
	if err := printTable(s.Out, rows); err != nil {
		return err
	}
	c.printAge(s, x)
	return nil
}

// cutDescriptions cuts the third cells of rows to what the other columns leave of a line, but not below 30 cells.
func cutDescriptions(rows [][]string, width int) {
	var widths [4]int
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], text.Width(cell))
		}
	}
	for _, row := range rows {
		row[2] = text.Truncate(row[2], max(30, width-widths[0]-widths[1]-widths[3]-3*2), "…")
	}
}

// widthOf returns how wide a line may be.
func widthOf(out any) int {
	if f, ok := out.(*os.File); ok {
		if width, _, err := term.GetSize(f.Fd()); err == nil {
			return width
		}
	}
	return 400
}

// printAge says, to a user at a terminal, how old the registry is.
func (c *Catalogue) printAge(s Streams, x *registry.Index) {
	switch {
	case c.registry == nil || !isTerminal(s.Out):
	case x.Fetched.IsZero():
		fmt.Fprintln(s.Err, "\nThe registry has more agents: parley agents --refresh fetches it.")
	default:
		fmt.Fprintf(s.Err, "\nRegistry fetched %s; parley agents --refresh fetches it again.\n", words.Ago(x.Fetched, time.Now()))
	}
}

func newAgentsShow(s Streams) *cobra.Command {
	var asJSON, scripts bool
	cmd := &cobra.Command{
		Use:   "show ID[@VERSION]",
		Short: "Show an agent and how it would be installed",
		Args:  oneAgent,
		RunE: withCatalogue(s, func(ctx context.Context, c *Catalogue, args []string) (err error) {
			name, _, _ := strings.Cut(args[0], "@")
			x := c.Kept()
			_, mine := agents.Find(c.agents(), name)
			if _, known := c.Entry(x, name); !known && x.Fetched.IsZero() && !mine {
				if x, err = c.index(ctx, s); err != nil {
					return err
				}
			}
			return c.show(ctx, s, x, args[0], scripts, asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	scriptsFlag(cmd, &scripts)
	return cmd
}

// shown is what JSON output says about one agent.
type shown struct {
	Listed
	Versions []string        `json:"versions,omitempty"` // that are installed, the one used first
	Plan     []installs.Fact `json:"plan,omitempty"`
}

func (c *Catalogue) show(ctx context.Context, s Streams, x *registry.Index, word string, scripts, asJSON bool) error {
	name, version, hasVersion := strings.Cut(word, "@")
	var out shown
	list := c.List(x)
	at := slices.IndexFunc(list, func(l Listed) bool { return strings.EqualFold(l.Name, name) })
	if at < 0 {
		at = slices.IndexFunc(list, func(l Listed) bool { return strings.EqualFold(l.ID, name) })
	}
	if at < 0 {
		return c.unknown(x, name)
	}
	out.Listed = list[at]
	i, isInstalled := c.Installed(name)
	if isInstalled {
		out.Versions = c.store.Versions(i)
	}
	var planErr error
	if out.Entry && (!isInstalled || hasVersion && !slices.Contains(out.Versions, version)) {
		var p *installs.Plan
		if p, planErr = c.Plan(ctx, x, word, scripts); planErr == nil {
			out.Plan = p.Facts(homeDir(), "--scripts")
		}
	}
	if asJSON {
		return cmp.Or(planErr, headless.WriteJSON(s.Out, out))
	}
	facts := []installs.Fact{{Name: "Name", Value: out.Name}, {Name: "Agent", Value: out.Description}, {Name: "Found", Value: out.How}, {Name: "Install", Value: out.Install}, {Name: "Starts", Value: out.Command}, {Name: "Version", Value: out.Version},
		{Name: "Registry", Value: out.Latest}, {Name: "Installed", Value: strings.Join(out.Versions, ", ")}, {Name: "Pinned", Value: map[bool]string{true: "yes"}[out.Pinned]}, {Name: "Source", Value: out.Repository}}
	if out.Plan == nil {
		facts = append(facts, installs.Fact{Name: "License", Value: out.License})
	}
	printFacts(s, facts)
	if out.Plan != nil {
		fmt.Fprintf(s.Out, "\nparley agents install %s would do this:\n", word)
		printFacts(s, out.Plan)
	}
	return planErr
}

// printFacts prints lines with a name each; those without a value are left out.
func printFacts(s Streams, facts []installs.Fact) {
	var rows [][]string
	for _, f := range facts {
		if f.Value != "" {
			rows = append(rows, []string{f.Name, f.Value})
		}
	}
	printTable(s.Out, rows)
}

func homeDir() string {
	home, _ := os.UserHomeDir()
	return home
}

var oneAgent = oneArg("one agent, such as opencode or opencode@1.2.3; see --help")

func scriptsFlag(cmd *cobra.Command, scripts *bool) {
	cmd.Flags().BoolVar(scripts, "scripts", false, "let the install scripts of packages run")
}

// errDeclined says that the user does not want what was shown.
var errDeclined = errors.New("nothing was changed")
