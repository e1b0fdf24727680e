//go:build unix

package keeper

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"parley/internal/localsock"
	"parley/internal/termmodes"
)

// Supported reports whether this system can keep a parley.
const Supported = true

// startPatience is how long a keeper may take until it listens.
const startPatience = 30 * time.Second

// Start starts a keeper for `parley ARG…` with this environment, and returns the name of
// what it keeps. With a terminal, parley itself starts when that attaches.
func Start(o Options) (name string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	cmd := &exec.Cmd{Path: self, Args: append([]string{self, Command, o.Idle.String(), strconv.FormatBool(o.Headless)}, o.Args...), Dir: o.Dir}
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start() // its streams are the null device
	w.Close()
	if err != nil {
		return "", &StartError{err.Error()}
	}
	go func() { _ = cmd.Wait() }() // only if it ends before this process
	_ = r.SetReadDeadline(time.Now().Add(startPatience))
	text, err := io.ReadAll(io.LimitReader(r, maxFrame))
	if err != nil {
		return "", &StartError{err.Error()}
	}
	name = strings.TrimSpace(string(text))
	if why, failed := strings.CutPrefix(name, "!"); failed || name == "" {
		if name == "" {
			why = "it ended"
		}
		return "", &StartError{why}
	}
	return name, nil
}

// Attach connects a terminal to the kept parley with this name until one of them leaves, and follows the user to
// another one. last is the name of the last one, code the exit code of parley if it has ended, with err why, if it did not end by itself. The terminal is
// left as it was.
func Attach(ctx context.Context, name string, in, out *os.File) (how Outcome, last string, code int, err error) {
	for {
		next := ""
		if how, next, code, err = attachOnce(ctx, name, in, out); next == "" || err != nil {
			return how, name, code, err
		}
		name = next
	}
}

func attachOnce(ctx context.Context, name string, in, out *os.File) (how Outcome, next string, code int, err error) {
	if s, err := Find(name); err == nil && s.Live && s.Screen && dumb() {
		return Lost, "", 0, fmt.Errorf("this terminal cannot draw the screen of %s (TERM=%s): attach from another one", name, os.Getenv("TERM"))
	}
	conn, err := dial(ctx, name)
	if err != nil {
		return Lost, "", 0, err
	}
	defer conn.Close()
	before, err := term.MakeRaw(in.Fd())
	if err != nil {
		return Lost, "", 0, fmt.Errorf("attach: %w", err)
	}
	t := &attached{conn: conn, in: in, out: out}
	defer func() {
		rest := t.modes.Restore()
		if how == Lost && t.accepted && !bytes.Contains(rest, []byte("\x1b[?1049l")) {
			rest = append(rest, "\r\n"...) // the cursor is anywhere in the last line
		}
		_, _ = out.Write(rest)
		if how != EndedThere { // answers of the terminal that nobody reads
			dropInput(int(in.Fd()))
		}
		_ = term.Restore(in.Fd(), before)
	}()
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	cols, rows, _ := term.GetSize(out.Fd())
	_ = writeJSON(conn, helloFrame, hello{version, cols, rows, ofTerminal(os.Environ())}) // if it fails, so does follow
	stop, err := t.readKeys()
	if err != nil {
		return Lost, "", 0, err
	}
	defer stop()
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case <-resized:
				if cols, rows, err := term.GetSize(out.Fd()); err == nil {
					_ = t.send(sizeFrame, sizeContent(cols, rows))
				}
			case <-ctx.Done():
				conn.Close()
				return
			case <-over:
				return
			}
		}
	}()
	how, next, code, err = t.follow()
	switch {
	case how != Lost || err != nil:
	case ctx.Err() != nil || t.hungUp.Load():
		how = Hangup
	case !t.accepted:
		if s, gone := Find(name); gone == nil && s.Live {
			err = fmt.Errorf("%s refuses what runs inside of it, or in a sandbox: attach from another terminal", name)
		}
	}
	return how, next, code, err
}

// dumb reports whether the terminal of this process can draw no screen.
func dumb() bool {
	term := os.Getenv("TERM")
	return term == "" || term == "dumb"
}

