package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/must"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// request returns a request of parley.
func request(id int, method, params string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func prompt(id int, session, text string) []byte {
	quoted, _ := json.Marshal(text)
	return request(id, "session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"resource_link","uri":"x"},{"type":"text","text":%s}]}`, session, quoted))
}

func answer(id int, result string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

func titled(session, title string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"session_info_update","title":%s}}}`, session, title)
}

// sessionsIn returns the sessions that a log lists.
func sessionsIn(t *testing.T, path string) []Session {
	t.Helper()
	e := must.Get(readEntry(path))(t)
	return e.Sessions
}

var untimed = cmpopts.IgnoreFields(Session{}, "Used")

// What goes with a prompt, the output of the user's commands or the conversation that a fork continues,
// is not what the session is called after.
func TestFirstPromptAfterWhatGoesWithIt(t *testing.T) {
	const ran = "I ran a command:\n\n```\n$ ls\n```\n\nIt succeeded.\n\n"
	for want, texts := range map[string][]string{
		"explain it":       {ran, ran, "explain it", "and this"},
		"I ran a command:": {ran},
		"one\n":            {"", "one\n", "two"},
	} {
		var blocks []map[string]string
		for _, text := range texts {
			blocks = append(blocks, map[string]string{"type": "text", "text": text})
		}
		params, _ := json.Marshal(map[string]any{"sessionId": "s", "prompt": blocks})
		if got := beginning(params); !strings.HasPrefix(got, strings.TrimSpace(want)) {
			t.Errorf("%q is called %q, want %q", texts, got, want)
		}
	}
}

// A full log still learns which sessions exist, their titles and prompts, and when each was
// last used, even if parley never closes it.
func TestSessionsOfAFullLog(t *testing.T) {
	const limit = 64 << 10
	w := create(t, t.TempDir(), Options{MaxBytes: limit})
	say := func(dir Direction, msgs ...[]byte) {
		for _, m := range msgs {
			w.Message(dir, 0, m)
		}
	}
	say(Out, request(1, "session/new", `{"cwd":"/w"}`))
	say(In, answer(1, `{"sessionId":"s"}`))
	for range 100 {
		say(In, []byte(`{"text":"`+strings.Repeat("x", 1000)+`"}`))
	}
	for i := range 500 {
		say(Out, prompt(i+2, "s", fmt.Sprintf("prompt %d %s", i, strings.Repeat("y", 100))))
		say(In, titled("s", fmt.Sprintf(`"title %d"`, i)))
	}
	say(Out, request(600, "session/load", `{"cwd":"/w2","sessionId":"late"}`))
	say(In, answer(600, `{}`))
	say(Out, prompt(601, "late", "the last with token=ghp_0123456789abcdefghijABCDEFGHIJ012345"))
	must.Do(t, w.Sync(t.Context()))
	for range 2 { // while it is being written, and after it was closed
		e, err := readEntry(w.Path())
		if err != nil || len(e.Sessions) != 2 || e.Size > limit || time.Since(e.Updated) > time.Minute {
			t.Fatalf("%+v, %v", e, err)
		}
		late, s := e.Sessions[0], e.Sessions[1]
		if s.ID == "late" {
			late, s = s, late
		}
		if s.Prompts != 500 || s.Title != "title 499" || !strings.HasPrefix(s.First, "prompt 0 ") || late.Cwd != "/w2" || late.Prompts != 1 ||
			!strings.HasPrefix(late.First, "the last with") || strings.Contains(late.First, "0123456789") {
			t.Errorf("%+v\n%+v", s, late)
		}
		lines, _ := readAll(t, w.Path())
		if last := lines[len(lines)-1]; last != `gap "limit"` {
			t.Errorf("the last line is %s", last)
		}
		closeLog(t, w)
	}
}

// The sessions of a connection are found in its messages.
func TestSessionsOfALog(t *testing.T) {
	w := create(t, t.TempDir(), Options{})
	say := func(dir Direction, msgs ...[]byte) {
		for _, m := range msgs {
			w.Message(dir, 0, m)
		}
	}
	say(Out, request(1, "session/new", `{"cwd":"/w","mcpServers":[]}`), request(2, "session/load", `{"cwd":"/w/sub","sessionId":"old"}`),
		request(3, "session/fork", `{"cwd":"/f","sessionId":"old"}`), request(4, "session/resume", `{"cwd":"/r","sessionId":"refused"}`), request(5, "session/new", `{"cwd":"/x"}`))
	say(In, []byte(`[`+string(answer(1, `{"sessionId":"new"}`))+`,`+string(answer(2, `null`))+`]`), answer(3, `{"sessionId":"fork"}`),
		[]byte(`{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"no"}}`), []byte("no JSON"), []byte(`{"id":5}`), answer(6, `{"sessionId":"unasked"}`))
	say(Out, request(20, "session/new", `{"cwd":"/u"}`))
	say(In, answer(20, `{"sessionId":"unused"}`))
	say(Out, prompt(7, "new", "  one\n  two \x1b"), prompt(8, "new", "three"), prompt(9, "old", "https://user:secret@"+strings.Repeat("long", 40)+" "+strings.Repeat("words ", 40)), prompt(10, "", "nobody"),
		[]byte(`{"jsonrpc":"2.0","id":99,"result":{"content":"session/prompt session/new"}}`))
	say(In, titled("old", `"Old \u001b one"`), titled("new", `"once"`), titled("new", `null`), titled("old", `7`)[:20])
	say(In, []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"new","update":{"sessionUpdate":"session_info_update"}}}`))
	closeLog(t, w)
	want := []Session{
		{ID: "old", Cwd: "/w/sub", Title: "Old \x1b one", First: "https://[redacted]@" + strings.Repeat("long", 15) + "l…", Prompts: 1, Reopened: true},
		{ID: "new", Cwd: "/w", First: "one two \x1b", Prompts: 2}, {ID: "fork", Cwd: "/f", Reopened: true}, {ID: "unused", Cwd: "/u"}}
	got := sessionsIn(t, w.Path())
	if d := cmp.Diff(want, got, untimed, cmpopts.SortSlices(func(a, b Session) bool { return a.ID > b.ID })); d != "" {
		t.Error(d)
	}
	for _, s := range got {
		if time.Since(s.Used) > time.Minute {
			t.Errorf("%s was used %v", s.ID, s.Used)
		}
	}
	if last := got[len(got)-1]; last.ID != "unused" {
		t.Errorf("the session without a conversation comes last: %+v", got)
	}
}

