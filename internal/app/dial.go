package app

import (
	"context"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/cli"
	"parley/internal/record"
	"parley/internal/workspace"
)

// logs lists the sessions that there are logs of, for the screen: those of the
// directory first.
func logs(setup *cli.Setup, cwd string) ([]workspace.Logged, error) {
	dir, err := record.Dir()
	if err != nil {
		return nil, err
	}
	kept, err := cli.Logs(dir)
	here, elsewhere := []cli.Logged{}, []cli.Logged{}
	for _, g := range kept {
		if g.In(cwd) {
			here = append(here, g)
		} else {
			elsewhere = append(elsewhere, g)
		}
	}
	var out []workspace.Logged
	for _, g := range append(here, elsewhere...) {
		of := func(a workspace.Spec) bool {
			agent, err := setup.Find(a.Name)
			return err == nil && g.Of(agent)
		}
		out = append(out, workspace.Logged{Agent: g.Agent, Name: g.Shown(setup.Agents), Session: g.Session, Cwd: g.Cwd, Dir: g.Dir, Title: g.Title, First: g.First, Updated: g.Updated, Prompts: g.Prompts, Of: of, Replay: g.Replay,
			Messages: func(ctx context.Context, spans []event.Span, request int64) ([]workspace.Message, error) {
				found, err := g.Messages(ctx, spans, request)
				return messages(found), err
			}})
	}
	return out, err
}

func messages(found []cli.LoggedMessage) []workspace.Message {
	var out []workspace.Message
	for _, b := range found {
		out = append(out, workspace.Message{At: b.At, Out: b.Out, JSON: b.Data, Cut: b.Cut, Before: b.Before})
	}
	return out
}

// dialer starts agents for the screen. What the command line says of a session to
// open is for the first one that is opened. Its methods may be called from any
// goroutine.
type dialer struct {
	setup    *cli.Setup
	place    cli.Place
	patience time.Duration
	life     context.Context // of the screen

	mu      sync.Mutex
	first   cli.Opening
	records map[*event.Log]*cli.Record // of the last connection with each agent of the screen
}

// next is how to open the next session; opened says that it worked.
func (d *dialer) next() (o cli.Opening, opened func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.first, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.first = cli.Opening{}
	}
}

func (d *dialer) connect(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	opening, opened := d.next()
	return d.dial(ctx, a, opening, opened, sink, log)
}

// redial connects again, to open the sessions of before.
func (d *dialer) redial(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	d.mu.Lock()
	rec := d.records[log]
	d.mu.Unlock()
	return d.dial(ctx, a, cli.Opening{None: true, Record: rec}, func() {}, sink, log)
}

// keep remembers a log for the connection that may come after this one.
func (d *dialer) keep(log *event.Log, rec *cli.Record) {
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

// close ends the logs of the connections that were lost.
func (d *dialer) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, rec := range d.records {
		rec.Close()
	}
}

func (d *dialer) dial(ctx context.Context, a workspace.Spec, opening cli.Opening, opened func(), sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	agent, err := d.setup.Find(a.Name)
	if err != nil {
		return nil, err
	}
	var note string
	opening.Known = func() ([]event.Listed, error) { return cli.Known(agent) }
	opening.Told = func(text string) { note = strings.TrimPrefix(note+"; "+text, "; ") }
	sink = opening.Watch(sink)
	c, err := d.setup.Connect(ctx, cli.WithVariables(agent, a.Env), d.place, opening, d.patience, sink, log)
	if c == nil {
		return nil, err
	}
	d.keep(log, c.Record)
	if err == nil {
		opened()
	}
	conn := &workspace.Connection{Client: c.Client, Session: c.Session, Template: d.setup.NewSession(agent, d.place), Broker: c.Host.Broker(), Record: c.Record.Path(), Close: c.Close, Note: note}
	answerable(conn, c)
	lendKeyboard(d.life, conn, c.Host)
	conn.Messages = func(ctx context.Context, session string, spans []event.Span, request int64) ([]workspace.Message, error) {
		found, err := c.Messages(ctx, session, spans, request)
		return messages(found), err
	}
	opening.Told = func(text string) { log.Add(event.LogClient, text) }
	conn.Open = func(ctx context.Context) (*acpclient.Session, error) {
		s, err := opening.Open(ctx, c.Client, conn.Template)
		if err == nil {
			opened()
		}
		return s, err
	}
	return conn, err
}
