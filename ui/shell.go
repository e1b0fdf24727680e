package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/transcript"
)

// Shell runs commands of the user's own. Its methods may wait, and are called on
// goroutines of their own.
type Shell interface {
	// Run starts a command line in a directory. news is called with what becomes of
	// it, in order, from one goroutine, the last time with Ended; while it blocks
	// the command may have to wait. stop ends the command and all it has started;
	// it may be called at any time.
	Run(line, dir string, news func(ShellNews)) (stop func(), err error)
	// Close ends all commands.
	Close()
}

// ShellNews is new output of a command, or its end.
type ShellNews struct {
	Data   []byte // owned by the receiver
	Ended  bool
	Code   *int // of the end; nil where a signal ended it
	Signal string
}

// shellRun is a command of the user's that runs, or waits for the one before.
type shellRun struct {
	key       uint64
	chat      *chat
	line, dir string
	feed      *shellFeed
	stop      func() // nil until it was started
	stopping  bool
}

// Messages of the user's commands.
type (
	shellBegunMsg struct {
		run  *shellRun
		stop func()
		err  error
	}
	shellNewsMsg struct{ run *shellRun }
)

var errNoShell = errors.New("there is nothing here that runs commands")

// shelling tells whether what is typed is a command for the shell.
func (c *chat) shelling() bool { return c.composer.HasPrefix("!") }

// shellFoot says so at the composer.
func (c *chat) shellFoot() string {
	return "shell · enter runs it in " + transcript.Home(c.shellDir(), c.m.opts.Home)
}

// shellDir is where the user's commands run: in the session's directory, where
// that is on this machine.
func (c *chat) shellDir() string {
	if c.ACP != nil && !c.Agent.Spec.Remote {
		return c.ACP.Cwd()
	}
	return c.m.opts.Cwd
}

// runLine runs what stands in the composer, once those before are over.
func (c *chat) runLine() tea.Cmd {
	text := c.composer.Value()
	line := strings.TrimSpace(c.composer.Lasting(strings.TrimPrefix(text, "!")))
	switch {
	case c.ReadOnly:
		return c.say("this is only a log: nothing is run here")
	case c.m.opts.Shell == nil:
		return c.say(errNoShell.Error())
	case line == "":
		return c.say("! and a command runs it in your shell")
	}
	c.composer.Keep(text)
	c.composer.Clear()
	c.m.lastRun++
	r := &shellRun{key: c.m.lastRun, chat: c, line: line, dir: c.shellDir(), feed: newShellFeed()}
	c.m.runs = append(c.m.runs, r)
	c.told(thread.ShellAsked{Key: r.key, Command: line, Dir: r.dir, At: c.m.Now()})
	c.view.End()
	if c.shellRun() != r {
		return nil
	}
	return tea.Batch(r.begin(), c.m.tick())
}

// shellRun is the page's command that runs; nil while none does.
func (c *chat) shellRun() *shellRun {
	for _, r := range c.m.runs {
		if r.chat == c {
			return r
		}
	}
	return nil
}

// told applies what became of a command.
func (c *chat) told(e event.Event) {
	c.changed = append(c.changed, c.Thread.Apply(e)...)
	c.applied()
	c.m.dirty = true
}

// begin starts the command.
func (r *shellRun) begin() tea.Cmd {
	r.chat.told(thread.ShellStarted{Key: r.key, At: r.chat.m.Now()})
	shell := r.chat.m.opts.Shell
	start := func() tea.Msg {
		stop, err := shell.Run(r.line, r.dir, r.feed.put)
		return shellBegunMsg{r, stop, err}
	}
	return tea.Batch(start, r.listen())
}

// listen waits for news, at most once a frame.
func (r *shellRun) listen() tea.Cmd {
	return func() tea.Msg {
		if !r.feed.wait() {
			return nil
		}
		return shellNewsMsg{r}
	}
}

// handle takes a command that was started, or says why it was not.
func (msg shellBegunMsg) handle(m *Model) tea.Cmd {
	r := msg.run
	if msg.err != nil {
		r.feed.close()
		r.chat.told(thread.ShellEnded{Key: r.key, Err: msg.err, At: m.Now()})
		return m.shellOver(r)
	}
	if r.stop = msg.stop; r.stopping {
		return r.end()
	}
	return nil
}

// handle takes what a command has put out, and its end.
func (msg shellNewsMsg) handle(m *Model) tea.Cmd {
	r := msg.run
	data, cut, end := r.feed.take()
	if len(data) > 0 {
		r.chat.told(thread.ShellOutput{Key: r.key, Data: data, Cut: cut})
	}
	if end == nil {
		return r.listen()
	}
	r.chat.told(thread.ShellEnded{Key: r.key, Code: end.Code, Signal: end.Signal, Stopped: r.stopping, At: m.Now()})
	if s := r.chat.Thread.Shell(r.key); s != nil {
		r.chat.Carried = append(r.chat.Carried, transcript.Carried(s))
	}
	return m.shellOver(r)
}

