//go:build unix

package keeper

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/localsock"
	"parley/internal/termmodes"
	"parley/terminal"
)

// inherited returns a file that the keeper has handed down.
func inherited(fd int) (io.ReadWriteCloser, error) {
	unix.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), "keeper")
	defer f.Close()
	return net.FileConn(f)
}

// How long the keeper waits: for a first terminal before parley starts without one, for parley to restore a
// terminal, for parley to end, and for a terminal that reads nothing or a parley that reads no keys. Tests change some.
var (
	startGrace   = 10 * time.Second
	restoreGrace = time.Second
	endGrace     = 10 * time.Second
	stallGrace   = time.Minute
)

// keeper is one keeper. Its goroutines are: one that reads what parley writes, one for its messages, one for each
// terminal, and the one of run.
type keeper struct {
	dir          *os.Root // stays where the directory is, even if that is moved
	lock         *os.File
	args         []string
	environ      []string      // of parley
	idle         time.Duration // after which an idle parley ends that nobody is attached to; 0: never
	ours, theirs *os.File      // the ends of the pseudo terminal, theirs until parley has it
	ended        chan struct{} // closed when parley has ended and everything that it wrote is sent
	left         chan struct{} // parley has restored the terminal
	begin        chan struct{} // closed when parley is to start
	start        func()        // closes begin: the first terminal is there

	stopping chan struct{} // closed when parley is to end

	changing sync.Mutex // held while a terminal attaches or leaves
	relaying sync.Mutex // held from reading what parley has written until it is sent
	writing  sync.Mutex // held while the record is written
	closed   bool       // it is written no more; guarded by writing

	mu      sync.Mutex
	session Session
	client  *client // nil: nothing is attached
	modes   termmodes.Modes
	control net.Conn
	process *os.Process
	code    int
	gone    bool // parley has ended
	saving  bool
	leaving *time.Timer // ends an idle parley
	stopped bool        // parley is to end
	forget  bool        // the user wants it to, and no record of it
}

// Serve is the subcommand: it keeps `parley ARG…` until that ends. args are those that Start has made. The
// outcome of the start goes to the file with the number 3, as a line.
func Serve(args []string) int {
	ready := os.NewFile(3, "ready")
	unix.CloseOnExec(3)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGUSR1)
	// Not signal.Ignore, which parley and all that it starts would inherit.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE)
	k, err := newKeeper(args)
	if err != nil {
		fmt.Fprintln(ready, "!"+err.Error())
		return 1
	}
	ln, err := localsock.Listen(k.session.Socket)
	if err != nil {
		k.close(true)
		fmt.Fprintln(ready, "!"+err.Error())
		return 1
	}
	Withhold()
	fmt.Fprintln(ready, k.session.Name)
	ready.Close()
	debug.FreeOSMemory() // it waits from now on, often for days: what the start has used is not needed
	k.run(ln, signals)
	return 0
}

