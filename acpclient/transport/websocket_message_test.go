package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"parley/internal/must"

	"github.com/coder/websocket"
)

// Case 187: messages in all kinds of frames.
func TestWebSocketFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		w, p := wsPipe(t, Remote{Log: func(s string) { log = append(log, s) }})
		defer w.Close()
		go func() {
			p.frame(true, opText, `{"a":1}`)
			p.frame(true, opText, "{\"b\":2}\n")
			p.frame(true, opBinary, `{"not":"for us"}`)
			p.frame(false, opBinary, strings.Repeat("x", 100_000))
			p.frame(true, opMore, "")
			p.frame(false, opText, `{"c":"`)
			p.frame(true, opPing, "are you there?")
			p.wantFrame(t, opPong, "are you there?")
			p.frame(false, opMore, "")
			p.frame(false, opMore, `in part`)
			p.frame(true, opMore, `s"}`)
			p.frame(true, opText, "")
			p.frame(true, opText, " \r\n\n")
			p.frame(true, opText, "{\"d\":4}\n{\"e\":5}\r\n\n  {\"f\":6}\r\n[]")
			p.frame(true, opText, "{\n  \"g\": [\r\n    7\n  ]\n}\n")
			p.frame(true, opText, "no JSON\nat all")
			p.sendClose(1000, "")
			p.readLoop()
		}()
		for _, want := range []string{
			`{"a":1}`, `{"b":2}`, `{"c":"in parts"}`, `{"d":4}`, `{"e":5}`, `{"f":6}`, `[]`,
			"{   \"g\": [      7   ] }", "no JSON", "at all",
		} {
			wantMessage(t, w, want)
		}
		if _, err := w.Recv(); !errors.Is(err, io.EOF) {
			t.Fatalf("at the end: %v", err)
		}
		if len(log) != 1 || !strings.Contains(log[0], "binary") {
			t.Errorf("log %q", log)
		}
	})
}

// Case 187: a ping is answered before the end of a long outgoing message.
func TestWebSocketAnswersPingsWhileItSends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := wsPipe(t, Remote{})
		defer w.Close()
		go w.Recv()
		message := strings.Repeat("0123456789", 30_000)
		sent := make(chan error, 1)
		go func() { sent <- w.Send(Message{Data: []byte(message)}) }()
		fin, op, data, err := p.read()
		if err != nil || fin || op != opText {
			t.Fatalf("first frame: fin %v, %d, %v", fin, op, err)
		}
		got := bytes.Clone(data)
		pinged := make(chan error, 1)
		go func() { pinged <- p.frame(true, opPing, "now") }()
		if err := <-pinged; err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the pong waits for its turn
		answered := false
		for !fin {
			if fin, op, data, err = p.read(); err != nil {
				t.Fatal(err)
			}
			switch op {
			case opPong:
				answered, fin = true, false
			case opMore:
				got = append(got, data...)
				if len(data) > sendFrame {
					t.Errorf("a frame of %d bytes", len(data))
				}
			default:
				t.Fatalf("frame %d in a message", op)
			}
		}
		if !answered || string(got) != message {
			t.Errorf("answered %v, %d bytes of %d", answered, len(got), len(message))
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
		go p.readLoop()
	})
}

// echo sends back every message until the connection ends.
func echo(c *websocket.Conn, _ *http.Request) {
	for {
		kind, data, err := c.Read(context.Background())
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			c.Close(websocket.StatusUnsupportedData, "text only")
			return
		}
		if c.Write(context.Background(), kind, data) != nil {
			return
		}
	}
}

// Case 187: 20 MiB, in both directions.
func TestWebSocketLargeMessage(t *testing.T) {
	w := wsDial(t, Remote{URL: wsServe(t, echo)})
	for _, n := range []int{20 << 20, sendFrame, sendFrame + 1, 1, 3 * sendFrame} {
		data := bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n]
		must.Do(t, w.Send(Message{Data: data}))
		if got, err := w.Recv(); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes of %d came back, %v", len(got), n, err)
		}
	}
	if len(w.buf) > keepBuffer {
		t.Errorf("%d bytes are kept after small messages", len(w.buf))
	}
}

