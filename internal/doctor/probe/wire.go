package probe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/envelope"
	"parley/internal/jsonscan"
)

// message is one JSON-RPC message as it was sent or received.
type message struct {
	envelope.Envelope
	raw   []byte
	at    time.Time
	out   bool
	batch bool // it was part of an array
	line  bool // not a message: a line that is not JSON
}

// show returns the message with its direction.
func (m message) show() string {
	const most = 64 << 10
	raw := m.raw
	if len(raw) > most {
		raw = append(bytes.Clone(raw[:most]), "…"...)
	}
	if m.out {
		return "sent " + string(raw)
	}
	return "got " + string(raw)
}

// update returns the session and the kind of a session/update, "" if it is none.
func (m message) update() (session, kind string, update []byte) {
	if m.out || !m.HasMethod("session/update") {
		return "", "", nil
	}
	update = envelope.Member(m.Params, "update")
	return envelope.Session(m.Params), envelope.Text(envelope.Member(update, "sessionUpdate")), update
}

// wire is one connection to the agent. It keeps everything that was sent and received, and answers the requests
// of the agent as little as a client must. It is no acpclient/jsonrpc: that forgives what has to be seen here
// (lines that are not JSON, ids of other types, answers to notifications), and cannot send what is wrong.
type wire struct {
	probe *probe
	conn  transport.Conn

	sending sync.Mutex // one Send at a time

	mu      sync.Mutex
	log     []message
	arrived chan struct{} // closed and replaced when the log has grown or the connection has ended
	err     error         // why nothing more will be received
	last    int           // the last id used
	waiting int           // requests of the agent that are not answered yet
	fault   string        // for which the probe has ended it; "" for none
	asked   []*question
}

// question is a permission request of the agent.
type question struct {
	asked    int // its place in the log
	answered int // that of the answer; 0 while there is none
}

// dial opens a connection.
func (p *probe) dial() (*wire, error) {
	ctx, stop := context.WithTimeout(p.ctx, p.Patience.Start)
	defer stop()
	conn, err := p.Dial(ctx)
	if err != nil {
		return nil, err
	}
	w := &wire{probe: p, conn: conn, arrived: make(chan struct{})}
	p.wires = append(p.wires, w)
	go w.receive()
	return w, nil
}

func (w *wire) receive() {
	for {
		data, err := w.conn.Recv()
		if fault := w.abandoned(); fault != "" {
			err = errors.New(fault)
		}
		if err != nil {
			w.mu.Lock()
			w.err = err
			close(w.arrived)
			w.arrived = make(chan struct{})
			w.mu.Unlock()
			return
		}
		data = bytes.Clone(data)
		switch jsonscan.KindOf(data) {
		case jsonscan.Array:
			any := false
			for it := jsonscan.ItemsOf(data); it.Next(); {
				if e, ok := envelope.Open(it.Value); ok {
					any = true
					w.received(message{Envelope: e, raw: it.Value, batch: true})
				}
			}
			if !any {
				w.received(message{raw: data, batch: true})
			}
		default:
			e, ok := envelope.Open(data)
			w.received(message{Envelope: e, raw: data, line: !ok})
		}
	}
}

// received records a message and answers a request.
func (w *wire) received(m message) {
	if w.abandoned() != "" { // the rest of a batch
		return
	}
	if w.probe.received.Add(int64(len(m.raw))+overhead) > maxReceived {
		w.abandon("it sent more than 128 MB")
	}
	at := w.add(m)
	if m.Method == nil || m.ID == nil {
		return
	}
	w.mu.Lock()
	w.waiting++
	waiting := w.waiting
	w.mu.Unlock()
	if waiting > maxWaiting {
		w.abandon(fmt.Sprintf("it waits for more than %d answers", maxWaiting))
		return
	}
	go func() {
		w.serve(m, at)
		w.mu.Lock()
		w.waiting--
		w.mu.Unlock()
	}()
}

// Bounds of what an agent may send, all of which is kept.
const (
	maxReceived = 128 << 20 // bytes, on all connections
	overhead    = 512       // bytes that are counted for each message besides its own
	maxWaiting  = 1000      // requests at the same time
)

