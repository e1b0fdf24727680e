// Package shell runs the commands that the user types after a "!": those of one page one
// after another, independently of the agent. Their output and end are events of the thread.
//
// All of it runs on the goroutine of the screen, except Runner and the feed.
package shell

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/layer"
)

// Runner runs commands. The functions may block, and are called on their own goroutines.
type Runner struct {
	// Run starts a command line in a directory, with the environment that an earlier one has left
	// (nil: none did). news is called with its output and end, in order, from one goroutine, the last
	// time with Ended; while it blocks the command may have to wait. stop ends the command and everything it has started; it may be called
	// at any time.
	Run func(line, dir string, env []string, news func(Output)) (stop func(), err error)
	// Close ends all commands.
	Close func()
}

// Output is new output of a command, or its end.
type Output struct {
	Data   []byte // owned by the receiver
	Ended  bool
	Code   *int // the exit code; nil if a signal ended it
	Signal string
	// Dir and Env are what a command leaves to the next, at its end; "" and nil: nothing.
	Dir string
	Env []string
}

// Commands are the commands of one page. The first runs, the others wait. Each begins with the directory and
// the environment that the one before has left, as in one shell.
type Commands struct {
	clock  *layer.Env
	runner *Runner
	apply  func(event.Event)
	runs   []*Run
	last   uint64 // key of the newest

	base, dir string   // the directory of the session, and what was left to the next command
	env       []string // nil: nothing was left
}

// Run is a command that runs or waits.
type Run struct {
	Key  uint64 // of its item in the thread
	Line string

	all      *Commands
	base     string // the directory of the session
	feed     *feed
	stop     func() // nil until it was started
	stopping bool
}

// New returns the commands of a page. apply gets their events.
func New(env *layer.Env, runner *Runner, apply func(event.Event)) *Commands {
	return &Commands{clock: env, runner: runner, apply: apply}
}

// All returns the commands that run or wait, in order.
func (c *Commands) All() []*Run { return c.runs }

// Running reports whether a command runs.
func (c *Commands) Running() bool { return len(c.runs) > 0 }

// Of returns the command with a key; nil if it has ended.
func (c *Commands) Of(key uint64) *Run {
	for _, r := range c.runs {
		if r.Key == key {
			return r
		}
	}
	return nil
}

// Dir returns the directory of the next command of a session in base.
func (c *Commands) Dir(base string) string {
	if c.dir != "" && c.base == base {
		return c.dir
	}
	return base
}

// Add runs a command line of a session in a directory, after the commands before it.
func (c *Commands) Add(line, dir string) tea.Cmd {
	c.last++
	r := &Run{Key: c.last, Line: line, all: c, base: dir, feed: newFeed()}
	c.runs = append(c.runs, r)
	c.apply(thread.ShellAsked{Key: r.Key, Command: line, Dir: c.Dir(dir), At: c.clock.Now()})
	if c.runs[0] != r {
		return nil
	}
	return r.begin()
}

// Stop ends the running command and drops those that wait.
func (c *Commands) Stop() tea.Cmd {
	if !c.Running() {
		return nil
	}
	for _, r := range slices.Clone(c.runs[1:]) {
		r.drop()
	}
	return c.runs[0].end()
}

// Stop ends one command, whether it runs or waits; false if it has ended.
func (r *Run) Stop() (tea.Cmd, bool) {
	switch at := slices.Index(r.all.runs, r); {
	case at < 0:
		return nil, false
	case at == 0:
		return r.end(), true
	}
	r.drop()
	return nil, true
}

func (r *Run) begin() tea.Cmd {
	c := r.all
	dir, env := c.Dir(r.base), c.env
	c.apply(thread.ShellStarted{Key: r.Key, Dir: dir, At: c.clock.Now()})
	start := func() tea.Msg {
		stop, err := c.runner.Run(r.Line, dir, env, r.feed.put)
		return startedMsg{r, stop, err}
	}
	return tea.Batch(start, r.listen())
}

// listen waits for news, at most once a frame.
func (r *Run) listen() tea.Cmd {
	return func() tea.Msg {
		if !r.feed.wait() {
			return nil
		}
		return newsMsg{r}
	}
}

// end ends a command that runs.
func (r *Run) end() tea.Cmd {
	r.stopping = true
	if r.stop == nil {
		return nil // it is starting
	}
	stop := r.stop
	return func() tea.Msg { stop(); return nil }
}

// drop removes a command that waits.
func (r *Run) drop() {
	r.remove()
	r.feed.close()
	r.all.apply(thread.ShellEnded{Key: r.Key, Stopped: true, At: r.all.clock.Now()})
}

func (r *Run) remove() {
	r.all.runs = slices.DeleteFunc(r.all.runs, func(other *Run) bool { return other == r })
}

// finish ends a run and starts the next.
func (r *Run) finish(end thread.ShellEnded) tea.Cmd {
	end.Key, end.At = r.Key, r.all.clock.Now()
	r.all.apply(end)
	r.remove()
	if r.all.Running() {
		return r.all.runs[0].begin()
	}
	return nil
}

// startedMsg says that a command was started, or why not.
type startedMsg struct {
	run  *Run
	stop func()
	err  error
}

// Handle implements layer.Message.
func (msg startedMsg) Handle() tea.Cmd {
	r := msg.run
	if msg.err != nil {
		r.feed.close()
		r.all.dir = "" // it may have been removed
		return r.finish(thread.ShellEnded{Err: msg.err})
	}
	if r.stop = msg.stop; r.stopping {
		return r.end()
	}
	return nil
}

// newsMsg says that there is news of a command.
type newsMsg struct{ run *Run }

// Handle implements layer.Message.
func (msg newsMsg) Handle() tea.Cmd {
	r := msg.run
	data, cut, end := r.feed.take()
	if len(data) > 0 {
		r.all.apply(thread.ShellOutput{Key: r.Key, Data: data, Cut: cut})
	}
	if end == nil {
		return r.listen()
	}
	if end.Dir != "" {
		r.all.base, r.all.dir, r.all.env = r.base, end.Dir, end.Env
	}
	return r.finish(thread.ShellEnded{Code: end.Code, Signal: end.Signal, Stopped: r.stopping})
}
