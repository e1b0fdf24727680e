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
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/permissions"
	"parley/ui/glyphs"
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
	Shared  bool   // of a remote one: it gets files of this machine
	Gets    string // what it gets of this machine, where that is not the usual
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
	Note     string               // how the session was found, where the user should know; safe to show
	// Open opens the first session, as the user asked for it: it is called after
	// a login, where there was none yet.
	Open   func(ctx context.Context) (*acpclient.Session, error)
	Broker *permissions.Broker
	// AddRule writes a rule into the user's file and has it count at once; where
	// says which file that is. It is called on a goroutine of its own. nil: rules
	// cannot be made.
	AddRule func(session string, r permissions.Rule) (where string, err error)
	// LastAsked are the last questions that were put to the user, as facts that
	// rules can judge in a session; at most 50. nil: nobody remembers.
	LastAsked func(session string) []permissions.Facts
	// Turn is told when a turn begins and when it is over; it returns its number in
	// Changes at once, 0 where it is not watched. nil: nobody watches what changes.
	Turn func(session string, begins bool) int
	// Changes are what the agent has changed in a session, turn by turn, and together:
	// a file that several turns have changed is there once; Texts
	// what a file held before and after one, where that is known; PutBack undoes
	// some, or with try says only what would come of it; DoAgain does some again that
	// were undone. They wait for the disk.
	Changes func(session string) (turns, together []FileChange)
	Texts   func(session string, c FileChange) (before, after string, ok bool)
	PutBack func(ctx context.Context, session string, changes []FileChange, try bool) []PutBack
	DoAgain func(ctx context.Context, session string, changes []FileChange) []PutBack
	// KillTerminal ends a command that parley runs for the agent. It may take
	// seconds.
	KillTerminal func(session, id string) error
	// Attended tells whether a command that parley runs for the agent has a terminal of
	// its own already; TakeOver runs one that has not again from the beginning, with
	// one, and may take seconds. Attach gives it the user's terminal, as a command for
	// tea.Exec, that ends with nil when the command does, and with ErrTakenBack; line is
	// what to call it. nil: commands cannot have the user's keyboard.
	Attended func(session, id string) bool
	TakeOver func(session, id string) error
	Attach   func(session, id, line string) tea.ExecCommand
	// Behind returns the messages that made an item of a session: those of the
	// agent in the spans, and the request of that id with its answer. It may be
	// called after Close. nil where no log is kept.
	Behind func(ctx context.Context, session string, spans []event.Span, request int64) ([]Message, error)
	// Record is the file with what is said on the connection; "" where there is none.
	Record string
	// Close ends the agent and everything started for it. It may take seconds.
	Close func()
}

// FileChange is what has become of one file, in a turn or over several.
type FileChange struct {
	Path   string // absolute, raw
	Kind   string // created, changed, deleted, mode
	By     string // how it came about, in words
	Turn   int    // counts those of the session
	Disk   bool   // it was not parley alone that wrote it
	Why    string // it cannot be put back, and why; "" where it can
	Undone bool
	Handle any // of whoever made it
}

// PutBack is what came of putting a change back.
type PutBack struct {
	Change FileChange
	Err    error
}

