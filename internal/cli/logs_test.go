package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient/acptest"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/must"
	"parley/internal/record"
	"parley/internal/workspace"
)

// chat is one logged connection to the test binary's agent, with a session.
type chat struct {
	*Connection
	t      *testing.T
	queue  *event.Queue
	thread *thread.Thread
}

// state sets the state directory and returns the directory of the logs.
func state(t *testing.T) string {
	t.Helper()
	t.Setenv("PARLEY_STATE", t.TempDir())
	return must.Get(record.Dir())(t)
}

// connect opens a session with the agent set up by newSessionRig.
func connect(t *testing.T, opening Opening) *chat {
	t.Helper()
	setup := must.Get(Load(RemoteFlags{}))(t)
	place := must.Get(NewDirectories("", nil))(t)
	c := &chat{t: t, queue: event.NewQueue()}
	sink := opening.Watch(c.queue)
	c.Connection = must.Get(setup.Connect(t.Context(), Custom([]string{self(t)}), place, opening, time.Minute, sink, event.NewLog()))(t)
	t.Cleanup(c.Connection.Close)
	c.thread = thread.New(c.Session.ID())
	return c
}

// prompt sends a prompt and waits for the end of its turn.
func (c *chat) prompt(text string) {
	c.t.Helper()
	must.Do(c.t, c.Session.Prompt(event.Block{Text: text}))
	for ended := false; !ended; {
		select {
		case <-c.queue.Ready():
		case <-c.t.Context().Done():
			c.t.Fatal("the turn does not end")
		}
		for _, e := range c.queue.Drain() {
			if _, ok := e.(event.TurnEnded); ok {
				ended = true
			}
			c.thread.Apply(e)
		}
	}
}

// outline returns a transcript with one line per item.
func outline(th *thread.Thread) []string {
	kinds := [...]string{"user", "agent", "thought", "tool", "decision", "end", "notice", "attachment"}
	var out []string
	for _, it := range th.Items {
		s := kinds[it.Kind] + " " + string(it.Text)
		switch it.Kind {
		case thread.ToolCall:
			s += it.Tool.ID + " " + it.Tool.Title + " " + it.Tool.Status
		case thread.TurnEnd:
			s += it.End.StopReason
			if it.End.Err != nil {
				s += it.End.Err.Error()
			}
		case thread.Decision:
			s += it.Answer.Decision
		}
		out = append(out, s)
	}
	return out
}

// replayed returns the thread of a logged session.
func replayed(t *testing.T, g workspace.Logged) *thread.Thread {
	t.Helper()
	q := event.NewQueue()
	must.Do(t, g.Replay(t.Context(), q))
	th := thread.New(g.Session)
	for _, e := range q.Drain() {
		th.Apply(e)
	}
	if th.State != thread.Idle {
		t.Errorf("the replay leaves it %v", th.State)
	}
	return th
}

