// Package linear is the chat of parley as plain lines, for screen readers and for people who
// prefer scrolling text to a full screen.
//
// Output is append-only: no colours, no cursor movement, no animation. Each line of parley's
// begins with words that say what it is. Text from others comes after such words or is
// indented below them, so that it cannot be mistaken for a line of parley's.
//
// Everything belongs to the goroutine of Run. It waits for a line from the user, an event of
// the engine, the end of a task (which runs on its own goroutine) or a timer. Another
// goroutine reads the input, one line when one is wanted, so that a program that is given the
// terminal has it to itself.
//
// chat connects the parts, which know little of each other. A narrator prints what happens in
// a session. dialogs shows one dialog at a time, opened by questions, logins, starts and
// others. prompts sends what is typed. commands runs slash commands. Each writes to the
// printer and changes the workspace directly; the workspace reports the results as news, which
// chat.onNews dispatches.
package linear

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"parley/internal/atomicfile"
	"parley/internal/intent"
	"parley/internal/notes"
	"parley/internal/words"
	"parley/internal/workspace"
)

// Options configures the chat. Whether its input and output are terminals is detected.
type Options struct {
	workspace.FrontEnd
	// Interrupts receives a value for every ctrl+c. It may be nil.
	Interrupts <-chan os.Signal
}

// chat is one run. It belongs to the goroutine of Run.
type chat struct {
	opts     Options
	in       *input
	out      *printer
	quitting bool      // the chat is to end
	ended    bool      // the input has ended
	lastInt  time.Time // when ctrl+c was pressed last

	w         *workspace.Workspace
	narrators map[*workspace.Session]*narrator
	front     *narrator // of the session in front

	tasks     *tasks
	dialogs   *dialogs
	questions *questions
	prompts   *prompts
	commands  *commands
	starts    *starts
	logins    *logins
	lender    *lender
	stderr    *stderr
	disk      *disk
	saver     *noteSaver
	terminals *terminals
}

// Run runs the chat until the user quits or ctx ends. When it returns, everything it started
// has ended.
func Run(ctx context.Context, opts Options) (workspace.ResumableSession, error) {
	in := newInput(cmp.Or[io.Reader](opts.Input, os.Stdin))
	return newChat(opts, in, newPrinter(cmp.Or[io.Writer](opts.Output, os.Stdout), in.terminal())).run(ctx)
}

func newChat(opts Options, in *input, out *printer) *chat {
	c := &chat{opts: opts, in: in, out: out, narrators: map[*workspace.Session]*narrator{}, stderr: &stderr{out: out}, disk: newDisk()}
	of := opts.Options
	of.KeepPrompts = opts.History != nil
	c.w = workspace.New(of)
	c.tasks = &tasks{w: c.w, onNews: c.onNews, results: make(chan func())}
	c.saver = &noteSaver{w: c.w, out: out, tasks: c.tasks, disk: c.disk, store: opts.Drafts, left: opts.RestoreDraft, saved: map[*workspace.Session]*savedNotes{}}
	c.dialogs = &dialogs{out: out}
	c.questions = &questions{in: in, dialogs: c.dialogs}
	c.terminals = newTerminals(opts.Keeper)
	c.in.lasts = opts.Keeper != nil
	c.lender = &lender{in: in, out: out, interrupts: opts.Interrupts, lent: &c.terminals.lent}
	c.prompts = &prompts{w: c.w, dialogs: c.dialogs, save: c.saveHistory, stderr: c.stderr, front: func() *narrator { return c.front }}
	c.starts = &starts{w: c.w, dialogs: c.dialogs, tasks: c.tasks, stderr: c.stderr, agents: opts.Agents, choice: opts.Choice, quit: c.leave}
	c.logins = &logins{in: in, dialogs: c.dialogs, lender: c.lender, asked: opts.AgentLogin != nil, starts: c.starts}
	c.commands = &commands{w: c.w, out: out, own: c.ownCommands(), served: c.servedCommands(), putAside: c.prompts.putAside}
	c.dialogs.command, c.dialogs.putAside = c.commands.run, c.prompts.putAside
	c.prompts.doubt = c.commands.doubt
	c.front = c.narrator(c.w.Front())
	c.front.front = true
	return c
}