// newKeeper takes a name and locks it. args are: after what time parley ends if it is idle and nothing is attached,
// whether it starts without waiting for a terminal, and its own.
func newKeeper(args []string) (*keeper, error) {
	if len(args) < 2 {
		return nil, errors.New("it is started by parley --keep")
	}
	idle, err := time.ParseDuration(args[0])
	if err != nil {
		return nil, err
	}
	now, err := strconv.ParseBool(args[1])
	if err != nil {
		return nil, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	k := &keeper{args: args[2:], environ: os.Environ(), idle: idle, ended: make(chan struct{}), stopping: make(chan struct{}), left: make(chan struct{}, 1), begin: make(chan struct{})}
	k.start = sync.OnceFunc(func() { close(k.begin) })
	path, err := k.openDir()
	if err != nil {
		return nil, err
	}
	prune(path)
	if err := k.takeName(path, nameOf(cwd)); err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	k.session.Status = Status{State: Starting, Dir: cwd, Since: time.Now()}
	k.session.Live, k.session.Started, k.session.From, k.session.PID, k.session.Host = true, time.Now(), cwd, os.Getpid(), host
	if k.session.Socket, err = localsock.Path(k.session.Name, "sock"); err == nil {
		k.ours, k.theirs, err = terminal.OpenPTY()
	}
	if err == nil {
		_ = terminal.SetSize(k.ours, 80, 24) // until a terminal attaches
		err = k.save()
	}
	if err != nil {
		k.close(true)
		return nil, err
	}
	if now {
		k.start()
	} else {
		time.AfterFunc(startGrace, k.start)
	}
	return k, nil
}

// changed has the record written soon, and starts or stops the time after which an idle parley ends. k.mu is held.
func (k *keeper) changed() {
	k.saveSoon(saveWithin)
	switch rests := k.rests(); {
	case k.idle == 0:
	case !rests && k.leaving != nil:
		k.leaving.Stop()
		k.leaving = nil
	case rests && k.leaving == nil:
		k.leaving = time.AfterFunc(k.idle, func() {
			k.mu.Lock()
			still := k.rests()
			k.mu.Unlock()
			if still {
				k.stop("idle for "+k.idle.String(), false)
			}
		})
	}
}

// rests reports whether nothing happens and nobody is there. k.mu is held.
func (k *keeper) rests() bool {
	return k.client == nil && (k.session.State == Idle || k.session.State == Ended)
}

// run keeps parley until it has ended.
func (k *keeper) run(ln net.Listener, signals <-chan os.Signal) {
	go k.accept(ln)
	begin, stopping := k.begin, k.stopping
	for {
		select {
		case <-begin:
			begin = nil
			if err := k.startParley(); err != nil {
				k.mu.Lock()
				k.session.Why, k.code = err.Error(), 1
				k.mu.Unlock()
				close(k.ended)
			}
		case <-stopping:
			stopping = nil
			if begin == nil {
				go k.end()
				continue
			}
			begin = nil
			close(k.ended)
		case sig := <-signals:
			if sig == syscall.SIGTERM {
				k.stop("ended by a signal ("+sig.String()+")", false)
				continue
			}
			// The socket was deleted.
			if again, err := k.listenAgain(); err == nil {
				ln.(interface{ SetUnlinkOnClose(bool) }).SetUnlinkOnClose(false)
				ln.Close()
				ln = again
				go k.accept(ln)
			}
		case <-k.ended:
			ln.Close()
			k.finish()
			return
		}
	}
}

// listenAgain listens at the same path or, if its directory can be used no longer, at another one.
func (k *keeper) listenAgain() (net.Listener, error) {
	path, err := localsock.Path(k.session.Name, "sock")
	if err != nil {
		return nil, err
	}
	ln, err := localsock.Listen(path)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	k.session.Socket = path
	k.mu.Unlock()
	return ln, k.save()
}

// startParley starts it.
func (k *keeper) startParley() error {
	defer k.theirs.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	unix.CloseOnExec(pair[0])
	unix.CloseOnExec(pair[1])
	mine, its := os.NewFile(uintptr(pair[0]), "kept"), os.NewFile(uintptr(pair[1]), "keeper")
	conn, err := net.FileConn(mine)
	mine.Close()
	if err != nil {
		return err
	}
	cmd := &exec.Cmd{Path: self, Args: append([]string{self}, k.args...)}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = k.theirs, k.theirs, k.theirs
	cmd.ExtraFiles = []*os.File{its}
	cmd.Env = append(k.environ, variable+"=3 "+k.session.Name)
	k.environ = nil
	if dumb() { // it was started without a terminal
		cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	}
	terminal.Control(cmd)
	err = cmd.Start()
	its.Close()
	if err != nil {
		conn.Close()
		return err
	}
	k.mu.Lock()
	k.control, k.process = conn, cmd.Process
	if k.client != nil {
		tell(conn, Change{Attached: true, Environ: k.client.environ})
	}
	k.mu.Unlock()
	read := make(chan struct{})
	go func() { k.relay(); close(read) }()
	go k.listen(conn)
	go func() {
		_ = cmd.Wait()
		k.mu.Lock()
		k.gone = true
		k.code = cmd.ProcessState.ExitCode()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			k.code = 128 + int(status.Signal())
			k.session.Why = cmp.Or(k.session.Why, "killed by a signal ("+status.Signal().String()+")")
		}
		k.mu.Unlock()
		select {
		case <-read: // the end of what it wrote
		case <-time.After(restoreGrace): // something that it started still has the terminal open, or our terminal is slow
			k.drain(stallGrace)
		}
		close(k.ended)
	}()
	return nil
}

// finish tells the terminal that parley has ended, and keeps the record only if nobody was there to see it, or if it was
// killed: then it has not said what resumes it.
func (k *keeper) finish() {
	k.changing.Lock()
	defer k.changing.Unlock()
	k.mu.Lock()
	c, end := k.client, fmt.Appendf(nil, "%d %s", k.code, k.session.Why)
	seen := c != nil && (k.session.Why == "" || k.session.Resume == nil)
	k.session.Ended, k.session.Attached = time.Now(), false
	if k.session.Why == "" && k.code != 0 {
		k.session.Why = "exit code " + strconv.Itoa(k.code)
	}
	forget := k.forget || seen || k.code == 0 && k.session.Resume == nil
	k.session.removeSockets()
	k.mu.Unlock()
	k.close(forget) // first, so that nothing of it is there when its end is seen
	if c != nil {
		c.close(endedFrame, end, stallGrace)
	}
}

// stop has parley end. forget says that no record is kept.
func (k *keeper) stop(why string, forget bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget = k.forget || forget
	if !k.stopped {
		k.stopped = true
		k.session.Why = why
		close(k.stopping)
	}
}

// end ends parley: politely, and after a time with everything in its process group.
func (k *keeper) end() {
	k.mu.Lock()
	p := k.process
	k.mu.Unlock()
	if p == nil {
		return
	}
	_ = p.Signal(syscall.SIGTERM)
	select {
	case <-k.ended:
		return
	case <-time.After(endGrace):
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.gone {
		_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	}
}
