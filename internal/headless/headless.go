// Package headless implements `parley run`: it runs one prompt without a screen. It is a
// front end over the same engine as the screen and, like it, only reads events.
package headless

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/host"
	"parley/internal/memory"
	"parley/internal/safetext"
	"parley/permissions"
)

// Exit codes of `parley run`.
const (
	ExitDone        = 0
	ExitAgent       = 1 // the agent or the protocol failed
	ExitUsage       = 2
	ExitTimeout     = 3
	ExitNoSession   = 4
	ExitDenied      = 5 // something needed permission and did not get it
	ExitInterrupted = 130
)

// Policy decides questions, because no user can answer them.
type Policy string

// The policies.
const (
	DenyAll      Policy = "--deny-all"
	ApproveReads Policy = "--approve-reads"
	ApproveAll   Policy = "--approve-all"
)

// Options configure a run.
type Options struct {
	// Host is what the agent may use of this machine, and Client how it is connected to. Run adds where
	// events go, the policy and the services. Host.Agent is the name that the user
	// chose, or the program of a typed command.
	Host   host.Options
	Client acpclient.Options
	Custom bool // Host.Agent is only the name of a program that the user typed: the agent's own name is shown instead
	// Connect starts the agent or connects to it.
	Connect func(context.Context, acpclient.Options) (*acpclient.Client, error)
	Session acpclient.NewSession
	// Open opens the session; nil opens a new one. An error that matches event.ErrNoSession has
	// its own exit code.
	Open     func(context.Context, *acpclient.Client, acpclient.NewSession) (*acpclient.Session, error)
	Settings []Setting
	Prompt   string
	Format   string // text, json, stream-json
	Policy   Policy
	Timeout  time.Duration // 0: none
	Wait     time.Duration // how long to wait for what the agent does in the background after the turn
	// Usage counts what the turns took. If nil, nothing does.
	Usage *memory.Usage
	// Log is the path of the log of messages, "" if there is none.
	Log    string
	Stdout io.Writer
	Stderr io.Writer
	// OneTerminal means that Stdout and Stderr are the same terminal.
	OneTerminal bool
	// LogIn is the command line that logs in to the agent.
	LogIn string
	// OnAgentInfo is called with what the agent says about itself; may be nil.
	OnAgentInfo func(event.AgentInfo)
}

// byRule begins an answer that was given by a rule.
const byRule = "your rule: "

var (
	errTimeout     = errors.New("timed out")
	errWorking     = errors.New("work in the background has not ended")
	errInterrupted = errors.New("interrupted")
)

// run is the state of one Run.
type run struct {
	opts   Options
	out    printer
	name   string // of the agent
	logins []event.AuthMethod
	thread *thread.Thread
	denied []permissions.Question
	// ruledOut means that a rule or the sandbox denied something.
	ruledOut    bool
	earlyEvents []event.Event // arrived before the prompt and is still to be printed
	lateEvents  []event.Event // arrived with the end of the turn, after it
	queue       *event.Queue
	host        *host.Host
	start       time.Time
}

// Run sends the prompt and returns the exit code when the turn has ended and everything
// that Run started is gone. The end of ctx interrupts it.
func Run(ctx context.Context, opts Options) int {
	answer := &answer{to: opts.Stdout}
	opts.Stdout = answer
	code := runWith(ctx, opts, newPrinter(opts))
	if answer.err != nil {
		fmt.Fprintf(opts.Stderr, "parley: write the answer: %v\n", answer.err)
		code = max(code, ExitAgent)
	}
	return code
}

// Collect is Run for callers that want the object of -o json itself. note gets the lines that Run
// writes to Stderr then, on this goroutine; Format, Stdout and Stderr are not used.
func Collect(ctx context.Context, opts Options, note func(line string)) Result {
	var result Result
	runWith(ctx, opts, newJSONPrinter(opts.Host.Agent, note, func(r Result) { result = r }))
	return result
}

// runWith sends the prompt and returns the exit code.
func runWith(ctx context.Context, opts Options, out printer) int {
	r := &run{opts: opts, out: out, name: opts.Host.Agent, queue: event.NewStepQueue(), thread: thread.New(""), start: time.Now()}
	if opts.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, opts.Timeout, errTimeout)
		defer stop()
	}
	opts.Host.Sink, opts.Host.Policy = r.queue, r.policy()
	r.host = host.New(opts.Host)
	defer r.host.Close()
	stop, err := r.turn(ctx)
	return r.finish(stop, err)
}

// answer is the output for the answer. It remembers a failed write.
type answer struct {
	to  io.Writer
	err error
}

func (a *answer) Write(p []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	n, err := a.to.Write(p)
	if err != nil {
		a.err = err
	}
	return n, err
}

