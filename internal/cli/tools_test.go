package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/must"
	"parley/internal/toolserver"
)

func TestWhoIsOfferedTools(t *testing.T) {
	yes, no := new(true), new(false)
	mine := agents.Agent{Name: "mine", Source: agents.Config}
	for name, tc := range map[string]struct {
		all  bool
		own  *bool
		flag *bool
		a    agents.Agent
		want bool
	}{
		"nothing said":               {a: mine},
		"for all":                    {all: true, a: mine, want: true},
		"the agent's own":            {own: yes, a: mine, want: true},
		"the agent's own no":         {all: true, own: no, a: mine},
		"the flag":                   {flag: yes, own: no, a: mine, want: true},
		"the flag's no":              {flag: no, all: true, own: yes, a: mine},
		"another agent":              {own: yes, a: agents.Agent{Name: "other", Source: agents.Path}},
		"another agent, for all":     {all: true, own: no, a: agents.Agent{Name: "other", Source: agents.Path}, want: true},
		"a command of the same name": {own: yes, a: agents.Agent{Name: "mine", Source: agents.Custom}},
	} {
		s := &Setup{Config: &config.Config{OfferTools: tc.all, Agents: map[string]config.Agent{"mine": {Command: "x", OfferTools: tc.own}}}, OfferTools: tc.flag}
		var want []string
		if tc.want {
			want = []string{self(t), "mcp"}
		}
		if got, err := s.tools(tc.a); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestOfferToolsFlag(t *testing.T) {
	for args, want := range map[string]string{"": "nothing", "--offer-tools": "true", "--offer-tools=true": "true", "--offer-tools=false": "false"} {
		cmd := &cobra.Command{}
		given := OfferToolsFlag(cmd)
		must.Do(t, cmd.Flags().Parse(strings.Fields(args)))
		got := "nothing"
		if v := given(); v != nil {
			got = fmt.Sprint(*v)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", args, got, want)
		}
	}
}

// mcp runs `parley mcp` with these variables.
func mcp(t *testing.T, socket, token string, in io.Reader, args ...string) (out string, err error) {
	t.Helper()
	t.Setenv(toolserver.SocketVar, socket)
	t.Setenv(toolserver.TokenVar, token)
	var o, e bytes.Buffer
	cmd := NewMCP(Streams{In: in, Out: &o, Err: &e})
	err = execute(t.Context(), cmd, args...)
	if e.Len() > 0 {
		t.Errorf("stderr %q", e.String())
	}
	return o.String(), err
}

func TestMCP(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", "")
	s := toolserver.New(toolserver.Options{Command: []string{"parley", "mcp"}})
	defer s.Close()
	m, _, err := s.Offer(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	socket, token := m.Env[0].Value, m.Env[1].Value

	var usage UsageError
	for _, missing := range [][2]string{{"", ""}, {socket, ""}, {"", token}} {
		if out, err := mcp(t, missing[0], missing[1], strings.NewReader("")); !errors.As(err, &usage) || out != "" || strings.Contains(err.Error(), "\n") ||
			!strings.Contains(err.Error(), "PARLEY_MCP_SOCKET and PARLEY_MCP_TOKEN are not set") {
			t.Errorf("%q, %v", out, err)
		}
	}
	if _, err := mcp(t, socket, token, strings.NewReader(""), token); !errors.As(err, &usage) {
		t.Errorf("it takes a token as an argument: %v", err)
	}
	if out, err := mcp(t, socket, "wrong", strings.NewReader("")); !errors.Is(err, toolserver.ErrRefused) || errors.As(err, &usage) || out != "" {
		t.Errorf("%q, %v", out, err)
	}

	// The answer arrives at the other end. Then the input ends, and so does the command.
	in, say := io.Pipe()
	read, write := io.Pipe()
	cmd := NewMCP(Streams{In: in, Out: write})
	t.Setenv(toolserver.SocketVar, socket)
	t.Setenv(toolserver.TokenVar, token)
	done := make(chan error, 1)
	go func() { done <- execute(t.Context(), cmd) }()
	io.WriteString(say, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	answer := make([]byte, len(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	if _, err := io.ReadFull(read, answer); err != nil || string(answer) != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("%s, %v", answer, err)
	}
	go io.Copy(io.Discard, read)
	say.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