// A frame may have its fin bit with the last bytes or after them; the limit is the same.
func TestWebSocketReadLimit(t *testing.T) {
	const limit = 200_000
	for _, frames := range [][]int{{limit}, {limit, 0}, {limit / 2, limit / 2}} {
		for _, over := range []int{0, 1, limit} {
			t.Run(fmt.Sprint(frames, " and ", over), func(t *testing.T) {
				w, p := wsTCP(t, Remote{MaxMessage: limit})
				goodbye := make(chan string, 1)
				go func() {
					for i, n := range frames {
						op, last := byte(opMore), i == len(frames)-1
						if i == 0 {
							op, n = opText, n+over
						}
						p.frame(last, op, strings.Repeat("x", n))
					}
					p.frame(true, opText, "next")
					_, op, data, err := p.read()
					goodbye <- fmt.Sprintf("%d %x %v", op, data[:min(2, len(data))], err)
					p.Close()
				}()
				data, err := w.Recv()
				if over == 0 {
					if err != nil || len(data) != limit {
						t.Fatalf("%d bytes, %v", len(data), err)
					}
					wantMessage(t, w, "next")
					return
				}
				var skipped *TooLongError
				if err == nil || errors.As(err, &skipped) || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), fmt.Sprint("limit of ", limit)) {
					t.Fatalf("%d bytes, %v", len(data), err)
				}
				if _, again := w.Recv(); again != err {
					t.Errorf("then %v", again)
				}
				if got, want := <-goodbye, "8 03f1 <nil>"; got != want {
					t.Errorf("the server got %s, want %s", got, want)
				}
			})
		}
	}
}

// The rest of a message that is too long is still read, or the server would not learn why
// the connection is closed.
func TestWebSocketReadLimitIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := wsPipe(t, Remote{MaxMessage: 1000})
		defer w.Close()
		sent := make(chan error, 1)
		go func() { sent <- p.frame(true, opText, strings.Repeat("x", 1<<20)) }()
		go func() {
			_, op, data, err := p.read()
			if op != opClose || string(data[:2]) != "\x03\xf1" || err != nil {
				t.Errorf("the server hears %d %q, %v", op, data, err)
			}
			if err := <-sent; err != nil {
				t.Errorf("the server could not end its message: %v", err)
			}
			p.Close()
		}()
		if _, err := w.Recv(); err == nil {
			t.Error("no error")
		}
		synctest.Wait()
	})
}

func TestWebSocketSendLimit(t *testing.T) {
	w := wsDial(t, Remote{URL: wsServe(t, echo), MaxMessage: 1000})
	var long *TooLongError
	if err := w.Send(Message{Data: make([]byte, 1001)}); !errors.As(err, &long) || *long != (TooLongError{Limit: 1000, Size: 1001}) {
		t.Fatalf("got %v", err)
	}
	data := strings.Repeat("y", 1000)
	must.Do(t, w.Send(Message{Data: []byte(data)}))
	wantMessage(t, w, data)
}

// Bytes are valid until the next Recv, so lines of one frame must not overwrite each other.
func TestWebSocketLinesOfAFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := wsPipe(t, Remote{})
		defer w.Close()
		go func() {
			p.frame(true, opText, "1\n2\n3")
			p.frame(true, opText, "4")
			p.readLoop()
		}()
		var got []string
		var waited []bool
		for range 4 {
			data := must.Get(w.Recv())(t)
			got, waited = append(got, string(data)), append(waited, w.Waited())
			for i := range data {
				data[i] = '#'
			}
		}
		if want := []string{"1", "2", "3", "4"}; !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		if want := []bool{true, false, false, true}; !slices.Equal(waited, want) {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestWebSocketRecvDoesNotAllocate(t *testing.T) {
	w, p := wsTCP(t, Remote{})
	go func() {
		flood := bytes.Repeat([]byte("\x81\x11"+`{"jsonrpc":"2.0"}`), 1000)
		for {
			if _, err := p.Write(flood); err != nil {
				return
			}
		}
	}()
	if n := testing.AllocsPerRun(1000, func() { w.Recv() }); n > 0 {
		t.Errorf("%v allocations a message", n)
	}
}
