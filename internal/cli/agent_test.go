package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/sandbox"
)

// Variables that make this test binary an agent, or its login.
const (
	agentVar = "CLI_TEST_AGENT" // agentCapabilities, JSON
	listVar  = "CLI_TEST_LIST"  // the sessions it keeps, JSON
	guardVar = "CLI_TEST_GUARD" // set: it wants a login for every session, or that as its key
	keyVar   = "CLI_TEST_KEY"
	loginVar = "CLI_TEST_LOGIN" // set: it is the login of a terminal, and ends with that code
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.Command {
		os.Exit(SandboxExec(os.Args[2:], Streams{Err: os.Stderr}))
	}
	if code := os.Getenv(loginVar); code != "" {
		dir, _ := os.Getwd()
		fmt.Printf("%q %s %s\n", os.Args[1:], os.Getenv("CLI_TEST_A"), dir)
		if code != "0" {
			os.Exit(1)
		}
		return
	}
	if capabilities := os.Getenv(agentVar); capabilities != "" {
		serve(capabilities)
		return
	}
	time.Local = time.UTC // once: servers that a test leaves behind look at it too
	os.Exit(m.Run())
}

// serve is an agent that keeps sessions and answers a prompt with everything
// that it was asked for before, one thing a line.
func serve(capabilities string) {
	var asked []string
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				SessionID, Cwd, ConfigID string
				Value                    any
				Prompt                   []struct{ Text string }
			}
		}
		if json.Unmarshal(in.Bytes(), &m) != nil {
			os.Exit(9)
		}
		p := m.Params
		answer := func(format string, args ...any) {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, fmt.Sprintf(format, args...))
		}
		say := func(role, text string) {
			quoted, _ := json.Marshal(text)
			fmt.Printf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"%s_message_chunk","content":{"type":"text","text":%s}}}}`+"\n", p.SessionID, role, quoted)
		}
		const offer = `{"configOptions":[{"id":"m","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"id":"llm","name":"Model","category":"model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big"}]}]`
		if m.Method != "initialize" && m.Method != "session/prompt" {
			asked = append(asked, strings.Join(strings.Fields(m.Method+" "+p.SessionID+" "+p.ConfigID+" "+p.Cwd), " "))
		}
		switch {
		case m.Method == "initialize":
			answer(`"result":{"protocolVersion":1,"agentInfo":{"name":"kept","version":%q},"agentCapabilities":%s}`, os.Getenv("CLI_TEST_A"), capabilities)
		case os.Getenv(guardVar) != "" && os.Getenv(guardVar) != os.Getenv(keyVar):
			answer(`"error":{"code":-32000,"message":"log in, please"}`)
		case m.Method == "session/list":
			answer(`"result":{"sessions":%s}`, os.Getenv(listVar))
		case m.Method == "session/new":
			answer(`"result":{"sessionId":"fresh",%s}`, offer[1:])
		case m.Method == "session/load", m.Method == "session/resume":
			if !strings.Contains(os.Getenv(listVar), fmt.Sprintf("%q", p.SessionID)) {
				answer(`"error":{"code":-32603,"message":"never heard of it"}`)
				continue
			}
			if m.Method == "session/load" {
				say("user", "an old question")
				say("agent", "an old answer")
			}
			answer(`"result":%s}`, offer)
		case m.Method == "session/set_config_option":
			answer(`"result":%s}`, offer)
		case m.Method == "session/prompt":
			say("agent", strings.Join(asked, "; ")+"; in "+p.SessionID)
			answer(`"result":{"stopReason":"end_turn"}`)
		}
	}
}
