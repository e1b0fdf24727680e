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

// exitDumped is the exit code after SIGQUIT, by the convention of shells.
const exitDumped = 128 + int(syscall.SIGQUIT)

// dumpPatience is how long an orderly exit may take after SIGQUIT.
const dumpPatience = 10 * time.Second

// Dump captures the stacks of all goroutines at SIGQUIT, to be written after an orderly exit. The
// runtime's own handling would write over the screen, and leave the terminal and the agents as they
// are. That still happens at a second SIGQUIT, or if the orderly exit takes too long.
type Dump struct {
	signals chan os.Signal
	stacks  atomic.Pointer[[]byte]
}

// NewDump starts to watch for SIGQUIT. The caller is responsible for shutting down.
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

// Write writes the captured stacks and returns the exit code for that. Without any it returns code.
func (d *Dump) Write(w io.Writer, code int) int {
	stacks := d.stacks.Load()
	if stacks == nil {
		return code
	}
	w.Write(*stacks)
	return exitDumped
}

// allStacks returns the stacks of all goroutines, with control characters removed because they are
// written to the terminal as they are.
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
