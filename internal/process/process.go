// Package process starts a program as the leader of its own process group and ends the whole group with it.
//
// On Unix the program leads a new session (and so a new group): it has no controlling terminal, so neither it nor a
// child of it can draw on, or read from, the terminal of the caller through /dev/tty. On Windows it runs in a Job
// Object that ends everything inside when the last handle closes.
//
// One goroutine per Group reaps the program as soon as it exits; nobody has to call Wait for that. Children that the
// program leaves behind stay until Kill: every Group must be ended with Kill, whether its program has exited or not.
// All methods may be called from any goroutine; only Wait and WaitGone block.
//
// On Linux whatever a program starts is found wherever it goes: every program gets a mark in its environment
// (TreeVar), which its children inherit, and which is looked up in /proc. Only a process that has changed its
// environment, in a session of its own and after all its parents are gone, cannot be told from others. When the caller
// itself is killed without a chance to clean up, the kernel sends the program SIGTERM; what that does about its own
// children is up to it. Those that live on are ended by the next caller that asks for it (Sweep): the mark names who has
// started a program, in a way that nobody else can be taken for it.
package process

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// TreeVar is the variable that every program is started with on Linux, and hands to all it starts in turn. Its value is
// the marks of all Groups it is in, the outermost first, with slashes between: a program may be one that starts Groups
// itself. Behind a colon each mark names who has started the Group (see owner), where that is known.
const TreeVar = "PARLEY_TREE"

// ErrPipe says that a command was given a stream that is not a file, whose copying could outlive the program.
var ErrPipe = errors.New("process: streams must be nil or files")

// pollEvery is the pause between two looks at what is left of a group whose leader has exited.
const pollEvery = 20 * time.Millisecond

// Group is a started program and everything it starts in turn.
type Group struct {
	cmd   *exec.Cmd
	pid   int
	done  chan struct{}
	state *os.ProcessState // written once before done is closed

	token  string // what tells this Group's mark from others
	mu     sync.Mutex
	reaped bool // the leader's pid is free again, except as the id of a group that still has members
	gone   bool // nothing is left; the ids may belong to somebody else and must not be signalled
	members
}

// Start starts cmd as the leader of a new group. Its Stdin, Stdout and Stderr must be nil or *os.File, so that the
// end of the program never waits for a stream that a grandchild holds open; the caller closes its copies of them.
// Settings in cmd.SysProcAttr are kept.
func Start(cmd *exec.Cmd) (*Group, error) {
	if !isFile(cmd.Stdin) || !isFile(cmd.Stdout) || !isFile(cmd.Stderr) {
		return nil, ErrPipe
	}
	setAttributes(cmd)
	g := &Group{cmd: cmd, token: rand.Text(), done: make(chan struct{})}
	mark(cmd, g.token)
	started := make(chan error)
	go g.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return g, nil
}

// run starts the program and reaps it. It keeps one thread for as long as the program runs, which the wait would take
// anyway: Linux sends the signal for the death of the parent when the thread ends that started the program.
func (g *Group) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := g.cmd.Start(); err != nil {
		started <- err
		return
	}
	g.pid = g.cmd.Process.Pid
	if err := g.adopt(); err != nil {
		g.cmd.Process.Kill()
		g.cmd.Wait()
		started <- err
		return
	}
	started <- nil
	g.reap()
}

func isFile(stream any) bool {
	if stream == nil {
		return true
	}
	_, ok := stream.(*os.File)
	return ok
}

func (g *Group) reap() {
	g.cmd.Wait() // its error repeats what the state says
	g.state = g.cmd.ProcessState
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reaped = true
	close(g.done)
	// Looked at now, while the id cannot have been given away yet: later it could belong to another program.
	g.gone = !g.anyLeft()
}

// Pid returns the process id of the program, which is also the id of its group on Unix.
func (g *Group) Pid() int { return g.pid }

// Done is closed once the program itself was reaped. Children of it may still run, and its output may still wait in
// pipes.
func (g *Group) Done() <-chan struct{} { return g.done }

// Wait blocks until the program itself was reaped and returns how it ended. Any number of goroutines may wait.
func (g *Group) Wait() *os.ProcessState {
	<-g.done
	return g.state
}

// WaitGone blocks until the program and everything known to belong to it has ended, or until d has passed; it reports
// whether all has ended. Zombies that somebody else has to reap count as ended where the system lets us see that.
func (g *Group) WaitGone(d time.Duration) bool {
	deadline := time.NewTimer(d)
	defer deadline.Stop()
	select {
	case <-g.done:
	case <-deadline.C:
		return false
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if !g.Alive() {
			return true
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return false
		}
	}
}

// Alive reports whether the program or anything known to belong to it still runs.
func (g *Group) Alive() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone {
		return false
	}
	if !g.reaped {
		return true
	}
	g.gone = !g.anyLeft()
	return !g.gone
}

// Track looks for descendants that have left the group and remembers them, so that Kill finds them even after their
// parents have exited, and without their mark. Call it before a program is asked to end. It does something on Linux
// only; elsewhere a process that leaves the group is lost (Windows: cannot leave).
func (g *Group) Track() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.gone {
		g.track()
	}
}

// Terminate asks the whole group to end: SIGTERM on Unix, CTRL_BREAK on Windows where it reaches only programs of the
// same console. A group that has ended is no error.
func (g *Group) Terminate() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone {
		return nil
	}
	return g.terminate()
}

// Kill ends the whole group at once, on Linux also the descendants that have left it. A group that has ended is no
// error; what belongs to the Group is freed, and calling it again does no harm. It does not wait: see Wait.
func (g *Group) Kill() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone {
		g.free()
		return nil
	}
	return g.kill()
}
