//go:build unix

package keeper

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/filelock"
	"parley/internal/localsock"
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
// terminal, for parley to end, and for a terminal that reads nothing.
const (
	startGrace   = 10 * time.Second
	restoreGrace = time.Second
	endGrace     = 10 * time.Second
	stallGrace   = time.Minute
)

// saveWithin is how long a change may take until the record has it, so that many changes are one.
const saveWithin = 100 * time.Millisecond

// keeper is one keeper. Its goroutines are: one that reads what parley writes, one for its messages, one for each
// terminal, and the one of run.
type keeper struct {
	dir          *os.Root // stays where the directory is, even if that is moved
	lock         *os.File
	args         []string
	idle         time.Duration // after which an idle parley ends that nobody is attached to; 0: never
	ours, theirs *os.File      // the ends of the pseudo terminal, theirs until parley has it
	ended        chan struct{} // closed when parley has ended and everything that it wrote is sent
	final        chan struct{} // closed when the record says so
	left         chan struct{} // parley has restored the terminal
	begin        chan struct{} // the first terminal is there

	changing sync.Mutex // held while a terminal attaches or leaves

	mu      sync.Mutex
	session Session
	client  *client // nil: nothing is attached
	modes   modes
	control net.Conn
	process *os.Process
	code    int
	gone    bool // parley has ended
	stopped bool // the user has ended it
	saving  bool
	leaving *time.Timer // ends an idle parley
	started bool
}

// Serve is the subcommand: it keeps `parley ARG…` until that ends. args are those that Start has made. The
// outcome of the start goes to the file with the number 3, as a line.
func Serve(args []string) int {
	ready := os.NewFile(3, "ready")
	unix.CloseOnExec(3)
	k, err := newKeeper(args)
	if err != nil {
		fmt.Fprintln(ready, "!"+err.Error())
		return 1
	}
	ln, err := localsock.Listen(k.session.Socket)
	if err != nil {
		fmt.Fprintln(ready, "!"+err.Error())
		return 1
	}
	fmt.Fprintln(ready, k.session.Name)
	ready.Close()
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE)
	debug.FreeOSMemory() // it waits from now on, often for days: what the start has used is not needed
	k.run(ln)
	return 0
}