// ownCommands returns the commands that only this mode has, in the order of the help.
func (c *chat) ownCommands() []command {
	return []command{
		{"stop", "Stop the turn", noArgs(c.stop)},
		{"output", "Show a tool call's output or changes: of the last one, or of the one with that number", func(arg string) { c.report().output(arg) }},
		{"thought", "Show the last thought", c.reportCommand(report.lastThought)},
		{"transcript", "Show the whole conversation", noArgs(func() { c.front.transcript() })},
		{"status", "Show the status; an empty line during a turn does the same", c.reportCommand(report.status)},
		{"queue", "List queued prompts", c.reportCommand(report.queue)},
		{"note", "Write a note on lines of a file, as in: /note main.go:3-5 say why; or on the last message: /note . shorter, please", func(arg string) { c.noting().write(arg) }},
		{"drop", "Drop a queued prompt: the last one, or the one with that number", func(arg string) { c.report().dropQueued(arg) }},
		{"resend", "Resend a prompt that may not have arrived", noArgs(c.prompts.resend)},
	}
}

// servedCommands returns the commands that the screen has too.
func (c *chat) servedCommands() map[intent.Intent]func(arg string) {
	logIn := func() { c.logins.choose(c.front.Agent, false) }
	chooses := func(category string) func(string) {
		return noArgs(func() { chooseSetting(c.dialogs, c.front.Session, category, logIn) })
	}
	list := &sessions{w: c.w, out: c.out, dialogs: c.dialogs, tasks: c.tasks, narrator: c.narrator, place: c.opts.Place, logs: c.opts.Logs, kept: keptSessions{c.opts.Kept, c.attachTo}}
	return map[intent.Intent]func(arg string){
		intent.ToggleHelp:   noArgs(func() { c.commands.help() }),
		intent.NewSession:   noArgs(list.add),
		intent.Sessions:     list.list,
		intent.Rename:       list.rename,
		intent.InWorktree:   list.inWorktree,
		intent.MergeTree:    list.merge,
		intent.DiscardTree:  noArgs(list.discard),
		intent.Fork:         func(arg string) { goBack{c.front.Session, c.dialogs}.fork(arg) },
		intent.Mode:         chooses("mode"),
		intent.Model:        chooses("model"),
		intent.Options:      chooses(""),
		intent.TogglePlan:   c.reportCommand(report.plan),
		intent.Background:   c.reportCommand(report.listRunning),
		intent.SideQuestion: c.prompts.ask,
		intent.Steer:        c.prompts.steer,
		intent.Usage:        noArgs(func() { c.report().usage(c.w) }),
		intent.Subagents:    noArgs(func() { c.front.subagents(c.dialogs) }),
		intent.Login:        noArgs(logIn),
		intent.Logout:       noArgs(func() { c.logins.logOut(c.front.Agent) }),
		intent.ToggleLog:    c.reportCommand(report.log),
		intent.AnotherAgent: c.starts.another,
		intent.Turns:        c.reportCommand(report.turns),
		intent.Approval:     noArgs(func() { chooseApproval(c.dialogs, c.front.Session) }),
		intent.Trust:        noArgs(func() { c.front.Changes.List(c.report().trusted) }),
		intent.ShowReview: func(arg string) {
			withChanges(c.dialogs, c.tasks, c.front.Session, func(of changes) { of.review(arg) })
		},
		intent.UndoFiles: func(arg string) {
			if arg != "" {
				goBack{c.front.Session, c.dialogs}.restore(arg)
				return
			}
			withChanges(c.dialogs, c.tasks, c.front.Session, changes.undo)
		},
		intent.ShowNotes: func(arg string) { c.noting().command(arg) },
		intent.Detach:    noArgs(c.detach),
		intent.Quit:      noArgs(c.leave),
	}
}

// report reports on the session in front.
func (c *chat) report() report { return report{c.front.Session, c.out, c.front.calls, c.w.Clients()} }

// reportCommand returns a command that prints a report.
func (c *chat) reportCommand(what func(report)) func(string) {
	return noArgs(func() { what(c.report()) })
}

// noting writes notes in the session in front.
func (c *chat) noting() noting {
	return noting{c.front.Session, c.out, c.tasks, c.opts.ReadFile, c.prompts.sendNotes}
}