// dial connects to the keeper of the parley with this name. A socket that was deleted is made again.
func dial(ctx context.Context, name string) (net.Conn, error) {
	asked := false
	for attempt := 0; ; attempt++ {
		s, err := Find(name)
		if err != nil {
			return nil, err
		}
		if !s.Live {
			return nil, &EndedError{s}
		}
		if host, _ := os.Hostname(); s.Host != host {
			return nil, fmt.Errorf("%s runs on %s", name, s.Host)
		}
		conn, err := localsock.Dial(ctx, s.Socket)
		if err == nil {
			return conn, nil
		}
		gone := errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ECONNREFUSED)
		if !gone || attempt == 100 || ctx.Err() != nil {
			return nil, fmt.Errorf("attach to %s: %w", name, err)
		}
		if !asked { // it lives: its file is locked
			if asked, err = askToListen(s.PID); err != nil {
				return nil, fmt.Errorf("attach to %s: %w", name, err)
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// askToListen asks a keeper to listen again, if the process is one as far as the system says. Another one, with the number
// of a keeper that was killed, would end by the signal: whoever can read a file can lock it.
func askToListen(pid int) (asked bool, err error) {
	if pid <= 0 {
		return false, nil
	}
	p, err := os.FindProcess(pid) // from now on the number is, on Linux, that of no other process
	if err != nil {
		return false, err
	}
	defer p.Release()
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	args := strings.Split(string(line), "\x00")
	if err == nil && (len(args) < 2 || args[1] != Command) || err != nil && runtime.GOOS == "linux" {
		return false, nil
	}
	return true, p.Signal(syscall.SIGUSR1)
}

// Stop ends the kept parley with this name and waits for that.
func Stop(ctx context.Context, name string) error {
	conn, err := dial(ctx, name)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	_ = writeFrame(conn, stopFrame, nil) // a keeper that refuses, or has just ended, may have left before
	_, _ = io.Copy(io.Discard, conn)
	if s, err := Find(name); err == nil && s.Live && ctx.Err() == nil {
		return fmt.Errorf("%s refuses: what it has started, and what runs in a sandbox, cannot stop it", name)
	}
	return ctx.Err()
}

// attached is a terminal that is attached.
type attached struct {
	conn     net.Conn
	in, out  *os.File
	modes    termmodes.Modes
	accepted bool        // the keeper has sent something
	hungUp   atomic.Bool // the terminal is gone

	mu sync.Mutex // of writing to conn
}

func (t *attached) send(kind byte, content []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return writeFrame(t.conn, kind, content)
}

// readKeys sends what is typed, until stop is called. What is typed after that is left for others.
func (t *attached) readKeys() (stop func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 4096)
		in := int(t.in.Fd())
		fds := []unix.PollFd{{Fd: int32(in), Events: unix.POLLIN}, {Fd: int32(r.Fd()), Events: unix.POLLIN}}
		for {
			if _, err := unix.Poll(fds, -1); err != nil {
				if errors.Is(err, unix.EINTR) {
					continue
				}
				break
			}
			if fds[1].Revents != 0 {
				return
			}
			n, err := unix.Read(in, b)
			if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
				continue
			}
			if n <= 0 {
				t.hungUp.Store(true)
				break
			}
			if t.send(inputFrame, b[:n]) != nil {
				break
			}
		}
		t.conn.Close()
	}()
	return func() {
		t.conn.Close() // it may be sending
		w.Close()
		<-done
		r.Close()
	}, nil
}

// follow writes what parley paints, until one side leaves.
func (t *attached) follow() (how Outcome, next string, code int, err error) {
	r := bufio.NewReaderSize(t.conn, headerSize+maxFrame)
	var buffer []byte
	for {
		var kind byte
		var content []byte
		if kind, content, buffer, err = readFrame(r, buffer); err != nil {
			return Lost, "", 0, nil
		}
		t.accepted = true
		switch kind {
		case outputFrame:
			t.modes.Learn(content)
			if _, err := t.out.Write(content); err != nil {
				return Hangup, "", 0, nil
			}
		case detachedFrame:
			return Detached, "", 0, nil
		case takenFrame:
			return Taken, "", 0, nil
		case switchFrame:
			return Detached, string(content), 0, nil
		case endedFrame:
			number, why, _ := strings.Cut(string(content), " ")
			if code, err = strconv.Atoi(number); err == nil && why != "" {
				err = errors.New(why)
			}
			return EndedThere, "", code, err
		case refusedFrame:
			return Lost, "", 0, errors.New(string(content))
		}
	}
}
