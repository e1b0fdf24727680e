package keeper

import (
	"context"
	"fmt"
	"io"
	"os"
)

// Supported reports whether this system can keep a parley.
const Supported = false

// Start returns ErrUnsupported.
func Start(Options) (name string, err error) { return "", ErrUnsupported }

// Attach returns ErrUnsupported.
func Attach(context.Context, string, *os.File, *os.File) (how Outcome, last string, code int, err error) {
	return Lost, "", 0, ErrUnsupported
}

// Stop returns ErrUnsupported.
func Stop(context.Context, string) error { return ErrUnsupported }

// Serve is the subcommand.
func Serve([]string) int {
	fmt.Fprintln(os.Stderr, ErrUnsupported)
	return 1
}

func inherited(int) (io.ReadWriteCloser, error) { return nil, ErrUnsupported }