// A request is refused by an error, even beside a null result; a null error is no refusal.
// Of duplicate members the last counts, as when a message is decoded.
func TestSessionsOfOddMessages(t *testing.T) {
	w := create(t, t.TempDir(), Options{})
	for id, answer := range []string{`"result":null,"error":{"code":-32603,"message":"no"}`, `"error":null,"result":{}`} {
		w.Message(Out, 0, request(id, "session/load", fmt.Sprintf(`{"cwd":"/w","sessionId":"%d"}`, id)))
		w.Message(In, 0, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,%s}`, id, answer))
	}
	w.Message(Out, 0, request(7, "session/new", `{"cwd":"/w"}`))
	w.Message(In, 0, answer(7, `{"sessionId":"first","sessionId":"last"}`))
	closeLog(t, w)
	want := []Session{{ID: "1", Cwd: "/w", Reopened: true}, {ID: "last", Cwd: "/w"}}
	if d := cmp.Diff(want, sessionsIn(t, w.Path()), untimed, cmpopts.SortSlices(func(a, b Session) bool { return a.ID < b.ID })); d != "" {
		t.Error(d)
	}
}

// The list is bounded, and the most recently prompted sessions stay.
func TestSessionsAreBounded(t *testing.T) {
	n := notes{}
	at := time.Unix(0, 0)
	for i := range 1000 {
		at = at.Add(time.Second)
		n.message(Out, at, prompt(i, fmt.Sprint("s", i), strings.Repeat("prompt ", 20)))
		n.message(In, at, titled(fmt.Sprint("t", i), `"never prompted"`))
		n.message(Out, at, request(10_000+i, "session/new", `{"cwd":"/"}`))
	}
	n.message(Out, at, prompt(1, strings.Repeat("x", maxID+1), "p"))
	if len(n.sessions) > maxSessions || len(n.asked) > maxAsked {
		t.Errorf("%d sessions, %d requests", len(n.sessions), len(n.asked))
	}
	list := n.list()
	if size := len(must.Get(json.Marshal(list))(t)); len(list) < 50 || size > maxSessionBytes+2*len(list) || list[0].ID != "s999" || list[len(list)-1].ID != fmt.Sprint("s", 1000-len(list)) {
		t.Errorf("%d listed in %d bytes, %+v to %+v", len(list), size, list[0], list[len(list)-1])
	}
	if last := n.sessions[maxSessions-1].ID; n.sessions[maxSessions-2].ID != "s801" || last != "t999" {
		t.Errorf("the last one kept is %s", last)
	}
	m := Meta{Agent: strings.Repeat("<", maxField), Command: strings.Repeat("<", maxField), Cwd: strings.Repeat("<", maxField), Sessions: list}
	if data := m.encode(); len(data) > maxMeta || !strings.Contains(string(data), `"s999"`) {
		t.Errorf("%d bytes: %.100s", len(data), data)
	}
}

// Every prompt is written to the meta at once, so an open log can be listed.
func TestPromptsAreListedAtOnce(t *testing.T) {
	w := create(t, t.TempDir(), Options{})
	for i := range 20 {
		w.Message(Out, 0, prompt(i, fmt.Sprint(i), "one of others"))
	}
	for i := range 10 {
		w.Message(Out, 0, prompt(i, "s", strings.Repeat("prompt ", 20)))
		must.Do(t, w.Sync(t.Context()))
		if got := sessionsIn(t, w.Path()); len(got) != 21 || got[0].ID != "s" || got[0].Prompts != i+1 {
			t.Errorf("after %d: %+v", i+1, got)
		}
	}
}

// An agent that keeps changing the title does not fill the log with metas.
func TestTitlesDoNotFloodTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		w := must.Get(newWriter(d, Meta{Started: started}, Options{}))(t)
		for i := range 100 {
			w.Message(Out, 0, prompt(i, fmt.Sprint("s", i), strings.Repeat("prompt ", 20)))
		}
		synctest.Wait()
		before := d.text.Len()
		messages := 0
		for i := range 1000 {
			m := titled("s99", fmt.Sprintf(`"title %d"`, i))
			messages += len(m) + 64
			w.Message(In, 1, m)
			synctest.Wait()
		}
		if grown := d.text.Len() - before; grown > 3*messages {
			t.Errorf("the log grew by %d for %d bytes of messages", grown, messages)
		}
		w.Close()
		if !strings.Contains(d.text.String(), `"title":"title 999"`) {
			t.Error("the last title is lost")
		}
	})
}

// Logs that knew only one session are still read correctly.
func TestOlderLogs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.jsonl")
	put(t, path, head+`{"t":"2026-01-02T03:04:06.000Z","dir":"in","msg":{"id":1}}`+"\n"+
		`{"meta":{"agent":"a","sessionId":"s","cwd":"/w","title":"T","started":"2026-01-02T03:04:05Z"},"prompts":3,"t":"2026-01-02T03:04:07.000Z"}`+"\n")
	if d := cmp.Diff([]Session{{ID: "s", Cwd: "/w", Title: "T", Prompts: 3}}, sessionsIn(t, path)); d != "" {
		t.Error(d)
	}
	r := must.Get(Open(path))(t)
	defer r.Close()
	if l, err := r.Next(); err != nil || l.N != 0 || string(l.Data) != `{"id":1}` {
		t.Errorf("%+v, %v", l, err)
	}
}

// After Sync, all messages before it can be read.
func TestSync(t *testing.T) {
	w := create(t, t.TempDir(), Options{})
	for i := range 100 {
		w.Message(In, uint64(i+1), fmt.Appendf(nil, `{"n":%d}`, i))
		must.Do(t, w.Sync(t.Context()))
		if lines, _ := readAll(t, w.Path()); len(lines) != i+1 {
			t.Fatalf("%d lines after %d messages", len(lines), i+1)
		}
	}
	closeLog(t, w)
	if err := w.Sync(t.Context()); err != nil {
		t.Errorf("after Close: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		w := must.Get(newWriter(d, Meta{Started: started}, Options{}))(t)
		synctest.Wait()
		d.hold = make(chan struct{})
		w.Message(In, 0, []byte(`{}`))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.Sync(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while the disk hangs: %v", err)
		}
		d.fails = syscall.ENOSPC
		close(d.hold)
		if err := w.Sync(t.Context()); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("when the disk is full: %v", err)
		}
		w.Close()
	})
}

// BenchmarkWrite measures the work of a Writer's goroutine for a chunk of an answer, with
// and without a pending request to open a session.
func BenchmarkWrite(b *testing.B) {
	chunk := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a few words of an answer, "}}}}`)
	for _, asked := range []bool{false, true} {
		b.Run(fmt.Sprintf("asked=%v", asked), func(b *testing.B) {
			l := log{out: nowhere{}, max: 1 << 60}
			if asked {
				l.notes.message(Out, started, request(1, "session/load", `{"sessionId":"s","cwd":"/"}`))
			}
			work := batch{bytes: chunk, marks: []mark{{at: started, dir: In, n: 1, size: len(chunk)}}}
			b.ReportAllocs()
			for b.Loop() {
				must.Do(b, l.write(&work, false))
			}
		})
	}
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) Close() error                { return nil }
