package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley/acpclient/transport"
	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/hello"
	"parley/internal/keeper"
	"parley/internal/localsock"
	"parley/internal/router"
	"parley/internal/version"
	"parley/internal/workspace"
)

// NewACP is `parley acp`.
func NewACP(s Streams) *cobra.Command {
	var role, client string
	cmd := &cobra.Command{
		Use:   "acp [NAME]",
		Short: "Join live sessions from an editor or another ACP client",
		Long: `Serve the live sessions of this machine as an ACP agent on standard input and output, for editors. Sessions are live if their parley was started with --keep; ` + "`parley ps`" + ` lists them. The client lists them, loads one, and follows and prompts it like any agent's, next to the screen. A new session starts a parley of its own, with the agent that the configuration names as the default, or else that of the kept session used last; it continues when the client leaves.

With NAME, only that parley is served, new sessions are opened there, and the command ends with it.

Questions of agents stay on parley's screen. A client with the role approve gets them, too: it may reject, and allow if the configuration has approve_from_clients = true.

Exit codes: 0 the client has left, 1 the parley has ended or cannot be joined, 2 usage.`,
		Example: `  parley acp
  parley acp --role approve
  parley acp myproject --role watch`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, err := routing(role, client)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				if err := joinable(args[0]); err != nil {
					return err
				}
				opts.Start, opts.List = nil, oneKept(args[0])
			}
			signal.Ignore(syscall.SIGPIPE) // the client has left
			return router.Serve(cmd.Context(), transport.Streams(s.In, s.Out), opts)
		},
	}
	cmd.Flags().StringVar(&role, "role", string(hello.Talk), "what the client may do: watch, talk or approve")
	cmd.Flags().StringVar(&client, "name", "", "how parley calls the client (default: what it calls itself)")
	return cmd
}

// routing returns the options for a client that joins all live sessions.
func routing(role, client string) (router.Options, error) {
	r, err := hello.ParseRole(role)
	if err != nil {
		return router.Options{}, Usagef("--role: %v", err)
	}
	return router.Options{Version: version.Name(), Client: client, Role: r, List: allKept, Start: startKept, Dial: localsock.Dial}, nil
}

func allKept() (live []router.Parley, err error) {
	all, err := keeper.List()
	for _, k := range all {
		if k.Live {
			live = append(live, router.Parley{Name: k.Name, Socket: k.Clients})
		}
	}
	return live, err
}

func oneKept(name string) func() ([]router.Parley, error) {
	return func() ([]router.Parley, error) {
		k, err := keeper.Find(name)
		if err != nil || !k.Live {
			return nil, err
		}
		return []router.Parley{{Name: name, Socket: k.Clients}}, nil
	}
}

// joinable returns why a kept parley cannot be joined.
func joinable(name string) error {
	k, err := keeper.Find(name)
	switch {
	case err != nil:
		return UsageError{err.Error()}
	case !k.Live:
		return &keeper.EndedError{Session: k}
	case k.Clients == "":
		return fmt.Errorf("%s cannot be joined: it has no socket for clients", name)
	}
	return nil
}

// maxLive is how many parleys may live for a client to start another one: they outlive the client.
const maxLive = 64

// starting is held while a client's parley starts, until it is listed.
var starting sync.Mutex

// startKept starts a parley, with the default agent or else that of the kept session used last. No terminal is
// attached to it.
func startKept(ctx context.Context, cwd string) (string, error) {
	starting.Lock()
	defer starting.Unlock()
	if ctx.Err() != nil { // many may wait here
		return "", ctx.Err()
	}
	if live, err := allKept(); err != nil {
		return "", err
	} else if len(live) >= maxLive {
		return "", fmt.Errorf("%d sessions are kept: end some with parley stop", len(live))
	}
	path, err := config.Path()
	if err != nil {
		return "", err
	}
	c, err := config.Load(path)
	if err != nil {
		return "", err
	}
	var args []string
	if c.Agent == "" {
		agent := lastKeptAgent(c)
		if agent == "" {
			return "", errors.New(`the configuration names no default agent: set agent = "NAME"`)
		}
		args = []string{agent}
	}
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", cwd)
	}
	return keeper.Start(keeper.Options{Args: args, Dir: cwd, Headless: true})
}

// lastKeptAgent returns the name of the agent of the kept session that was used last, "" if none can be started by name.
func lastKeptAgent(c *config.Config) (name string) {
	all, err := keeper.List()
	if err != nil {
		return ""
	}
	var last time.Time
	for _, k := range all {
		_, known := agents.Find(agents.Known(), k.Agent)
		if _, own := c.Agents[k.Agent]; (known || own) && k.Since.After(last) {
			name, last = k.Agent, k.Since
		}
	}
	return name
}

// startBeside is startKept for clients that are not on this machine: only in the directories of kept sessions,
// also of those that have ended, and below.
func startBeside(ctx context.Context, cwd string) (string, error) {
	all, err := keeper.List()
	if err != nil {
		return "", err
	}
	var dirs []string
	for _, k := range all {
		dirs = append(dirs, k.Dir)
	}
	real, ok := workspace.Within(cwd, dirs)
	if !ok {
		return "", workspace.ErrElsewhere
	}
	return startKept(ctx, real)
}
