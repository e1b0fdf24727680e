package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/host"
	"parley/internal/version"
)

// Connection is a started agent with a session and the services it uses. It is the machine of a workspace.
type Connection struct {
	*host.Host
	Client   *acpclient.Client
	Session  *acpclient.Session
	Template acpclient.NewSession // parameters of every session
	Life     context.Context      // the user's keyboard is lent no longer than this

	// Record is the log. Close closes it, unless the connection was lost: then the next connection
	// may continue it (Opening.Record), or the caller closes it.
	Record *Record

	journals    *journals // nil if there is nowhere to store them or the agent is remote
	questionDir string    // directory of the record of questions; "" if there is none
	opening     Opening
	log         *event.Log
}

// assembly is what an agent is given, by the chat and by `parley run` alike: what it may use of this machine,
// how it is connected to, and the log of both. Whoever connects adds where events go.
type assembly struct {
	host    host.Options
	client  acpclient.Options
	session acpclient.NewSession // parameters of every session
	record  *Record
}

// assemble returns what an agent is given in a place. A nil record starts a new one, of a run or of a chat.
func (s *Setup) assemble(a agents.Agent, place Directories, log *event.Log, rec *Record, run bool) (assembly, error) {
	tools, err := s.tools(a)
	if err != nil {
		return assembly{}, err
	}
	shared, err := s.shared(a, place)
	if err != nil {
		return assembly{}, err
	}
	bounds, err := s.bounds(a, place)
	if err != nil {
		return assembly{}, err
	}
	session := s.NewSession(a, place)
	if session.System, err = s.systemPrompt(a); err != nil {
		return assembly{}, err
	}
	if rec == nil {
		rec = s.record(a, place, log, run)
	}
	return assembly{record: rec, session: session,
		host: host.Options{Agent: a.Name, Remote: shared, Rules: Rules(place, a.URL == ""), Record: s.NewQuestions(s.questionsFail(log)),
			Commands: commands(), Sandbox: bounds, Tools: tools, Worktrees: WorktreesDir(), Version: version.Name(), Log: log},
		client: acpclient.Options{Name: "parley", Version: version.Name(), Log: log, Tap: rec.tap(), Numbers: &rec.numbers,
			Elicit: true, TerminalLogin: true, Protocol: s.protocol(a), Versions: s.versions},
	}, nil
}

// Connect starts an agent and opens a session. patience limits both together, 0 means no limit. If
// the agent requires a login, Connect returns the error along with a connection that has no
// session.
func (s *Setup) Connect(ctx context.Context, a agents.Agent, place Directories, opening Opening, patience time.Duration, sink event.Sink, log *event.Log) (*Connection, error) {
	if patience > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s (--start-timeout)", patience))
		defer stop()
	}
	with, err := s.assemble(a, place, log, opening.Record, false)
	if err != nil {
		return nil, err
	}
	with.host.Sink, with.client.Sink, with.host.Keyboard = sink, sink, true
	var watched *journals
	if a.URL == "" {
		watched = newJournals(a.Name, s.keepsChanges(), log, s.warn)
		with.host.Watch = watched.watch()
	}
	h, rec := host.New(with.host), with.record
	with.client.Services = h.Services()
	client, err := s.client(ctx, a, place, with.client)
	if err != nil {
		h.Close()
		if opening.Record == nil {
			rec.Close()
		}
		return nil, err
	}
	c := &Connection{Client: client, Host: h, Template: with.session, Life: context.Background(), Record: rec,
		journals: watched, questionDir: s.questions(), opening: opening, log: log}
	c.Session, err = opening.Open(ctx, client, c.Template)
	rec.introduced(client.Agent())
	var answered *event.AgentError
	if err != nil && !(errors.As(err, &answered) && answered.AuthRequired()) {
		c.Close()
		return nil, err
	}
	return c, err
}

// Open opens the session after a login, as Connect was to.
func (c *Connection) Open(ctx context.Context) (*acpclient.Session, error) {
	c.opening.Notify = func(text string) { c.log.Add(event.LogClient, text) }
	return c.opening.Open(ctx, c.Client, c.Template)
}

// Close ends the agent and its commands, in parallel.
func (c *Connection) Close() {
	var wait sync.WaitGroup
	wait.Go(func() { c.Client.Close() })
	wait.Go(c.Host.Close)
	wait.Wait()
	var lost *event.LostError
	if !errors.As(c.Client.Err(), &lost) {
		c.Record.Close()
	}
	c.journals.closeAll()
}
