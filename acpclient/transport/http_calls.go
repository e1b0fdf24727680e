package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/jsonscan"
)

// codeInternal is the code of the errors that the transport answers requests with.
const codeInternal = -32603

// openCalls are the requests sent and not yet answered. A request may be failed only while
// it is open, and the stream of a session is needed while one of its requests is open.
type openCalls struct {
	n    atomic.Int64 // number of calls; while it is 0, incoming messages are not inspected
	mu   sync.Mutex
	open map[string]openCall
}

type openCall struct {
	id      json.RawMessage
	session string
	since   time.Time
}

// callKey makes ids comparable: numbers by value, everything else by bytes.
func callKey(id []byte) string {
	if n, ok := jsonscan.Int(id); ok {
		return strconv.FormatInt(n, 10)
	}
	return string(id)
}

func (c *openCalls) add(id []byte, session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[string]openCall{}
	}
	c.open[callKey(id)] = openCall{bytes.Clone(id), session, time.Now()}
	c.n.Store(int64(len(c.open)))
}

// take removes a call and reports whether it was open.
func (c *openCalls) take(id []byte) (openCall, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := callKey(id)
	call, ok := c.open[key]
	delete(c.open, key)
	c.n.Store(int64(len(c.open)))
	return call, ok
}

// takeSession removes and returns the calls of a session that were opened before then.
func (c *openCalls) takeSession(session string, then time.Time) []openCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []openCall
	for key, call := range c.open {
		if call.session == session && !call.since.After(then) {
			out = append(out, call)
			delete(c.open, key)
		}
	}
	c.n.Store(int64(len(c.open)))
	return out
}

// has reports whether a request of the session is open.
func (c *openCalls) has(session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range c.open {
		if call.session == session {
			return true
		}
	}
	return false
}

// callOf finds the id and the method of a message, in any order. A null id counts as none.
func callOf(data []byte) (id []byte, method string) {
	m := jsonscan.MembersOf(data)
	for (id == nil || method == "") && m.Next() {
		switch string(m.Key) {
		case "id":
			if jsonscan.KindOf(m.Value) != jsonscan.Null {
				id = m.Value
			}
		case "method":
			method, _ = jsonscan.Text(m.Value)
		}
	}
	return id, method
}

// commonPrefix is the start of most requests and notifications.
var commonPrefix = []byte(`{"jsonrpc":"2.0","method":`)

// answered returns the ids that a message answers; several if it is a batch. Reading stops
// at a method, which most messages have near the start.
func answered(data []byte) (ids [][]byte) {
	if jsonscan.KindOf(data) == jsonscan.Array {
		for it := jsonscan.ItemsOf(data); it.Next(); {
			if jsonscan.KindOf(it.Value) == jsonscan.Object {
				ids = append(ids, answered(it.Value)...)
			}
		}
		return ids
	}
	if bytes.HasPrefix(data, commonPrefix) {
		return nil
	}
	var id []byte
	m := jsonscan.MembersOf(data)
	for m.Next() {
		switch string(m.Key) {
		case "method":
			return nil
		case "id":
			id = m.Value
		}
	}
	if id == nil || m.Err() != nil {
		return nil
	}
	return [][]byte{id}
}

// plausible reports, from its first and last byte, whether text may be a message. The
// reader of the message checks the rest.
func plausible(data []byte) bool {
	data = bytes.TrimSpace(data)
	if len(data) < 2 {
		return false
	}
	first, last := data[0], data[len(data)-1]
	return first == '{' && last == '}' || first == '[' && last == ']'
}

// oneLine joins JSON that spans several lines into one, in place: JSON strings contain no
// line break.
func oneLine(data []byte) []byte {
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 || !json.Valid(data) {
		return data
	}
	for i, c := range data {
		if c == '\n' || c == '\r' {
			data[i] = ' '
		}
	}
	return bytes.TrimSpace(data)
}

// isMessage reports whether data is a message or a batch, rather than other JSON that a
// server may send in the response to a POST.
func isMessage(data []byte) bool {
	if !json.Valid(data) {
		return false
	}
	if jsonscan.KindOf(data) == jsonscan.Array {
		it := jsonscan.ItemsOf(data)
		if !it.Next() {
			return false
		}
		data = it.Value
	}
	for m := jsonscan.MembersOf(data); m.Next(); {
		if string(m.Key) == "jsonrpc" {
			return true
		}
	}
	return false
}

