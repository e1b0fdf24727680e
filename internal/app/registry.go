package app

import (
	"context"
	"os"
	"time"

	"parley/internal/cli"
	"parley/internal/installs"
	"parley/internal/registry"
	"parley/internal/words"
	"parley/internal/workspace"
)

// offerRegistry returns the registry for the list of agents, nil if it is turned off. It fetches nothing.
func offerRegistry(setup *cli.Setup) *workspace.Registry {
	c, err := setup.NewCatalogue()
	if err != nil || setup.Config.RegistryURL() == "" {
		return nil
	}
	home, _ := os.UserHomeDir()
	kept := c.Kept()
	r := &workspace.Registry{Listed: registrySpecs(c, kept)}
	if !kept.Fetched.IsZero() {
		r.Note = words.Ago(kept.Fetched, time.Now())
	}
	r.Fetch = func(ctx context.Context) ([]workspace.Spec, string, error) {
		x, note, err := c.Fetch(ctx)
		return registrySpecs(c, x), note, err
	}
	r.Plan = func(ctx context.Context, name string) (workspace.InstallPlan, error) {
		p, err := c.Plan(ctx, c.Kept(), name, false)
		if err != nil {
			return workspace.InstallPlan{}, err
		}
		plan := workspace.InstallPlan{}
		for _, f := range p.Facts(home) {
			plan.Facts = append(plan.Facts, [2]string{f.Name, f.Value})
		}
		plan.Install = func(ctx context.Context, tell func(string)) (workspace.Spec, error) {
			a, err := c.Install(ctx, p, false, func(now installs.Progress) { tell(now.String()) })
			if err != nil {
				return workspace.Spec{}, err
			}
			return configuredSpec(setup, a), nil
		}
		return plan, nil
	}
	return r
}

// registrySpecs are the agents of the registry that are not installed.
func registrySpecs(c *cli.Catalogue, x *registry.Index) (specs []workspace.Spec) {
	for _, l := range c.List(x) {
		if l.Entry && !l.Startable {
			specs = append(specs, workspace.Spec{Name: l.Name, About: l.Description, Where: l.Version, Section: "Registry", Missing: "parley agents install " + l.Name, Installs: true})
		}
	}
	return specs
}
