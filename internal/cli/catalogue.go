package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/installs"
	"parley/internal/record"
	"parley/internal/registry"
	"parley/internal/version"
	"parley/internal/words"
)

// Catalogue is what can be installed: the agents of the registry, and those of the table that are npm packages. It
// may be used from any goroutine.
type Catalogue struct {
	setup    *Setup
	registry *registry.Registry // nil: it is turned off
	store    installs.Store
}

// installsIn is where agents are installed, in the state directory.
func installsIn(state string) installs.Store {
	return installs.Store{Dir: filepath.Join(state, "agents")}
}

// NewCatalogue returns the catalogue of the configured registry.
func (s *Setup) NewCatalogue() (*Catalogue, error) {
	state, err := record.StateDir()
	if err != nil {
		return nil, err
	}
	c := &Catalogue{setup: s, store: installsIn(state)}
	if url := s.Config.RegistryURL(); url != "" {
		c.registry = &registry.Registry{URL: url, File: filepath.Join(state, "registry.json")}
	}
	return c, nil
}

// installable returns the command that installs an agent, "" if parley cannot.
func (s *Setup) installable(name string) string {
	c, err := s.NewCatalogue()
	if err != nil {
		return ""
	}
	if _, ok := c.Entry(c.Kept(), name); !ok {
		return ""
	}
	return "parley agents install " + strings.ToLower(name)
}

// agents returns the agents of the setup, which Install replaces.
func (c *Catalogue) agents() []agents.Agent {
	c.setup.joining.Lock()
	defer c.setup.joining.Unlock()
	return c.setup.Agents
}

// Kept returns the index that was fetched last, an empty one if there is none. It uses no network.
func (c *Catalogue) Kept() *registry.Index {
	if c.registry == nil {
		return &registry.Index{}
	}
	return c.registry.Kept()
}

// Fetch fetches the index. If that fails, it returns the one that was kept, with a note that says why and how old
// that is.
func (c *Catalogue) Fetch(ctx context.Context) (x *registry.Index, note string, err error) {
	if c.registry == nil {
		return &registry.Index{}, "the registry is turned off in the configuration (registry = false)", nil
	}
	x, err = c.registry.Fetch(ctx)
	if err == nil {
		return x, "", nil
	}
	if x != nil { // it is not kept
		return x, err.Error(), nil
	}
	if x = c.Kept(); !x.Fetched.IsZero() && ctx.Err() == nil {
		return x, fmt.Sprintf("%v; using the index fetched %s", err, words.Ago(x.Fetched, time.Now())), nil
	}
	return &registry.Index{}, "", err
}

// Entry returns the entry for a name: an id, or the name of an agent of the table. Of the entries of one agent,
// that of its own package counts.
func (c *Catalogue) Entry(x *registry.Index, name string) (found registry.Entry, ok bool) {
	name = strings.ToLower(name)
	if name == agents.Demo {
		return found, false
	}
	if e, ok := x.Find(name); ok {
		return e, true
	}
	known, isKnown := agents.Find(agents.Known(), name)
	for _, e := range x.Entries {
		npm := npmPackage(e)
		if agents.Alias(e.ID, npm) != name {
			continue
		}
		if own := npm != "" && npm == known.Package; own || !ok {
			if found, ok = e, true; own {
				return found, true
			}
		}
	}
	if !ok && isKnown && known.Package != "" {
		return tableEntry(known), true
	}
	return found, ok
}

func npmPackage(e registry.Entry) string {
	if e.NPX == nil {
		return ""
	}
	return e.NPX.Name
}

// tableEntry is the entry of an npm package of the table, for an agent that is not in the registry.
func tableEntry(a agents.Agent) registry.Entry {
	return registry.Entry{ID: a.Name, Name: a.Title, Version: a.Version, Description: a.About(), NPX: &registry.Package{Name: a.Package, Version: a.Version, Args: a.Args}}
}

// Installed returns an installed agent by its id, or the name of the table.
func (c *Catalogue) Installed(name string) (installs.Installed, bool) {
	name = strings.ToLower(name)
	if i, err := c.store.Find(name); err == nil {
		return i, true
	}
	for _, i := range c.store.List() {
		if a := i.Agent(); agents.Alias(a.ID, a.Package) == name {
			return i, true
		}
	}
	return installs.Installed{}, false
}

// Plan says how an agent would be installed: ID, or ID@VERSION.
func (c *Catalogue) Plan(ctx context.Context, x *registry.Index, word string, scripts bool) (*installs.Plan, error) {
	name, version, hasVersion := strings.Cut(word, "@")
	if hasVersion && !registry.IsVersion(version) {
		return nil, Usagef("%s: want an exact version after @, as in %s@1.2.3", word, name)
	}
	e, ok := c.Entry(x, name)
	if !ok {
		return nil, c.unknown(x, name)
	}
	return installs.NewPlan(ctx, c.store, e, installs.Options{Version: version, Scripts: scripts})
}

// unknown is the error about a name that nothing has.
func (c *Catalogue) unknown(x *registry.Index, name string) error {
	all := slices.Clone(c.agents())
	for _, e := range x.Entries {
		all = append(all, agents.Agent{Name: e.ID})
	}
	if a, ok := agents.Find(c.agents(), name); ok {
		if a.Source == agents.Missing {
			return Usagef("parley cannot install %s: %s", a.Name, a.Install)
		}
		return Usagef("%s is not installed by parley (%s)", a.Name, DescribeSource(a))
	}
	return Usagef("no agent %q%s; `parley agents` lists them", name, agents.Closest(all, name))
}

// Install does what a plan says and makes the agent one of the Setup's. It is used only if it has answered.
func (c *Catalogue) Install(ctx context.Context, p *installs.Plan, pinned bool, tell func(installs.Progress)) (agents.Agent, error) {
	i, err := p.Install(ctx, pinned, tell, c.setup.try)
	if err != nil {
		return agents.Agent{}, err
	}
	c.setup.joining.Lock()
	defer c.setup.joining.Unlock()
	c.setup.Agents = merge(c.setup.Config, agents.WithInstalled(c.setup.Agents, []agents.Agent{i.Agent()}))
	a, _ := agents.Find(c.setup.Agents, agents.Alias(i.ID, i.Agent().Package))
	return a, nil
}

// tryPatience limits how long a new agent may take to answer its first message.
const tryPatience = 2 * time.Minute

// try starts an agent in an empty directory and ends it when it has answered initialize.
func (s *Setup) try(ctx context.Context, a agents.Agent) error {
	ctx, stop := context.WithTimeoutCause(ctx, tryPatience, fmt.Errorf("no answer within %s", tryPatience))
	defer stop()
	dir, err := record.MakePrivate("try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	client, err := s.client(ctx, a, Directories{Cwd: dir}, acpclient.Options{Name: "parley", Version: version.Name(), Sink: noSink{}, Protocol: s.protocol(a), Versions: s.versions})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	if exit, ok := errors.AsType[*event.ExitError](err); ok && len(exit.Stderr) > 0 {
		last := exit.Stderr[max(0, len(exit.Stderr)-3):]
		return fmt.Errorf("%w: %s", err, strings.Join(last, "; "))
	}
	if err == nil {
		client.Close()
	}
	return err
}
