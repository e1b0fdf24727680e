package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"parley/internal/jsonscan"
)

var (
	errUninitialized = errors.New("initialize must be sent first")
	errSessionID     = errors.New("the session id cannot be sent over HTTP: it is longer than 1024 bytes or not printable ASCII")
)

// maxIdleBody bounds how much of an unneeded body is read so that its connection can be
// reused.
const maxIdleBody = 64 << 10

// sendOrdered posts requests and notifications one at a time.
func (h *HTTP) sendOrdered() {
	for {
		m, ok := h.ordered.take()
		if !ok {
			return
		}
		id, method := callOf(m.Data)
		if id != nil && method == "initialize" {
			h.initialize(m, id)
			continue
		}
		h.send(m, id)
	}
}

// send posts a request, or a notification where id is nil.
func (h *HTTP) send(m Message, id []byte) {
	l := h.current()
	if id != nil {
		h.calls.add(id, m.Session)
	}
	var err error
	switch {
	case l == nil:
		err = errUninitialized
	case m.Session != "" && !headerSafe(m.Session):
		err = errSessionID
	case id != nil && len(m.Data) > h.largest:
		err = errTooLarge{len(m.Data)}
	}
	if err != nil {
		if id == nil {
			h.r.Log("a notification was not sent: " + err.Error())
		}
		h.giveUp(id, err)
		return
	}
	var s *stream
	if m.Session != "" {
		s = l.open(m.Session, false)
		s.waitForHeaders()
	}
	err = h.postTo(l, m, id)
	if id == nil && err != nil && (!isStatus(err) || mayBePartial(err)) {
		err = h.postTo(l, m, nil)
	}
	switch {
	case err == nil || l.ctx.Err() != nil:
	case connectionError(err) != nil:
		h.fail(connectionError(err))
	case id == nil:
		h.fail(fmt.Errorf("a notification could not be sent: %w", err))
	default:
		h.giveUp(id, explainPost(err, len(m.Data)))
	}
	if s != nil {
		s.posted()
		l.closeUnneeded(m.Session)
	}
}

// sendAnswers posts the answers to the server's requests one at a time.
func (h *HTTP) sendAnswers() {
	for {
		m, ok := h.answers.take()
		if !ok {
			return
		}
		l := h.current()
		if l == nil || m.Session != "" && !headerSafe(m.Session) {
			h.r.Log("dropped an answer: there is no connection yet")
			continue
		}
		if len(m.Data) > h.largest {
			m.Data = tooLargeAnswer(m.Data)
		}
		h.sendAnswer(l, m)
	}
}

// answerTries is how often an answer is posted if it keeps failing this way: 2 if it may
// not have arrived, more if it may have arrived in part, and most if the server says that
// it did not arrive.
func answerTries(err error) int {
	var status *StatusError
	switch {
	case errors.As(err, &status) && status.Status == http.StatusRequestTimeout:
		return 6
	case mayBePartial(err):
		return 3
	case mayHaveRun(err):
		return 2
	}
	return 1
}

// sendAnswer posts one answer. It retries if the answer may be lost or cut short: a
// duplicate answer is harmless, but without one the agent would wait forever.
func (h *HTTP) sendAnswer(l *httpConnection, m Message) {
	post := func() error {
		for tries := 1; ; tries++ {
			err := h.postTo(l, m, nil)
			if err == nil || l.ctx.Err() != nil || tries >= answerTries(err) {
				return err
			}
		}
	}
	var status *StatusError
	err := post()
	if errors.As(err, &status) && status.Status == http.StatusRequestEntityTooLarge {
		m.Data = tooLargeAnswer(m.Data)
		err = post()
	}
	switch {
	case err == nil || l.ctx.Err() != nil:
	case connectionError(err) != nil:
		h.fail(connectionError(err))
	case errors.As(err, &status) && (status.Status == http.StatusNotImplemented || status.Status == http.StatusBadRequest) && len(m.Data) > 0 && m.Data[0] == '[':
		for it := jsonscan.ItemsOf(m.Data); it.Next(); { // the server accepts no batches
			h.sendAnswer(l, Message{Data: it.Value, Session: m.Session, Answer: true})
		}
	case status != nil && status.Status/100 == 4 && status.Status != http.StatusRequestTimeout:
		h.r.Log("the server rejected the answer to one of its requests: " + strconv.Itoa(status.Status)) // usually too late
	default:
		h.fail(fmt.Errorf("an answer could not be sent: %w", err))
	}
}

