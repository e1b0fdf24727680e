package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/fakeagent"
	"parley/internal/must"
	"parley/internal/sandbox"
	"parley/internal/text"
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
// has received.
func serve(capabilities string) {
	const offer = `"configOptions":[{"id":"m","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"id":"llm","name":"Model","category":"model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big"}]}]`
	s := &fakeagent.Script{}
	on := func(method, result string) {
		s.On(method, func(c *fakeagent.Call) (string, error) {
			switch {
			case os.Getenv(guardVar) != "" && os.Getenv(guardVar) != os.Getenv(keyVar):
				return "", fakeagent.Errorf(-32000, "log in, please")
			case (method == "session/load" || method == "session/resume") && !strings.Contains(os.Getenv(listVar), fmt.Sprintf("%q", c.ID)):
				return "", fakeagent.Errorf(-32603, "never heard of it")
			case method == "session/load":
				c.Agent.Say(c.ID, "user", "an old question")
				c.Agent.Say(c.ID, "agent", "an old answer")
			}
			return result, nil
		})
	}
	s.Answer("initialize", fmt.Sprintf(`{"protocolVersion":1,"agentInfo":{"name":"kept","version":%q},"agentCapabilities":%s}`, os.Getenv("CLI_TEST_A"), capabilities))
	on("session/list", `{"sessions":`+os.Getenv(listVar)+`}`)
	on("session/status", `{"status":"open","state":{"state":"running"}}`)
	on("session/new", `{"sessionId":"fresh",`+offer+`}`)
	for _, method := range []string{"session/load", "session/resume", "session/set_config_option"} {
		on(method, `{`+offer+`}`)
	}
	s.Turn(func(t *fakeagent.Turn) string {
		var asked []string
		for _, call := range t.Agent.Calls("")[1:] { // after initialize
			method, params, _ := strings.Cut(call, " ")
			var p struct {
				SessionID, Cwd, ConfigID string
				SystemPrompt             struct {
					Mode    string
					Content []struct{ Text string }
				}
			}
			json.Unmarshal([]byte(params), &p)
			line := method + " " + p.SessionID + " " + p.ConfigID + " " + p.Cwd + " " + p.SystemPrompt.Mode
			for _, block := range p.SystemPrompt.Content {
				line += " " + block.Text
			}
			asked = append(asked, strings.Join(strings.Fields(line), " "))
		}
		t.Say(strings.Join(asked, "; ") + "; in " + t.Session)
		return "end_turn"
	})
	fakeagent.Serve(os.Stdin, os.Stdout, s)
}

// The list of agents fits into its terminal: descriptions, which the registry writes, are cut, and what to do is not.
func TestAgentTable(t *testing.T) {
	agentTable := func(width int) string {
		rows := [][]string{
			{"NAME", "VERSION", "DESCRIPTION", "HOW"},
			{"junie", "", "Junie · JetBrains", "not installed; see https://junie.jetbrains.com"},
			{"qoder", "0.1.26", strings.Repeat("漢字 ", 40), "in the registry"},
		}
		cutDescriptions(rows, width)
		var b strings.Builder
		must.Do(t, printTable(&b, rows))
		return b.String()
	}
	for line := range strings.Lines(agentTable(100)) {
		if line = strings.TrimSuffix(line, "\n"); text.Width(line) > 100 {
			t.Errorf("%d cells: %s", text.Width(line), line)
		}
	}
	for _, width := range []int{1, 80, 100, 400} {
		table := agentTable(width)
		_, last, _ := strings.Cut(table, "\nqoder")
		at := text.Width(table[:strings.Index(table, "HOW")])
		if !strings.Contains(table, "see https://junie.jetbrains.com\n") || text.Width("qoder"+last[:strings.Index(last, "in the")]) != at {
			t.Errorf("at %d:\n%s", width, table)
		}
	}
}
