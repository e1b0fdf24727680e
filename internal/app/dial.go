package app

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/cli"
	"parley/internal/workspace"
)

// dialer starts agents for the screen. The session that the command line asks for is opened on the
// first connection. Its methods may be called from any goroutine.
type dialer struct {
	setup     *cli.Setup
	place     cli.Directories // of agents without a directory of their own
	patience  time.Duration
	screenCtx context.Context // lasts as long as the screen

	mu      sync.Mutex
	first   cli.Opening
	records map[*event.Log]*cli.Record // by screen log: the record of the last connection
}

// in returns the directories of an agent.
func in(place cli.Directories, a workspace.Spec) cli.Directories {
	if a.Dir != "" { // a worktree, where the project's rules hold, too
		place.Origin, place.Cwd = cmp.Or(place.Origin, place.Cwd), a.Dir
	}
	return place
}

func (d *dialer) connect(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	d.mu.Lock()
	opening := d.first
	d.mu.Unlock()
	if a.NewSession {
		opening.Resume, opening.Continue = "", false
	}
	if a.Model != "" {
		opening.Settings = cli.ModeAndModel("", a.Model)
	}
	return d.dial(ctx, a, opening, sink, log)
}

// redial reconnects an agent so that its sessions can be opened again.
func (d *dialer) redial(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	d.mu.Lock()
	rec := d.records[log]
	d.mu.Unlock()
	return d.dial(ctx, a, cli.Opening{NoSession: true, Record: rec}, sink, log)
}

// keepRecord remembers a record for the next connection with the same agent.
func (d *dialer) keepRecord(log *event.Log, rec *cli.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old := d.records[log]; old != nil && old != rec {
		old.Close()
	}
	if d.records == nil {
		d.records = map[*event.Log]*cli.Record{}
	}
	d.records[log] = rec
}

// close closes the records of lost connections.
func (d *dialer) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, rec := range d.records {
		rec.Close()
	}
}

func (d *dialer) dial(ctx context.Context, a workspace.Spec, opening cli.Opening, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	agent, err := d.setup.Find(a.Name)
	if err != nil {
		return nil, err
	}
	place := in(d.place, a)
	var note string
	opening.Agent = agent
	opening.KnownSessions = func() ([]event.StoredSession, error) { return cli.KnownSessions(agent) }
	opening.Retitle = cli.Retitle(agent, func(string) {}) // the workspace reports the error
	opening.Notify = func(text string) { note = strings.TrimPrefix(note+"; "+text, "; ") }
	opening.Opened = func(err error) {
		if opening.NoSession {
			return
		}
		if err == nil {
			d.mu.Lock()
			d.first = cli.Opening{}
			d.mu.Unlock()
		}
		noteLogin(agent, err)
	}
	sink = opening.Watch(sink)
	c, err := d.setup.Connect(ctx, cli.WithVariables(agent, a.Env), place, opening, d.patience, sink, log)
	if c == nil {
		return nil, err
	}
	c.Life = d.screenCtx
	d.keepRecord(log, c.Record)
	return &workspace.Connection{Machine: c, Client: c.Client, Session: c.Session, Template: c.Template, Broker: c.Broker(), Record: c.Record.Path(), Note: note}, err
}

// noteLogin notes, for the next list of agents, whether an agent requires a login before it opens a session.
func noteLogin(a agents.Agent, err error) {
	logins := cli.Logins()
	if logins == nil || a.Source == agents.Custom {
		return
	}
	var answered *event.AgentError
	switch needed := errors.As(err, &answered) && answered.AuthRequired(); {
	case needed || err == nil:
		_ = logins.Set(a.Name, needed) // only a hint is lost
	}
}
