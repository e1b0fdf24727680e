package transport

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/must"
)

// Case 177: the stream of a session drops in the middle of a turn and is resumed.
func TestCase177SessionStreamDrops(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.request(1, "session/prompt", "s1")
		r.server.say("s1", update("s1", 1))
		r.want(update("s1", 1))
		r.server.cut("s1")
		synctest.Wait()
		r.server.say("s1", update("s1", 2)) // while no stream is open
		r.server.say("s1", result(1))
		r.want(update("s1", 2), result(1))
		if r.now() > 200*time.Millisecond {
			t.Errorf("it took %v", r.now())
		}
		r.wantNothing(2 * time.Minute)
		if n := len(r.server.all("GET s1")); n != 2 {
			t.Errorf("opened %d times", n)
		}
		if !strings.Contains(r.log(), "opening it again") {
			t.Errorf("the log: %q", r.log())
		}
	})
}

// Case 177: a stream does not come back. Requests outlive it by half a minute, then their
// fate is unknown. The stream is tried less and less often, and works again when the server
// does.
func TestCase177SessionStreamLost(t *testing.T) {
	inBubble(t, func(r *rig) {
		broken := true
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool {
			return q.session() == "s1" && broken && q.n > 2 && refuse(502)(w, q)
		}
		r.session("s1")
		r.request(1, "session/prompt", "s1")
		synctest.Wait()
		r.server.cut("s1")
		time.Sleep(20 * time.Second)
		r.request(2, "session/set_mode", "s1")
		r.wantError(1, "may have been processed")
		if r.now() < 30*time.Second || r.now() > 36*time.Second {
			t.Errorf("given up after %v", r.now())
		}
		r.wantError(2, "may have been processed")
		if r.now() < 50*time.Second || r.now() > 58*time.Second {
			t.Errorf("the later one given up after %v", r.now())
		}
		tries := len(r.server.all("GET s1"))
		if tries < 10 || tries > 25 {
			t.Errorf("%d tries in %v", tries, r.now())
		}
		broken = false
		r.server.say("s1", update("s1", 3))
		r.want(update("s1", 3))
	})
}

// A stream that ends as soon as it opens neither keeps a request open forever nor keeps the
// server busy.
func TestSessionStreamFlaps(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool {
			if q.session() == "" {
				return false
			}
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, ":\n\n")
			return true
		}
		r.initialize()
		r.request(1, "session/prompt", "s1")
		r.wantError(1, "may have been processed")
		if n := len(r.server.all("GET s1")); r.now() > 36*time.Second || n > 20 {
			t.Errorf("%d tries in %v", n, r.now())
		}
	})
}

// A response of another type is not a stream of events.
func TestStreamOfAnotherType(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "data: "+update("s1", 1)+"\n\n")
			return true
		}
		r.request(0, "initialize", "")
		r.want(result0)
		if err := r.wantEnd(io.ErrUnexpectedEOF); !strings.Contains(err.Error(), `"text/html"`) {
			t.Errorf("the end: %v", err)
		}
		r.wantSeen("POST initialize", "GET", "GET")
	})
}

// Case 178: the stream of the connection is opened again once each time after it has
// worked.
func TestCase178ConnectionStreamDrops(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		for i := range 5 {
			time.Sleep(time.Minute)
			r.server.cut("")
			synctest.Wait()
			r.server.say("", result(i))
			r.want(result(i))
		}
		r.server.say("s1", update("s1", 1))
		r.want(update("s1", 1))
		r.wantNothing(time.Hour)
	})
}

// Case 178: if that fails, the connection ends soon.
func TestCase178ConnectionStreamLost(t *testing.T) {
	for name, broken := range map[string]func(w http.ResponseWriter, q *acpRequest) bool{
		"refused": refuse(503),
		"flaps": func(w http.ResponseWriter, q *acpRequest) bool {
			w.Header().Set("Content-Type", "text/event-stream")
			return true
		},
		"aborted": func(http.ResponseWriter, *acpRequest) bool { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool {
					return q.session() == "" && q.n > 1 && broken(w, q)
				}
				r.session("s1")
				r.request(1, "session/prompt", "s1")
				r.server.say("", update("s1", 1))
				r.want(update("s1", 1))
				r.server.cut("")
				r.wantEnd(io.ErrUnexpectedEOF)
				if r.now() > time.Second {
					t.Errorf("after %v", r.now())
				}
			})
		})
	}
}

// Case 178: the server is gone altogether.
func TestCase178ServerGone(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.net.down.Store(true)
		r.http.Close()
		r.wantEnd(io.ErrUnexpectedEOF)
		began := r.now()
		if r.h.Close(); r.now()-began > 2*time.Second {
			t.Errorf("Close took %v", r.now()-began)
		}
	})
}

