package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/host"
	"parley/ui/uitest"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// driver is a user in front of the screen, under a clock of its own: it runs
// the commands of the model as Bubble Tea does, hands their messages over one
// at a time and looks at the screen after each.
type driver struct {
	t     *testing.T
	m     *Model
	agent *agent // the one connected last
	dir   string
	dial  func(*agent) error                     // called for every connection, may be nil
	turn  func(*turn) string                     // what the agent does with a prompt
	on    map[string]func(*call) (string, error) // and with other requests; the answer is JSON

	mu    sync.Mutex
	inbox []tea.Msg
	quit  bool
}

// drive runs a test in a bubble.
func drive(t *testing.T, change func(*driver, *Options), f func(d *driver)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d := &driver{t: t, dir: dir, on: map[string]func(*call) (string, error){}, turn: func(t *turn) string { t.say("You said: " + t.text); return "end_turn" }}
		opts := Options{Cwd: uitest.Dir, Home: "/home/ada", Branch: "main", Theme: "plain", Start: "fake", Connect: d.connect, Agents: []Agent{
			{Name: "fake", Command: "fake --acp", Where: "on PATH", Section: "installed"},
			{Name: "other", Command: "other-agent", Where: "on PATH", Section: "installed"},
			{Name: "absent", Command: "absent", Section: "not installed", Missing: "npm i absent"},
		}}
		if change != nil {
			change(d, &opts)
		}
		d.m = New(opts)
		d.run(d.m.Init())
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		defer func() {
			d.m.conns.endAll()
			close(d.m.over)
			time.Sleep(time.Hour) // what still ticks comes to its end
			synctest.Wait()
		}()
		f(d)
	})
}

// run runs a command on a goroutine of its own.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				d.run(c)
			}
			return
		}
		if exec, done, ok := execOf(msg); ok {
			msg = done(exec.Run())
		}
		if msg != nil {
			d.mu.Lock()
			d.inbox = append(d.inbox, msg)
			d.mu.Unlock()
		}
	}()
}

// execOf is what tea.Exec has made of a command and its callback.
func execOf(msg tea.Msg) (cmd tea.ExecCommand, done tea.ExecCallback, ok bool) {
	if msg == nil || reflect.TypeOf(msg) != reflect.TypeOf(tea.Exec(nil, nil)()) {
		return nil, nil, false
	}
	v := reflect.New(reflect.TypeOf(msg)).Elem() // a copy whose fields have addresses
	v.Set(reflect.ValueOf(msg))
	for i := range v.NumField() {
		switch p := v.Field(i).Addr().UnsafePointer(); v.Field(i).Type() {
		case reflect.TypeFor[tea.ExecCommand]():
			cmd = *(*tea.ExecCommand)(p)
		case reflect.TypeFor[tea.ExecCallback]():
			done = *(*tea.ExecCallback)(p)
		}
	}
	return cmd, done, true
}

func (d *driver) take() (tea.Msg, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.inbox) == 0 {
		return nil, false
	}
	msg := d.inbox[0]
	d.inbox = d.inbox[1:]
	return msg, true
}

// settle hands over what there is, until nothing more comes without time
// passing.
func (d *driver) settle() {
	for {
		synctest.Wait()
		msg, ok := d.take()
		if !ok {
			return
		}
		if _, quit := msg.(tea.QuitMsg); quit {
			d.quit = true
			continue
		}
		d.update(msg)
	}
}

func (d *driver) update(msg tea.Msg) {
	_, cmd := d.m.Update(msg)
	d.run(cmd)
	d.look()
}

// look draws the screen and checks what holds for every screen.
func (d *driver) look() {
	d.t.Helper()
	v := d.m.View()
	if d.m.width == 0 {
		return
	}
	rows := strings.Split(v.Content, "\n")
	uitest.CheckRows(d.t, rows, d.m.width)
	if len(rows) > d.m.height {
		d.t.Fatalf("%d rows on a screen of %d", len(rows), d.m.height)
	}
	if bad := uitest.Unsafe(v.WindowTitle); bad != "" {
		d.t.Fatalf("the title holds %q", bad)
	}
	if c := v.Cursor; c != nil && (c.X >= d.m.width || c.Y >= d.m.height || c.X < 0 || c.Y < 0) {
		d.t.Fatalf("the cursor is at %d,%d of %dx%d", c.X, c.Y, d.m.width, d.m.height)
	}
}

func (d *driver) send(msg tea.Msg) {
	d.t.Helper()
	d.update(msg)
	d.settle()
}

// wait lets time pass.
func (d *driver) wait(t time.Duration) {
	d.t.Helper()
	for end := time.Now().Add(t); time.Now().Before(end); {
		time.Sleep(min(10*time.Millisecond, time.Until(end)))
		d.settle()
	}
}

// rest waits as long as a question wants quiet, and more.
func (d *driver) rest() { d.t.Helper(); d.wait(time.Second) }

