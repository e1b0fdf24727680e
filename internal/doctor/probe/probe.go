// Package probe examines how an agent keeps the Agent Client Protocol: it starts the agent a few times, sends what
// clients send and what they should not, and looks at what comes back.
//
// It speaks below the engine, which forgives much: every message is seen as it was sent. Nothing is allowed to the
// agent, every wait is bounded, and what was started is ended.
package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley/acpclient/transport"
	"parley/internal/doctor"
	"parley/internal/envelope"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
)

// DefaultPrompt is a prompt that costs little.
const DefaultPrompt = "Reply with the word ready."

// Options say what to examine.
type Options struct {
	// Dial opens a connection; of a local agent it starts the program. At most one is open at a time.
	Dial func(context.Context) (transport.Conn, error)
	// Dir is the working directory of sessions: absolute, and empty. What the agent writes there is found.
	Dir     string
	Cwd     string // instead of Dir, for an agent on another machine; "" is Dir
	Version string // of parley

	Prompt           string // "" sends no prompt
	CancelPrompt     string // one that takes a while, to be cancelled; "" is Prompt
	PermissionPrompt string // one for which the agent asks for permission; "" sends none
	Large            bool   // send a prompt of 1 MB, too

	Patience Patience
	Grace    time.Duration // that of Dial's transport.StdioOptions
	// Begun is called with the name of a check, and Found with its finding. They may be nil.
	Begun func(check string)
	Found func(doctor.Finding)
}

// Patience bounds how long the probe waits.
type Patience struct {
	Start  time.Duration // for initialize; npx may have to fetch the agent
	Call   time.Duration // for what needs no model
	Turn   time.Duration // for the end of a turn
	Cancel time.Duration // for the end of a cancelled turn
	Quiet  time.Duration // for what may not come at all
	Answer time.Duration // before a question is answered, to see whether the agent waits as well
}

// DefaultPatience suits real agents.
var DefaultPatience = Patience{Start: 2 * time.Minute, Call: 20 * time.Second, Turn: 2 * time.Minute, Cancel: 15 * time.Second, Quiet: 500 * time.Millisecond, Answer: 700 * time.Millisecond}

// Prompts returns how many prompts are sent at most, and how many of them are cancelled at once.
func (o Options) Prompts() (n, cancelled int) {
	if o.Prompt == "" {
		return 0, 0
	}
	n, cancelled = 5, 3 // two of them to an agent of version 2
	for _, more := range []bool{o.PermissionPrompt != "", o.Large} {
		if more {
			n++
		}
	}
	return n, cancelled
}

// need is what a check cannot do without.
type need int

const (
	nothing    need = iota
	connection      // that of the session
	session
	prompt   // a session, and the permission to send prompts
	again    // a later connection, after that of the session has ended
	older    // again, and a session that has a prompt
	two      // a connection of version 2
	twice    // a session of version 2, and the permission to send prompts
	answers  // the first connection, on which unknown methods are answered
	raw      // the connection that was offered version 2, which takes what is no message
	received // only what was received on any connection
)

// check is one line of the table. The outcome's check and section are filled in.
type check struct {
	name    string
	section string // "JSON-RPC" or a page of agentclientprotocol.com/protocol
	needs   need
	run     func(*probe) doctor.Finding
	// advertised is what the agent must say that it can, a member of its capabilities; "" is nothing.
	advertised string
}

