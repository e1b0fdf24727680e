package workspace

import (
	"context"
	"time"
)

// Registry is what a front end needs of the registry of agents. Its functions may block, and may be called from
// any goroutine.
type Registry struct {
	// Kept returns what was fetched last. It uses no network.
	Kept func() Listing
	// Fetch fetches the index. note says what else is to be said, such as that a kept one is used.
	Fetch func(ctx context.Context) (listing Listing, note string, err error)
	// Plan says how an agent would be installed, by its name.
	Plan func(ctx context.Context, name string) (InstallPlan, error)
}

// Listing is what a registry lists.
type Listing struct {
	Agents  []Spec    // that are not installed
	Fetched time.Time // zero: it never was
}

// InstallPlan is shown before an agent is installed.
type InstallPlan struct {
	Facts [][2]string // what would be done: a name and a value each, safe to show
	// Scripts says whether install scripts of packages run. Toggle returns the plan with that changed; nil: there are none.
	Scripts bool
	Toggle  func() InstallPlan
	// Install does it, and returns the agent, ready to be started. tell is called with the progress.
	Install func(ctx context.Context, tell func(line string)) (Spec, error)
}