// tooLargeAnswer replaces an answer, or a batch of answers, that is larger than servers
// accept.
func tooLargeAnswer(data []byte) []byte {
	failure := errors.New("the answer is too large to be sent over HTTP")
	if jsonscan.KindOf(data) != jsonscan.Array {
		id, _ := callOf(data)
		return errorAnswer(orNull(id), failure)
	}
	var all [][]byte
	for it := jsonscan.ItemsOf(data); it.Next(); {
		id, _ := callOf(it.Value)
		all = append(all, errorAnswer(orNull(id), failure))
	}
	return append(append([]byte{'['}, bytes.Join(all, []byte{','})...), ']')
}

func orNull(id []byte) []byte {
	if id == nil {
		return []byte("null")
	}
	return id
}

func isStatus(err error) bool {
	var status *StatusError
	return errors.As(err, &status)
}

// postTo posts a message on a connection and returns when the server has accepted it.
func (h *HTTP) postTo(l *httpConnection, m Message, id []byte) error {
	a, err := h.roundTrip(l.ctx, h.chosen(), m.Data, l.id, m.Session)
	if err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	if a.StatusCode/100 != 2 {
		defer a.done()
		return h.refused("send a message", a.Response)
	}
	if a.Body == http.NoBody || a.ContentLength == 0 {
		a.done()
		return nil
	}
	if !h.spawn(func() { h.inline(l, a, id) }) {
		a.done()
	}
	return nil
}

// inline reads what some servers send in the response to a POST: the answer itself, or a
// stream that carries it (PROTOCOL 5.3). Any other body is read to its end if it is short.
func (h *HTTP) inline(l *httpConnection, a answer, id []byte) {
	defer a.done()
	switch mediaType(a.Header) {
	case "text/event-stream":
		err := h.readStream(newEventReader(a.Body, h.r.MaxMessage), nil, func() {})
		if id != nil && l.ctx.Err() == nil {
			h.awaitElsewhere(l, id, err)
		}
	case "application/json":
		body, err := h.readAll(a.Response)
		var long *TooLongError
		if errors.As(err, &long) {
			h.inbox.push(nil, long)
		}
		if err == nil && isMessage(body) {
			h.receive(oneLine(body), nil)
		}
	default:
		bounded(a.Response, h.timing.body, func(body io.Reader) { io.CopyN(io.Discard, body, maxIdleBody) })
	}
}

// awaitElsewhere waits for the answer to a request whose own stream has ended: it may still
// arrive on another.
func (h *HTTP) awaitElsewhere(l *httpConnection, id []byte, err error) {
	if !l.pause(h.timing.grace, nil) {
		return
	}
	h.giveUp(id, fmt.Errorf("the stream ended before the answer (%w): the request may have been processed", h.clean(err)))
}

// readAll reads a body that holds one message.
func (h *HTTP) readAll(resp *http.Response) (body []byte, err error) {
	body, err = io.ReadAll(io.LimitReader(resp.Body, int64(h.r.MaxMessage)+1))
	switch {
	case err != nil:
		return nil, h.clean(err)
	case len(body) > h.r.MaxMessage:
		return nil, &TooLongError{Limit: h.r.MaxMessage, Size: max(resp.ContentLength, int64(len(body)))}
	case !json.Valid(body):
		return nil, errors.New("the server's answer is not JSON")
	}
	return body, nil
}
