package acpclient_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/must"
)

// connectV2 connects to an agent and returns the result.
func connectV2(t *testing.T, answers map[string]string, opts acpclient.Options) (*wireAgent, *acpclient.Client, *event.Queue, error) {
	a, conn := newV2Agent(t, answers)
	q := event.NewQueue()
	opts.Name, opts.Version, opts.Sink = "parley", "0", q
	c, err := acpclient.Connect(t.Context(), conn, opts)
	return a, c, q, err
}

// case 51: the first message offers the latest enabled version and identifies the
// client.
func TestCase51FirstMessage(t *testing.T) {
	for protocol, want := range map[string]string{
		"":     `"protocolVersion":1,`,
		"1":    `"clientInfo":{"name":"parley"`,
		"2":    `{"protocolVersion":2,"info":{"name":"parley","title":"parley","version":"0"},"capabilities":`,
		"auto": `"protocolVersion":2,`,
	} {
		synctest.Test(t, func(t *testing.T) {
			hello := v2Hello
			if protocol == "" || protocol == "1" {
				hello = v1Hello
			}
			a, c, _, err := connectV2(t, map[string]string{"initialize": hello}, acpclient.Options{Protocol: protocol})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if a.sent[0].Method != "initialize" || !strings.Contains(string(a.sent[0].Params), want) {
				t.Errorf("%q: %s %s", protocol, a.sent[0].Method, a.sent[0].Params)
			}
		})
	}
}

// remembered is the versions of agents, for one test.
type remembered map[string]int

func (r remembered) Version(agent string) int           { return r[agent] }
func (r remembered) Remember(agent string, version int) { r[agent] = version }

// case 52: an agent that answers 1 to 2 gets an initialize for version 1 on the same
// connection before anything else.
func TestCase52AnswerOfOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		versions := remembered{}
		opts := acpclient.Options{Protocol: "auto", Agent: "old", Versions: versions}
		a, c, _, err := connectV2(t, map[string]string{"initialize": v1Hello}, opts)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/w"}))(t)
		if c.Agent().ProtocolVersion != 1 || c.Agent().Name != "old" || versions["old"] != 1 {
			t.Errorf("%+v, remembered %d", c.Agent(), versions["old"])
		}
		hellos := a.got("initialize")
		if len(hellos) != 2 || !strings.Contains(string(hellos[1].Params), `"protocolVersion":1,"clientCapabilities":`) || a.sent[2].Method != "session/new" {
			t.Errorf("sent %v", a.sent)
		}
		b, again, _, err := connectV2(t, map[string]string{"initialize": v1Hello}, opts)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if n := len(b.got("initialize")); n != 1 {
			t.Errorf("initialized %d times although the version was remembered", n)
		}
	})
}

// case 52, remote: if a second initialize would be refused, another connection is
// requested, and the first one ends without an event.
func TestCase52InitializeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := acpclient.Options{Protocol: "2", InitializeOnce: true}
		_, _, q, err := connectV2(t, map[string]string{"initialize": v1Hello}, opts)
		var again *acpclient.ReconnectError
		if !errors.As(err, &again) || again.Version != 1 || len(q.Drain()) > 0 {
			t.Fatalf("%v, %v", err, q.Drain())
		}
		a, c, _, err := connectV2(t, map[string]string{"initialize": v1Hello}, again.Options(opts))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if n := len(a.got("initialize")); n != 1 || c.Agent().ProtocolVersion != 1 {
			t.Errorf("%d times, version %d", n, c.Agent().ProtocolVersion)
		}
	})
}

// case 53: answers without a version that parley supports end the connection.
func TestCase53NoVersion(t *testing.T) {
	for _, answer := range []string{"0", "3", `"1"`, `"0.1.0"`, "null", "-1", "1.5", "{}"} {
		synctest.Test(t, func(t *testing.T) {
			a, _, _, err := connectV2(t, map[string]string{"initialize": `{"protocolVersion":` + answer + `,"info":{"name":"a","version":"1"}}`}, acpclient.Options{Protocol: "2"})
			if !errors.Is(err, event.ErrVersion) {
				t.Errorf("%s: got %v", answer, err)
			}
			<-a.done // the connection is closed
		})
	}
	synctest.Test(t, func(t *testing.T) {
		if _, _, _, err := connectV2(t, map[string]string{"initialize": v2Hello}, acpclient.Options{Protocol: "1"}); !errors.Is(err, event.ErrVersion) {
			t.Errorf("2 to an offer of 1: %v", err)
		}
	})
}

