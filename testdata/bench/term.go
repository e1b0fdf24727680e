//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// patience bounds every wait.
const patience = 60 * time.Second

const cols, rows = 120, 40

// terminal is a pseudo terminal with a program in it.
type terminal struct {
	master  *os.File
	cmd     *exec.Cmd
	started time.Time
	exited  chan struct{} // closed when the program has exited

	mu      sync.Mutex // guards the fields below
	total   int64
	lastOut time.Time
	tail    []byte // the last bytes, to find a text split between two reads
	query   []byte // an incomplete query
	watched map[string]chan time.Time
	keep    *bytes.Buffer // all output, while it is recorded
}

// open runs a program in a pseudo terminal without echo.
func open(dir string, env, argv []string) (*terminal, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("open a pseudo terminal: %w", err)
	}
	defer slave.Close()
	mode, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err == nil {
		mode.Lflag &^= unix.ECHO
		err = unix.IoctlSetTermios(int(slave.Fd()), unix.TCSETS, mode)
	}
	t := &terminal{master: master, exited: make(chan struct{}), watched: map[string]chan time.Time{}}
	t.cmd = exec.Command(argv[0], argv[1:]...)
	t.cmd.Dir, t.cmd.Env = dir, env
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = slave, slave, slave
	t.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err = errors.Join(err, t.resize(cols)); err == nil {
		t.started = time.Now()
		err = t.cmd.Start()
	}
	if err != nil {
		master.Close()
		return nil, fmt.Errorf("start %s in a terminal: %w", argv[0], err)
	}
	go func() {
		t.cmd.Wait()
		close(t.exited)
	}()
	go t.read()
	return t, nil
}

func (t *terminal) resize(width uint16) error {
	return pty.Setsize(t.master, &pty.Winsize{Cols: width, Rows: rows, X: width * 10, Y: rows * 20})
}

func (t *terminal) read() {
	buf := make([]byte, 1<<18)
	for {
		n, err := t.master.Read(buf)
		if n > 0 {
			t.took(buf[:n], time.Now())
		}
		if err != nil {
			return
		}
	}
}

// took handles output read at that time.
func (t *terminal) took(out []byte, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += int64(len(out))
	t.lastOut = at
	if t.keep != nil {
		t.keep.Write(out)
	}
	old := len(t.tail)
	t.tail = append(t.tail, out...)
	for text, ch := range t.watched {
		if i := bytes.LastIndex(t.tail, []byte(text)); i >= 0 && i+len(text) > old { // not seen before
			ch <- at
			delete(t.watched, text)
		}
	}
	t.tail = append(t.tail[:0], t.tail[max(0, len(t.tail)-32):]...)
	t.answer(out)
}

// queries matches what programs ask a terminal, and captures the variable part.
var queries = regexp.MustCompile(`\x1b\[(\?[0-9;]*\$p|>0?q|0?c|>0?c|\?u|\??6n|5n|1[468]t|\?996n)|\x1b\](1[0-2]|4;\d+);\?(?:\x07|\x1b\\)|\x1bP\+q([0-9a-fA-F;]+)\x1b\\`)

// answer answers the queries in the output, also one split between two reads.
func (t *terminal) answer(out []byte) {
	t.query = append(t.query, out...)
	rest := 0
	for _, at := range queries.FindAllSubmatchIndex(t.query, -1) {
		part := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return string(t.query[at[2*i]:at[2*i+1]])
		}
		t.master.WriteString(reply(part(1), part(2), part(3)))
		rest = at[1]
	}
	t.query = append(t.query[:0], t.query[rest:]...)
	if i := bytes.LastIndexByte(t.query, 0x1b); i < 0 || len(t.query)-i > 32 {
		t.query = t.query[:0]
	} else {
		t.query = append(t.query[:0], t.query[i:]...)
	}
}

// reply returns the answer of a dark xterm of this size with synchronised output.
func reply(csi, osc, termcap string) string {
	switch {
	case strings.HasSuffix(csi, "$p"):
		mode, state := strings.Trim(csi, "?$p"), "0"
		if strings.Contains(" 1004 1016 2004 2026 2027 ", " "+mode+" ") {
			state = "2"
		}
		return "\x1b[?" + mode + ";" + state + "$y"
	case csi != "":
		return map[string]string{">q": "\x1bP>|xterm(390)\x1b\\", ">0q": "\x1bP>|xterm(390)\x1b\\", "c": "\x1b[?62;22c", "0c": "\x1b[?62;22c",
			">c": "\x1b[>41;390;0c", ">0c": "\x1b[>41;390;0c", "?u": "\x1b[?0u", "6n": "\x1b[1;1R", "?6n": "\x1b[?1;1R", "5n": "\x1b[0n",
			"14t": "\x1b[4;800;1200t", "16t": "\x1b[6;20;10t", "18t": "\x1b[8;40;120t", "?996n": "\x1b[?997;1n"}[csi]
	case osc == "10":
		return "\x1b]10;rgb:dddd/dddd/dddd\x1b\\"
	case osc != "":
		return "\x1b]" + osc + ";rgb:1010/1010/1010\x1b\\"
	case termcap != "":
		return "\x1bP0+r\x1b\\"
	}
	return ""
}

// on returns a channel that receives the time at which the text is next written.
func (t *terminal) on(text string) <-chan time.Time {
	ch := make(chan time.Time, 1)
	t.mu.Lock()
	t.watched[text] = ch
	t.mu.Unlock()
	return ch
}

// written returns the number of bytes written so far and the time of the last.
func (t *terminal) written() (int64, time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total, t.lastOut
}

// await waits for a time from a channel of on.
func (t *terminal) await(what string, ch <-chan time.Time) (time.Time, error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case at := <-ch:
		return at, nil
	case <-t.exited:
		return time.Time{}, fmt.Errorf("the program ended: waited for %s", what)
	case <-late.C:
		return time.Time{}, fmt.Errorf("waited in vain for %s", what)
	}
}

// quiet waits until nothing has been written for that long.
func (t *terminal) quiet(d time.Duration) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		_, last := t.written()
		left := d - time.Since(last)
		if left <= 0 {
			return nil
		}
		time.Sleep(left)
	}
	return errors.New("the screen is never at rest")
}

// close ends the program, which ends its agent.
func (t *terminal) close() {
	t.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-t.exited:
	case <-time.After(5 * time.Second):
		t.cmd.Process.Kill()
		<-t.exited
	}
	t.master.Close()
}
