// Package ui is the screen of parley: a Bubble Tea program over the engine.
//
// The root model is the only tea.Model. Its Update routes: events of the
// engine, in portions of a frame; keys, through package intent; sizes, focus and
// pastes; results of commands. It never waits for anything: whatever may block
// runs in a tea.Cmd. View joins rows that are ready and returns the same string
// until something has changed.
package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/permissions"
	"parley/ui/intent"
	"parley/ui/theme"
)

// Agent is one that the start screen offers.
type Agent struct {
	Name    string // what the user types
	Title   string
	Command string // the exact command, for reading
	Where   string // where it was found: "on PATH", "through npx", …
	Section string
	Custom  bool   // a command that the user typed: Name is only a handle
	Remote  bool   // it is connected to, not started
	Warning string // to be seen all the time, such as that nobody checks who the server is
	Missing string // how to get it, when it is not there: then it cannot be started

	// Env is what the user has typed for a login of this agent: more for its
	// environment, kept nowhere but in the memory of this process.
	Env Variables
}

// Connection is a started agent with its first session.
type Connection struct {
	Client   *acpclient.Client
	Session  *acpclient.Session   // nil when the agent wants a login first
	Template acpclient.NewSession // what further sessions are opened with
	// Open opens the first session, as the user asked for it: it is called after
	// a login, where there was none yet.
	Open   func(ctx context.Context) (*acpclient.Session, error)
	Broker *permissions.Broker
	// Behind returns the messages that made an item of a session: those of the
	// agent in the spans, and the request of that id with its answer. It may be
	// called after Close. nil where no log is kept.
	Behind func(ctx context.Context, session string, spans []acpclient.Span, request int64) ([]Message, error)
	// Close ends the agent and everything started for it. It may take seconds.
	Close func()
}

// Options of the screen.
type Options struct {
	Agents []Agent
	// Start names the agent to start at once; "" shows the start screen.
	Start string
	// Choice is where the cursor of the start screen stands.
	Choice string
	// Connect starts an agent and opens a session. It is called on a goroutine
	// of its own and gives up when ctx ends. When the agent wants a login first
	// it returns that error together with a connection without a session.
	Connect func(ctx context.Context, a Agent, sink acpclient.Sink, log *acpclient.Log) (*Connection, error)
	// Redial connects again to an agent that runs elsewhere, and opens no session.
	// nil: what is lost stays lost.
	Redial func(ctx context.Context, a Agent, sink acpclient.Sink, log *acpclient.Log) (*Connection, error)
	// LoginCommand runs a login of type "terminal" in the real terminal.
	LoginCommand func(a Agent, method acpclient.AuthMethod) tea.ExecCommand
	// AskedLogin prepares a command that an agent names itself for a login; it
	// looks the program up and runs nothing. nil: there are no such logins.
	AskedLogin func(a Agent, c acpclient.AuthCommand) (AskedLogin, error)
	// Logs lists the sessions that there are logs of, the newest first. It is
	// called on a goroutine of its own. nil: there are none.
	Logs func() ([]Logged, error)
	// OpenURL starts the user's browser. nil: pages are only shown.
	OpenURL func(url string) error
	// Prompt is sent as soon as the session is there.
	Prompt string
	// Resume is the id, or the title, of the session that the first connection is
	// to open; where that is not to be had its log is offered.
	Resume  string
	Cwd     string
	Home    string // shortened to ~ in paths
	Branch  string // of the work tree, "" without one
	Theme   string // a name of package theme, "" or "auto" for the terminal's own
	NoColor bool
	Keys    *intent.Keymap // nil: the default one
	Density string         // how much is shown at first: normal, everything, quiet; "" is normal

	Input  io.Reader // nil: the terminal
	Output io.Writer
}

// Left is what the user was at when the screen ended: the session on it, where it
// has a conversation that the agent can open again.
type Left struct {
	Agent   Agent
	Session string // the agent's id, verbatim; "" for nothing to come back to
}

// Run shows the screen until the user quits or ctx ends. Everything that was
// started is gone when it returns, and the terminal is as it was.
func Run(ctx context.Context, opts Options) (Left, error) {
	m := New(opts)
	defer m.conns.endAll()
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(120)}
	if opts.Input != nil {
		options = append(options, tea.WithInput(opts.Input))
	}
	if opts.Output != nil {
		options = append(options, tea.WithOutput(opts.Output))
	}
	_, err := tea.NewProgram(m, options...).Run()
	switch {
	case err == nil, ctx.Err() != nil, errors.Is(err, tea.ErrInterrupted):
		return m.left(), nil
	}
	return Left{}, fmt.Errorf("run the screen: %w", err)
}

// frame is the shortest time between two portions of events: what a reader
// can see of a fast stream. Keys do not wait for it.
const frame = 16 * time.Millisecond

// quiet is how long no key must have come before a question takes keys by
// itself, and how long a question must have stood there.
const quiet = 600 * time.Millisecond

// New makes the root model.
func New(opts Options) *Model {
	m := &Model{opts: opts, keys: cmp.Or(opts.Keys, intent.Default), conns: newConnections(), given: map[string]given{}, dark: true, now: time.Now}
	m.th = theme.Pick(opts.Theme, m.dark, opts.NoColor)
	m.start = newStart(opts)
	m.chat = newChat(m, newLink(m))
	m.chats = []*chat{m.chat}
	if opts.Start != "" {
		m.page = connectingPage
		m.starting = m.chat.link
	}
	return m
}
