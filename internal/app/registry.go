package app

import (
	"context"
	"os"

	"parley/internal/cli"
	"parley/internal/installs"
	"parley/internal/registry"
	"parley/internal/workspace"
)

// offerRegistry returns the registry for the list of agents, nil if it is turned off. It fetches nothing.
func offerRegistry(setup *cli.Setup) *workspace.Registry {
	c, err := setup.NewCatalogue()
	if err != nil || setup.Config.RegistryURL() == "" {
		return nil
	}
	r := &workspace.Registry{Kept: func() workspace.Listing { return listing(c, c.Kept()) }}
	r.Fetch = func(ctx context.Context) (workspace.Listing, string, error) {
		x, note, err := c.Fetch(ctx)
		return listing(c, x), note, err
	}
	r.Plan = func(ctx context.Context, name string) (workspace.InstallPlan, error) {
		p, err := c.Plan(ctx, c.Kept(), name, false)
		if err != nil {
			return workspace.InstallPlan{}, err
		}
		return shownPlan(setup, c, p), nil
	}
	return r
}

// shownPlan is a plan for the list of agents.
func shownPlan(setup *cli.Setup, c *cli.Catalogue, p *installs.Plan) workspace.InstallPlan {
	plan := workspace.InstallPlan{Scripts: p.Scripts}
	home, _ := os.UserHomeDir()
	for _, f := range p.Facts(home, "s") {
		plan.Facts = append(plan.Facts, [2]string{f.Name, f.Value})
	}
	if p.HasScripts() {
		plan.Toggle = func() workspace.InstallPlan {
			other := *p
			other.Scripts = !p.Scripts
			return shownPlan(setup, c, &other)
		}
	}
	plan.Install = func(ctx context.Context, tell func(string)) (workspace.Spec, error) {
		a, err := c.Install(ctx, p, false, func(now installs.Progress) { tell(now.String()) })
		if err != nil {
			return workspace.Spec{}, err
		}
		return configuredSpec(setup, a), nil
	}
	return plan
}

// listing is what of an index is not installed.
func listing(c *cli.Catalogue, x *registry.Index) workspace.Listing {
	out := workspace.Listing{Fetched: x.Fetched}
	for _, l := range c.List(x) {
		if l.Entry && !l.Startable {
			out.Agents = append(out.Agents, workspace.Spec{Name: l.Name, About: l.Description, Where: l.Version, Section: "Registry", Missing: "parley agents install " + l.Name})
		}
	}
	return out
}