func (c *chat) quit() { c.quitting = true }

// narrator returns the narrator of a session, and creates it if necessary.
func (c *chat) narrator(s *workspace.Session) *narrator {
	n := c.narrators[s]
	if n == nil {
		n = newNarrator(s, c.out, c.tasks, c.stderr)
		c.narrators[s] = n
	}
	return n
}

func (c *chat) run(ctx context.Context) (workspace.ResumableSession, error) {
	defer c.in.close()
	c.out.say("parley, line mode, in %s. /help lists the commands.", c.opts.Place(c.opts.Cwd))
	if c.opts.Start != "" {
		c.w.Replace(c.w.Spec(c.opts.Start))
	} else {
		c.starts.choose()
	}
	c.tasks.process()
	c.loop(ctx)
	left := c.w.Resumable()
	c.quitting = true
	c.saver.end()
	c.w.End()
	c.prompts.unsent()
	c.out.fresh()
	c.out.flush()
	c.tasks.end(c.opts.Interrupts, c.endSoon)
	c.disk.end()
	c.unsaved()
	c.out.flush()
	if c.out.err != nil && ctx.Err() == nil {
		return left, fmt.Errorf("write the chat: %w", c.out.err)
	}
	return left, nil
}

// saveHistory adds a prompt to the history.
func (c *chat) saveHistory(text string) {
	if h := c.opts.History; h != nil {
		c.disk.add(func() error { return h.Add(text) })
	}
}

// unsaved prints the notes that would be lost.
func (c *chat) unsaved() {
	for _, s := range c.w.Sessions() {
		if said := notes.Draft(s.Notes()); said != nil && (c.opts.Drafts == nil || c.disk.broken) {
			c.out.say("Not sent:")
			c.out.lines(notes.Text(notes.Prompt(said)))
		}
	}
}

// loop handles one thing after another until the chat ends.
func (c *chat) loop(ctx context.Context) {
	for {
		if c.beforeInput(); c.quitting {
			return
		}
		select {
		case <-ctx.Done():
			return
		case l := <-c.in.lines:
			c.line(c.in.take(l))
		case <-c.opts.Interrupts:
			c.interrupt()
		case change := <-c.terminals.changes:
			c.attached(change)
		case f := <-c.tasks.results:
			f()
		case err := <-c.disk.failed:
			c.out.say("What you type is not saved%s: %s.", atomicfile.FreeSpaceAdvice(err), words.OneLine(err.Error()))
		case line := <-c.opts.Notices:
			c.out.say("%s.", words.OneLine(line))
		case <-c.tasks.wake():
		}
		c.tasks.process()
		if c.out.err != nil { // the output is closed
			return
		}
	}
}

// beforeInput does what is due when nothing else is pending, then asks for input.
func (c *chat) beforeInput() {
	c.tasks.nextCheck = time.Time{}
	c.front.beforeInput()
	c.starts.reportProgress(c.front.Agent)
	c.saver.update()
	c.opts.Report(c.w, false)
	c.nextQuestion()
	c.endIfDone()
	if c.quitting {
		return
	}
	c.out.ask(c.wanted())
	reads := !c.ended && !c.lender.reserved()
	if c.lender.reserved() {
		c.tasks.wakeAt(c.lender.reservedUntil)
	}
	d := c.dialogs.current
	if reads && d != nil && d.secret {
		c.in.hide()
	}
	c.out.flush()
	if d != nil && d.at.IsZero() {
		d.at = time.Now() // readable from now on
	}
	if reads {
		c.in.want()
	}
}

// nextQuestion asks the oldest question if nothing else is being asked.
func (c *chat) nextQuestion() {
	switch {
	case c.dialogs.current != nil || len(c.questions.waiting) == 0 || len(c.prompts.draft) > 0:
	case c.ended: // no answer can come
		c.questions.unanswered(c.questions.waiting[0])
	default:
		c.front.finishAll()
		c.questions.next()
	}
}

// wanted returns the current request for input, "" if there is none.
func (c *chat) wanted() string {
	switch d := c.dialogs.current; {
	case len(c.prompts.draft) > 0, c.terminals.away:
	case d != nil:
		return d.wants
	case c.out.terminal && c.prompts.ready():
		return "You:"
	}
	return ""
}
