// Package ui is the screen of parley: a Bubble Tea program over the engine.
//
// Each session has a page (package page); this package has what concerns all of them.
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
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/ui/guard"
	"parley/ui/inline"
	"parley/ui/layer"
	"parley/ui/mouse"
	"parley/ui/page"
	"parley/ui/paint"
	"parley/ui/start"
	"parley/ui/status"
	"parley/ui/theme"
)

// Options of the screen.
type Options = page.Options

// Run shows the screen until the user quits or ctx ends. When it returns, everything that it
// started has ended and the terminal is restored. After a panic the error is a *guard.PanicError,
// and the returned session is valid.
func Run(ctx context.Context, opts Options) (workspace.ResumableSession, error) {
	raiseProcs()
	m := New(opts)
	defer m.endAll()
	g := guard.New(m)
	screen := paint.Open(opts.Output, opts.Terminal, g.Do)
	m.painter, m.Exec = screen, screen.Exec
	if opts.Keeper != nil {
		screen.Detach()
	}
	if screen.HasScrollback() {
		m.inline.SetScreen(screen.Print)
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
	g.Do(m.Store.FlushDrafts)
	g.Do(m.Store.FlushHistory)
	var left workspace.ResumableSession
	g.Do(func() { left = m.Workspace.Resumable() })
	switch broke := g.Panic(); {
	case broke != nil:
		broke.Logs = m.Workspace.Records()
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
	m := &Model{resting: resting{notify: opts.OnIdle}}
	m.Options, m.Env = opts, layer.Env{Keys: cmp.Or(opts.Keys, intent.Default), Now: time.Now, Exec: tea.Exec}
	m.terminals = &terminals{keeper: opts.Keeper}
	m.notifier = status.NewNotifier(&m.Env, opts.Terminal)
	m.inline = inline.NewScrollback(&m.Env, opts.Inline)
	m.Input = layer.NewInput(&m.Env, m.layers)
	m.Mouse = mouse.New(func() mouse.Page {
		if !m.conversing() {
			return nil
		}
		return m.Front.UnderMouse()
	})
	m.Theme, m.themedFor = theme.For(opts.Theme, opts.Terminal.Colours), opts.Terminal.Colours
	of := opts.Options
	of.KeepPrompts, of.Pace, of.Now = opts.History != nil, frame, func() time.Time { return m.Now() }
	m.Workspace = workspace.New(of)
	choices, begin := chooseFrom(m)
	m.start = start.NewAgents(&m.Env, choices, m.Workspace, begin, m.leaveStart)
	m.pages = pages{screen: &m.Screen, made: map[*workspace.Session]*page.Page{}}
	m.Store, m.Handlers = newStore(m), m.handlers()
	m.Front = m.pageOf(m.Workspace.Front())
	m.Mouse.SetOff(opts.NoMouse)
	m.Choosing = opts.Start == ""
	m.restack()
	return m
}
