package headless

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/transport"
	"parley/internal/demo"
	"parley/internal/fakeagent"
)

// processVar makes this test binary an agent: one of processes.
const processVar = "PARLEY_TEST_AGENT"

// processes are the agents of tests that see more of a process than its messages.
var processes = map[string]func(*fakeagent.Script){
	"exits 0": func(*fakeagent.Script) { os.Exit(0) },
	"exits 3": func(*fakeagent.Script) { fmt.Fprintln(os.Stderr, "no login"); os.Exit(3) },
	"prints":  func(*fakeagent.Script) { fmt.Println("garbage"); os.Exit(2) },
	"is quiet": func(s *fakeagent.Script) {
		fmt.Fprintln(os.Stderr, "401 from the model")
		s.Turn(sending(chunk("m", "\n")))
	},
	"dies": func(s *fakeagent.Script) {
		s.Turn(func(t *fakeagent.Turn) string {
			t.Say("half")
			fmt.Fprint(os.Stderr, "first\nout of \x1b[31mmemory\n")
			t.Agent.Exit(3)
			return ""
		})
	},
	"babbles": func(s *fakeagent.Script) {
		fmt.Print("Welcome to the agent!\n{\"jsonrpc\":\n")
		s.Turn(func(t *fakeagent.Turn) string {
			fmt.Println(strings.Join([]string{"\x1b[2J not json", "[1,2,3]", "{}",
				`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"never_heard_of","x":1}}}`,
				`{"jsonrpc":"2.0","id":999,"result":{}}`, `{"jsonrpc":"2.0","id":5,"method":"odd/method"}`}, "\n"))
			t.Say("still here")
			return "end_turn"
		})
	},
}

func TestMain(m *testing.M) {
	if set := processes[os.Getenv(processVar)]; set != nil {
		s := &fakeagent.Script{}
		set(s)
		fakeagent.Serve(os.Stdin, os.Stdout, s)
		return
	}
	os.Exit(m.Run())
}

// agent is Options.Connect: it starts an agent.
type agent func(context.Context, acpclient.Options) (*acpclient.Client, error)

// process starts one of processes.
func process(name string) agent {
	return func(ctx context.Context, o acpclient.Options) (*acpclient.Client, error) {
		return acpclient.Launch(ctx, acpclient.AgentCommand{Path: os.Args[0], Env: append(os.Environ(), processVar+"="+name, "GORACE=atexit_sleep_ms=0")}, o)
	}
}

func demoAgent(ctx context.Context, o acpclient.Options) (*acpclient.Client, error) {
	ours, theirs := transport.Pipe()
	go demo.Serve(context.Background(), theirs, demo.Options{Pace: -1, Version: "1.2"})
	return acpclient.Connect(ctx, ours, o)
}

// follows starts an agent that follows a script.
func follows(s *fakeagent.Script) agent {
	return func(ctx context.Context, o acpclient.Options) (*acpclient.Client, error) {
		ours, theirs := transport.Pipe()
		fakeagent.New(theirs, s)
		o.Protocol = s.Protocol
		return acpclient.Connect(ctx, ours, o)
	}
}

// does starts an agent with this turn.
func does(turn func(*fakeagent.Turn) string) agent {
	s := &fakeagent.Script{}
	s.Turn(turn)
	return follows(s)
}

// sends starts an agent that sends these updates in its turn; sendsV2 one of ACP 2.
func sends(updates ...string) agent { return does(sending(updates...)) }

func sendsV2(updates ...string) agent {
	s := &fakeagent.Script{Protocol: "2"}
	s.Turn(sending(updates...))
	return follows(s)
}

func sending(updates ...string) func(*fakeagent.Turn) string {
	return func(t *fakeagent.Turn) string {
		for _, u := range updates {
			t.Update(u)
		}
		return "end_turn"
	}
}

const yesOrNo = `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`

// asks starts an agent that asks for permission for a tool call, and says what was chosen.
func asks(tool string) agent {
	return does(func(t *fakeagent.Turn) string { t.Say(t.Ask(tool, yesOrNo)); return "end_turn" })
}
