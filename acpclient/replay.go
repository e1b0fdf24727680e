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

// ErrLogEnds is the error of a turn that was running at the end of a log.
var ErrLogEnds = errors.New("the log ends here")

// ErrConnectionEnds is the error of a turn that was running when, according to the log,
// another connection began.
var ErrConnectionEnds = errors.New("the connection ends here")

// ErrNotLogged is the error of a turn whose end is missing from the log.
var ErrNotLogged = errors.New("the end of the turn is missing from the log")

// Replay replays one session from the recorded messages of one or more successive connections (Options.Numbers): it posts the events that they caused, with their times and message ordinals. Nothing is sent, served or asked, and no goroutine runs. It must be used by one goroutine, on which Sink.Post is called.
//
// What parley did itself is not in the messages: who decided a question, what was
// written to files, output of its terminals that the agent did not ask for. Forms and
// pages that the agent asked for are not replayed. The Blocks of an event.PromptFailed
// are nil.
type Replay struct {
	id     string
	client *Client
	now    time.Time
	last   *Session // the session opened last, even if it was closed; nil if none

	asked    map[string]*request           // parley's open requests, by the key of the id
	nameless *nameless                     // an error that may be the answer to one of them
	loading  func(in event.For, err error) // ends the history that is being replayed; nil if there is none

	questions []*question // the agent's open questions, in order
	lastKey   uint64
	asking    *question // the one being asked

	calls     map[string]*terminalCall // the agent's open requests, by the key of the id
	terminals map[string]*terminalShown
	started   []*terminalShown // the terminals in the order of their start
}

// request is a request of parley that has no answer yet. The functions may be nil.
type request struct {
	of       *Session // for a prompt
	answered func(result json.RawMessage, err error)
	givenUp  func()
}

// nameless is an error without an id that arrived while only one request was open.
type nameless struct {
	at  time.Time
	key string
	req *request
	err error
}

// NewReplay returns a Replay of the session with this id. protocol is the version of the
// connection if known; the handshake in the messages takes precedence.
func NewReplay(session string, protocol int, sink event.Sink) *Replay {
	r := &Replay{id: session, asked: map[string]*request{}, calls: map[string]*terminalCall{}, terminals: map[string]*terminalShown{}}
	r.client = &Client{sink: sink, opts: Options{Sink: sink, Log: event.NewLog(), Services: Services{Permissions: (*answeredQuestions)(r)}}, in: &counted{},
		clock: func() time.Time { return r.now }, sessions: newRegistry()}
	r.speak(protocol)
	return r
}

func (r *Replay) speak(protocol int) {
	r.client.surface = surfaceOf(protocol)
}

// Message handles the next message or batch: out means that parley sent it, n is its
// ordinal (Tap), 0 if unknown. It skips malformed messages and those of other sessions.
// It does not keep data.
func (r *Replay) Message(at time.Time, out bool, n uint64, data []byte) {
	r.setClock(at)
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

// Gap says that messages are missing from the log here: missing of them or, with full,
// all that follow.
func (r *Replay) Gap(at time.Time, missing int, full bool) {
	r.setClock(at)
	if r.client.sessions.session(r.id) != nil {
		r.client.opts.Sink.Post(event.LogGap{For: event.For{Session: r.id}, Missing: missing, Full: full})
	}
}

// End ends everything that is open at the end of the log, as the end of a connection
// would: the turn, the questions, commands and held prompts. The events have the time of
// the last message. The Replay must not be used afterwards.
func (r *Replay) End() {
	r.cut(ErrLogEnds)
}

// cut ends everything that is open, as the end of a connection does.
func (r *Replay) cut(err error) {
	r.client.in.current = 0
	s := r.known()
	if s == nil { // closed
		s = r.last
	}
	if s == nil { // its caller had given up
		return
	}
	r.attach()
	for _, q := range slices.Clone(r.questions) {
		r.answer(q, Decision{Cancelled: true})
	}
	for _, t := range r.started {
		r.exited(t, wire.ExitStatus{})
	}
	if r.loading != nil {
		r.loading(s.localContext(), err)
	}
	s.texts.end(func(int, *textStream) bool { return true })
	s.disconnected(err)
}

// setClock sets the time of the following events.
func (r *Replay) setClock(at time.Time) {
	if !at.IsZero() {
		r.now = at
	}
	if r.nameless != nil && r.now.Sub(r.nameless.at) >= jsonrpc.DefaultGrace {
		r.attach()
	}
}

// known returns the session. If its beginning is missing from the log it counts as open.
// It is nil before the first message of the session and after it was closed.
func (r *Replay) known() *Session {
	s := r.client.sessions.session(r.id)
	if s == nil && !r.client.sessions.gone[r.id] {
		s = r.adopt([]byte("{}"))
	}
	return s
}

// adopt opens the session for an answer that names it, nil if it is already open.
func (r *Replay) adopt(result []byte) *Session {
	s, err := r.client.adopt(r.id, result, NewSession{offer: noOffer{}})
	if err != nil {
		return nil
	}
	r.last = s
	return s
}
