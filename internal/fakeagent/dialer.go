package fakeagent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/internal/host"
	"parley/internal/workspace"
	"parley/permissions"
)

// Dialer connects a workspace to agents that follow scripts, with everything a real connection has;
// questions go through a broker. Connect and Redial are for workspace.Options.
type Dialer struct {
	Cwd    string                              // working directory of sessions, unless a Spec has one
	Script func(name string) *Script           // returns the script of the named agent
	Dial   func(n int, s workspace.Spec) error // may refuse the nth connection; nil accepts all
	Change func(conn *workspace.Connection)    // adjusts a new connection; may be nil

	mu     sync.Mutex
	dials  int
	agents []*Agent
}

// Connect starts an agent and opens a session.
func (d *Dialer) Connect(ctx context.Context, s workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	conn, err := d.Redial(ctx, s, sink, log)
	if err != nil {
		return nil, err
	}
	conn.Session, err = conn.Open(ctx)
	if err != nil && !workspace.WantsLogin(err) {
		conn.Close()
		return nil, err
	}
	return conn, err
}

// Redial starts an agent without opening a session.
func (d *Dialer) Redial(ctx context.Context, s workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	d.mu.Lock()
	d.dials++
	n := d.dials
	d.mu.Unlock()
	if d.Dial != nil {
		if err := d.Dial(n, s); err != nil {
			return nil, err
		}
	}
	ours, theirs := transport.Pipe()
	script := d.Script(s.Name)
	a := newAgent(theirs, script)
	a.Name, a.Env, a.Log = s.Name, s.Env, log
	a.start()
	remote := ""
	if s.Remote {
		remote = s.Command
	}
	h := host.New(host.Options{Sink: sink, Agent: s.Name})
	client, err := acpclient.Connect(ctx, ours, acpclient.Options{Name: "parley", Sink: sink, Services: h.Services(), Log: log, Elicit: true, TerminalLogin: true, Protocol: script.Protocol, RemoteURL: remote})
	if err != nil {
		h.Close()
		return nil, err
	}
	m := &machine{h, client, a, acpclient.NewSession{Cwd: cmp.Or(s.Dir, d.Cwd)}}
	conn := &workspace.Connection{Machine: m, Client: client, Template: m.template, Broker: h.Broker()}
	if d.Change != nil {
		d.Change(conn)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.agents = append(d.agents, a)
	return conn, nil
}

// machine is what a scripted agent gets: nothing but an end. Tests replace what they look at.
type machine struct {
	*host.Host
	client   *acpclient.Client
	agent    *Agent
	template acpclient.NewSession
}

func (m *machine) Close() {
	m.client.Close()
	m.agent.Close()
	m.Host.Close()
}

func (m *machine) Open(ctx context.Context) (*acpclient.Session, error) {
	return m.client.NewSession(ctx, m.template)
}

func (m *machine) AddRule(string, permissions.Rule) (string, error) { return "", event.ErrClosed }
func (m *machine) LastAsked(string) []permissions.Facts             { return nil }
func (m *machine) HideLog(string)                                   {}
func (m *machine) Journal(string) workspace.Journal                 { return nil }
func (m *machine) Attach(string, string, string) workspace.Command  { return nil }
func (m *machine) Messages(context.Context, string, []event.Span, int64) ([]workspace.Message, error) {
	return nil, errors.New("this session has no log")
}

// Agents returns all agents connected so far, in order.
func (d *Dialer) Agents() []*Agent {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.agents)
}

// Agent returns the agent connected last, nil if there is none.
func (d *Dialer) Agent() *Agent {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.agents) == 0 {
		return nil
	}
	return d.agents[len(d.agents)-1]
}

// Dials returns the number of connection attempts.
func (d *Dialer) Dials() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dials
}