// WriteString writes a text without a copy of it, if the output can.
func (a *answer) WriteString(s string) (n int, err error) {
	if a.err == nil {
		n, a.err = io.WriteString(a.to, s)
	}
	return n, a.err
}

func (r *run) policy() permissions.Policy {
	deny := permissions.DenyAll(string(r.opts.Policy), func(q permissions.Question) { r.queue.Post(deniedEvent{q}) })
	switch r.opts.Policy {
	case ApproveAll:
		approve := permissions.ApproveAll(string(ApproveAll))
		return func(q permissions.Question) (permissions.Answer, bool) {
			if a, ok := approve(q); ok {
				return a, true
			}
			return deny(q)
		}
	case ApproveReads:
		reads := permissions.ApproveReads(string(ApproveReads), deny)
		return func(q permissions.Question) (permissions.Answer, bool) {
			if q.Judgement.Effect == permissions.Confirm { // a rule requires a user to look at it
				return deny(q)
			}
			return reads(q)
		}
	}
	return deny
}

// declining declines forms and pages as they arrive: no user can fill them in, and the
// agent may wait for the answer before it opens the session. It prints that it did.
type declining struct{ *event.Queue }

// Post implements event.Sink.
func (d declining) Post(e event.Event) {
	if asked, ok := e.(event.ElicitationAsked); ok {
		asked.Answer(event.ElicitationAnswer{Action: "decline"})
	}
	d.Queue.Post(e)
}

// deniedEvent passes the queue like any other event.
type deniedEvent struct{ question permissions.Question }

func (d deniedEvent) EventSession() string { return d.question.Session }

// turn connects, sends the prompt and follows the turn to its end.
func (r *run) turn(ctx context.Context) (*thread.End, error) {
	with := r.opts.Client
	with.Sink, with.Services = declining{r.queue}, r.host.Services()
	client, err := r.opts.Connect(ctx, with)
	if err != nil {
		return nil, cause(ctx, err)
	}
	defer client.Close()
	info := client.Agent()
	if r.opts.Custom {
		r.name = cmp.Or(info.Label(), r.name)
	}
	r.logins = info.AuthMethods
	r.out.connected(info)
	if r.opts.OnAgentInfo != nil {
		r.opts.OnAgentInfo(info)
	}
	session, err := r.open(ctx, client)
	if err != nil {
		return nil, cause(ctx, err)
	}
	r.thread.Session = session.ID()
	r.out.started(info, session.ID(), r.opts.Session.Cwd)
	for _, e := range r.earlyEvents {
		r.apply(e)
	}
	if err := session.Prompt(event.Block{Text: r.opts.Prompt}); err != nil {
		return nil, err
	}
	end, err := r.follow(ctx, session)
	working := err == nil && end != nil && end.Err == nil && r.thread.InBackground() > 0
	if working {
		end, err = r.wait(ctx, session, end)
	}
	r.examined(ctx, client)
	if err == nil && end != nil && end.Empty && !working && !r.refused() {
		client.Close() // for the rest of its stderr
		err = &emptyTurnError{r.name, r.opts.Log, client.Stderr()}
	}
	return end, err
}

// emptyTurnError means that the agent has ended the turn without any output. Some agents do if they cannot
// reach their model.
type emptyTurnError struct {
	agent, log string
	stderr     []string
}

func (e *emptyTurnError) Error() string {
	said := e.agent + " said nothing (perhaps it cannot reach its model)"
	if e.log != "" {
		said += "; its messages are in " + e.log
	}
	return said
}

const (
	gather     = 4 * time.Millisecond   // how long events that arrive without a pause are gathered
	lateOutput = 300 * time.Millisecond // how long output may arrive after a turn that ended without any
)

// follow handles events until the turn has ended. If ctx ends, it cancels the turn and
// gives the agent a moment to confirm.
func (r *run) follow(ctx context.Context, session *acpclient.Session) (*thread.End, error) {
	done := ctx.Done()
	var patience <-chan time.Time
	var taken time.Time
	var last *thread.End
	for {
		// The first event after a pause is printed at once; otherwise waiting lets events
		// merge.
		if rest := gather - time.Since(taken); rest > 0 {
			time.Sleep(rest)
		}
		taken = time.Now()
		events := r.queue.Drain()
		for i, e := range events {
			end := r.apply(e)
			if end != nil && !end.Empty {
				r.lateEvents = events[i+1:]
				return end, cause(ctx, nil)
			}
			if end != nil {
				last, patience = end, time.After(lateOutput)
			}
		}
		select {
		case <-r.queue.Ready():
		case <-done:
			done = nil
			session.Cancel()
			if errors.Is(cause(ctx, nil), errInterrupted) {
				r.out.remark(interruptedLine)
			}
			patience = time.After(2 * time.Second)
		case <-patience:
			return last, cause(ctx, nil)
		}
	}
}

