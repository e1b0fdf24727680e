package keeper

import (
	"context"
	"fmt"
	"io"
	"os"
)

// Start returns Unsupported.
func Start(Options) (name string, err error) { return "", Unsupported }

// Attach returns Unsupported.
func Attach(context.Context, string, *os.File, *os.File) (how Outcome, last string, code int, err error) {
	return Lost, "", 0, Unsupported
}

// Stop returns Unsupported.
func Stop(context.Context, string) error { return Unsupported }

// Serve is the subcommand.
func Serve([]string) int {
	fmt.Fprintln(os.Stderr, Unsupported)
	return 1
}

func inherited(int) (io.ReadWriteCloser, error) { return nil, Unsupported }
