package ui

import (
	"cmp"
	"context"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/internal/tty"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/page"
	"parley/ui/panel"
	"parley/ui/theme"
)

// AskEnding asks on a screen of its own what happens to a worktree when a chat has ended, and with which
// message it is merged. It is kept if ctx ends first.
func AskEnding(ctx context.Context, opts Options, u workspace.Unmerged) (do panel.Ending, message string, err error) {
	e := newEnding(opts, u, func(chosen panel.Ending, with string) { do, message = chosen, with })
	options := []tea.ProgramOption{tea.WithoutSignalHandler()}
	if opts.Input != nil {
		options = append(options, tea.WithInput(opts.Input))
	}
	if opts.Output != nil {
		options = append(options, tea.WithOutput(opts.Output))
	}
	program := tea.NewProgram(e, append(options, tea.WithEnvironment(os.Environ()))...)
	defer context.AfterFunc(ctx, program.Quit)()
	_, err = program.Run()
	return do, message, err
}

// ending is the screen with the question.
type ending struct {
	layer.Env
	opts          Options
	list          *panel.List
	width, height int
	closed        bool
}

func newEnding(opts Options, u workspace.Unmerged, choose func(do panel.Ending, message string)) *ending {
	t := page.TreeOf(u)
	if u.Makes {
		t.Message = u.Message
	}
	e := &ending{Env: layer.Env{Keys: cmp.Or(opts.Keys, intent.Default), Now: time.Now, Exec: tea.Exec}, opts: opts}
	e.list = panel.End(t, u.Refused, func(do panel.Ending, message string) tea.Cmd {
		choose(do, message)
		return nil
	})
	e.recolour()
	e.list.Open(&e.Env, new(layer.Effects), e) // a list wants nothing of its page
	return e
}

// Init implements tea.Model.
func (e *ending) Init() tea.Cmd {
	if e.opts.Theme == "" || e.opts.Theme == "auto" {
		return tea.Raw(tty.AskBackground)
	}
	return nil
}

// Update implements tea.Model.
func (e *ending) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		e.width, e.height = msg.Width, msg.Height
		e.list.Saw(e.width, e.height)
	case tea.BackgroundColorMsg, tea.ColorProfileMsg:
		e.opts.Terminal.Learn(msg)
		e.recolour()
	case tea.KeyPressMsg:
		cmd, _ = e.list.Key(layer.Press{KeyPressMsg: msg, Name: msg.String(), Want: e.Keys.Of(intent.Chat, msg.String())})
	case tea.PasteMsg:
		cmd, _ = e.list.Paste(msg.Content)
	}
	if e.closed {
		return e, tea.Quit
	}
	return e, cmd
}

func (e *ending) recolour() { e.Theme = theme.For(e.opts.Theme, e.opts.Terminal.Colours) }

// View implements tea.Model.
func (e *ending) View() tea.View {
	v := tea.NewView("")
	if v.AltScreen = true; e.width > 0 && e.height > 0 && !e.closed {
		rows, cursor := e.list.Rows(e.width, e.height)
		for i, row := range rows {
			rows[i] = text.Truncate(row, e.width, "")
		}
		v.SetContent(strings.Join(rows[:min(len(rows), e.height)], "\n"))
		v.Cursor = cursor
	}
	return v
}

// Close implements panel.Host.
func (e *ending) Close(panel.Panel) { e.closed = true }

// Back implements panel.Host.
func (e *ending) Back(p panel.Panel) { e.Close(p) }

// Covered implements panel.Host.
func (e *ending) Covered(int) bool { return true }