// newKeeper takes a name and locks it.
func newKeeper(args []string) (*keeper, error) {
	o, rest, err := parseOptions(args)
	if err != nil {
		return nil, err
	}
	path, err := directory()
	if err != nil {
		return nil, err
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	prune(path)
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	k := &keeper{dir: dir, args: rest, idle: o.idle, ended: make(chan struct{}), final: make(chan struct{}), left: make(chan struct{}, 1), begin: make(chan struct{})}
	k.started = o.now
	if k.started {
		close(k.begin)
	}
	base := nameOf(cwd)
	for i := 1; ; i++ {
		name := base
		if i > 1 {
			name += "-" + strconv.Itoa(i)
		}
		if i > 9999 {
			return nil, errors.New("too many sessions are kept for this directory")
		}
		if s, err := load(path, name); err == nil && !s.Live && s.State != "" && i < 9999 {
			continue // it is still listed, with the command that resumes it
		}
		lock, err := dir.OpenFile(name+lockEnd, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if !filelock.Lock(lock) {
			lock.Close()
			continue
		}
		k.lock = lock
		k.session = Session{Name: name, Live: true, Started: time.Now(), PID: os.Getpid(), Status: Status{State: Starting, Dir: cwd, Since: time.Now()}}
		break
	}
	k.session.Socket, err = localsock.Path(k.session.Name + ".sock")
	if err != nil {
		return nil, err
	}
	if k.ours, k.theirs, err = terminal.OpenPTY(); err != nil {
		return nil, err
	}
	return k, k.save()
}

// prune removes what is left of sessions that ended long ago.
func prune(dir string) {
	all, err := List()
	if err != nil {
		return
	}
	for _, s := range all {
		if !s.Live && time.Since(s.Ended) > oldest {
			_ = Forget(s.Name)
		}
	}
}

// save writes the record. What cannot be written now is written with the next change.
func (k *keeper) save() error {
	k.mu.Lock()
	s := k.session
	k.mu.Unlock()
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	unfinished := s.Name + ".new"
	if err := k.dir.WriteFile(unfinished, append(text, '\n'), 0o600); err != nil {
		_ = k.dir.Remove(unfinished)
		return err
	}
	return k.dir.Rename(unfinished, s.Name+recordEnd)
}

// changed has the record written soon, and starts or stops the time after which an idle parley ends. k.mu is held.
func (k *keeper) changed() {
	if !k.saving {
		k.saving = true
		time.AfterFunc(saveWithin, func() {
			k.mu.Lock()
			k.saving = false
			k.mu.Unlock()
			if k.save() != nil { // such as on a full disk
				time.AfterFunc(time.Minute, func() { _ = k.save() })
			}
		})
	}
	rests := k.client == nil && (k.session.State == Idle || k.session.State == Ended)
	switch {
	case k.idle == 0:
	case !rests && k.leaving != nil:
		k.leaving.Stop()
		k.leaving = nil
	case rests && k.leaving == nil:
		k.leaving = time.AfterFunc(k.idle, k.stop)
	}
}

// run keeps parley until it has ended.
func (k *keeper) run(ln net.Listener) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGUSR1)
	go k.accept(ln)
	select {
	case <-k.begin:
	case <-time.After(startGrace):
	case <-signals:
	}
	k.start()
	for {
		select {
		case sig := <-signals:
			if sig == syscall.SIGTERM {
				go k.stop()
				continue
			}
			// The socket was deleted.
			if again, err := localsock.Listen(k.session.Socket); err == nil {
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

// start starts parley.
func (k *keeper) start() {
	defer k.theirs.Close()
	fail := func(err error) {
		k.mu.Lock()
		k.session.Why, k.code = err.Error(), 1
		k.mu.Unlock()
		close(k.ended)
	}
	self, err := os.Executable()
	if err != nil {
		fail(err)
		return
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		fail(err)
		return
	}
	unix.CloseOnExec(pair[0])
	unix.CloseOnExec(pair[1])
	mine, its := os.NewFile(uintptr(pair[0]), "kept"), os.NewFile(uintptr(pair[1]), "keeper")
	conn, err := net.FileConn(mine)
	mine.Close()
	if err != nil {
		fail(err)
		return
	}
	cmd := &exec.Cmd{Path: self, Args: append([]string{self}, k.args...)}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = k.theirs, k.theirs, k.theirs
	cmd.ExtraFiles = []*os.File{its}
	cmd.Env = append(os.Environ(), variable+"=3 "+k.session.Name)
	if term := os.Getenv("TERM"); term == "" || term == "dumb" { // it was started without a terminal
		cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	}
	terminal.Control(cmd)
	err = cmd.Start()
	its.Close()
	if err != nil {
		conn.Close()
		fail(err)
		return
	}
	k.mu.Lock()
	k.control, k.process = conn, cmd.Process
	if k.client != nil {
		_, _ = conn.Write(line(toKept{Change{Attached: true, Environ: k.client.environ}}))
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
			k.session.Why = "killed by a signal (" + status.Signal().String() + ")"
		}
		k.mu.Unlock()
		select {
		case <-read: // the end of what it wrote
		case <-time.After(restoreGrace): // something that it started still has the terminal open
		}
		close(k.ended)
	}()
}

// finish tells the terminal that parley has ended, and keeps the record only if nobody was there to see it.
func (k *keeper) finish() {
	defer close(k.final)
	k.changing.Lock()
	defer k.changing.Unlock()
	k.mu.Lock()
	c, code := k.client, k.code
	k.session.Ended = time.Now()
	if k.session.Why == "" && code != 0 {
		k.session.Why = "exit code " + strconv.Itoa(code)
	}
	forget := c != nil || k.stopped || k.session.Why == "" && k.session.Resume == nil
	k.mu.Unlock()
	if c != nil {
		c.close(endedFrame, []byte(strconv.Itoa(code)))
	}
	os.Remove(k.session.Socket)
	if forget {
		_ = k.dir.Remove(k.session.Name + recordEnd)
		_ = k.dir.Remove(k.session.Name + lockEnd)
		return
	}
	_ = k.save()
	_ = k.dir.Remove(k.session.Name + lockEnd)
}

// stop ends parley: politely, and after a time with everything in its process group.
func (k *keeper) stop() {
	k.mu.Lock()
	p, gone := k.process, k.gone
	k.mu.Unlock()
	if p == nil || gone {
		return
	}
	_ = p.Signal(syscall.SIGTERM)
	select {
	case <-k.ended:
	case <-time.After(endGrace):
		_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	}
}

// options are those of the subcommand.
type options struct {
	idle time.Duration
	now  bool // start without waiting for a terminal
}

func (o options) args() []string {
	return []string{"--idle=" + o.idle.String(), "--now=" + strconv.FormatBool(o.now), "--"}
}

func parseOptions(args []string) (o options, rest []string, err error) {
	for i, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "--idle":
			o.idle, err = time.ParseDuration(value)
		case "--now":
			o.now, err = strconv.ParseBool(value)
		case "--":
			return o, args[i+1:], nil
		default:
			err = fmt.Errorf("unknown argument %q", arg)
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = fmt.Errorf("%s is started by parley --keep", filepath.Base(os.Args[0]))
	}
	return o, nil, err
}
