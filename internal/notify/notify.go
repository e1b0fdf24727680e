// Package notify runs the user's program (notify_command) when something happens that a user who looks elsewhere should know.
package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"parley/internal/process"
	"parley/internal/programs"
	"parley/internal/safetext"
)

const (
	patience = 10 * time.Second // how long the program may take
	pause    = time.Second      // the shortest time between two notes of a session
	maxText  = 200              // of a text of a note, in runes
	maxDir   = 4096             // of a path, in bytes
)

// Note is what the program reads, as JSON on its standard input.
type Note struct {
	Session string `json:"session"` // the name of the kept session, else the agent's id
	Agent   string `json:"agent"`
	Dir     string `json:"dir"`
	Title   string `json:"title"`
	Why     string `json:"why"`  // waits, done, failed or lost
	Line    string `json:"line"` // the first line of what it is about
}

// Command runs the program. Its methods are safe for use by several goroutines; a nil Command does nothing.
type Command struct {
	argv   []string
	failed func(line string) // called at most once

	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup
	once    sync.Once

	mu   sync.Mutex
	next map[any]*Note // by session: the note that waits, nil for none; sessions whose last note is not long ago
}

// New returns a Command, nil if argv is empty. failed is called with the first error, on any goroutine.
func New(argv []string, failed func(line string)) *Command {
	if len(argv) == 0 {
		return nil
	}
	c := &Command{argv: argv, failed: failed, next: map[any]*Note{}}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// Send runs the program with a note about a session, now or when a second has passed since the last one. A newer note about
// the session replaces one that waits.
func (c *Command) Send(session any, n Note) {
	if c == nil {
		return
	}
	for _, text := range []*string{&n.Session, &n.Agent, &n.Title, &n.Line} {
		*text = safetext.Line(*text, maxText)
	}
	if n.Dir = safetext.Clean(n.Dir); len(n.Dir) > maxDir { // an agent's that lists such a session
		n.Dir = ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	_, pumps := c.next[session]
	if c.next[session] = &n; !pumps {
		c.running.Go(func() { c.pump(session) })
	}
}

// pump sends the notes of a session until there is none.
func (c *Command) pump(session any) {
	for {
		c.mu.Lock()
		n := c.next[session]
		if n == nil || c.ctx.Err() != nil {
			delete(c.next, session)
			c.mu.Unlock()
			return
		}
		c.next[session] = nil
		c.mu.Unlock()
		again := time.After(pause)
		if err := c.run(*n); err != nil && c.ctx.Err() == nil {
			c.once.Do(func() { c.failed("notify_command: " + safetext.Line(err.Error(), maxText)) })
		}
		select {
		case <-again:
		case <-c.ctx.Done():
		}
	}
}

// Close ends what runs, and drops what waits.
func (c *Command) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.stop()
	c.mu.Unlock()
	c.running.Wait()
}

// lingers is how long the streams of a program that has ended may stay open.
const lingers = time.Second

// run runs the program once, and ends it with what it has started.
func (c *Command) run(n Note) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	file, err := programs.Locate(c.argv[0])
	if err != nil {
		return err
	}
	in, feed, err := os.Pipe()
	if err != nil {
		return err
	}
	defer feed.Close()
	says, stderr, err := os.Pipe()
	if err != nil {
		in.Close()
		return err
	}
	defer says.Close()
	cmd := programs.Command(context.Background(), file, c.argv[1:]...)
	cmd.Stdin, cmd.Stderr = in, stderr
	group, err := process.Start(cmd)
	in.Close()
	stderr.Close()
	if err != nil {
		return err
	}
	said := make(chan string, 1)
	go func() { said <- lastLine(says) }()
	go func() { _, _ = feed.Write(append(text, '\n')); feed.Close() }()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-group.Done():
	case <-late.C:
		err = fmt.Errorf("%s took longer than %.0f s", cmd.Path, patience.Seconds())
	case <-c.ctx.Done():
	}
	_ = group.Kill()
	state, line := group.Wait(), ""
	select {
	case line = <-said:
	case <-time.After(lingers): // something that has left its group has its streams
	}
	if err == nil && !state.Success() {
		err = errors.New(strings.TrimSuffix(cmd.Path+": "+state.String()+": "+line, ": "))
	}
	return err
}

// lastLine returns the last line of what is written, as far as its last bytes have it.
func lastLine(r io.Reader) string {
	const most = 4 << 10
	var last []byte
	for b := make([]byte, most); ; {
		n, err := r.Read(b)
		last = append(last, b[:n]...)
		last = last[max(0, len(last)-most):]
		if err != nil {
			all := bytes.Split(bytes.TrimSpace(last), []byte("\n"))
			return string(all[len(all)-1])
		}
	}
}
