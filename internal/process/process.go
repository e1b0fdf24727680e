// Package process starts a program as the leader of its own process group and ends the whole group
// with it.
//
// On Unix the program leads a new session, and so a new group. It has no controlling terminal, so
// neither it nor its children can use the caller's terminal through /dev/tty. On Windows it runs in
// a Job Object that ends everything in it when the last handle is closed.
//
// One goroutine per Group reaps the program as soon as it exits, even if Wait is never called.
// Children that outlive the program run until Kill: every Group must be ended with Kill,
// whether its program has exited or not. All methods are safe for concurrent use; only Wait and
// WaitGone block.
//
// On Linux, everything a program starts is found: its environment has a mark (TreeVar), which its
// children inherit and which is looked up in /proc. Only a process that has changed its
// environment, leads its own session and has lost all its parents cannot be recognised. If the
// caller is killed without a chance to clean up, the kernel sends the program SIGTERM. Children
// that survive this are ended by the next caller of Sweep: the mark identifies the process that
// started them.
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

// TreeVar is the environment variable that every program gets on Linux and passes to its children.
// Its value holds the marks of all Groups the program is in, outermost first, separated by slashes,
// since a program may start Groups itself. After a colon each mark identifies the process that
// started the Group (see owner), if known.
const TreeVar = "PARLEY_TREE"

// ErrPipe says that a stream of the command is not a file: copying it could outlive the program.
var ErrPipe = errors.New("process: streams must be nil or files")

// pollEvery is the pause between two checks for what is left of a group whose leader has exited.
const pollEvery = 20 * time.Millisecond

// Group is a started program and everything it starts in turn.
type Group struct {
	cmd   *exec.Cmd
	pid   int
	done  chan struct{}
	state *os.ProcessState // written once before done is closed

	token  string // unique part of this Group's mark
	mu     sync.Mutex
	reaped bool // the leader's pid is free again, unless the group still has members
	gone   bool // nothing is left; the ids may be reused and must not be signalled
	members
}

// Start starts cmd as the leader of a new group. Its Stdin, Stdout and Stderr must be nil or
// *os.File, so that the end of the program never waits for a stream that a grandchild holds open;
// the caller closes its copies. Settings in cmd.SysProcAttr are kept.
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
	unended.Store(g, nil)
	return g, nil
}

// unended holds every Group of this process that was not ended with Kill yet.
var unended sync.Map

// KillAll is Kill for every Group that was not ended yet. Whoever started one still ends it, which
// is faster then.
func KillAll() {
	unended.Range(func(g, _ any) bool {
		g.(*Group).Kill()
		return true
	})
}

// run starts the program and reaps it. It locks one thread while the program runs, because Linux
// sends the parent-death signal when the starting thread ends.
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
	g.cmd.Wait() // the state has the same information as its error
	g.state = g.cmd.ProcessState
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reaped = true
	close(g.done)
	// Checked now, before the id can be reused.
	g.gone = !g.anyLeft()
}

// Pid returns the process id of the program, on Unix also the id of its group.
func (g *Group) Pid() int { return g.pid }

// Done returns a channel that is closed when the program itself was reaped. Its children may still
// run, and output may still be in pipes.
func (g *Group) Done() <-chan struct{} { return g.done }

// Wait blocks until the program itself was reaped and returns how it ended. It may be called from
// several goroutines.
func (g *Group) Wait() *os.ProcessState {
	<-g.done
	return g.state
}

// WaitGone blocks until the program and everything known to belong to it has ended, or until d has
// passed, and reports whether all has ended. Zombies that another process must reap count as ended
// where the system shows that.
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

// Track finds and remembers descendants that have left the group, so that Kill ends them even after
// their parents have exited and without their mark. Call it before asking a program to end. It
// works on Linux only; elsewhere a process that leaves the group is lost (on Windows it cannot
// leave).
func (g *Group) Track() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.gone {
		g.track()
	}
}

// Terminate asks the whole group to end: with SIGTERM on Unix, with CTRL_BREAK on Windows, which
// only reaches programs of the same console. It is no error if the group has ended.
func (g *Group) Terminate() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone {
		return nil
	}
	return g.terminate()
}

// Kill ends the whole group at once, on Linux including descendants that have left it, and releases
// the resources of the Group. It is no error if the group has ended or if Kill was called before.
// It does not wait: see Wait.
func (g *Group) Kill() error {
	unended.Delete(g)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone {
		g.free()
		return nil
	}
	return g.kill()
}
