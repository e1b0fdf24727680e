// Package ui is the screen of parley: a Bubble Tea program over the engine.
//
// The root model is the only tea.Model. Its Update routes: events of the
// engine, in portions of a frame; keys, through package intent; sizes, focus and
// pastes; results of commands. It never waits for anything: whatever may block
// runs in a tea.Cmd. What has changed is drawn at the end of each Update and handed to a
// paint.Screen; Bubble Tea draws nothing.
//
// What can have the keys is a layer. A key goes down the stack of Model.layers until one
// takes it; each knows by itself whether it has the keys: a list or what lies over the
// transcript takes all of them, a question some, the composer most, and what is left means
// something to the session. Pastes, clicks and the wheel go the same way, and what lies
// over the transcript is drawn from the bottom of the stack up.
// testdata/layers/keys.golden has who takes which key, in each state of the screen.
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

	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/ui/composer"
	"parley/ui/guard"
	"parley/ui/inline"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/mouse"
	"parley/ui/paint"
	"parley/ui/shell"
	"parley/ui/start"
	"parley/ui/status"
	"parley/ui/theme"
	"parley/ui/transcript"
)

// Options of the screen.
type Options struct {
	Agents []workspace.Spec
	// Start names the agent to start at once; "" shows the start screen.
	Start string
	// Choice is the agent with the cursor on the start screen.
	Choice string
	// Typed makes an agent of a command line, or of a URL, that the user has typed.
	// nil: only those of Agents can be started.
	Typed func(line string) (workspace.Spec, error)
	// Connect starts an agent and opens a session. It is called on a goroutine
	// of its own and gives up when ctx ends. When the agent wants a login first
	// it returns that error together with a connection without a session.
	Connect func(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error)
	// Redial connects again to an agent that runs elsewhere, and opens no session.
	// nil: what is lost stays lost.
	Redial func(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error)
	// LoginCommand runs a login of type "terminal" in the real terminal.
	LoginCommand func(a workspace.Spec, method event.AuthMethod) workspace.Command
	// AskedLogin prepares a command that an agent names itself for a login; it
	// looks the program up and runs nothing. nil: there are no such logins.
	AskedLogin func(a workspace.Spec, c event.AuthCommand) (workspace.AskedLogin, error)
	// Logs lists the sessions that there are logs of, the newest first. It is
	// called on a goroutine of its own. nil: there are none.
	Logs func() ([]workspace.Logged, error)
	// OpenURL starts the user's browser. nil: pages are only shown.
	OpenURL func(url string) error
	// Files finds and reads what prompts mention, and Pictures gets images for them.
	// nil: an @ is one, and there are no images.
	Files    composer.Files
	Pictures composer.Pictures
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
	Shell shell.Runner
	// Editor prepares the user's editor on a text. It is called on a goroutine of
	// its own. nil: there is none.
	Editor func(text string) (composer.Editing, error)
	// FileEditor is Editor for the text of a file, of which path is the name: the
	// editor gets the text as it is, in a file of its own.
	FileEditor func(text, path string) (composer.Editing, error)
	// History and Drafts keep what was typed, of the project that Cwd lies in. nil:
	// it is forgotten with the process.
	History composer.History
	Drafts  composer.Drafts
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

	// Notices yields lines that the user should know and that are of no session, such as
	// that something cannot be kept. nil: there are none.
	Notices <-chan string
	// Rested is told, on a goroutine of its own, that what went on is over: a turn, a
	// history, a connection; no page does anything else. nil: nobody is.
	Rested func()
	Notify status.Notification // how the user is told that a turn is over or something is asked, when nobody looks
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
	Agent   workspace.Spec
	Session string // the agent's id, verbatim; "" for nothing to come back to
}

// Run shows the screen until the user quits or ctx ends. Everything that was
// started is gone when it returns, and the terminal is as it was, also where a
// mistake of its own has ended it: that is a *guard.Broken, and Left counts.
func Run(ctx context.Context, opts Options) (Left, error) {
	widen()
	m := New(opts)
	defer m.endAll()
	g := guard.New(m)
	screen := paint.Open(opts.Output, os.Environ(), g.Do)
	m.screen, m.Exec = screen, screen.Exec
	if screen.HasScrollback() {
		m.inline.SetScreen(screen)
	}
	defer func() {
		var rows []string
		if g.Broken() == nil {
			rows = m.unwritten()
		}
		screen.Close(rows...)
	}()
	options := append(screen.Program(), tea.WithContext(ctx), tea.WithoutSignalHandler())
	if opts.Input != nil {
		options = append(options, tea.WithInput(opts.Input))
	}
	program := tea.NewProgram(g, options...)
	g.SetQuit(program.Quit)
	_, err := program.Run()
	g.Do(m.store.FlushDrafts)
	g.Do(m.store.FlushHistory)
	var left Left
	g.Do(func() { left = m.left() })
	switch broke := g.Broken(); {
	case broke != nil:
		broke.Logs = m.w.Records()
		return left, broke
	case err == nil, ctx.Err() != nil, errors.Is(err, tea.ErrInterrupted):
		return left, nil
	}
	return Left{}, fmt.Errorf("run the screen: %w", err)
}

// frame is the shortest time between two portions of events: what a reader
// can see of a fast stream. Keys do not wait for it.
const frame = 16 * time.Millisecond

// New makes the root model.
func New(opts Options) *Model {
	m := &Model{opts: opts, resting: resting{told: opts.Rested}, Env: layer.Env{Keys: cmp.Or(opts.Keys, intent.Default), Now: time.Now, Exec: tea.Exec}, colours: colours{terminal: theme.Terminal{Dark: true}}}
	m.notifier = status.NewNotifier(&m.Env, opts.Notify)
	if opts.NoColor {
		m.terminal.Colours = theme.None
	}
	m.inline = inline.NewScrollback(&m.Env, opts.Inline)
	m.input = layer.NewInput(&m.Env, m.layers)
	m.mouse = mouse.New(func() mouse.Page {
		if m.page != chatPage {
			return nil
		}
		return underMouse{m.chat}
	})
	m.Theme = theme.For(opts.Theme, m.terminal)
	m.start = start.NewAgents(&m.Env, start.Choices{Agents: opts.Agents, Choice: opts.Choice, Typed: opts.Typed, Dir: transcript.Home(opts.Cwd, opts.Home)}, opener{m})
	m.store = newStore(m)
	w := workspace.New(workspace.Options{Agents: opts.Agents, Connect: opts.Connect, Redial: opts.Redial, AskedLogin: opts.AskedLogin, LoginCommand: opts.LoginCommand, Logs: opts.Logs,
		Expand: composers{m}.expand, TextOf: m.store.TextOf, CountLines: countLines, Prompt: opts.Prompt, Cwd: opts.Cwd, Resume: opts.Resume, Pace: frame, Now: func() time.Time { return m.Now() }})
	m.pages = pages{w: w, made: map[*workspace.Session]*chat{}, make: func(s *workspace.Session) *chat { return newChat(m, s) }}
	m.chat = m.pageOf(w.Front())
	m.mouse.SetOff(opts.NoMouse)
	if opts.Start != "" {
		m.page = connectingPage
		m.starting = m.chat.Agent
	}
	return m
}