// Keep-alives that stop show that a stream is dead although nothing has closed it.
func TestWatchdog(t *testing.T) {
	for _, alive := range []string{":\n\n", ": ping\n", "data:\n\n", "event: ping\ndata: 12:00\n\n", "event: ping\n\n"} {
		inBubble(t, func(r *rig) {
			r.session("s1")
			for range 10 {
				r.server.raw("s1", alive)
				time.Sleep(15 * time.Second)
			}
			if strings.HasPrefix(alive, "event: ping\n\n") { // no output at all, so no keep-alives either
				r.wantNothing(time.Hour)
				return
			}
			if n := len(r.server.all("GET s1")); n != 1 {
				t.Fatalf("%q: opened %d times while it lived", alive, n)
			}
			r.request(1, "session/prompt", "s1")
			time.Sleep(44 * time.Second)
			if n := len(r.server.all("GET s1")); n != 1 {
				t.Fatalf("%q: opened again too early", alive)
			}
			time.Sleep(2 * time.Second)
			if n := len(r.server.all("GET s1")); n != 2 {
				t.Fatalf("%q: opened %d times", alive, n)
			}
			r.server.say("s1", result(1))
			r.want(result(1))
		})
	}
}

// A connection that is busy with another stream delays the keep-alives of this one, so they
// do not count as missing. Once it is idle, they must arrive.
func TestWatchdogOnABusyLine(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.h.OpenSession("s2")
		for range 3 {
			r.server.raw("s1", ":\n\n")
			r.server.raw("s2", ":\n\n")
			time.Sleep(15 * time.Second)
		}
		for range 100 {
			r.server.say("s2", update("s2", 1))
			r.want(update("s2", 1))
			time.Sleep(3 * time.Second)
		}
		opened := func() int { return len(r.server.all("GET s1")) }
		if shared := r.h2c == "on"; shared != (opened() == 1) {
			t.Errorf("opened %d times while the line was busy", opened())
		}
		r.server.raw("s2", ":\n\n")
		time.Sleep(2 * time.Minute)
		if opened() < 2 {
			t.Error("not opened again")
		}
	})
}

// Without keep-alives silence means nothing: agents may think for a long time.
func TestWatchdogWithoutKeepAlives(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.server.say("s1", update("s1", 1))
		r.want(update("s1", 1))
		r.wantNothing(time.Hour)
		r.wantSeen("POST initialize", "GET", "GET s1")
	})
}

// The watchdog of the connection's stream ends the connection when the other end is gone.
func TestWatchdogOfConnection(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool {
			if q.n > 1 {
				<-q.Context().Done()
			}
			return q.n > 1
		}
		r.initialize()
		r.server.raw("", ":\n\n")
		err := r.wantEnd(io.ErrUnexpectedEOF)
		if !errors.Is(err, ErrSilent) || r.now() < 2*time.Minute || r.now() > 121*time.Second {
			t.Errorf("after %v: %v", r.now(), err)
		}
	})
}

// A stream whose messages are not received is not silent: it is not read.
func TestWatchdogWhileNobodyReceives(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.h.inbox.limit = 1000
		r.session("s1")
		r.server.raw("s1", ":\n\n")
		for i := range 20 {
			r.server.say("s1", update("s1", i))
		}
		time.Sleep(time.Hour)
		for i := range 20 {
			r.want(update("s1", i))
		}
		synctest.Wait()
		if n := len(r.server.all("GET s1")); n != 1 {
			t.Errorf("opened %d times", n)
		}
	})
}

// The server may number its events, and gets the last id when the stream is opened again;
// it may also set the retry time.
func TestLastEventIDAndRetry(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.server.raw("s1", "retry: 3000\nid: 41\ndata: "+update("s1", 1)+"\n\nid: 42\n\nid: 43\ndata: cut off")
		r.want(update("s1", 1))
		synctest.Wait()
		r.server.cut("s1")
		time.Sleep(2200 * time.Millisecond)
		if n := len(r.server.all("GET s1")); n != 1 {
			t.Error("opened again before the server wished it")
		}
		time.Sleep(800 * time.Millisecond)
		r.server.raw("s1", "id: ä\ndata: "+update("s1", 2)+"\n\n")
		r.want(update("s1", 2))
		synctest.Wait()
		r.server.cut("s1")
		time.Sleep(10 * time.Second)
		var ids []string
		for _, q := range r.server.all("GET s1") {
			ids = append(ids, q.Header.Get("Last-Event-ID"))
		}
		if !slices.Equal(ids, []string{"", "42", ""}) { // the third id cannot be sent in a header
			t.Errorf("Last-Event-ID %q", ids)
		}
	})
}

// A stream that ended without an event may have lost some: a server that numbers its events
// is told that none arrived. A server that has sent messages without ids is told nothing.
func TestLastEventIDOfNoEvent(t *testing.T) {
	ids := func(r *rig) (out []string) {
		for _, q := range r.server.all("GET s1") {
			out = append(out, q.Header.Get("Last-Event-ID"))
		}
		return out
	}
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.server.raw("s1", ":\n\nid: 1\ndata: {")
		synctest.Wait()
		r.server.cut("s1")
		time.Sleep(time.Second)
		r.server.raw("s1", "id: 1\ndata: "+update("s1", 1)+"\n\n")
		r.want(update("s1", 1))
		r.server.cut("s1")
		time.Sleep(time.Second)
		if got := ids(r); !slices.Equal(got, []string{"", "0", "1"}) {
			t.Errorf("Last-Event-ID %q", got)
		}
	})
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.server.say("s1", update("s1", 1))
		r.want(update("s1", 1))
		r.server.cut("s1")
		time.Sleep(time.Second)
		if got := ids(r); !slices.Equal(got, []string{"", ""}) {
			t.Errorf("Last-Event-ID %q", got)
		}
	})
}