// case 54: an agent that refuses the version and names others is offered the highest
// common one, on another connection.
func TestCase54UnsupportedVersion(t *testing.T) {
	for supported, want := range map[string]int{"[1]": 1, "[0,1,7]": 1, `["1"]`: 0, "[3]": 0, "[2]": 0, "5": 0} {
		synctest.Test(t, func(t *testing.T) {
			_, _, q, err := connectV2(t, map[string]string{"initialize": `error -32022 {"requested":2,"supported":` + supported + `}`}, acpclient.Options{Protocol: "2"})
			var again *acpclient.ReconnectError
			switch {
			case want == 0 && (errors.As(err, &again) || !errors.Is(err, event.ErrVersion)):
				t.Errorf("%s: got %v", supported, err)
			case want != 0 && (!errors.As(err, &again) || again.Version != want || len(q.Drain()) > 0):
				t.Errorf("%s: got %v", supported, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // any other error is reported to the user
		_, _, _, err := connectV2(t, map[string]string{"initialize": `error -32602 "x"`}, acpclient.Options{Protocol: "2"})
		var again *acpclient.ReconnectError
		if err == nil || errors.As(err, &again) || !strings.Contains(err.Error(), "-32602") {
			t.Errorf("got %v", err)
		}
	})
}

// init plays an agent that must be started again.
func init() {
	if after, ok := strings.CutPrefix(os.Getenv("PARLEY_TEST_VERSIONS"), "agent "); ok {
		versionsAgent(after)
		os.Exit(0)
	}
}

// versionsAgent supports only version 1, and accepts it only in the first message of its
// life.
func versionsAgent(mode string) {
	in := bufio.NewReader(os.Stdin)
	for n := 0; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		m := decode(line)
		one := strings.Contains(string(m.Params), `"protocolVersion":1,`)
		switch {
		case one && n == 0:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, v1Hello)
		case one && mode == "exits":
			return
		case one:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"again?"}}`+"\n", m.ID)
		case mode == "refuses":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"no","data":{"supported":[1]}}}`+"\n", m.ID)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, v1Hello)
		}
	}
}

// case 55, and case 54 with a process: Launch starts the agent again with version 1, and
// the first process is not reported.
func TestCase55Restart(t *testing.T) {
	for _, mode := range []string{"", "refuses", "exits"} {
		q := event.NewQueue()
		versions := remembered{}
		cmd := acpclient.AgentCommand{Path: os.Args[0], Args: []string{"-x"}, Env: append(os.Environ(), "PARLEY_TEST_VERSIONS=agent "+mode), Grace: 5 * time.Second}
		c, err := acpclient.Launch(t.Context(), cmd, acpclient.Options{Protocol: "auto", Versions: versions, Sink: q})
		if err != nil {
			t.Fatalf("%q: got %v", mode, err)
		}
		if events := q.Drain(); c.Agent().ProtocolVersion != 1 || len(events) > 0 || versions[os.Args[0]+" -x"] != 1 {
			t.Errorf("%q: version %d, events %v", mode, c.Agent().ProtocolVersion, events)
		}
		c.Close()
	}
}

// case 56: capabilities are off unless they are objects.
func TestCase56Capabilities(t *testing.T) {
	for _, tt := range []struct {
		session string
		del     bool
		none    bool
	}{
		{`{"delete":{},"fork":{}}`, true, false}, {`{"delete":null}`, false, false}, {`{"delete":5,"prompt":[],"mcp":"x"}`, false, false}, {`{}`, false, false},
		{`null`, false, true}, {`[]`, false, true}, {`7`, false, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			_, c, _, err := connectV2(t, map[string]string{"initialize": `{"protocolVersion":2,"info":5,"capabilities":{"session":` + tt.session + `},"authMethods":{}}`}, acpclient.Options{Protocol: "2"})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if a := c.Agent(); a.Delete != tt.del || a.Fork != tt.del || a.NoSessions != tt.none || a.List == tt.none || a.Logout {
				t.Errorf("%s: got %+v", tt.session, a)
			}
		})
	}
}

// case 60: an agent of v2 gets no files and no commands of this machine.
func TestCase60NothingServed(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		methods := []string{"fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output", "terminal/kill", "terminal/release", "terminal/wait_for_exit", "session/update"}
		for i, m := range methods {
			k.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"sessionId":"s","path":"/w/a","command":"ls","terminalId":"t"}}`, 100+i, m))
		}
		answers := k.got("")
		if len(answers) != len(methods) {
			t.Fatalf("%d answers", len(answers))
		}
		for _, a := range answers {
			if !strings.Contains(string(a.Error), "-32601") {
				t.Errorf("%s: %s %s", a.ID, a.Error, a.Result)
			}
		}
	})
}

// case 61: without capabilities.session no session method is sent, and the user
// is told.
func TestCase61NoSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, c, _, err := connectV2(t, map[string]string{"initialize": `{"protocolVersion":2,"info":{"name":"a","version":"1"}}`}, acpclient.Options{Protocol: "2"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, newErr := c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/w"})
		_, loadErr := c.LoadSession(t.Context(), "x", acpclient.NewSession{Cwd: "/w"})
		_, resumeErr := c.ResumeSession(t.Context(), "x", acpclient.NewSession{Cwd: "/w"})
		_, listErr := c.ListSessions(t.Context(), "")
		for _, err := range []error{newErr, loadErr, resumeErr, listErr, c.DeleteSession(t.Context(), "x")} {
			if !errors.Is(err, acpclient.ErrUnsupported) {
				t.Errorf("got %v", err)
			}
		}
		synctest.Wait()
		if len(a.sent) != 1 || !c.Agent().NoSessions {
			t.Errorf("sent %v", a.sent)
		}
	})
}
