// Package linear is the chat of parley as lines, one below the other, for screen
// readers and for whoever likes a plain scrolling chat better than a screen.
//
// Nothing that was written is touched again: no colours, no cursor movement,
// nothing that moves. Each thing begins with words that say what it is, at the
// beginning of a line; what somebody else wrote stands behind such words, or
// below them, indented, so that none of it looks like a line of parley's own.
//
// Everything belongs to the goroutine of Run. It waits for one thing at a time:
// a line of the user's, events of the engine, the end of something that takes
// time (which runs on a goroutine of its own), a clock. Input is read by another
// goroutine, a line whenever one is wanted, so that a program that is given the
// terminal has it to itself.
package linear

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"parley/acpclient/event"
	"parley/internal/atomicfile"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui"
)

// Options of the chat. Of those of the screen what concerns looks and keys means
// nothing here. Input and Output are the process's own where they are nil; what
// is a terminal is found out.
type Options struct {
	ui.Options
	// Interrupts yields a value for every ctrl+c; may be nil.
	Interrupts <-chan os.Signal
}

// guard is how long a question must have been readable, and how long no other line
// must have come, for a line to be its answer. It holds for every dialog that
// opens by itself.
const guard = 600 * time.Millisecond

// chat is one run. All of it belongs to the goroutine of Run, but for what async
// is given.
type chat struct {
	opts  Options
	in    *input
	out   *printer
	ctx   context.Context // of everything that was begun
	over  bool            // nothing more is to be done
	ended bool            // there will be no more lines

	results chan func() // of what was done in the background
	work    sync.WaitGroup
	wake    *time.Timer // for due
	due     time.Time

	w     *workspace.Workspace
	*talk // of the session in front
	talks map[*workspace.Session]*talk

	noted    int           // lines of the agent's log there were, when it was looked at last
	still    time.Duration // when it was said last that the agent is still starting
	toldText bool          // that the agent gets no files was said

	dialog  *dialog
	asks    []*ask
	stray   stray    // what may be on its way for a question that is gone
	draft   []string // lines of a prompt that goes on
	lastInt time.Time
	lineAt  time.Time   // when the last line came
	lending time.Time   // until then nobody reads lines: a command is about to get the keyboard
	past    chan string // prompts to be kept; nil: they are not
	unkept  chan error  // why one was not; said once
}

// Run talks until the user quits or ctx ends. Everything that was started is gone
// when it returns.
func Run(ctx context.Context, opts Options) (ui.Left, error) {
	var read io.Reader = os.Stdin
	var write io.Writer = os.Stdout
	if opts.Input != nil {
		read = opts.Input
	}
	if opts.Output != nil {
		write = opts.Output
	}
	in := newInput(read)
	return newChat(opts, in, newPrinter(write, in.terminal())).run(ctx)
}

func (c *chat) run(ctx context.Context) (ui.Left, error) {
	defer c.in.close()
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithCancel(context.WithoutCancel(ctx))
	stopKeeping := c.keepPast()
	c.begin()
	c.settleWorkspace()
	c.loop(ctx)
	left := c.left()
	c.over = true
	c.w.End()
	c.notSent()
	c.out.fresh()
	c.out.flush()
	cancel()
	c.end()
	stopKeeping()
	c.out.flush()
	if c.out.err != nil && ctx.Err() == nil {
		return left, fmt.Errorf("write the chat: %w", c.out.err)
	}
	return left, nil
}

func newChat(opts Options, in *input, out *printer) *chat {
	c := &chat{opts: opts, in: in, out: out, results: make(chan func()), wake: time.NewTimer(time.Hour), talks: map[*workspace.Session]*talk{}}
	c.w = workspace.New(workspace.Options{Agents: opts.Agents, Connect: opts.Connect, Redial: opts.Redial, AskedLogin: opts.AskedLogin, LoginCommand: opts.LoginCommand,
		Logs: opts.Logs, Expand: c.expand, Prompt: opts.Prompt, Cwd: opts.Cwd, Resume: opts.Resume})
	c.talk = c.talkOf(c.w.Front())
	return c
}

