//go:build unix

package keeper

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"parley/terminal"
)

// client is a terminal that is attached.
type client struct {
	conn    net.Conn
	environ []string // its variables
	end     sync.Once
}

// close sends why the terminal leaves, and closes it.
func (c *client) close(kind byte, content []byte, within time.Duration) {
	c.end.Do(func() {
		_ = c.conn.SetWriteDeadline(time.Now().Add(within))
		_ = writeFrame(c.conn, kind, content)
		c.conn.Close()
	})
}

// relay reads what parley writes, for as long as it has the terminal open, and sends it to the terminal that is
// attached.
func (k *keeper) relay() {
	conn, err := k.ours.SyscallConn()
	if err != nil {
		return
	}
	b := make([]byte, headerSize+maxFrame)
	for {
		var n int
		var failed error
		if conn.Read(func(fd uintptr) bool {
			k.relaying.Lock()
			n, failed = unix.Read(int(fd), b[headerSize:])
			if errors.Is(failed, unix.EAGAIN) {
				k.relaying.Unlock()
				return false
			}
			return true
		}) != nil {
			return
		}
		if n > 0 {
			k.send(b, n)
		}
		k.relaying.Unlock()
		if n <= 0 && !errors.Is(failed, unix.EINTR) {
			return
		}
	}
}

// send sends n bytes that b has after room for a header.
func (k *keeper) send(b []byte, n int) {
	k.mu.Lock()
	c := k.client
	k.modes.Learn(b[headerSize : headerSize+n])
	k.mu.Unlock()
	if c == nil {
		return
	}
	putHeader(b, outputFrame, n)
	_ = c.conn.SetWriteDeadline(time.Now().Add(stallGrace))
	if _, err := c.conn.Write(b[:headerSize+n]); err != nil {
		c.conn.Close()
		go k.leave(c, detachedFrame, nil) // its own goroutine may be busy with its keys
	}
}

// listen handles the messages of parley.
func (k *keeper) listen(conn net.Conn) {
	for messages := json.NewDecoder(conn); ; {
		var m toKeeper
		if messages.Decode(&m) != nil {
			return
		}
		switch {
		case m.Left:
			select {
			case k.left <- struct{}{}:
			default:
			}
		case m.Detach:
			go k.leave(nil, detachedFrame, nil)
		case m.Switch != "":
			go k.leave(nil, switchFrame, []byte(m.Switch))
		case m.Status != nil:
			k.mu.Lock()
			resumed := m.Status.Resume != nil && !slices.Equal(m.Status.Resume, k.session.Resume)
			k.session.Status = *m.Status
			k.changed()
			k.mu.Unlock()
			if resumed {
				forgetResumed(m.Status.Resume)
			}
		}
	}
}

// leave lets the terminal leave after parley has restored it; only that one, unless it is nil.
func (k *keeper) leave(only *client, kind byte, content []byte) {
	k.changing.Lock()
	defer k.changing.Unlock()
	k.part(only, kind, content)
}

// part is leave for callers that hold k.changing.
func (k *keeper) part(only *client, kind byte, content []byte) {
	k.mu.Lock()
	c := k.client
	control := k.control
	k.mu.Unlock()
	if c == nil || only != nil && only != c {
		return
	}
	select { // an answer to an earlier question that came too late
	case <-k.left:
	default:
	}
	if control != nil {
		tell(control, Change{})
		select {
		case <-k.left:
			k.drain(restoreGrace)
		case <-k.ended:
		case <-time.After(restoreGrace):
		}
	}
	k.mu.Lock()
	if k.client == c {
		k.client = nil
		k.session.Attached = false
		k.changed()
	}
	k.mu.Unlock()
	c.close(kind, content, restoreGrace)
}

// tell tells parley what happens to its terminal. One that hangs does not read it.
func tell(control net.Conn, c Change) {
	_ = control.SetWriteDeadline(time.Now().Add(restoreGrace))
	_, _ = control.Write(line(toKept{c}))
}

