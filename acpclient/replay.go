package acpclient

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
)

// ErrLogEnds is what a turn ends with that was running where a log ends.
var ErrLogEnds = errors.New("the log ends here")

// ErrConnectionEnds is what a turn ends with that was running where the log says
// that another connection began.
var ErrConnectionEnds = errors.New("the connection ends here")

// ErrNotLogged is what a turn ends with whose end is missing from the log.
var ErrNotLogged = errors.New("the end of the turn is missing from the log")

// Replay tells one session again from the recorded messages of a connection, or
// of several, one after the other (Options.Numbers): it posts the events that they
// have caused, with their times and the ordinals of their messages. Nothing is sent, served or asked, and no goroutine
// runs. One goroutine may use it; Sink.Post is called on that.
//
// What parley did by itself is not on the wire: who decided a question, what was
// written to files, output of its terminals that the agent did not ask for.
// Forms and pages that the agent asked for are not told again. The Blocks of a
// event.PromptFailed are nil: nobody is to get them back.
type Replay struct {
	id     string
	client *Client
	now    time.Time
	last   *Session // the one that was opened last, closed or not; nil

	asked    map[string]*request           // parley's, by the key of the id
	nameless *nameless                     // an error that may be the answer to one of them
	loading  func(in event.For, err error) // ends the history that is being replayed; nil

	questions []*question // the agent's that are open, in their order
	lastKey   uint64
	asking    *question // the one that is just being put

	calls     map[string]*terminalCall // the agent's that are open, by the key of the id
	terminals map[string]*terminalShown
	started   []*terminalShown // the same in their order
}

// request is one of parley's that waits for its answer. The functions may be
// nil.
type request struct {
	of       *Session // of a prompt
	answered func(result json.RawMessage, err error)
	givenUp  func()
}

// nameless is an error without an id, which came while one request alone waited.
type nameless struct {
	at  time.Time
	key string
	req *request
	err error
}

// NewReplay makes a Replay of a session by its id. protocol is the version of the
// connection, as far as it is known: what its handshake says counts.
func NewReplay(session string, protocol int, sink event.Sink) *Replay {
	r := &Replay{id: session, asked: map[string]*request{}, calls: map[string]*terminalCall{}, terminals: map[string]*terminalShown{}}
	r.client = &Client{sink: sink, opts: Options{Sink: sink, Log: event.NewLog(), Services: Services{Permissions: (*answeredQuestions)(r)}}, in: &counted{},
		clock: func() time.Time { return r.now }, sessions: map[string]*Session{}, opening: map[string]bool{}, early: newEarlyUpdates(), gone: map[string]bool{}}
	r.speak(protocol)
	return r
}

func (r *Replay) speak(protocol int) {
	r.client.surface = surfaceOf(protocol)
}

// Message takes the next message, or batch, as it travelled: out says that parley
// sent it, n is its ordinal (Tap), 0 where that is not known. What is broken or
// concerns other sessions is passed over. It does not keep data.
func (r *Replay) Message(at time.Time, out bool, n uint64, data []byte) {
	r.goesBy(at)
	r.client.in.current = n
	jsonrpc.Each(data, func(m jsonrpc.Message) {
		switch {
		case out && m.Method == "":
			r.replied(m)
		case out:
			r.sent(m)
		case m.Method == "":
			r.answered(m)
		case m.ID == nil:
			r.notified(m)
		default:
			r.requested(m)
		}
	})
}

// Gap says that messages are missing from the log here: missing of them, or with
// full all that follow.
func (r *Replay) Gap(at time.Time, missing int, full bool) {
	r.goesBy(at)
	if r.client.session(r.id) != nil {
		r.client.opts.Sink.Post(event.LogGap{For: event.For{Session: r.id}, Missing: missing, Full: full})
	}
}

// End ends what is open where the log ends, as the end of a connection would:
// the turn, the questions, commands and held prompts. Events of it have the time
// of the last message. The Replay must not be used any more.
func (r *Replay) End() {
	r.cut(ErrLogEnds)
}

// cut ends what is open, as the end of a connection does.
func (r *Replay) cut(err error) {
	r.client.in.current = 0
	s := r.known()
	if s == nil { // closed
		s = r.last
	}
	if s == nil { // nobody waited for it any more
		return
	}
	r.attach()
	for _, q := range slices.Clone(r.questions) {
		r.settle(q, Decision{Cancelled: true})
	}
	for _, t := range r.started {
		r.exited(t, wire.ExitStatus{})
	}
	if r.loading != nil {
		r.loading(s.own(), err)
	}
	s.endTexts(func(int, *textStream) bool { return true })
	s.end(err)
}

// goesBy sets the clock.
func (r *Replay) goesBy(at time.Time) {
	if !at.IsZero() {
		r.now = at
	}
	if r.nameless != nil && r.now.Sub(r.nameless.at) >= jsonrpc.DefaultGrace {
		r.attach()
	}
}

// known is the session; one whose beginning is missing from the log counts as
// open. It is nil where there was nothing of it, or it was closed.
func (r *Replay) known() *Session {
	s := r.client.session(r.id)
	if s == nil && !r.client.gone[r.id] {
		s = r.adopt([]byte("{}"))
	}
	return s
}

// adopt opens the session as an answer does that names it; nil where it is open
// already.
func (r *Replay) adopt(result []byte) *Session {
	s, err := r.client.adopt(r.id, result, NewSession{})
	if err != nil {
		return nil
	}
	r.last = s
	return s
}