// loop does one thing after the other until the end.
func (c *chat) loop(ctx context.Context) {
	defer c.wake.Stop()
	for {
		if c.rest(); c.over {
			return
		}
		select {
		case <-ctx.Done():
			return
		case l := <-c.in.lines:
			c.line(c.in.take(l))
		case <-c.opts.Interrupts:
			c.interrupt()
		case f := <-c.results:
			f()
		case err := <-c.unkept:
			c.unkept = nil
			c.say("The history is not kept%s: %s.", atomicfile.Room(err), oneLine(err.Error()))
		case line := <-c.opts.Notices:
			c.say("%s.", oneLine(line))
		case <-c.wake.C:
		}
		c.settleWorkspace()
		if c.out.err != nil { // nobody is there to read
			return
		}
	}
}

// rest does what is to be done when nothing else is, before the next thing is
// waited for.
func (c *chat) rest() {
	c.due = time.Time{}
	c.talk.rest(c)
	c.stillStarting()
	c.nextAsk()
	c.lastWish()
	if c.over {
		return
	}
	c.out.ask(c.wanted())
	reads := !c.ended && !c.lends()
	if reads && c.dialog != nil && c.dialog.secret {
		c.in.hide()
	}
	c.out.flush()
	if d := c.dialog; d != nil && d.at.IsZero() {
		d.at = time.Now() // from here on it can be read
	}
	if reads {
		c.in.want()
	}
	if c.due.IsZero() {
		c.wake.Stop()
	} else {
		c.wake.Reset(time.Until(c.due))
	}
}

// wakeAt has rest called again, then or before.
func (c *chat) wakeAt(t time.Time) {
	if c.due.IsZero() || t.Before(c.due) {
		c.due = t
	}
}

// wanted is what the user is asked for now; "" for nothing in particular.
func (c *chat) wanted() string {
	switch {
	case len(c.draft) > 0:
		return ""
	case c.dialog != nil:
		return c.dialog.wants
	case c.out.terminal && c.ready():
		return "You:"
	}
	return ""
}

// async has work done on a goroutine of its own, and then what it returns here. It
// gives up when c.ctx ends.
func (c *chat) async(work func(ctx context.Context) func()) {
	ctx := c.ctx
	c.background(func() func() { return work(ctx) })
}

func (c *chat) background(work func() func()) {
	c.work.Add(1)
	go func() {
		defer c.work.Done()
		c.results <- work()
	}()
}

// end closes every connection and waits for what is under way.
func (c *chat) end() {
	over := make(chan struct{})
	go func() { c.w.Close(); c.work.Wait(); close(over) }()
	for {
		select {
		case <-c.results: // nothing more comes of it
		case <-over:
			return
		}
	}
}

// say writes a line of parley's own.
func (c *chat) say(format string, args ...any) { c.out.line(fmt.Sprintf(format, args...)) }

// failed says what went wrong, with what the agent has said of it on its stderr. As
// long as nothing fails nobody wants to hear that: /log has it.
func (c *chat) failed(what string, err error) {
	c.say("%s: %s", what, err)
	said := c.freshStderr()
	var exit *event.ExitError
	if errors.As(err, &exit) {
		said = exit.Stderr
	}
	if len(said) > 0 {
		c.say("The last lines of its stderr:")
		for _, l := range said {
			c.out.lines(l)
		}
	}
}

// freshStderr are the last lines that the agent has written to its stderr since the prompt
// went out, or since something failed.
func (c *chat) freshStderr() (out []string) {
	const most = 5
	lines, total := c.Agent.Log.Lines()
	for _, l := range lines[len(lines)-min(total-c.noted, len(lines)):] {
		if l.Source == event.LogStderr {
			out = append(out, l.Text)
		}
	}
	c.noted = total
	return out[max(0, len(out)-most):]
}

// spelled is a text of somebody else with everything in it visible, on one line.
func spelled(s string) string {
	return strings.ReplaceAll(safetext.Visible(s), "\n", `<\n>`)
}