// checks are in the order in which they run: the main connection, one for stored sessions, one that is offered
// version 2, and one that is offered a version that does not exist.
var checks = []check{
	{"initialize", "initialization", nothing, (*probe).initialize, ""},
	{"capabilities", "initialization#agent-capabilities", connection, (*probe).capabilities, ""},
	{"auth methods", "authentication", connection, (*probe).authMethods, ""},
	{"unknown method", "JSON-RPC 5.1", connection, (*probe).unknownMethod, ""},
	{"unknown notification", "extensibility", connection, (*probe).unknownNotification, ""},
	{"unknown $/cancel_request", "cancellation", connection, (*probe).unknownCancel, ""},
	{"bad parameters", "JSON-RPC 5.1", connection, (*probe).badParams, ""},
	{"unknown session", "session-setup", connection, (*probe).unknownSession, ""},
	{"ids", "JSON-RPC 4", answers, (*probe).ids, ""},
	{"message of 1 MB", "transports", answers, (*probe).hugeMessage, ""},
	{"session/list", "session-list", connection, (*probe).list, "sessionCapabilities.list"},
	{"session/new", "session-setup", connection, (*probe).newSession, ""},
	{"session/set_mode", "session-modes", session, (*probe).setMode, ""},
	{"session/set_config_option", "session-config-options", session, (*probe).setConfig, ""},
	{"MCP servers", "session-setup#mcp-servers", session, (*probe).mcpServers, ""},
	{"session/prompt", "prompt-turn", prompt, (*probe).prompt, ""},
	{"kinds of content", "content", prompt, (*probe).content, ""},
	{"session/cancel", "prompt-turn#cancellation", prompt, (*probe).cancel, ""},
	{"permissions", "tool-calls#requesting-permission", prompt, (*probe).permissions, ""},
	{"prompt of 1 MB", "prompt-turn", prompt, (*probe).largePrompt, ""},
	{"order of updates", "prompt-turn", prompt, (*probe).order, ""},
	{"shape of updates", "prompt-turn", session, (*probe).updates, ""},
	{endOfInput, "transports#stdio", connection, (*probe).endOfInput, ""},
	{"session/load", "session-setup#loading-sessions", older, (*probe).load, "loadSession"},
	{"session/load, unknown", "session-setup#loading-sessions", again, (*probe).loadUnknown, "loadSession"},
	{"session/resume", "session-setup#resuming-sessions", older, (*probe).resume, "sessionCapabilities.resume"},
	{"session/fork", "session-fork", older, (*probe).fork, "sessionCapabilities.fork"},
	{"session/close", "session-setup#closing-sessions", again, (*probe).closeSession, "sessionCapabilities.close"},
	{"session/delete", "session-delete", again, (*probe).deleteSession, "sessionCapabilities.delete"},
	{"offer of version 2", "initialization#version-negotiation", nothing, offerTwo, ""},
	{"session/new, version 2", "v2/session-setup", two, newSessionTwo, ""},
	{"session/prompt, version 2", "v2/prompt-lifecycle", twice, promptTwo, ""},
	{"session/cancel, version 2", "v2/prompt-lifecycle", twice, cancelTwo, ""},
	{"parse error", "JSON-RPC 5.1", raw, (*probe).parseError, ""},
	{"batch", "JSON-RPC 6", raw, (*probe).batch, ""},
	{"offer of version 99", "initialization#version-negotiation", nothing, (*probe).offerUnknown, ""},
	{"SIGTERM", "transports#stdio", nothing, (*probe).terminate, ""},
	{"requests of the agent", "initialization#client-capabilities", nothing, (*probe).requests, ""},
	{"stdout", "transports#stdio", received, (*probe).stdout, ""},
	{"stderr", "transports#stdio", received, (*probe).stderr, ""},
}

// endOfInput is the check that ends the connection of the session.
const endOfInput = "end of stdin"

// NameCells is how long the names of checks are.
const NameCells = len("session/set_config_option")

// probe is one examination.
type probe struct {
	Options
	ctx   context.Context
	root  *os.Root
	wires []*wire // all connections so far

	received atomic.Int64 // bytes, on all of them
	hopeless bool         // there is no agent to examine
	silent   bool         // it does not answer unknown methods
	mute     bool         // it has sent nothing at all after initialize

	main    *wire
	info    []byte // the result of initialize
	opened  []byte // the result of session/new
	bad     reply  // a request with wrong parameters, if it is sent already
	session string
	made    []string // sessions to delete in the end
	known   map[string]bool
	turns   []reply  // the prompts and their answers
	late    *message // the first update after the answer of its turn
	spoken  bool     // the session has had a turn

	later   *wire // for stored sessions
	second  second
	unknown *wire // offered version 99
}

// Run examines an agent. The error means that nothing could be examined.
func Run(ctx context.Context, o Options) ([]doctor.Finding, error) {
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	p := &probe{Options: o, ctx: ctx, root: root, known: map[string]bool{}}
	defer p.closeAll()
	var all []doctor.Finding
	for _, c := range checks {
		if p.hopeless && (c.needs != received || len(p.wires) == 0) {
			continue
		}
		if o.Begun != nil {
			o.Begun(c.name)
		}
		f := p.perform(c)
		if ctx.Err() != nil { // it did not wait as long as it should
			return all, context.Cause(ctx)
		}
		f.Check, f.Section = c.name, c.section
		all = append(all, f)
		if o.Found != nil {
			o.Found(f)
		}
		p.hopeless = p.hopeless || p.received.Load() > maxReceived || len(all) == 1 && f.State == doctor.Fail && p.main == nil
	}
	return all, nil
}

// perform does a check if what it needs exists.
func (p *probe) perform(c check) doctor.Finding {
	switch {
	case c.advertised != "" && !has(p.info, append([]string{"agentCapabilities"}, strings.Split(c.advertised, ".")...)...):
		return skip("not advertised")
	case p.mute && c.needs != nothing && c.needs != received && c.name != endOfInput:
		return skip("nothing came after initialize for %s", seconds(p.Patience.Call))
	case (c.needs == session || c.needs == prompt) && p.session == "":
		return skip("there is no session")
	case (c.needs == two || c.needs == twice) && p.second.info == nil:
		return skip("version 2 is not spoken")
	case c.needs == twice && p.second.session == "":
		return skip("there is no session")
	case (c.needs == prompt || c.needs == twice) && p.Prompt == "":
		return skip("no prompt was sent")
	case c.needs == older && !p.spoken:
		return skip("no session has a prompt")
	case c.needs == raw && p.second.wire == nil:
		return skip("the agent did not start")
	case (c.needs == answers || c.needs == raw) && p.silent:
		return skip("unknown methods are not answered")
	}
	if c.needs == again || c.needs == older {
		if err := p.reopen(); err != nil {
			return fail(fmt.Sprintf("cannot be started again: %v", err), "")
		}
	}
	onMain := slices.Contains([]need{connection, answers, session, prompt}, c.needs)
	if onMain {
		switch {
		case p.main == nil:
			return skip("version 1 is not spoken")
		case !p.main.alive():
			return skip("the agent has ended")
		}
	}
	f := c.run(p)
	if onMain && c.name != endOfInput && !p.main.alive() && (f.State != doctor.Fail || strings.Contains(f.Text, noMore)) {
		return fail(p.main.ended(), p.main.lastSent())
	}
	return f
}