// end ends the connection, if there is one, so that the agent is never started twice at once.
func (w *wire) end() {
	if w != nil {
		w.conn.Close()
	}
}

// abandon ends the connection at once, for a fault. A program might not see the end of its input.
func (w *wire) abandon(fault string) {
	w.mu.Lock()
	w.fault = cmp.Or(w.fault, fault)
	w.mu.Unlock()
	if program, ok := w.conn.(interface{ Kill() }); ok {
		program.Kill()
	} else {
		go w.conn.Close()
	}
}

// abandoned returns the fault for which the connection was ended, "" if it was not.
func (w *wire) abandoned() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault
}

// add records a message and returns its place.
func (w *wire) add(m message) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	m.at = time.Now()
	w.log = append(w.log, m)
	close(w.arrived)
	w.arrived = make(chan struct{})
	return len(w.log) - 1
}

// send sends a text, which need not be JSON, and returns its place in the log.
func (w *wire) send(raw []byte, answer bool, session string) (at int, err error) {
	w.sending.Lock()
	defer w.sending.Unlock()
	defer time.AfterFunc(w.probe.Patience.Call, func() { w.abandon("it does not read its input") }).Stop()
	e, _ := envelope.Open(raw)
	at = w.add(message{Envelope: e, raw: raw, out: true})
	if session == "" {
		session = envelope.Session(e.Params)
	}
	return at, w.conn.Send(transport.Message{Data: raw, Session: session, Answer: answer})
}

// alive reports whether the connection can still be used.
func (w *wire) alive() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err == nil
}

// since returns the messages from a place on.
func (w *wire) since(at int) []message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log[min(at, len(w.log)):])
}

// lastSent returns the last message that was sent, to show it.
func (w *wire) lastSent() string {
	for _, m := range slices.Backward(w.since(0)) {
		if m.out {
			return m.show()
		}
	}
	return ""
}

// place returns the place of the next message.
func (w *wire) place() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.log)
}

// wait waits for a message at or after a place.
func (w *wire) wait(limit time.Duration, from int, match func(message) bool) (message, int, bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		w.mu.Lock()
		for ; from < len(w.log); from++ {
			if m := w.log[from]; !m.out && match(m) {
				w.mu.Unlock()
				return m, from, true
			}
		}
		arrived, ended := w.arrived, w.err != nil
		w.mu.Unlock()
		if ended {
			return message{}, 0, false
		}
		select {
		case <-arrived:
		case <-timer.C:
			return message{}, 0, false
		case <-w.probe.ctx.Done():
			return message{}, 0, false
		}
	}
}

// reply is what became of a request.
type reply struct {
	message
	sent, at int    // the places of the request and of its answer
	request  []byte // as sent
	answered bool
	code     int    // of an error, 0 for a result
	text     string // of an error
	wire     *wire
}

const noMore = "the end of the connection"

// ok reports whether the request succeeded.
func (r reply) ok() bool { return r.answered && r.code == 0 }

// how says what the answer was.
func (r reply) how() string {
	switch {
	case r.answered && r.code != 0:
		return fmt.Sprintf("error %d, %s", r.code, r.text)
	case r.answered:
		return "a result"
	case !r.wire.alive():
		return noMore
	}
	return "no answer in time"
}

// show returns the message to show for a fault.
func (r reply) show() string {
	if r.answered {
		return r.message.show()
	}
	return message{raw: r.request, out: true}.show()
}

// call sends a request and waits for its answer.
func (w *wire) call(limit time.Duration, method string, params any) reply {
	return w.await(limit, w.begin(method, params))
}

// begin sends a request.
func (w *wire) begin(method string, params any) reply {
	w.mu.Lock()
	w.last++
	id := w.last
	w.mu.Unlock()
	return w.beginAs(fmt.Sprint(id), method, params)
}

// beginAs sends a request with an id that is JSON.
func (w *wire) beginAs(id, method string, params any) reply {
	raw := []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":` + encode(method) + `,"params":` + encode(params) + `}`)
	at, _ := w.send(raw, false, "") // the end of the connection is seen by the reader
	return reply{wire: w, sent: at, request: raw, message: message{Envelope: envelope.Envelope{ID: []byte(id)}}}
}