func TestBackoff(t *testing.T) {
	b := backoff{least: 200 * time.Millisecond, most: 5 * time.Second}
	for _, want := range []time.Duration{200, 400, 800, 1600, 3200, 5000, 5000} {
		want *= time.Millisecond
		if got := b.next(time.Minute); got > want || got < want*3/4 {
			t.Errorf("got %v, want up to %v", got, want)
		}
	}
	if got := b.next(2 * time.Second); got > 2*time.Second {
		t.Errorf("%v is longer than two seconds", got)
	}
	b.reset()
	b.setMinimum(time.Millisecond)
	if got := b.next(time.Minute); got < 150*time.Millisecond {
		t.Errorf("%v is what the server wished, and too short", got)
	}
	b.setMinimum(time.Hour)
	if got := b.next(time.Second); got > maxRetryTime || got < maxRetryTime*3/4 {
		t.Errorf("got %v, want about %v", got, maxRetryTime)
	}
}

// Case 179: an event that is not a message is skipped and logged once, as safe text.
func TestCase179Garbage(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.redial(Remote{URL: "http://127.0.0.1:4242/acp?token=t0ken"})
		r.session("s1")
		for range 5 {
			r.server.raw("s1", "data: no \x1b[31mJSON at all, t0ken \u202e"+strings.Repeat("x", 1000)+"\n\n")
		}
		r.server.raw("s1", "data: {\"half\":\n\n")
		r.server.raw("s1", "event: endpoint\ndata: /messages\n\n")
		r.server.raw("s1", "event: message\ndata: "+update("s1", 1)+"\n\nevent: other\ndata: "+update("s1", 2)+"\n\n")
		r.want(update("s1", 1), update("s1", 2))
		log := r.log()
		if n := strings.Count(log, "not JSON"); n != 1 || strings.ContainsAny(log, "\x1b\u202e") || len(log) > 300 || strings.Contains(log, "t0ken") {
			t.Errorf("the log: %q", log)
		}
	})
}

// Case 179: an event of 20 MB, and one over the limit.
func TestCase179LargeEvent(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.redial(Remote{MaxMessage: 21 << 20})
		r.session("s1")
		large := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","text":%q}}`, strings.Repeat("abcdefghij", 2_000_000))
		r.server.say("s1", large)
		r.server.say("s1", strings.Replace(large, "abcdefghij", strings.Repeat("y", 2<<20), 1))
		r.server.say("s1", update("s1", 1))
		r.want(large)
		var long *TooLongError
		if got, err := r.h.Recv(); !errors.As(err, &long) || long.Limit != 21<<20 || long.Size != int64(len(large)+2<<20-10) {
			t.Fatalf("Recv = %.80q, %v", got, err)
		}
		r.want(update("s1", 1))
	})
}

// The inbox is bounded: when it is full, the streams are not read, and nothing is lost.
func TestBackPressure(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.h.inbox.limit = 1 << 20
		r.session("s1")
		const n = 30
		message := func(i int) string { return fmt.Sprintf(`{"n":%d,"x":%q}`, i, strings.Repeat("z", 1<<20)) }
		for i := range n {
			r.server.say("s1", message(i))
		}
		synctest.Wait()
		r.server.mu.Lock()
		waiting := len(r.server.streams["s1"].waiting)
		r.server.mu.Unlock()
		if waiting < n-8 { // HTTP/2 has a window of 4 MiB
			t.Errorf("the client took %d messages of 1 MiB that are not received", n-waiting)
		}
		for i := range n {
			r.want(message(i))
		}
	})
}

// A flood of tiny messages is bounded by its memory too.
func TestInboxBoundsTinyMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newInbox(24_000)
		pushed := 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			for b.push([]byte("{}"), nil) {
				pushed++
			}
		}()
		synctest.Wait()
		if pushed < 900 || pushed > 1000 {
			t.Errorf("%d messages", pushed)
		}
		b.finish(io.ErrUnexpectedEOF)
		<-done
		for range pushed {
			must.Get(b.take())(t)
		}
		if _, err := b.take(); err != io.ErrUnexpectedEOF {
			t.Errorf("then %v", err)
		}
		b.close()
		if _, err := b.take(); err != ErrClosed {
			t.Errorf("then %v", err)
		}
	})
}

// Receiving a message allocates nothing.
func TestInboxDoesNotAllocate(t *testing.T) {
	b := newInbox(1 << 20)
	message := []byte(update("s1", 1))
	round := func() {
		for range 100 {
			b.push(message, nil)
		}
		for range 100 {
			b.take()
		}
	}
	round()
	round()
	if n := testing.AllocsPerRun(100, round); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