// directions returns messages in short form.
func directions(found []workspace.Message) string {
	var out []string
	for _, b := range found {
		s := "<"
		if b.Out {
			s = ">"
		}
		for _, word := range []string{"session/prompt", "message_chunk", "stopReason"} {
			if strings.Contains(string(b.JSON), word) {
				s += word
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// Sessions are found in the logs of all connections and replayed from the last whole replay on.
// Every item leads to its messages, both while the log is written and afterwards.
func TestLogs(t *testing.T) {
	dir := state(t)
	k := newSessionRig(t, all, three)
	if got, err := Logs(dir); err != nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
	fresh := connect(t, Opening{})
	fresh.prompt("first \x1b[2J prompt")
	liveMessages := map[int]string{}
	for i, it := range fresh.thread.Items {
		found, err := fresh.Messages(t.Context(), "fresh", it.Wire, it.Request)
		if err != nil {
			t.Fatalf("item %d: %v", i, err)
		}
		liveMessages[i] = directions(found)
	}
	if want := map[int]string{0: ">session/prompt <stopReason", 1: "<message_chunk", 2: "<stopReason"}; !cmp.Equal(liveMessages, want) {
		t.Errorf("messages of the items: got %v", liveMessages)
	}
	connect(t, Opening{}).Close()             // without a prompt
	connect(t, Opening{Resume: "k2"}).Close() // which has a conversation
	for range 2 {
		old := connect(t, Opening{Resume: "k1"})
		old.prompt("once more")
		old.Close()
	}
	got, err := Logs(dir)
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	self := self(t)
	for i, want := range []workspace.Logged{
		{Agent: filepath.Base(self), Session: "k1", Cwd: k.dir, Title: "once more", First: "once more", Prompts: 2, Name: "kept"},
		{Agent: filepath.Base(self), Session: "k2", Cwd: k.dir, Name: "kept"},
		{Agent: filepath.Base(self), Session: "fresh", Cwd: k.dir, Title: "first  prompt", First: "first  prompt", Prompts: 1, Name: "kept"},
	} {
		g := got[i]
		if time.Since(g.Updated) > time.Minute || g.Dir != k.dir {
			t.Errorf("got %+v", g)
		}
		g.Updated, g.Dir, g.Command, g.Replay, g.Search, g.Messages = time.Time{}, "", "", nil, nil, nil
		if d := cmp.Diff(want, g); d != "" {
			t.Error(d)
		}
	}
	whole := []string{"user an old question", "agent an old answer", "user once more", "agent session/list; session/load k1 " + k.dir + "; in k1", "end end_turn"}
	th := replayed(t, got[0])
	if d := cmp.Diff(whole, outline(th)); d != "" {
		t.Error(d)
	}
	for i, want := range []string{"<message_chunk", "<message_chunk", ">session/prompt <stopReason", "<message_chunk", "<stopReason"} {
		found, err := got[0].Messages(t.Context(), "", th.Items[i].Wire, th.Items[i].Request)
		if directions(found) != want || err != nil {
			t.Errorf("messages of item %d: got %s, %v", i, directions(found), err)
		}
	}
	if d := cmp.Diff(outline(fresh.thread), outline(replayed(t, got[2]))); d != "" { // while it is still being written
		t.Error(d)
	}
}

func TestNoLog(t *testing.T) {
	dir := state(t)
	newSessionRig(t, all, three)
	config := filepath.Join(t.TempDir(), "config.toml")
	must.Do(t, os.WriteFile(config, []byte("record = false\n"), 0o600))
	t.Setenv("PARLEY_CONFIG", config)
	c := connect(t, Opening{})
	c.prompt("hello")
	if _, err := c.Messages(t.Context(), "fresh", []event.Span{{First: 1, Last: 9}}, 2); !errors.Is(err, ErrNoLog) {
		t.Errorf("got %v", err)
	}
	if got, err := Logs(dir); err != nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// logOf writes a log from lines: "> " is sent by parley, "< " by the agent, and SAYS x is a chunk
// of session s.
func logOf(t testing.TB, dir string, started time.Time, o record.Options, lines ...string) string {
	t.Helper()
	w := must.Get(record.Create(dir, record.Meta{Agent: "a", Cwd: "/w", Started: started, Protocol: 1}, o))(t)
	n := uint64(0)
	for _, l := range lines {
		kind, rest, _ := strings.Cut(l, " ")
		if text, ok := strings.CutPrefix(rest, "SAYS "); ok {
			rest = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"}}}}`
		}
		if kind == ">" {
			w.Message(record.Out, 0, []byte(rest))
			continue
		}
		n++
		w.Message(record.In, n, []byte(rest))
	}
	must.Do(t, w.Close())
	return w.Path()
}

// turn returns the lines of a prompt, an answer to it, and the end of the turn.
func turn(id int, text, says string) []string {
	return []string{fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"%s"}]}}`, id, text),
		"< SAYS " + says, fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}`, id)}
}

func join(parts ...[]string) (all []string) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

var (
	resumes  = []string{`> {"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/w"}}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`}
	load     = `> {"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/w"}}`
	greeting = `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`
	loaded   = `< {"jsonrpc":"2.0","id":1,"result":{}}`
	refused  = `< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`
)

