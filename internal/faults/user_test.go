package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/internal/host"
	"parley/permissions"
)

// user has one conversation. It reconnects whenever the connection is lost, as the screen
// does, and never sends a prompt twice.
type user struct {
	t      *testing.T
	name   string
	ledger *ledger
	proxy  *proxy // nil if nothing is cut
	remote transport.Remote
	chance *rand.Rand
	dir    string

	session string      // "" until there is one
	conn    *connection // nil without a connection

	turns                   int // turns begun
	complete, lost, unknown int // of these, by outcome
	tries, loads, resumes   int
}

// connection is one connection and what was received on it.
type connection struct {
	client  *acpclient.Client
	session *acpclient.Session
	pid     int // of its agent
	queue   *event.Queue
	host    *host.Host
	log     *event.Log

	seen  strings.Builder // the session so far, in the form of ledger.expected
	ended *event.TurnEnded
	err   error           // the error of Disconnected
	open  map[uint64]bool // open questions
	asked func(*connection, permissions.Question)
}

// shared is the content of the file that the agent may read.
const shared = "what the user has shared"

func newUser(t *testing.T, name string, l *ledger, r transport.Remote, p *proxy, seed uint64) *user {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "shared.txt"), []byte(shared), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &user{t: t, name: name, ledger: l, remote: r, proxy: p, chance: rand.New(rand.NewPCG(seed, 99)), dir: dir}
}

func (u *user) errorf(format string, args ...any) {
	u.t.Helper()
	u.t.Errorf(u.name+": "+format, args...)
}

// runTurns runs a number of turns.
func (u *user) runTurns(turns int) {
	for range turns {
		if u.t.Failed() || u.conn == nil && !u.connect() {
			break
		}
		u.turns++
		u.turn(fmt.Sprintf("%s-%d:", u.name, u.turns))
	}
	if u.conn != nil {
		u.hangUp()
	}
}

// connect retries until there is a connection with the session open.
func (u *user) connect() bool {
	for try := range 200 {
		u.tries++
		if u.dial() && u.reopen() {
			return true
		}
		if u.t.Failed() {
			return false
		}
		time.Sleep(min(time.Millisecond<<min(try, 10), 50*time.Millisecond)) // like the screen's pauses, but shorter
	}
	u.errorf("no connection after 200 tries")
	return false
}

func (u *user) dial() bool {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	k := &connection{queue: event.NewStepQueue(), log: event.NewLog(), open: map[uint64]bool{}, asked: u.decide}
	k.host = host.New(host.Options{Sink: k.queue, Agent: "actor", Remote: &host.Remote{Files: true, Roots: []string{u.dir}}})
	var err error
	k.client, err = acpclient.Dial(ctx, u.remote, acpclient.Options{Name: "parley", Version: "1", Sink: k.queue, Services: k.host.Services(), Log: k.log})
	if err != nil {
		k.host.Close()
		status := new(transport.StatusError)
		halved := errors.As(err, &status) && status.Status == 400 // the server reports that half a request arrived
		if lost := new(event.LostError); !errors.As(err, &lost) || !lost.Retryable() && !halved {
			u.errorf("dial: %v", err)
		}
		return false
	}
	if k.pid, err = strconv.Atoi(k.client.Agent().Version); err != nil {
		u.errorf("the agent's introduction: %v", err)
	}
	u.conn = k
	return true
}

// reopen opens the session and checks that it matches the agent's.
func (u *user) reopen() bool {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	k, n := u.conn, acpclient.NewSession{Cwd: u.dir}
	var err error
	switch {
	case u.session == "":
		k.session, err = k.client.NewSession(ctx, n)
	case u.chance.IntN(3) == 0:
		u.resumes++
		k.session, err = k.client.ResumeSession(ctx, u.session, n)
	default:
		u.loads++
		k.session, err = k.client.LoadSession(ctx, u.session, n)
	}
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			u.errorf("the session does not open")
		}
		u.hangUp()
		return false
	}
	u.session = k.session.ID()
	// Over HTTP the history has its own stream, which may be slower than the response.
	if !u.until("the history", func() bool { return k.seen.Len() >= len(u.expected()) }) {
		u.hangUp()
		return false
	}
	u.compare("history")
	return true
}

func (u *user) expected() string { return u.ledger.expected(u.session, u.conn.pid) }

// compare checks that the user has seen exactly what the agent has recorded.
func (u *user) compare(what string) {
	u.t.Helper()
	if want, got := u.expected(), u.conn.seen.String(); got != want {
		u.errorf("%s: the text received differs from the text sent\n%s", what, difference(got, want))
	}
}

// difference shows where two texts differ.
func difference(got, want string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	part := func(s string) string { return s[max(0, i-60):min(len(s), i+160)] }
	return fmt.Sprintf("after %d of %d bytes, %d came:\ngot  %q\nwant %q", i, len(want), len(got), part(got), part(want))
}

