package acpclient_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/acptest"
	"parley/acpclient/event"
	"parley/internal/must"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv("PARLEY_TEST_AGENT"); mode != "" {
		os.Exit(agentProcess(mode))
	}
	os.Exit(m.Run())
}

// agentProcess runs the test binary as an agent: it plays a script, sends a load, or
// exits.
func agentProcess(mode string) int {
	if spec, ok := strings.CutPrefix(mode, "load "); ok {
		return loadProcess(spec)
	}
	if mode == "die" {
		fmt.Fprintln(os.Stderr, "[session/create] sessionId=27bde335-06fd phase=failing durationMs=7\nfirst\nno such \x1b[31mmodel for --api-key=k1")
		for i := range 100 {
			fmt.Fprintf(os.Stderr, "[session/create] sessionId=27bde335-06fd phase=settings durationMs=%d totalMs=%d\n", i, 2*i)
		}
		fmt.Fprintln(os.Stderr, "no such \x1b[31mmodel for --api-key=k1\n[session/query] resume=none apiType=native\n[session] is over")
		return 3
	}
	if mode == "shout" { // a line over the limit, then an answer
		in := bufio.NewScanner(os.Stdin)
		in.Scan()
		fmt.Println(strings.Repeat("x", 3<<20))
		fmt.Println(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`)
		in.Scan()
		return 0
	}
	if mode == "leave" {
		in := bufio.NewScanner(os.Stdin)
		in.Scan()
		fmt.Println(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{}}}}}`)
		in.Scan()
		fmt.Fprintln(os.Stderr, "no key")
		return 7
	}
	script, err := os.ReadFile(mode)
	if err == nil {
		err = acptest.Play(os.Stdin, os.Stdout, acptest.ParseArchive(script).File("script"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func launch(t *testing.T, mode string, sink event.Sink) (*acpclient.Client, error) {
	t.Helper()
	return acpclient.Launch(t.Context(), acpclient.AgentCommand{Path: os.Args[0], Env: append(os.Environ(), "PARLEY_TEST_AGENT="+mode), Grace: 5 * time.Second},
		acpclient.Options{Name: "parley", Version: "0", Sink: sink})
}

// A message over the limit is skipped, and said to be.
func TestMessageOverTheLimit(t *testing.T) {
	q := event.NewQueue()
	c := must.Get(acpclient.Launch(t.Context(), acpclient.AgentCommand{Path: os.Args[0], Env: append(os.Environ(), "PARLEY_TEST_AGENT=shout"), MaxLine: 1 << 20}, acpclient.Options{Sink: q}))(t)
	defer c.Close()
	events := q.Drain()
	if len(events) != 1 || events[0] != (event.NoticeArrived{Severity: "warning", Title: "A message of the agent was left out", Description: "it has 3 MiB, and the limit is 1 MiB"}) {
		t.Errorf("got %+v", events)
	}
}

// An agent that exits before the handshake is reported with its exit code and its last
// output, without secrets, repetitions and routine, in whatever order the goroutines run.
func TestLaunchOfAnAgentThatExits(t *testing.T) {
	want := []string{"[session/create] sessionId=27bde335-06fd phase=failing durationMs=7", "first", "no such model for --api-key=[redacted]", "[session] is over"}
	for range 20 {
		_, err := launch(t, "die", event.NewQueue())
		var exit *event.ExitError
		if !errors.As(err, &exit) || exit.Code != 3 || !slices.Equal(exit.Stderr, want) {
			t.Fatalf("got %v (%+v)", err, exit)
		}
	}
}

// The same for one that exits during the first request after the handshake.
func TestAgentExitsBeforeASession(t *testing.T) {
	for doing, request := range map[string]func(*acpclient.Client) error{
		"open a session": func(c *acpclient.Client) error {
			_, err := c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"})
			return err
		},
		"load the session": func(c *acpclient.Client) error {
			_, err := c.LoadSession(t.Context(), "s", acpclient.NewSession{Cwd: "/"})
			return err
		},
		"list sessions": func(c *acpclient.Client) error {
			_, err := c.ListSessions(t.Context(), "")
			return err
		},
	} {
		c, err := launch(t, "leave", event.NewQueue())
		if err != nil {
			t.Fatal(err)
		}
		err = request(c)
		var exit *event.ExitError
		if !errors.As(err, &exit) || err.Error() != doing+": the agent exited with code 7" || !slices.Equal(exit.Stderr, []string{"no key"}) {
			t.Errorf("got %v (%+v)", err, exit)
		}
		c.Close()
	}
}

func TestLaunchOfAMissingProgram(t *testing.T) {
	_, err := acpclient.Launch(t.Context(), acpclient.AgentCommand{Path: "no-such-agent-anywhere"}, acpclient.Options{Sink: event.NewQueue()})
	if err == nil || !strings.HasPrefix(err.Error(), `cannot start "no-such-agent-anywhere": command not found`) {
		t.Errorf("got %v", err)
	}
}

// A script plays in a process as it does in a bubble.
func TestLaunchOfAScript(t *testing.T) {
	q := event.NewQueue()
	c := must.Get(launch(t, "../testdata/acp/case82_answer_in_the_same_write.txtar", q))(t)
	s := must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: t.TempDir()}))(t)
	must.Do(t, s.Prompt(event.Block{Text: "hello"}))
	var events []event.Event
	for deadline := time.After(20 * time.Second); ; {
		events = append(events, q.Drain()...)
		if len(events) > 0 {
			if _, ok := events[len(events)-1].(event.TurnEnded); ok {
				break
			}
		}
		select {
		case <-q.Ready():
		case <-deadline:
			t.Fatalf("the turn does not end: %v", events)
		}
	}
	text := ""
	for _, e := range events {
		if e, ok := e.(event.TextArrived); ok {
			text += e.Text
		}
	}
	if text != "one two" {
		t.Errorf("got %q", text)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// sinkFunc is a Sink.
type sinkFunc func(event.Event)

func (f sinkFunc) Post(e event.Event) { f(e) }

// Whatever the timing, a cancel never overtakes its prompt, and TurnStarted,
// TurnCancelled and TurnEnded stay in order.
func TestPromptAndCancelRace(t *testing.T) {
	var mu sync.Mutex
	var order []string
	ended := make(chan struct{}, 1)
	a, c := greet(t, `{}`, map[string]string{"session/prompt": `{"stopReason":"cancelled"}`}, acpclient.Options{Sink: sinkFunc(func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		switch e.(type) {
		case event.TurnStarted:
			order = append(order, "started")
		case event.TurnCancelled:
			order = append(order, "cancelled")
		case event.TurnEnded:
			order = append(order, "ended")
			ended <- struct{}{}
		}
	})})
	s := must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/project"}))(t)
	for range 5000 {
		over := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() { // the user holds the key down
			for {
				select {
				case <-over:
					return
				default:
					s.Cancel()
				}
			}
		})
		if err := s.Prompt(event.Block{Text: "x"}); err != nil {
			t.Error(err)
		}
		<-ended
		close(over)
		wg.Wait()
	}
	mu.Lock()
	defer mu.Unlock()
	for i, word := range order {
		if word == "started" && i > 0 && order[i-1] != "ended" || word == "cancelled" && order[i-1] != "started" {
			t.Fatalf("event %d of a turn out of place: %q", i, order[max(0, i-3):min(len(order), i+3)])
		}
	}
	methods := a.heard()
	for i, m := range methods {
		if m == "session/cancel" && methods[i-1] != "session/prompt" {
			t.Fatalf("a cancel after %s", methods[i-1])
		}
	}
}

// Lines as long as those of real agents: 560 kB of commands, 3 MB of text.
func TestOddity02HugeLines(t *testing.T) {
	skill := strings.Repeat("skill ", 559_000/6)
	text := strings.Repeat("word ", 600_000)
	r := acptest.Run(t, &acptest.Archive{Files: []acptest.File{{Name: "script", Data: fmt.Appendf(nil, `handshake
< update {"sessionUpdate":"available_commands_update","_meta":{"availableSkillDetails":%q},"availableCommands":[{"name":"init","description":"x"}]}
< update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}
< update {"sessionUpdate":"tool_call_update","toolCallId":"c1","rawOutput":%q}
`, skill, text, text)}}})
	if len(r.Events) != 3 {
		t.Fatalf("events: %q", r.Lines)
	}
	if e, ok := r.Events[0].(event.CommandsChanged); !ok || len(e.Commands) != 1 {
		t.Errorf("got %s", r.Lines[1])
	}
	if e, ok := r.Events[1].(event.TextArrived); !ok || e.Text != text {
		t.Errorf("got %s", r.Lines[2])
	}
	if e, ok := r.Events[2].(event.ToolChanged); !ok || len(*e.RawOutput) > 70_000 {
		t.Errorf("got %s", r.Lines[3])
	}
}

// Close ends everything: the turn, the questions, and later calls.
func TestCloseEndsEverything(t *testing.T) {
	q := event.NewQueue()
	a, c := greet(t, `{}`, nil, acpclient.Options{Sink: q})
	s := must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}))(t)
	a.conn.Close()
	<-c.Done()
	if err := s.Prompt(event.Block{Text: "x"}); !errors.Is(err, event.ErrClosed) {
		t.Errorf("prompt: %v", err)
	}
	if _, err := c.NewSession(context.Background(), acpclient.NewSession{}); !errors.Is(err, event.ErrClosed) {
		t.Errorf("new session: %v", err)
	}
	s.Cancel()
	events := q.Drain()
	if last, ok := events[len(events)-1].(event.Disconnected); !ok || !errors.Is(last.Err, event.ErrClosed) {
		t.Errorf("the last event is %v", events)
	}
	c.Close()
}