// Options of the screen.
type Options struct {
	Agents []Agent
	// Start names the agent to start at once; "" shows the start screen.
	Start string
	// Choice is where the cursor of the start screen stands.
	Choice string
	// Typed makes an agent of a command line, or of a URL, that the user has typed.
	// nil: only those of Agents can be started.
	Typed func(line string) (Agent, error)
	// Connect starts an agent and opens a session. It is called on a goroutine
	// of its own and gives up when ctx ends. When the agent wants a login first
	// it returns that error together with a connection without a session.
	Connect func(ctx context.Context, a Agent, sink event.Sink, log *event.Log) (*Connection, error)
	// Redial connects again to an agent that runs elsewhere, and opens no session.
	// nil: what is lost stays lost.
	Redial func(ctx context.Context, a Agent, sink event.Sink, log *event.Log) (*Connection, error)
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
	// Files finds and reads what prompts mention, and Pictures gets images for them.
	// nil: an @ is one, and there are no images.
	Files    Files
	Pictures Pictures
	// Copy copies a text to the clipboard with a program of this machine, and says
	// which; "" where there is none. It is called on a goroutine of its own. nil:
	// the terminal is asked, by OSC 52.
	Copy func(ctx context.Context, text string) (tool string, err error)
	// Multiplexer is what stands between parley and the terminal: tmux, screen, or
	// "" for nothing that is known.
	Multiplexer string
	// OpenFile prepares the user's editor on a file, at a line (0: none is known). It
	// is called on a goroutine of its own. nil: there is no editor.
	OpenFile func(path string, line int) (tea.ExecCommand, error)
	// NoMouse leaves the mouse to the terminal; NoCopyOnSelect: what was selected
	// with it is not copied by that alone.
	NoMouse, NoCopyOnSelect bool
	// Shell runs the user's own commands. nil: there are none.
	Shell Shell
	// Editor prepares the user's editor on a text. It is called on a goroutine of
	// its own. nil: there is none.
	Editor func(text string) (Editing, error)
	// FileEditor is Editor for the text of a file, of which path is the name: the
	// editor gets the text as it is, in a file of its own.
	FileEditor func(text, path string) (Editing, error)
	// History and Drafts keep what was typed, of the project that Cwd lies in. nil:
	// it is forgotten with the process.
	History History
	Drafts  Drafts
	// TakeDraft: the first session is a new one, which begins with the draft that
	// was left in the project.
	TakeDraft bool
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

	// Advice is one line that the user should know once the screen is there, ""
	// for none. It is called on a goroutine of its own. nil: there is none.
	Advice func() string
	// Notices yields lines that the user should know, such as that something cannot be
	// kept. nil: there are none.
	Notices <-chan string
	// Swept ends what parleys have left that were killed, and returns one line about
	// it, "" where there was nothing. It is called once, on a goroutine of its own,
	// some time after the start. nil: nobody does.
	Swept func(ctx context.Context) string
	// Rested is told, on a goroutine of its own, that what went on is over: a turn, a
	// history, a connection; no page does anything else. nil: nobody is.
	Rested func()
	Notify Notification // how the user is told that a turn is over or something is asked, when nobody looks
	// Inline: leave the terminal its own screen, and write the conversation into its
	// scrollback.
	Inline   bool
	Progress bool // the terminal has a progress bar of its own

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
// started is gone when it returns, and the terminal is as it was, also where a
// mistake of its own has ended it: that is a *Broken, and Left counts.
func Run(ctx context.Context, opts Options) (Left, error) {
	widen()
	m := New(opts)
	defer m.endAll()
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(120)}
	if opts.Input != nil {
		options = append(options, tea.WithInput(opts.Input))
	}
	if opts.Output != nil {
		options = append(options, tea.WithOutput(glyphs.Writer{To: opts.Output}))
	}
	g := &netted{m: m}
	if t := m.inlineTerminal(opts.Output); t != nil {
		options = append(options, tea.WithOutput(t))
		defer g.endInline(t)
	}
	program := tea.NewProgram(g, options...)
	g.quit = program.Quit
	_, err := program.Run()
	// Bubble Tea leaves it on where it ends before the first frame after an editor.
	fmt.Fprint(cmp.Or[io.Writer](opts.Output, os.Stdout), ansi.ResetModifyOtherKeys)
	g.kept(m.flushDrafts)
	g.kept(m.flushPast)
	var left Left
	g.kept(func() { left = m.left() })
	switch broke := g.ended(); {
	case broke != nil:
		return left, broke
	case err == nil, ctx.Err() != nil, errors.Is(err, tea.ErrInterrupted):
		return left, nil
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
	m := &Model{opts: opts, keys: cmp.Or(opts.Keys, intent.Default), conns: newConnections(), given: map[string]given{}, terminal: theme.Terminal{Dark: true}, now: time.Now, lastInput: time.Now()}
	if opts.NoColor {
		m.terminal.Colours = theme.None
	}
	m.mouseOff, m.inline.on = opts.NoMouse, opts.Inline
	m.th = theme.For(opts.Theme, m.terminal)
	m.start = newStart(opts)
	m.chat = newChat(m, newLink(m))
	m.chats = []*chat{m.chat}
	if opts.Start != "" {
		m.page = connectingPage
		m.starting = m.chat.link
	}
	return m
}
