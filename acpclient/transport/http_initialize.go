package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"parley/internal/jsonscan"
)

// initialize posts the message that makes the connection and passes the answer to Recv. If
// a connection exists already, a new one replaces it: servers do not accept a second
// initialize on the same one.
func (h *HTTP) initialize(m Message, id []byte) {
	h.dropConnection()
	a, err := h.first(m)
	if err != nil {
		if err = h.r.explainTLS(h.ctx, h.lines.dial, err); h.ctx.Err() == nil {
			h.fail(fmt.Errorf("connect to %s: %w", h.r.DisplayURL(), err))
		}
		return
	}
	defer a.done()
	connection := a.Header.Get(connectionHeader)
	if a.StatusCode/100 != 2 {
		h.uninitialized(m, id, a, connection)
		return
	}
	body, err := h.initializeBody(a.Response)
	if err == nil {
		body, err = onlyAnswer(body, id)
	}
	failed := err == nil && isError(body)
	switch {
	case h.ctx.Err() != nil: // the connection was closed meanwhile
	case err != nil:
		h.fail(fmt.Errorf("connect to %s: %w", h.r.DisplayURL(), err))
	case connection == "" && !failed:
		h.fail(fmt.Errorf("connect to %s: the server names no connection (%s): it does not speak ACP over HTTP", h.r.DisplayURL(), connectionHeader))
	case failed:
		h.inbox.push(body, nil)
	default:
		l := h.connect(connection)
		h.inbox.push(body, nil)
		l.start()
		l.main.waitForHeaders()
		return
	}
	if connection != "" {
		h.sendDelete(connection)
	}
}

// initializeBody returns the body of the answer to initialize: a message, or a stream that
// begins with one.
func (h *HTTP) initializeBody(resp *http.Response) ([]byte, error) {
	if mediaType(resp.Header) != "text/event-stream" {
		return h.readAll(resp)
	}
	events := newEventReader(resp.Body, h.r.MaxMessage)
	for {
		e, err := events.next()
		if err != nil {
			return nil, h.clean(err)
		}
		if plausible(e.data) {
			return e.data, nil
		}
	}
}

// uninitialized handles a response that is not a success: the server may have a WebSocket
// instead.
func (h *HTTP) uninitialized(m Message, id []byte, a answer, connection string) {
	refused := h.refused("connect to "+h.r.DisplayURL(), a.Response)
	why := error(refused)
	if connection != "" {
		h.sendDelete(connection)
	}
	switch refused.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUpgradeRequired, http.StatusNotImplemented:
		if h.switchToWebSocket(m) {
			return
		}
	default:
		if body, err := onlyAnswer([]byte(refused.Body), id); err == nil && isError(body) {
			h.inbox.push(body, nil) // with the agent's own error
		} else {
			why = h.r.explainTLS(h.ctx, h.lines.dial, refused)
		}
	}
	if h.ctx.Err() == nil {
		h.fail(why)
	}
}

// switchToWebSocket connects by WebSocket and passes everything on to it, beginning with m. It
// reports false if the server has none.
func (h *HTTP) switchToWebSocket(m Message) bool {
	ctx, stop := context.WithTimeout(h.ctx, dialPatience)
	defer stop()
	conn, err := h.socket(ctx, h.r)
	if err != nil {
		return false
	}
	if err := conn.Send(m); err != nil {
		conn.Close()
		return false
	}
	h.mu.Lock()
	if h.closing {
		h.mu.Unlock()
		conn.Close()
		return false
	}
	h.replacement = conn
	h.mu.Unlock()
	h.r.Log("the server has only a WebSocket at this path: using that")
	// Both queues are diverted before anything else writes to the WebSocket, and before it
	// is read.
	h.ordered.divert(func(m Message) { conn.Send(m) }, errReplaced)
	h.answers.close(errReplaced)
	h.inbox.finish(errReplaced)
	return true
}

// first posts initialize with the HTTP version that the server speaks. If a gateway
// refuses, it tries once more: an additional connection is harmless.
func (h *HTTP) first(m Message) (answer, error) {
	post := func() (answer, error) { return h.roundTrip(h.ctx, h.chosen(), m.Data, "", "") }
	if h.chosen() == nil {
		post = func() (answer, error) { return h.choose(m) }
	}
	a, err := post()
	if err != nil || !slices.Contains([]int{429, 502, 503, 504}, a.StatusCode) {
		return a, err
	}
	a.done()
	if !pause(h.ctx, h.timing.maxRefuse/2, nil) {
		return answer{}, ErrClosed
	}
	return h.roundTrip(h.ctx, h.chosen(), m.Data, "", "")
}

// choose finds that version and posts initialize with it.
func (h *HTTP) choose(m Message) (a answer, err error) {
	for i, variant := range h.variants() {
		h.mu.Lock()
		h.client = variant.client
		h.mu.Unlock()
		a, err = h.roundTrip(h.ctx, variant.client, m.Data, "", "")
		if err == nil && i > 0 {
			plainHTTP1.Store(h.r.url.Host, true)
		}
		if err == nil || h.ctx.Err() != nil || !variant.unsupported(err) {
			return a, err
		}
	}
	return a, err
}

// onlyAnswer returns the answer to the request with that id, whether alone or the only item of a
// batch.
func onlyAnswer(body, id []byte) ([]byte, error) {
	if jsonscan.KindOf(body) == jsonscan.Array {
		it := jsonscan.ItemsOf(body)
		if !it.Next() {
			return nil, errors.New("the server's answer is empty")
		}
		body = it.Value
	}
	if ids := answered(body); len(ids) != 1 || callKey(ids[0]) != callKey(id) {
		return nil, errors.New("the server answered something else")
	}
	return oneLine(body), nil
}

// isError reports whether an answer is a JSON-RPC error.
func isError(body []byte) bool {
	for m := jsonscan.MembersOf(body); m.Next(); {
		if string(m.Key) == "error" && jsonscan.KindOf(m.Value) == jsonscan.Object {
			return true
		}
	}
	return false
}

// sendDelete sends the DELETE of a connection. The result does not matter.
func (h *HTTP) sendDelete(connection string) {
	ctx, stop := context.WithTimeout(context.Background(), h.timing.farewell)
	defer stop()
	client := h.chosen()
	resp, err := h.do(client, h.request(ctx, http.MethodDelete, nil, connection, ""))
	if err == nil {
		resp.Body.Close()
	}
}
