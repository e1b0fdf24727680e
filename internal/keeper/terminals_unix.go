//go:build unix

package keeper

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
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
func (c *client) close(kind byte, content []byte) {
	c.end.Do(func() {
		_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second))
		_ = writeFrame(c.conn, kind, content)
		c.conn.Close()
	})
}

// relay reads what parley writes, for as long as it has the terminal open, and sends it to the terminal that is
// attached.
func (k *keeper) relay() {
	b := make([]byte, headerSize+maxFrame)
	for {
		n, err := k.ours.Read(b[headerSize:])
		if n > 0 {
			k.mu.Lock()
			c := k.client
			k.modes.learn(b[headerSize : headerSize+n])
			k.mu.Unlock()
			if c != nil {
				putHeader(b, outputFrame, n)
				_ = c.conn.SetWriteDeadline(time.Now().Add(stallGrace))
				if _, err := c.conn.Write(b[:headerSize+n]); err != nil {
					c.conn.Close() // its goroutine lets it leave
				}
			}
		}
		if err != nil {
			return
		}
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
			k.session.Status = *m.Status
			k.changed()
			k.mu.Unlock()
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
		_, _ = control.Write(line(toKept{Change{}}))
		select {
		case <-k.left:
			k.drain()
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
	c.close(kind, content)
}

// drain waits until what parley has written so far was sent.
func (k *keeper) drain() {
	for range 100 {
		waiting := 0
		if conn, err := k.ours.SyscallConn(); err == nil {
			_ = conn.Control(func(fd uintptr) { waiting, _ = unix.IoctlGetInt(int(fd), inQueue) })
		}
		time.Sleep(time.Millisecond) // also for what was read but is not sent yet
		if waiting == 0 {
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
		k.mu.Lock()
		k.stopped = true
		k.mu.Unlock()
		k.stop()
		<-k.final
		return
	}
	var h hello
	if kind != helloFrame || json.Unmarshal(content, &h) != nil {
		return
	}
	if h.Version != version {
		_ = writeFrame(conn, refusedFrame, fmt.Appendf(nil, "%s was started by another version of parley", k.session.Name))
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
			_, _ = k.ours.Write(content)
		case sizeFrame:
			if cols, rows := sizeOf(content); cols > 0 && k.has(c) {
				_ = terminal.SetSize(k.ours, cols, rows)
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

// attach gives parley's terminal to c.
func (k *keeper) attach(c *client, h hello) {
	k.changing.Lock()
	defer k.changing.Unlock()
	k.part(nil, takenFrame, nil)
	if h.Cols > 0 && h.Rows > 0 {
		_ = terminal.SetSize(k.ours, h.Cols, h.Rows)
	}
	k.mu.Lock()
	select {
	case <-k.ended:
		k.mu.Unlock()
		c.close(endedFrame, []byte(strconv.Itoa(k.code)))
		return
	default:
	}
	other := k.modes.changed() // a program that parley has started has the terminal
	if other {
		_ = c.conn.SetWriteDeadline(time.Now().Add(restoreGrace))
		_ = writeFrame(c.conn, outputFrame, k.modes.replay())
	}
	k.client = c
	k.session.Attached = true
	k.changed()
	control, first := k.control, !k.started
	k.started = true
	k.mu.Unlock()
	if first {
		close(k.begin)
	}
	if control != nil {
		_, _ = control.Write(line(toKept{Change{Attached: true, Environ: c.environ}}))
	}
	if other { // it paints again, though the size may be the same
		if conn, err := k.ours.SyscallConn(); err == nil {
			_ = conn.Control(func(fd uintptr) { signalForeground(int(fd)) })
		}
	}
}