// turn sends a prompt and judges how its turn ends.
func (u *user) turn(text string) {
	k := u.conn
	text += strings.Repeat(" please", u.chance.IntN(4))
	if u.chance.IntN(20) == 0 {
		text += strings.Repeat(" and look at this", 2000)
	}
	k.ended = nil
	if err := k.session.Prompt(event.Block{Text: text}); err != nil {
		if times, _ := u.ledger.received(text); times > 0 || !errors.Is(err, event.ErrClosed) {
			u.errorf("refused, and received %d times: %v", times, err)
		}
		u.lost++
		u.hangUp()
		return
	}
	if u.proxy != nil && u.chance.IntN(12) == 0 {
		how := ending(u.chance.IntN(2))
		timer := time.AfterFunc(time.Duration(u.chance.IntN(20))*time.Millisecond, func() { u.proxy.unplug(how) })
		defer timer.Stop()
	}
	u.until("the end of "+text[:min(len(text), 60)], func() bool { return k.ended != nil })
	if k.ended == nil {
		if !u.t.Failed() {
			u.errorf("the connection has ended, its turn has not")
		}
		u.hangUp()
		return
	}
	u.judge(text, k.ended)
}

// judge compares the end of a turn with what happened.
func (u *user) judge(text string, end *event.TurnEnded) {
	times, finished := u.ledger.received(text)
	lost := new(event.LostError)
	switch {
	case end.Err == nil:
		if end.StopReason != "end_turn" || times != 1 || !finished {
			u.errorf("ended with %q, received %d times, finished: %v", end.StopReason, times, finished)
		}
		u.compare("turn")
		u.complete++
		return
	case errors.As(end.Err, &lost):
		if !u.until("the end of the connection", func() bool { return u.conn.err != nil }) && u.conn.err == nil {
			u.errorf("lost, but the connection lives: %v", end.Err)
		}
		u.lost++
	case strings.Contains(end.Err.Error(), "may have been processed"):
		u.unknown++
	case times > 0:
		u.errorf("was received, but ended with: %v", end.Err)
	default:
		u.unknown++
	}
	u.hangUp()
}

// hangUp ends the connection. What was received must be a prefix of what was sent, and no question
// may stay open.
func (u *user) hangUp() {
	k := u.conn
	u.conn = nil
	began := time.Now()
	k.client.Close()
	if d := time.Since(began); d > 5*time.Second {
		u.errorf("closing took %v", d)
	}
	settle := time.After(patience)
	for k.apply(); len(k.open) > 0 || k.err == nil; k.apply() {
		select {
		case <-k.queue.Ready():
		case <-settle:
			u.errorf("%d questions of a dead connection are open; its end: %v", len(k.open), k.err)
			return
		}
	}
	k.host.Close()
	if u.session == "" || k.session == nil {
		return
	}
	u.conn = k
	if want, got := u.expected(), k.seen.String(); !strings.HasPrefix(want, got) {
		u.errorf("before the end: the text received differs from the text sent\n%s", difference(got, want))
	}
	u.conn = nil
}

// until applies events until the condition holds. It returns false if the connection ends first.
func (u *user) until(what string, holds func() bool) bool {
	deadline := time.After(patience)
	for k := u.conn; ; {
		k.apply()
		switch {
		case holds():
			return true
		case k.err != nil:
			return false
		}
		select {
		case <-k.queue.Ready():
		case <-deadline:
			lines, _ := k.log.Lines()
			u.errorf("%s does not come\n%s\n%d questions are open; the log: %v", what, difference(k.seen.String(), u.expected()), len(k.open), lines)
			return false
		}
	}
}

// decide answers a question, or first starts an outage, which the connection usually does not
// survive. If it does, the answer is late.
func (u *user) decide(k *connection, q permissions.Question) {
	o := q.Options[u.chance.IntN(len(q.Options))]
	answer := func() { k.host.Broker().Answer(q.Key, o.ID) } // returns an error if the connection has ended
	if u.proxy != nil && u.chance.IntN(4) == 0 {
		u.proxy.outage(ending(u.chance.IntN(2)))
		time.AfterFunc(2*longOutage, answer)
		return
	}
	answer()
}

// apply handles the queued events.
func (k *connection) apply() {
	for _, e := range k.queue.Drain() {
		switch e := e.(type) {
		case event.TextArrived:
			if e.Role == event.User {
				k.seen.WriteString("\nUSER ")
			}
			k.seen.WriteString(e.Text)
		case event.ToolChanged:
			if e.Status != nil {
				k.seen.WriteString(toolText(e.ID, *e.Status))
			}
		case event.TurnEnded:
			k.ended = &e
		case event.Disconnected:
			k.err = e.Err
		case permissions.Asked:
			k.open[e.Question.Key] = true
			k.asked(k, e.Question)
		case permissions.Settled:
			delete(k.open, e.Key)
		}
	}
}