// start opens a connection and initializes it.
func (p *probe) start(params any) (*wire, reply, error) {
	w, err := p.dial()
	if err != nil {
		return nil, reply{}, err
	}
	r := w.call(p.Patience.Start, "initialize", params)
	if r.ok() {
		w.speaks(1)
	}
	return w, r, nil
}

// speaks tells the transport the version of the protocol.
func (w *wire) speaks(version int) {
	if v, ok := w.conn.(interface{ SetVersion(int) }); ok {
		v.SetVersion(version)
	}
}

// reopen opens the connection for stored sessions.
func (p *probe) reopen() error {
	if p.later != nil && p.later.alive() {
		return nil
	}
	w, r, err := p.start(p.offer(1))
	if err == nil && !r.ok() {
		w.conn.Close()
		err = errors.New(r.how() + " to initialize")
	}
	if err == nil {
		p.later = w
	}
	return err
}

// offer returns the parameters of initialize, which an agent of any version can read.
func (p *probe) offer(version int) map[string]any {
	info := map[string]string{"name": "parley-doctor", "title": "parley doctor", "version": p.Version}
	params := map[string]any{"protocolVersion": version, "clientInfo": info,
		"clientCapabilities": map[string]any{"fs": map[string]bool{"readTextFile": true, "writeTextFile": true}, "terminal": false}}
	if version > 1 {
		params["info"], params["capabilities"] = info, map[string]any{}
	}
	return params
}

// closeAll ends what is still open.
func (p *probe) closeAll() {
	for _, w := range p.wires {
		w.conn.Close()
	}
}

// file reads or writes a file of the directory.
func (p *probe) file(path, content string, write bool) (string, error) {
	dir, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(p.Dir, path)
	if err != nil || !filepath.IsLocal(name) {
		if name, err = filepath.Rel(dir, path); err != nil || !filepath.IsLocal(name) {
			return "", errors.New("outside the session's directory")
		}
	}
	if write {
		return "", p.root.WriteFile(name, []byte(content), 0o600)
	}
	f, err := p.root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 16<<20))
	return string(data), err
}

// ended says why the connection is no more.
func (w *wire) ended() string {
	w.mu.Lock()
	err, fault := w.err, w.fault
	w.mu.Unlock()
	s, ok := w.conn.(*transport.Stdio)
	switch {
	case fault != "":
		return "the agent was ended: " + fault
	case !ok:
		return fmt.Sprintf("the connection ended: %v", err)
	}
	select {
	case <-s.Exit():
	case <-time.After(w.probe.Patience.Quiet):
	}
	words := "the agent ended: its output has ended"
	switch state := s.ExitState(); {
	case state.Signal != "":
		words = "the agent ended: signal " + state.Signal
	case state.Exited:
		words = fmt.Sprintf("the agent ended: exit code %d", state.Code)
	}
	if tail := s.Stderr().Tail(1); len(tail) > 0 {
		words += "; its stderr ends: " + safetext.Line(tail[0], 200)
	}
	return words
}

// has reports whether an object has a member, or a member of a member, that means yes: true or an object.
func has(object []byte, path ...string) bool {
	value := at(object, path...)
	kind := jsonscan.KindOf(value)
	return kind == jsonscan.Object || string(value) == "true"
}

// at returns a member of a member.
func at(object []byte, path ...string) []byte {
	for _, name := range path {
		object = envelope.Member(object, name)
	}
	return object
}

// advertised returns which of the names are advertised in an object of the agent's capabilities.
func (p *probe) advertised(in string, names ...string) (found []string) {
	object := at(p.info, "agentCapabilities")
	if in != "" {
		object = at(object, in)
	}
	for _, name := range names {
		if has(object, name) {
			found = append(found, name)
		}
	}
	return found
}

func pass(format string, args ...any) doctor.Finding {
	return doctor.Finding{State: doctor.Pass, Text: fmt.Sprintf(format, args...)}
}

func skip(format string, args ...any) doctor.Finding {
	return doctor.Finding{State: doctor.Skip, Text: fmt.Sprintf(format, args...)}
}

func warn(text, message string) doctor.Finding {
	return doctor.Finding{State: doctor.Warn, Text: text, Message: message}
}

func fail(text, message string) doctor.Finding {
	return doctor.Finding{State: doctor.Fail, Text: text, Message: message}
}

// seconds is a duration as a person reads it.
func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
}