// drain waits until what parley has written so far was sent. That is asked by poll: unlike the count of what can be read,
// it waits for what the kernel has not handed over yet.
func (k *keeper) drain(within time.Duration) {
	conn, err := k.ours.SyscallConn()
	if err != nil {
		return
	}
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if !k.relaying.TryLock() {
			continue
		}
		waiting := false
		_ = conn.Control(func(fd uintptr) {
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(fds, 0)
			waiting = errors.Is(err, unix.EINTR) || n > 0 && fds[0].Revents&unix.POLLIN != 0
		})
		k.relaying.Unlock()
		if !waiting {
			return
		}
	}
}

// accept accepts terminals.
func (k *keeper) accept(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(100 * time.Millisecond) // such as too many open files
			continue
		}
		go k.serve(conn)
	}
}

// serve handles one terminal until it leaves.
func (k *keeper) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReaderSize(conn, headerSize+maxFrame)
	_ = conn.SetReadDeadline(time.Now().Add(startGrace))
	kind, content, buffer, err := readFrame(r, nil)
	if err != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	if kind == stopFrame {
		k.stop("stopped", true)
		select {} // it is answered by the end of this process
	}
	var h hello
	if kind != helloFrame || json.Unmarshal(content, &h) != nil {
		return
	}
	if h.Version != version {
		_ = writeFrame(conn, refusedFrame, fmt.Appendf(nil, "%s was started by another version of parley: attach with that one, or end it with `parley stop %[1]s`", k.session.Name))
		return
	}
	c := &client{conn: conn, environ: ofTerminal(h.Environ)}
	k.attach(c, h)
	for {
		if kind, content, buffer, err = readFrame(r, buffer); err != nil {
			break
		}
		switch kind {
		case inputFrame:
			if k.has(c) {
				_ = k.ours.SetWriteDeadline(time.Now().Add(stallGrace))
				_, _ = k.ours.Write(content)
			}
		case sizeFrame:
			if k.has(c) {
				k.resize(sizeOf(content))
			}
		}
	}
	k.leave(c, detachedFrame, nil)
}

func (k *keeper) has(c *client) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.client == c
}

// largest bounds the size of a terminal, for which parley lays out its screen.
const largest = 2000

// resize gives parley's terminal a size. One of nothing, as terminals without a window have, changes nothing.
func (k *keeper) resize(cols, rows int) {
	if cols > 0 && rows > 0 {
		_ = terminal.SetSize(k.ours, min(cols, largest), min(rows, largest))
	}
}

// attach gives parley's terminal to c.
func (k *keeper) attach(c *client, h hello) {
	k.changing.Lock()
	defer k.changing.Unlock()
	k.part(nil, takenFrame, nil)
	k.resize(h.Cols, h.Rows)
	k.mu.Lock()
	select {
	case <-k.ended:
		k.mu.Unlock()
		c.close(endedFrame, []byte(strconv.Itoa(k.code)), restoreGrace)
		return
	default:
	}
	other := k.modes.Changed() // a program that parley has started has the terminal
	if other {
		_ = c.conn.SetWriteDeadline(time.Now().Add(restoreGrace))
		_ = writeFrame(c.conn, outputFrame, k.modes.Replay())
	}
	k.client = c
	k.session.Attached = true
	k.changed()
	control := k.control
	k.mu.Unlock()
	k.start()
	if control != nil {
		tell(control, Change{Attached: true, Environ: c.environ})
	}
	if other { // it paints again, though the size may be the same
		if conn, err := k.ours.SyscallConn(); err == nil {
			_ = conn.Control(func(fd uintptr) { signalForeground(int(fd)) })
		}
	}
}

// signalForeground tells the program in the foreground of a pseudo terminal that its size has changed.
func signalForeground(fd int) {
	if group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err == nil && group > 0 {
		_ = unix.Kill(-group, unix.SIGWINCH)
	}
}