// shellOver begins with the next one.
func (m *Model) shellOver(r *shellRun) tea.Cmd {
	m.runs = slices.DeleteFunc(m.runs, func(other *shellRun) bool { return other == r })
	if next := r.chat.shellRun(); next != nil {
		return next.begin()
	}
	return nil
}

// end ends a command that runs.
func (r *shellRun) end() tea.Cmd {
	r.stopping = true
	if r.stop == nil {
		return nil // it is being started
	}
	stop := r.stop
	return func() tea.Msg { stop(); return nil }
}

// stopShell ends the command that runs; those that wait are not run any more.
func (c *chat) stopShell() tea.Cmd {
	running := c.shellRun()
	for _, r := range slices.Clone(c.m.runs) {
		if r.chat == c && r != running {
			c.dropRun(r)
		}
	}
	return running.end()
}

// dropRun takes a command off that waits.
func (c *chat) dropRun(r *shellRun) {
	c.m.runs = slices.DeleteFunc(c.m.runs, func(other *shellRun) bool { return other == r })
	r.feed.close()
	c.told(thread.ShellEnded{Key: r.key, Stopped: true, At: c.m.Now()})
}

// stopRun ends one command, whether it runs or waits.
func (c *chat) stopRun(r *shellRun) tea.Cmd {
	switch {
	case !slices.Contains(c.m.runs, r):
		return c.say("it is over")
	case c.shellRun() == r:
		return r.end()
	}
	c.dropRun(r)
	return nil
}

// runOf is the command that an item shows, while it runs or waits.
func (c *chat) runOf(it *thread.Item) *shellRun {
	i := slices.IndexFunc(c.m.runs, func(r *shellRun) bool { return r.chat == c && it.Shell != nil && r.key == it.Shell.Key })
	if i < 0 {
		return nil
	}
	return c.m.runs[i]
}

// endShells ends everything that the user has run. Any goroutine.
func (m *Model) endShells() {
	if m.opts.Shell != nil {
		m.opts.Shell.Close()
	}
}

// stopOrphans ends the commands of pages that have gone.
func (m *Model) stopOrphans() {
	for _, r := range slices.Clone(m.runs) {
		if slices.Contains(m.chats(), r.chat) || r.stopping {
			continue
		}
		if r.chat.shellRun() != r {
			r.chat.dropRun(r)
		} else if cmd := r.end(); cmd != nil {
			go cmd() // nobody waits for it
		}
	}
}

// carriedRow says what goes with the next prompt.
func (c *chat) carriedRow() string {
	last := transcript.CarriedLine(c.Carried[len(c.Carried)-1])
	if n := len(c.Carried); n > 1 {
		return fmt.Sprintf("with the next prompt: %d commands, the last %s", n, last)
	}
	return "with the next prompt: " + last
}

// dropCarried takes the newest command back that would go with the next prompt.
func (c *chat) dropCarried() bool {
	n := len(c.Carried)
	if n == 0 {
		return false
	}
	c.Carried = c.Carried[:n-1]
	return true
}

// maxFeed bounds the output that waits for the screen, in bytes. What is older is
// dropped.
const maxFeed = 1 << 20

// shellFeed holds the news of a command until the screen takes them.
type shellFeed struct {
	ready chan struct{} // holds one where there is something
	gone  chan struct{}
	once  sync.Once

	mu   sync.Mutex
	data []byte
	cut  bool
	end  *ShellNews
	last time.Time
}

func newShellFeed() *shellFeed {
	return &shellFeed{ready: make(chan struct{}, 1), gone: make(chan struct{})}
}

// put never waits for the screen.
func (f *shellFeed) put(n ShellNews) {
	f.mu.Lock()
	f.data = append(f.data, n.Data...)
	if over := len(f.data) - maxFeed; over > 0 {
		f.data, f.cut = append(f.data[:0:0], f.data[over:]...), true
	}
	if n.Ended {
		f.end = &n
	}
	f.mu.Unlock()
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// wait returns when there is something, and a frame has passed; false when nothing
// will come.
func (f *shellFeed) wait() bool {
	select {
	case <-f.ready:
	case <-f.gone:
		return false
	}
	f.mu.Lock()
	rest := frame - time.Since(f.last)
	f.mu.Unlock()
	if rest > 0 {
		time.Sleep(rest)
	}
	return true
}

func (f *shellFeed) take() (data []byte, cut bool, end *ShellNews) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, cut, f.last = f.data, f.cut, time.Now()
	f.data, f.cut = nil, false
	return data, cut, f.end
}

func (f *shellFeed) close() { f.once.Do(func() { close(f.gone) }) }