// examined waits for what the disk says about the calls of a turn that has ended.
func (r *run) examined(ctx context.Context, client *acpclient.Client) {
	select {
	case <-client.Examined():
	case <-ctx.Done():
	}
	for _, e := range append(r.lateEvents, r.queue.Drain()...) {
		if e, ok := e.(event.ToolExamined); ok {
			r.apply(e)
		}
	}
}

// apply prints one event. It returns the end of the turn if e is that.
func (r *run) apply(e event.Event) *thread.End {
	if d, ok := e.(deniedEvent); ok {
		r.denied = append(r.denied, d.question)
		r.out.denied(d.question)
		return nil
	}
	if f, ok := e.(event.PromptFailed); ok {
		r.thread.Apply(e)
		if f.Err == nil {
			f.Err = errors.New("the agent rejected the prompt")
		}
		return &thread.End{Err: f.Err}
	}
	if s, ok := e.(event.PermissionAnswered); ok && !s.Allowed && (strings.HasPrefix(s.By, byRule) || strings.HasPrefix(s.By, permissions.BySandbox)) {
		r.ruledOut = true
	}
	if sub := r.thread.Subagent(e.EventSession()); sub != nil {
		r.thread.Apply(e)
		r.out.subagent(e, sub)
		return nil
	}
	was := len(r.thread.Items)
	r.thread.Apply(e)
	for _, it := range r.thread.Items[was:] {
		if it.Kind == thread.TurnEnd {
			return it.End
		}
	}
	r.out.event(e, r.thread)
	return nil
}

// cause returns the reason why ctx ended if it did, else err.
func cause(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if why := context.Cause(ctx); errors.Is(why, errTimeout) {
		return errTimeout
	}
	return errInterrupted
}

// finish prints the final messages and returns the exit code.
func (r *run) finish(end *thread.End, err error) int {
	reason := ""
	if end != nil {
		reason = end.StopReason
		if err == nil {
			err = end.Err
		}
	}
	code := ExitDone
	switch {
	case errors.Is(err, errTimeout):
		err = fmt.Errorf("no answer within %s (--timeout)", r.opts.Timeout)
		code = ExitTimeout
	case errors.Is(err, errWorking):
		err = fmt.Errorf("%w within %s (--wait)", err, r.opts.Wait)
		code = ExitTimeout
	case errors.Is(err, errInterrupted):
		code = ExitInterrupted
	case errors.Is(err, event.ErrNoSession):
		code = ExitNoSession
	case err != nil:
		code = ExitAgent
	case r.refused():
		code = ExitDenied
	case end != nil && reason == "":
		err = fmt.Errorf("%s ended the turn without a stop reason", r.name)
		code = ExitAgent
	case reason != "end_turn":
		code = ExitAgent
	}
	var answered *event.AgentError
	if errors.As(err, &answered) && answered.AuthRequired() {
		err = r.wantsLogin(err)
	}
	if l := r.thread.Usage.Limit; answered != nil && l != nil && !l.Allows() && l.ResetsAt.After(time.Now()) {
		err = fmt.Errorf("%w; %s", err, describe.Limit(l, time.Now()))
	}
	for by, it := range r.thread.Calls {
		if it.Tool.Trust >= thread.Unasked {
			r.out.unasked(it.Tool, by)
		}
	}
	if took := tokensOf(r.thread); took != nil && r.opts.Usage != nil {
		if err := r.opts.Usage.Add(r.opts.Host.Agent, *took); err != nil {
			r.out.remark(err.Error())
		}
	}
	r.out.ended(reason, err, code, time.Since(r.start), r.thread)
	return code
}

// wantsLogin explains how to log in to an agent that requires it.
func (r *run) wantsLogin(err error) error {
	var methods []string
	for _, m := range r.logins {
		name := cmp.Or(m.Name, safetext.Line(m.ID, 80))
		var vars []string
		for _, v := range m.Vars {
			vars = append(vars, v.Name)
		}
		if len(vars) > 0 {
			name += " (" + strings.Join(vars, ", ") + ")"
		}
		methods = append(methods, name)
	}
	said := fmt.Errorf("%s requires a login: %w", r.name, err)
	if len(methods) == 0 {
		return fmt.Errorf("%w; it offers no way to log in: use its own command", said)
	}
	said = fmt.Errorf("%w; it offers: %s", said, strings.Join(methods, ", "))
	if r.opts.LogIn != "" {
		said = fmt.Errorf("%w; to log in type: %s", said, r.opts.LogIn)
	}
	return said
}

// refused reports whether something was denied.
func (r *run) refused() bool { return len(r.denied) > 0 || r.ruledOut }
