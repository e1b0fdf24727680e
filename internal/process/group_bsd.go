//go:build unix && !linux

package process

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// members is empty: without a process table that is cheap to read, only the group is known.
type members struct{}

// mark does nothing: marks cannot be looked up on this system.
func mark(*exec.Cmd, string) {}

// endWithParent does nothing: the kernel has no such signal.
func endWithParent(*syscall.SysProcAttr) {}

func (g *Group) adopt() error     { return nil }
func (g *Group) free()            {}
func (g *Group) track()           {}
func (g *Group) terminate() error { return g.signalGroup(unix.SIGTERM) }
func (g *Group) kill() error      { return g.signalGroup(unix.SIGKILL) }

func (g *Group) anyLeft() bool { return !errors.Is(unix.Kill(-g.pid, 0), unix.ESRCH) }