// A session in several logs is replayed from all of them.
func TestReplayOfSeveralLogs(t *testing.T) {
	one, two := turn(2, "one", "1"), turn(2, "two", "2")
	for _, c := range []struct {
		name  string
		files [][]string
		want  string
	}{
		{"resumed", [][]string{join(resumes, one), join(resumes, two)}, "user one | agent 1 | end end_turn | user two | agent 2 | end end_turn"},
		{"loaded", [][]string{join(resumes, one), join([]string{load, "< SAYS old", loaded}, two)}, "agent old | user two | agent 2 | end end_turn"},
		{"loaded, history after the answer", [][]string{join(resumes, one), join([]string{load, loaded, "< SAYS old"}, two)}, "agent old | user two | agent 2 | end end_turn"},
		{"loaded, and nothing was told", [][]string{join(resumes, one), join([]string{load, loaded}, two)}, "user one | agent 1 | end end_turn | user two | agent 2 | end end_turn"},
		{"loading failed", [][]string{join(resumes, one), {load, "< SAYS ol", refused}}, "user one | agent 1 | end end_turn"},
		{"loading failed later", [][]string{join(resumes, one, []string{load, "< SAYS ol", refused})},
			"user one | agent 1 | end end_turn | agent ol | notice the conversation could not be loaded whole: load the session: the agent answered: no (-32603)"},
		{"loaded in the middle", [][]string{join(resumes, one), join(resumes, two, []string{load, "< SAYS old", loaded}, turn(3, "three", "3"))}, "agent old | user three | agent 3 | end end_turn"},
		{"loaded before", [][]string{join(resumes, one), join([]string{load, "< SAYS old", loaded}, two), join(resumes, turn(2, "three", "3"))}, "agent old | user two | agent 2 | end end_turn | user three | agent 3 | end end_turn"},
		{"cut, and resumed on another connection", [][]string{join([]string{greeting}, resumes, one[:2], []string{greeting}, resumes, turn(3, "two", "2"))}, "user one | agent 1 | end the connection ends here | user two | agent 2 | end end_turn"},
		{"a crash", [][]string{join(resumes, one[:2]), join(resumes, two)}, "user one | agent 1 | end the log ends here | user two | agent 2 | end end_turn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for i, lines := range c.files {
				logOf(t, dir, time.Unix(int64(1000-i), 0).Add(time.Duration(2*i)*time.Second), record.Options{}, lines...)
			}
			got, err := Logs(dir)
			if err != nil || len(got) != 1 || got[0].Title != "one" {
				t.Fatalf("%+v, %v", got, err)
			}
			th := replayed(t, got[0])
			if s := strings.Join(outline(th), " | "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
			for i, it := range th.Items {
				found, err := got[0].Messages(t.Context(), "", it.Wire, it.Request)
				if err != nil || len(it.Text) > 0 && it.Kind != thread.Notice && (len(found) == 0 || !strings.Contains(string(found[0].JSON), `"`+string(it.Text)+`"`)) {
					t.Errorf("messages of item %d %q: got %v, %v", i, it.Text, found, err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := got[0].Replay(ctx, event.NewQueue()); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A full log says so at its end, and to anyone who looks up a later message.
func TestReplayOfAFullLog(t *testing.T) {
	dir := t.TempDir()
	lines := join(resumes, turn(2, "one", "1"))
	for range 200 {
		lines = append(lines, "< SAYS "+strings.Repeat("x", 100))
	}
	path := logOf(t, dir, time.Time{}, record.Options{MaxBytes: 8 << 10}, lines...)
	got, err := Logs(dir)
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	all := outline(replayed(t, got[0]))
	if last := all[len(all)-1]; last != "notice the log was full: what followed is not in it" {
		t.Errorf("%s", last)
	}
	if _, err := got[0].Messages(t.Context(), "", []event.Span{{First: 190, Last: 190}}, 0); !errors.Is(err, ErrLogFull) {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(path); err != nil { // as pruning would
		t.Fatal(err)
	}
	if n := len(outline(replayed(t, got[0]))); n != 0 {
		t.Errorf("%d items of a log that is gone", n)
	}
}

// notReplayable are scripts that a log cannot reproduce.
var notReplayable = map[string]string{
	"case79_closed_without_the_capability": "nothing on the wire tells that the session is closed",
	"case78_too_early_is_forgotten":        "the log has the times of this machine, and there no minute goes by",
}

// A log holds enough: every script can be replayed from its log.
func TestLogsOfScripts(t *testing.T) {
	paths, _ := filepath.Glob("../../testdata/acp/*.txtar")
	if len(paths) == 0 {
		t.Fatal("no scripts")
	}
	sessions := 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			if why := notReplayable[name]; why != "" {
				t.Skip(why)
			}
			r := acptest.Run(t, acptest.Read(t, path))
			w := must.Get(record.Create(t.TempDir(), record.Meta{}, record.Options{}))(t)
			for _, m := range r.Tapped {
				dir := record.In
				if m.Out {
					dir = record.Out
				}
				w.Message(dir, m.N, m.Data)
			}
			must.Do(t, w.Close())
			live := map[string]*thread.Thread{}
			for _, e := range r.Events {
				if _, over := e.(event.Disconnected); over {
					return // the reason is not in the log
				}
				id := e.EventSession()
				for _, th := range live {
					if th.Subagent(id) != nil {
						id = th.Session
					}
				}
				if id != "" {
					if live[id] == nil {
						live[id] = thread.New(id)
					}
					live[id].Apply(e)
				}
			}
			for id, th := range live {
				sessions++
				g := logged{Logged: workspace.Logged{Session: id}, files: []loggedFile{{path: w.Path(), protocol: 1}}}
				events := must.Get(g.replayFile(t.Context(), 0))(t)
				fromLog := thread.New(id)
				for _, e := range events {
					fromLog.Apply(e)
				}
				told := outline(fromLog)
				if th.State != thread.Idle { // the script ends early; the log may say how
					told = told[:min(len(told), len(th.Items))]
				}
				if d := cmp.Diff(outline(th), told); d != "" {
					t.Errorf("session %s, replayed (+):\n%s", id, d)
				}
			}
		})
	}
	if sessions < 50 {
		t.Errorf("only %d sessions", sessions)
	}
}

func TestSessionsOfLogs(t *testing.T) {
	dir := state(t)
	k := newSessionRig(t, all, three)
	if out, _, err := k.do(NewSessions, "--logs"); err != nil || strings.Join(strings.Fields(out), " ") != "ID AGENT UPDATED DIRECTORY PROMPTS TITLE" {
		t.Errorf("%v %s", err, out)
	}
	c := connect(t, Opening{})
	c.prompt("clear \x1b[2J the \u202e screen")
	c.prompt("more")
	c.Close()
	aside := connect(t, Opening{})
	aside.prompt("by the way")
	aside.HideLog("fresh")
	aside.Close()
	logOf(t, dir, time.Now(), record.Options{}, join(resumes, turn(2, "elsewhere", "1"))...)
	t.Setenv(guardVar, "1") // if an agent were started, it would require a login
	today := time.Now().UTC().Format("2006-01-02")
	out, stderr, err := k.do(NewSessions, "--logs")
	rows := strings.Split(strings.TrimSpace(out), "\n")
	if err != nil || stderr != "" || len(rows) != 2 || !strings.HasPrefix(rows[1], "fresh ") || !strings.Contains(rows[1], today) ||
		strings.Join(strings.Fields(rows[1])[4:6], " ") != k.dir+" 2" || !strings.HasSuffix(rows[1], "clear the screen") && !strings.HasSuffix(rows[1], "clear  the  screen") {
		t.Errorf("%v %s %s", err, out, stderr)
	}
	if strings.ContainsAny(out, "\x1b\u202e") {
		t.Errorf("got %q", out)
	}
	list := func(args ...string) string {
		t.Helper()
		var o strings.Builder
		cmd := NewSessions(Streams{In: strings.NewReader(""), Out: &o, Err: &o})
		if err := execute(t.Context(), cmd, args...); err != nil {
			return "error: " + err.Error()
		}
		return o.String()
	}
	if out := list("--logs"); !strings.Contains(out, "fresh") || strings.Contains(out, "elsewhere") {
		t.Errorf("%s", out)
	}
	if out := list("--logs", "--all"); !strings.Contains(out, "fresh") || !strings.Contains(out, "elsewhere") || strings.Count(out, "\n") != 3 {
		t.Errorf("%s", out)
	}
	if out := list("A", "--logs", "--all"); strings.Contains(out, "fresh") || !strings.Contains(out, "elsewhere") {
		t.Errorf("%s", out)
	}
	if out := list("a", "b", "--logs"); out != "error: only one agent at a time; type a command after --, as in `sessions -- a b`" {
		t.Errorf("%s", out)
	}
}

// BenchmarkReplay replays a full log with many chunks.
func BenchmarkReplay(b *testing.B) {
	w := must.Get(record.Create(b.TempDir(), record.Meta{}, record.Options{QueueBytes: 64 << 20}))(b)
	for n := range 130_000 {
		w.Message(record.In, uint64(n+1), fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":"a few words of an answer, %d"}}}}`, n/100, n))
	}
	must.Do(b, w.Close())
	info := must.Get(os.Stat(w.Path()))(b)
	g := logged{Logged: workspace.Logged{Session: "s"}, files: []loggedFile{{path: w.Path(), protocol: 1}}}
	b.SetBytes(info.Size())
	for b.Loop() {
		must.Do(b, g.replay(b.Context(), event.NewQueue()))
	}
}
