package app

import (
	"context"
	"io"
	"os"
	"slices"

	"parley/internal/keeper"
	"parley/internal/workspace"
)

// otherKept lists the kept sessions but for this one.
func otherKept() ([]keeper.Session, error) {
	all, err := keeper.List()
	return slices.DeleteFunc(all, func(s keeper.Session) bool { return s.Name == keeper.Kept().Name() }), err
}

// attachKept returns a command that attaches the terminal to a kept session.
func attachKept(ctx context.Context) func(name string) workspace.Command {
	return func(name string) workspace.Command {
		return &attaching{ctx: ctx, name: name, in: os.Stdin, out: os.Stdout}
	}
}

// attaching is a kept session that has the terminal.
type attaching struct {
	ctx     context.Context
	name    string
	in, out *os.File
}

func (a *attaching) SetStdin(r io.Reader) {
	if f, ok := r.(*os.File); ok {
		a.in = f
	}
}

func (a *attaching) SetStdout(w io.Writer) {
	if f, ok := w.(*os.File); ok {
		a.out = f
	}
}

func (*attaching) SetStderr(io.Writer) {}

// Run returns when the terminal has left.
func (a *attaching) Run() error {
	_, _, _, err := keeper.Attach(a.ctx, a.name, a.in, a.out)
	return err
}
