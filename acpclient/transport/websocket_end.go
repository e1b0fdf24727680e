package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// maxErrorText bounds, in bytes, the text of an error that may quote the other side.
const maxErrorText = 300

// Is makes a close code of an orderly end match io.EOF (RFC 6455, 7.4.1): normal closure,
// going away, and a close frame without a code.
func (e *CloseError) Is(target error) bool {
	if target != io.EOF {
		return false
	}
	switch websocket.StatusCode(e.Code) {
	case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
		return true
	}
	return false
}

// brokenError is an end without a close frame.
type brokenError struct{ what string }

func (e *brokenError) Error() string { return "the connection broke off: " + e.what }
func (e *brokenError) Unwrap() error { return io.ErrUnexpectedEOF }

// Close sends a close frame with code 1000, waits at most a second for the server's, and
// ends the connection. Recv and Send return ErrClosed at once; if Send is in the middle of
// a message, no close frame can be sent. Close never fails and leaves nothing running.
func (w *WebSocket) Close() error {
	if w.closed.Swap(true) {
		<-w.closeEnded
		return nil
	}
	defer close(w.closeEnded)
	if w.setCause(ErrClosed) && w.writing.tryLock() {
		w.sendClose()
	}
	w.line.cut()
	w.ws.CloseNow()
	<-w.pingsEnded
	return nil
}

func (w *WebSocket) sendClose() {
	limit := time.AfterFunc(w.times.farewell, w.line.cut)
	defer limit.Stop()
	w.line.raw.SetReadDeadline(time.Now()) // wakes Recv
	w.reading <- struct{}{}
	w.line.raw.SetReadDeadline(time.Time{})
	w.ws.Close(websocket.StatusNormalClosure, "")
}

// end closes the connection from this side with that cause, unless it has ended.
func (w *WebSocket) end(cause error) {
	if w.setCause(cause) {
		w.line.cut()
	}
}

// readFailed ends the connection after a read error of the library and returns why it
// ended.
func (w *WebSocket) readFailed(err error) error {
	if !w.setCause(w.causeOf(err)) {
		return w.finalError()
	}
	if errors.Is(err, websocket.ErrMessageTooBig) {
		// The library has sent a close frame with the reason. The peer would not get it if
		// its own data met a closed connection, so it is read for a moment.
		w.line.raw.SetReadDeadline(time.Now().Add(w.times.farewell))
		io.Copy(io.Discard, w.line)
	}
	w.line.cut()
	return w.finalError()
}

// causeOf returns the reason why the connection ended, as an error for Recv.
func (w *WebSocket) causeOf(err error) error {
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed):
		return &CloseError{Code: int(closed.Code), Reason: closed.Reason}
	case errors.Is(err, websocket.ErrMessageTooBig):
		return fmt.Errorf("the server sent a message over the limit of %d bytes", w.limit)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, net.ErrClosed):
		// The library has given up writing a ping or pong.
		return fmt.Errorf("%w: it no longer reads anything", ErrSilent)
	}
	return newBrokenError(err)
}

// writeFailed ends the connection after a write error of the library and returns why it
// ended. What the server sent last says more than the write error, and Recv is about to
// read it.
func (w *WebSocket) writeFailed(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.end(fmt.Errorf("%w: it has taken nothing for %v", ErrSilent, w.times.stall))
		return w.finalError()
	}
	timer := time.NewTimer(w.times.farewell)
	defer timer.Stop()
	select {
	case <-w.done:
	case <-timer.C:
		w.end(newBrokenError(err))
	}
	return w.finalError()
}

func newBrokenError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &brokenError{"the server ended it without a goodbye"}
	}
	return &brokenError{plainText(err)}
}

// plainText returns the text of an error without the library's prefixes, bounded in length.
func plainText(err error) string {
	text := reason(err)
	for strings.HasPrefix(text, "failed to ") {
		_, rest, found := strings.Cut(text, ": ")
		if !found {
			break
		}
		text = rest
	}
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
}
