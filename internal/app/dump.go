package app

import (
	"bytes"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// exitDumped is the exit code after SIGQUIT, as shells have it.
const exitDumped = 128 + int(syscall.SIGQUIT)

// dumpPatience is how long an orderly end may take after SIGQUIT.
const dumpPatience = 10 * time.Second

// Dump notes at SIGQUIT what every goroutine does, to be written once everything has
// ended in order: the runtime would write it over the screen and leave the terminal
// and all agents as they are. It does so still, at a second SIGQUIT, or where the
// orderly end takes too long.
type Dump struct {
	signals chan os.Signal
	stacks  atomic.Pointer[[]byte]
}

// NewDump waits for SIGQUIT from now on. Ending what runs is up to the caller.
func NewDump() *Dump {
	d := &Dump{signals: make(chan os.Signal, 1)}
	signal.Notify(d.signals, syscall.SIGQUIT)
	go func() {
		sig := <-d.signals
		stacks := allStacks()
		d.stacks.Store(&stacks)
		go func() {
			again := time.After(dumpPatience)
			select {
			case <-d.signals:
			case <-again:
			}
			signal.Reset(syscall.SIGQUIT)
			if p, err := os.FindProcess(os.Getpid()); err == nil {
				p.Signal(sig)
			}
		}()
	}()
	return d
}

// Write writes what was noted, and returns the exit code: code where nothing was.
func (d *Dump) Write(w io.Writer, code int) int {
	stacks := d.stacks.Load()
	if stacks == nil {
		return code
	}
	w.Write(*stacks)
	return exitDumped
}

// allStacks is what every goroutine does. Names in it are parley's own, but bytes of
// it go to the terminal as they are, so only what prints stays.
func allStacks() []byte {
	const most = 16 << 20
	for size := 1 << 20; ; size *= 2 {
		b := make([]byte, size)
		if n := runtime.Stack(b, true); n < size || size >= most {
			return bytes.Map(func(r rune) rune {
				if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
					return '?'
				}
				return r
			}, b[:n])
		}
	}
}