// receive passes one message to Recv. The calls that it answers are closed before that, and
// the streams opened only for those calls after it. The answer to a session's request that
// arrives on another stream waits until the session's stream has nothing more to bring: the
// updates before the answer arrive there (PROTOCOL 5.4, 5). It reports false if the
// connection no longer receives.
func (h *HTTP) receive(data []byte, from *stream) bool {
	var answeredSessions []string
	var ahead *stream
	if h.calls.n.Load() > 0 {
		for _, id := range answered(data) {
			call, ok := h.calls.take(id)
			if !ok {
				continue
			}
			answeredSessions = append(answeredSessions, call.session)
			if s := h.streamOf(call.session); s != nil && s != from {
				ahead = s
			}
		}
	}
	over := func(data []byte) bool {
		if !h.inbox.push(data, nil) {
			return false
		}
		for _, session := range answeredSessions {
			h.closeUnneeded(session)
		}
		return true
	}
	if ahead == nil {
		return over(data)
	}
	data = bytes.Clone(data)
	return h.spawn(func() {
		ahead.drained()
		over(data)
	})
}

// streamOf returns the stream of a session, nil if there is none.
func (h *HTTP) streamOf(session string) *stream {
	l := h.current()
	if l == nil || session == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sessions[session]
}

// closeUnneeded closes the stream of a session if it was opened only for its requests.
func (h *HTTP) closeUnneeded(session string) {
	if l := h.current(); l != nil && session != "" {
		l.closeUnneeded(session)
	}
}

// giveUp answers a call, if it is still open, with an error.
func (h *HTTP) giveUp(id []byte, err error) {
	if call, ok := h.calls.take(id); ok {
		h.inbox.push(errorAnswer(call.id, err), nil)
		h.closeUnneeded(call.session)
	}
}

// giveUpSession does so for the calls of a session that were opened before then.
func (h *HTTP) giveUpSession(session string, then time.Time, err error) {
	for _, call := range h.calls.takeSession(session, then) {
		h.inbox.push(errorAnswer(call.id, err), nil)
	}
}

// errTooLarge means that a message is longer than servers accept.
type errTooLarge struct{ size int }

func (e errTooLarge) Error() string {
	return fmt.Sprintf("the message is too large for the server (%.1f MiB): attachments are what makes messages large", float64(e.size)/(1<<20))
}

// errorAnswer is the answer to a request that could not be delivered (PROTOCOL 5.3).
func errorAnswer(id []byte, err error) []byte {
	type data struct {
		Transport bool   `json:"transport"` // the error was made by the transport, not the agent
		Status    int    `json:"status,omitempty"`
		Body      string `json:"body,omitempty"`
		Details   string `json:"details,omitempty"` // the readable part of the body
	}
	failure := struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    data   `json:"data"`
	}{codeInternal, err.Error(), data{Transport: true}}
	var status *StatusError
	if errors.As(err, &status) {
		failure.Data = data{true, status.Status, status.Body, detail(status.Body)}
	}
	body, err := json.Marshal(failure)
	if err != nil { // impossible: only strings are encoded
		body = []byte(`{"code":-32603,"message":"Internal error"}`)
	}
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	out = append(out, `,"error":`...)
	return append(append(out, body...), '}')
}

// detail returns the message of a JSON-RPC error, else the body as one short line.
func detail(body string) string {
	var answer struct {
		Error struct{ Message string }
	}
	if json.Unmarshal([]byte(body), &answer) == nil {
		return answer.Error.Message
	}
	if body = strings.TrimSpace(body); len(body) > 200 || strings.ContainsAny(body, "\r\n<") {
		return ""
	}
	return body
}

// explainPost adds what a failed POST means for the request.
func explainPost(err error, size int) error {
	var status *StatusError
	switch {
	case errors.As(err, &status) && status.Status == http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%w: %w", errTooLarge{size}, err)
	case errors.As(err, &status) && status.Status == http.StatusNotImplemented:
		return fmt.Errorf("the server does not support this: %w", err)
	case mayHaveRun(err):
		return fmt.Errorf("%w; the request may have been processed", err)
	}
	return err
}