// press presses keys, one right after the other.
func (d *driver) press(names ...string) {
	d.t.Helper()
	for _, n := range names {
		d.send(keyPress(n))
	}
}

// types types text, one right after the other, and ends it with enter if it
// ends with a newline.
func (d *driver) types(text string) {
	d.t.Helper()
	for _, r := range text {
		if r == '\n' {
			d.press("enter")
			continue
		}
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

var keyCodes = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "space": tea.KeySpace, "f1": tea.KeyF1, "f2": tea.KeyF2, "f4": tea.KeyF4}

func keyPress(name string) tea.KeyPressMsg {
	var k tea.Key
	rest := name
	for mod, bit := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if after, ok := strings.CutPrefix(rest, mod); ok {
			k.Mod, rest = k.Mod|bit, after
		}
	}
	if code, ok := keyCodes[rest]; ok {
		k.Code = code
	} else {
		k.Code = []rune(rest)[0]
		if k.Mod == 0 {
			k.Text = rest
		}
	}
	return tea.KeyPressMsg(k)
}

// screen is what the user reads.
func (d *driver) screen() string {
	return uitest.Text(strings.Split(d.m.View().Content, "\n"))
}

func (d *driver) sees(parts ...string) {
	d.t.Helper()
	for _, p := range parts {
		if s := d.screen(); !strings.Contains(s, p) {
			d.t.Fatalf("the screen does not show %q:\n%s", p, s)
		}
	}
}

func (d *driver) misses(parts ...string) {
	d.t.Helper()
	for _, p := range parts {
		if s := d.screen(); strings.Contains(s, p) {
			d.t.Fatalf("the screen shows %q:\n%s", p, s)
		}
	}
}

// golden compares the screen at three sizes.
func (d *driver) golden(name string) {
	d.t.Helper()
	for _, s := range []struct {
		name string
		w, h int
	}{{"40x12", 40, 12}, {"80x24", 80, 24}, {"160x50", 160, 50}} {
		d.send(tea.WindowSizeMsg{Width: s.w, Height: s.h})
		d.send(refreshMsg{})
		uitest.Golden(d.t, name+"-"+s.name, strings.Split(d.m.View().Content, "\n"))
	}
}

// agent is the other end of one connection.
type agent struct {
	d    *driver
	peer *jsonrpc.Peer

	leaves string // the method on which it goes away

	mu       sync.Mutex
	sessions int      // opened by session/new: s1, s2, …
	prompts  []string // in the order in which they came
	calls    []string // every other request, as "method params"
	outcomes []string // of questions, in the order in which they were answered
	cancels  int
	stops    map[string]chan struct{} // by session, closed by session/cancel
}

// call is a request other than a prompt, on the agent's side.
type call struct {
	a   *agent
	ctx context.Context
	n   int // how many sessions there are with this one
	in  struct {
		SessionID, Cwd, ModeID, ModelID, ConfigID, MethodID string
		Cursor                                              *string
		Value                                               any
	}
}

// fails is the answer with an error of that code.
func fails(code int, text string) (string, error) { return "", jsonrpc.Errorf(code, "%s", text) }

// hello is the answer to initialize, with more in it.
func hello(more string) func(*call) (string, error) {
	return func(*call) (string, error) {
		return `{"protocolVersion":1,"agentInfo":{"name":"fake","title":"Fake agent","version":"1.2"}` + more + `}`, nil
	}
}

// newSession is the answer to session/new, with more in it.
func newSession(more string) func(*call) (string, error) {
	return func(c *call) (string, error) { return fmt.Sprintf(`{"sessionId":"s%d"%s}`, c.n, more), nil }
}

func (d *driver) connect(ctx context.Context, _ Agent, sink acpclient.Sink, log *acpclient.Log) (*Connection, error) {
	ours, theirs := transport.Pipe()
	a := &agent{d: d, stops: map[string]chan struct{}{}}
	if d.dial != nil {
		if err := d.dial(a); err != nil {
			return nil, err
		}
	}
	a.peer = jsonrpc.NewPeer(theirs, a, jsonrpc.Options{})
	a.peer.Start()
	h := host.New(host.Options{Sink: sink, Agent: "fake"})
	client, err := acpclient.Connect(ctx, ours, acpclient.Options{Name: "parley", Sink: sink, Services: h.Services(), Log: log})
	if err != nil {
		h.Close()
		return nil, err
	}
	conn := &Connection{Client: client, Template: acpclient.NewSession{Cwd: d.dir}, Broker: h.Broker(), Close: func() { client.Close(); a.peer.Close(nil); h.Close() }}
	conn.Session, err = client.NewSession(ctx, conn.Template)
	if err != nil && !wantsLogin(err) {
		client.Close()
		h.Close()
		return nil, err
	}
	d.agent = a
	return conn, err
}

