// Package ui is the screen of parley: a Bubble Tea program over the engine.
//
// The root model is the only tea.Model. Its Update routes: events of the
// engine, in portions of a frame; keys, through package intent; sizes, focus and
// pastes; results of commands. It never waits for anything: whatever may block
// runs in a tea.Cmd. What has changed is drawn at the end of each Update and handed to a
// paint.Screen; Bubble Tea draws nothing.
//
// Whatever can have the keys is a layer. A key goes down the stack of Model.layers until one
// takes it; each layer knows whether it has the keys: a list or a panel takes all of them, a
// question some, the composer most, and the session the rest. Pastes, clicks and the wheel
// take the same path, and panels are drawn from the bottom of the stack up.
// testdata/layers/keys.golden lists which layer takes which key in each state of the screen.
package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/composer"
	"parley/ui/guard"
	"parley/ui/inline"
	"parley/ui/layer"
	"parley/ui/mouse"
	"parley/ui/paint"
	"parley/ui/shell"
	"parley/ui/start"
	"parley/ui/status"
	"parley/ui/theme"
)

// Options of the screen.
type Options struct {
	workspace.FrontEnd

	// TypedAgent makes an agent from a command line or URL that the user has typed.
	// nil: only those in Agents can be started.
	TypedAgent func(line string) (workspace.Spec, error)
	// Pictures reads the images of prompts. nil: there are none.
	Pictures composer.Pictures
	// Copy copies a text to the clipboard with a program of this machine and returns its
	// name; "" if there is none. It is called on its own goroutine. nil: OSC 52 is used.
	Copy func(ctx context.Context, text string) (tool string, err error)
	// Multiplexer is the one between parley and the terminal: tmux, screen, or "" for
	// none that is known.
	Multiplexer string
	// OpenFile prepares the user's editor on a file, at a line (0: unknown). It is called
	// on its own goroutine. nil: there is no editor.
	OpenFile func(path string, line int) (tea.ExecCommand, error)
	// NoMouse leaves the mouse to the terminal; with NoCopyOnSelect, selecting text does
	// not copy it.
	NoMouse, NoCopyOnSelect bool
	// Shell runs the user's own commands. nil: there are none.
	Shell shell.Runner
	// Editor prepares the user's editor on a text. It is called on its own goroutine.
	// nil: there is none.
	Editor func(text string) (composer.Editing, error)
	// FileEditor is Editor for the text of the file at path. The editor gets the text
	// unchanged, in a temporary file.
	FileEditor func(text, path string) (composer.Editing, error)
	Branch     string // of the worktree, "" without one
	Theme      string // a name of package theme, "" or "auto" for the terminal's own
	NoColor    bool
	Keys       *intent.Keymap // nil: the default one
	SidePanel  string         // auto, on, off; "" is auto
	Density    string         // how much is shown at first: normal, everything, quiet; "" is normal

	// OnIdle is called, on its own goroutine, when a turn, a history or a connection has
	// ended and nothing is running on any page. It may be nil.
	OnIdle func()
	Notify status.Notification // how to tell a user who is not looking that a turn has ended or something is asked
	// Inline keeps the terminal's own screen and writes the conversation into its
	// scrollback.
	Inline   bool
	Progress bool // the terminal has a progress bar of its own
}

// Run shows the screen until the user quits or ctx ends. When it returns, everything that it
// started has ended and the terminal is restored. After a panic the error is a *guard.PanicError,
// and the returned session is valid.
func Run(ctx context.Context, opts Options) (workspace.ResumableSession, error) {
	raiseProcs()
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
		if g.Panic() == nil {
			rows = m.unwritten()
		}
		screen.Close(rows...)
	}()
	options := append(screen.Program(), tea.WithoutSignalHandler())
	if opts.Input != nil {
		options = append(options, tea.WithInput(opts.Input))
	}
	program := tea.NewProgram(g, options...)
	g.SetQuit(program.Quit)
	defer context.AfterFunc(ctx, program.Quit)()
	defer screen.Resizes(program)()
	_, err := program.Run()
	g.Do(m.store.FlushDrafts)
	g.Do(m.store.FlushHistory)
	var left workspace.ResumableSession
	g.Do(func() { left = m.w.Resumable() })
	switch broke := g.Panic(); {
	case broke != nil:
		broke.Logs = m.w.Records()
		return left, broke
	case err == nil, ctx.Err() != nil, errors.Is(err, tea.ErrInterrupted):
		return left, nil
	}
	return workspace.ResumableSession{}, fmt.Errorf("run the screen: %w", err)
}

// frame is the shortest time between two portions of events; a reader cannot see more of a
// fast stream. Keys do not wait for it.
const frame = 16 * time.Millisecond

// New returns the root model.
func New(opts Options) *Model {
	m := &Model{opts: opts, resting: resting{notify: opts.OnIdle}, Env: layer.Env{Keys: cmp.Or(opts.Keys, intent.Default), Now: time.Now, Exec: tea.Exec}, colours: colours{terminal: theme.Terminal{Dark: true}}}
	m.notifier = status.NewNotifier(&m.Env, opts.Notify, opts.Multiplexer)
	if opts.NoColor {
		m.terminal.Colours = theme.None
	}
	m.inline = inline.NewScrollback(&m.Env, opts.Inline)
	m.input = layer.NewInput(&m.Env, m.layers)
	m.mouse = mouse.New(func() mouse.Page {
		if !m.conversing() {
			return nil
		}
		return underMouse{m.chat}
	})
	m.Theme, m.themedFor = theme.For(opts.Theme, m.terminal), m.terminal
	m.start = start.NewAgents(&m.Env, start.Choices{Agents: opts.Agents, Choice: opts.Choice, TypedAgent: opts.TypedAgent, Dir: words.ShortenHome(opts.Cwd, opts.Home)}, opener{m})
	of := opts.Options
	of.KeepPrompts, of.Pace, of.Now = opts.History != nil, frame, func() time.Time { return m.Now() }
	w := workspace.New(of)
	m.pages = pages{w: w, made: map[*workspace.Session]*chat{}, make: func(s *workspace.Session) *chat { return newChat(m, s) }}
	m.store = newStore(m)
	m.chat = m.pageOf(w.Front())
	m.mouse.SetOff(opts.NoMouse)
	m.choosing = opts.Start == ""
	return m
}