// await waits for the answer to a request.
func (w *wire) await(limit time.Duration, r reply) reply {
	key := envelope.Key(r.ID)
	// A number beyond 2^53 may come back as another: the check of ids wants to see it.
	m, at, ok := w.wait(limit, r.sent, func(m message) bool { return m.IsAnswer() && m.ID != nil && sameID(m.ID, r.ID, key) })
	if !ok {
		return r
	}
	r.message, r.at, r.answered = m, at, true
	if m.Failed() {
		var e struct {
			Code    int
			Message string
		}
		json.Unmarshal(m.Error, &e)
		r.code, r.text = e.Code, e.Message
		if r.code == 0 {
			r.code = jsonrpc.CodeInternalError
		}
	}
	return r
}

// bigID is beyond what a float64 can hold, and near is what it becomes.
const bigID, near = "9007199254740993", "900719925474099"

func sameID(got, sent []byte, key string) bool {
	return envelope.Key(got) == key || string(sent) == bigID && strings.HasPrefix(string(got), near) || string(sent) == bigID && strings.HasPrefix(string(got), "9.00719925474099")
}

// after waits for what may follow a message at a place: until the agent has answered another request, and a little
// longer.
func (w *wire) after(place int, match func(message) bool) (message, bool) {
	if !w.probe.silent {
		w.call(w.probe.Patience.Call, nowhere, struct{}{})
	}
	m, _, ok := w.wait(w.probe.Patience.Quiet, place, match)
	return m, ok
}

// notify sends a notification and returns its place.
func (w *wire) notify(method string, params any) (at int) {
	at, _ = w.send([]byte(`{"jsonrpc":"2.0","method":`+encode(method)+`,"params":`+encode(params)+`}`), false, "")
	return at
}

// answer answers a request of the agent.
func (w *wire) answer(m message, member string, value any) int {
	at, _ := w.send([]byte(`{"jsonrpc":"2.0","id":`+string(m.ID)+`,"`+member+`":`+encode(value)+`}`), true, envelope.Session(m.Params))
	return at
}

// serve answers a request of the agent: files of the directory are served, questions are rejected.
func (w *wire) serve(m message, at int) {
	refuse := func(code int, text string) {
		w.answer(m, "error", map[string]any{"code": code, "message": text})
	}
	switch method := envelope.Text(m.Method); method {
	case "session/request_permission":
		w.reject(m, at)
	case "fs/read_text_file", "fs/write_text_file":
		write := method == "fs/write_text_file"
		content, err := w.probe.file(envelope.Text(envelope.Member(m.Params, "path")), envelope.Text(envelope.Member(m.Params, "content")), write)
		switch {
		case os.IsNotExist(err):
			refuse(jsonrpc.CodeResourceNotFound, "Resource not found")
		case err != nil:
			refuse(jsonrpc.CodeInternalError, err.Error())
		case write:
			w.answer(m, "result", struct{}{})
		default:
			w.answer(m, "result", map[string]string{"content": content})
		}
	case "elicitation/create":
		refuse(jsonrpc.CodeInvalidParams, "Invalid params: not offered")
	default:
		refuse(jsonrpc.CodeMethodNotFound, "Method not found")
	}
}

// reject answers a question, after a while, with an option that rejects.
func (w *wire) reject(m message, at int) {
	q := &question{asked: at}
	w.mu.Lock()
	w.asked = append(w.asked, q)
	w.mu.Unlock()
	select {
	case <-time.After(w.probe.Patience.Answer):
	case <-w.probe.ctx.Done():
	}
	outcome := map[string]string{"outcome": "cancelled"}
	var p struct {
		Options []struct{ OptionID, Kind string }
	}
	json.Unmarshal(m.Params, &p)
	for _, o := range p.Options {
		if strings.HasPrefix(o.Kind, "reject") {
			outcome = map[string]string{"outcome": "selected", "optionId": o.OptionID}
			break
		}
	}
	answered := w.answer(m, "result", map[string]any{"outcome": outcome})
	w.mu.Lock()
	q.answered = answered
	w.mu.Unlock()
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // the values are the probe's own
	}
	return string(data)
}
