package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/must"
	"parley/internal/sandbox"
)

// Variables that make this test binary act as an agent or as its login command.
const (
	agentVar = "CLI_TEST_AGENT" // agentCapabilities, JSON
	listVar  = "CLI_TEST_LIST"  // the agent's sessions, JSON
	guardVar = "CLI_TEST_GUARD" // set: every session requires a login, or this value as its key
	keyVar   = "CLI_TEST_KEY"
	loginVar = "CLI_TEST_LOGIN" // set: act as a terminal login, and exit with this code
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
	time.Local = time.UTC // only once: servers left running by a test read it too
	os.Exit(m.Run())
}

// self returns the path of this test binary, which acts as an agent if agentVar is set.
func self(t *testing.T) string {
	t.Helper()
	return must.Get(os.Executable())(t)
}

// realTemp returns a temporary directory whose path has no symbolic links, as parley prints it.
func realTemp(t *testing.T) string {
	t.Helper()
	return must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
}

// holds checks the text of a file.
func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v, want %q", path, got, err, want)
	}
}

// execute runs a command as package app does, which prints errors itself.
func execute(ctx context.Context, cmd *cobra.Command, args ...string) error {
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{}, args...)) // not nil, for which cobra takes those of the process
	return cmd.ExecuteContext(ctx)
}

// serve acts as an agent that keeps sessions. It answers a prompt with a list of the requests it
// has received, one per line.
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