// Notification implements jsonrpc.Handler.
func (a *agent) Notification(method string, params []byte) {
	var p struct{ SessionID string }
	json.Unmarshal(params, &p)
	a.mu.Lock()
	defer a.mu.Unlock()
	if stop := a.stops[p.SessionID]; method == "session/cancel" && stop != nil {
		a.cancels++
		close(stop)
		delete(a.stops, p.SessionID)
	}
}

// Request implements jsonrpc.Handler.
func (a *agent) Request(r jsonrpc.Request) jsonrpc.Work {
	if r.Method == a.leaves {
		return func(ctx context.Context) (any, error) { a.peer.Close(nil); return nil, nil }
	}
	if r.Method == "session/prompt" {
		return a.prompted(r.Params)
	}
	on := a.d.on[r.Method]
	if on == nil {
		on = map[string]func(*call) (string, error){"initialize": hello(""), "session/new": newSession("")}[r.Method]
	}
	c := &call{a: a}
	json.Unmarshal(r.Params, &c.in)
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Method == "session/new" {
		a.sessions++
	}
	c.n = a.sessions
	a.calls = append(a.calls, r.Method+" "+string(r.Params))
	return func(ctx context.Context) (any, error) {
		if on == nil {
			return nil, jsonrpc.Errorf(-32601, "Method not found: %s", r.Method)
		}
		c.ctx = ctx
		result, err := on(c)
		return json.RawMessage(result), err
	}
}

func (a *agent) prompted(params []byte) jsonrpc.Work {
	var p struct {
		SessionID string
		Prompt    []struct{ Text string }
	}
	json.Unmarshal(params, &p)
	t := &turn{a: a, session: p.SessionID, text: p.Prompt[0].Text, stop: make(chan struct{})}
	a.mu.Lock()
	a.prompts = append(a.prompts, t.text)
	a.stops[t.session] = t.stop
	a.mu.Unlock()
	return func(ctx context.Context) (any, error) {
		t.ctx = ctx
		reason := a.d.turn(t)
		switch reason {
		case "":
			return nil, jsonrpc.Errorf(-32603, "Internal error: the model is away")
		case "login":
			return nil, jsonrpc.Errorf(-32000, "who are you?")
		}
		return map[string]string{"stopReason": reason}, nil
	}
}

// called lists the requests of that method, as their parameters.
func (a *agent) called(method string) (params []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.calls {
		if p, ok := strings.CutPrefix(c, method+" "); ok {
			params = append(params, p)
		}
	}
	return params
}

func (a *agent) seen() (prompts, outcomes string, cancels int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.prompts, "|"), strings.Join(a.outcomes, "|"), a.cancels
}

// update sends a session/update of the first session, given as JSON.
func (a *agent) update(update string) { a.updateIn("s1", update) }

func (a *agent) updateIn(session, update string) {
	a.peer.Notify("session/update", json.RawMessage(`{"sessionId":`+quoted(session)+`,"update":`+update+`}`))
}

// sayIn sends a piece of a message: of "agent", "user".
func (a *agent) sayIn(session, role, text string) {
	a.updateIn(session, `{"sessionUpdate":"`+role+`_message_chunk","content":{"type":"text","text":`+quoted(text)+`}}`)
}

// turn is one prompt on the agent's side.
type turn struct {
	a       *agent
	session string
	text    string
	ctx     context.Context
	stop    chan struct{}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func (t *turn) say(text string) {
	t.a.sayIn(t.session, "agent", text)
}

// until lets time pass, less of it when the turn is stopped.
func (t *turn) until(d time.Duration) (stopped bool) {
	select {
	case <-time.After(d):
		return false
	case <-t.ctx.Done():
	case <-t.stop:
	}
	return true
}

// ask asks for permission and returns the option chosen, "cancelled" where none
// was. Both arguments are JSON.
func (t *turn) ask(tool, options string) string {
	var r struct {
		Outcome struct{ Outcome, OptionID string }
	}
	err := t.a.peer.Call(context.Background(), "session/request_permission", json.RawMessage(`{"sessionId":`+quoted(t.session)+`,"toolCall":`+tool+`,"options":`+options+`}`), &r)
	out := r.Outcome.OptionID
	if r.Outcome.Outcome != "selected" {
		out = r.Outcome.Outcome
	}
	if err != nil {
		out = err.Error()
	}
	t.a.mu.Lock()
	t.a.outcomes = append(t.a.outcomes, out)
	t.a.mu.Unlock()
	return out
}

// Options as agents send them.
const usual = `[{"optionId":"ok","name":"Allow once","kind":"allow_once"},{"optionId":"ever","name":"Always allow","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]`

const push = `{"toolCallId":"t1","title":"Commit typed errors","kind":"execute","status":"pending","rawInput":{"command":"git add -A && git push origin HEAD","cwd":"/home/ada/src/parser"}}`
