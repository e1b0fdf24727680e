package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"parley/acpclient/jsonrpc"
)

func wantText(t *testing.T, what, got string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if !strings.Contains(got, w) {
			t.Errorf("%s lacks %q:\n%s", what, w, got)
		}
	}
}

func TestInitialize(t *testing.T) {
	bubble(t, Options{Version: "1.2.3"}, func(t *testing.T, c *client) {
		var r struct {
			ProtocolVersion   int
			AgentInfo         struct{ Name, Title, Version string }
			AgentCapabilities struct {
				LoadSession        bool
				PromptCapabilities struct{ EmbeddedContext, Image bool }
			}
			AuthMethods []any
		}
		c.must("initialize", map[string]any{"protocolVersion": 2}, &r)
		if r.ProtocolVersion != 1 || r.AgentInfo.Name != "parley-demo" || r.AgentInfo.Title != "Demo agent" || r.AgentInfo.Version != "1.2.3" {
			t.Errorf("initialize: %+v", r)
		}
		if r.AgentCapabilities.LoadSession || r.AgentCapabilities.PromptCapabilities != struct{ EmbeddedContext, Image bool }{true, true} || r.AuthMethods == nil {
			t.Errorf("capabilities: %+v", r)
		}
	})
}

func TestNewSession(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		var r newSessionResult
		c.must("session/new", map[string]any{"cwd": workDir, "mcpServers": []any{}}, &r)
		synctest.Wait()
		if r.Modes.CurrentModeID != "ask" || len(r.Modes.AvailableModes) != 2 {
			t.Errorf("modes: %+v", r.Modes)
		}
		tr := c.since(r.SessionID, 0)
		if len(tr.updates) != 1 || tr.late != 1 {
			t.Fatalf("got %d updates, %d of them after the answer, want one, after it", len(tr.updates), tr.late)
		}
		var names []string
		for _, command := range tr.updates[0]["availableCommands"].([]any) {
			names = append(names, command.(map[string]any)["name"].(string))
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != "about edit hunks long plan read run think unasked" {
			t.Errorf("commands: %s", got)
		}
		if other := c.newSession(); other == r.SessionID {
			t.Error("two sessions have one id")
		}
	})
}

func TestGreeting(t *testing.T) {
	for _, prompt := range []string{"bonjour ☕ tout le monde", "help", "/about"} {
		bubble(t, Options{}, func(t *testing.T, c *client) {
			s := c.open(allCaps)
			tr := c.prompt(s, prompt)
			wantText(t, "prose", tr.prose, "# Hello from the demo agent", "| `edit` | Add a line", "```text\n", "> "+prompt+"\n\n", "That is all.")
			if tr.stop != "end_turn" || tr.late != 0 {
				t.Errorf("got stop reason %q and %d updates after the answer", tr.stop, tr.late)
			}
			if got := strings.Join(tr.kinds, " "); got != "session_info_update agent_message_chunk usage_update" {
				t.Errorf("updates: %s", got)
			}
			if got := tr.updates[0]["title"]; got != prompt {
				t.Errorf("title %q", got)
			}
		})
	}
}

func TestChunks(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		s := c.open(allCaps)
		begun := time.Now()
		tr := c.prompt(s, "中文🙂 hello")
		chunks := 0
		last := map[string]string{}
		for _, u := range tr.updates {
			if u["sessionUpdate"] != "agent_message_chunk" {
				continue
			}
			chunks++
			id := u["messageId"].(string)
			if before, ok := last[id]; ok {
				if n := utf8.RuneCountInString(before); n < 3 || n > 12 {
					t.Errorf("a chunk of %d characters: %q", n, before)
				}
			}
			last[id] = chunkText(u)
		}
		if strings.ContainsRune(tr.prose, utf8.RuneError) {
			t.Error("a chunk splits a character")
		}
		if len(last) != 2 {
			t.Errorf("%d messages, want 2", len(last))
		}
		if took, want := time.Since(begun), time.Duration(chunks)*DefaultPace; took != want {
			t.Errorf("%d chunks took %v, want %v", chunks, took, want)
		}
	})
}

func TestTitleAndUsage(t *testing.T) {
	bubble(t, Options{Pace: -1}, func(t *testing.T, c *client) {
		s := c.open(allCaps)
		begun := time.Now()
		var used float64
		for i := range 3 {
			tr := c.prompt(s, "hello there")
			if titled := slices.Contains(tr.kinds, "session_info_update"); titled != (i == 0) {
				t.Errorf("turn %d: titled is %v", i, titled)
			}
			u := tr.updates[len(tr.updates)-1]
			if u["size"] != 200000.0 || u["used"].(float64) <= used {
				t.Errorf("turn %d: usage %v after %v", i, u, used)
			}
			used = u["used"].(float64)
		}
		if took := time.Since(begun); took != 0 {
			t.Errorf("without a pace it took %v", took)
		}
	})
}

func TestThink(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		tr := c.prompt(c.open(allCaps), "Think, please")
		wantText(t, "thought", tr.thought, "**think**")
		if got := strings.Join(tr.kinds, " "); got != "session_info_update agent_thought_chunk agent_message_chunk usage_update" {
			t.Errorf("updates: %s", got)
		}
	})
}

func TestPlan(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		c.files[workDir+"/README.md"] = "# Readme\n"
		tr := c.prompt(c.open(allCaps), "plan, read and run ls")
		var got []string
		for _, u := range tr.updates {
			if u["sessionUpdate"] != "plan" {
				continue
			}
			line := ""
			for _, e := range u["entries"].([]any) {
				line += e.(map[string]any)["status"].(string)[:1]
			}
			got = append(got, line)
		}
		if want := []string{"ppp", "ipp", "cip", "cci", "ccc"}; !slices.Equal(got, want) {
			t.Errorf("plan went %v, want %v", got, want)
		}
		if len(tr.tools) != 2 || tr.tools[0].kind != "read" || tr.tools[1].kind != "execute" {
			t.Errorf("tools: %+v", tr.tools)
		}
	})
}

func TestLong(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		s := c.open(allCaps)
		begun := time.Now()
		tr := c.prompt(s, "long")
		if n := lineCount(tr.prose); n < 300 {
			t.Errorf("%d lines", n)
		}
		wantText(t, "prose", tr.prose, "## Section 16 of 16", "```go", "```bash", "| number |", "中文", "👩‍💻", "](https://example.com/")
		if strings.Count(tr.prose, "```")%2 != 0 {
			t.Error("a fence is left open")
		}
		if took := time.Since(begun); took > 3*time.Second {
			t.Errorf("it streams for %v", took)
		}
	})
}

func TestRefusedRequests(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		s := c.open(allCaps)
		for _, tc := range []struct {
			name, method, params string
			want                 int
		}{
			{"relative cwd", "session/new", `{"cwd":"here","mcpServers":[]}`, jsonrpc.CodeInvalidParams},
			{"no cwd", "session/new", `{}`, jsonrpc.CodeInvalidParams},
			{"cwd of another type", "session/new", `{"cwd":1}`, jsonrpc.CodeInvalidParams},
			{"positional params", "initialize", `[1]`, jsonrpc.CodeInvalidParams},
			{"prompt to no session", "session/prompt", `{"sessionId":"x","prompt":[{"type":"text","text":"hi"}]}`, jsonrpc.CodeInvalidParams},
			{"no blocks", "session/prompt", `{"sessionId":"` + s + `","prompt":[]}`, jsonrpc.CodeInvalidParams},
			{"blank text", "session/prompt", `{"sessionId":"` + s + `","prompt":[{"type":"text","text":" \n"}]}`, jsonrpc.CodeInvalidParams},
			{"prompt is no list", "session/prompt", `{"sessionId":"` + s + `","prompt":"hi"}`, jsonrpc.CodeInvalidParams},
			{"unknown mode", "session/set_mode", `{"sessionId":"` + s + `","modeId":"yolo"}`, jsonrpc.CodeInvalidParams},
			{"mode of no session", "session/set_mode", `{"sessionId":"x","modeId":"auto"}`, jsonrpc.CodeInvalidParams},
			{"load", "session/load", `{"sessionId":"` + s + `"}`, jsonrpc.CodeMethodNotFound},
		} {
			if got := c.code(tc.method, json.RawMessage(tc.params)); got != tc.want {
				t.Errorf("%s: code %d, want %d", tc.name, got, tc.want)
			}
		}
		if tr := c.prompt(s, "hello"); tr.stop != "end_turn" {
			t.Errorf("after all that: %q", tr.stop)
		}
	})
}

func TestSessionsAreIndependent(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		one := c.open(allCaps)
		two := c.newSession()
		held := make(chan struct{})
		c.permit = func(context.Context) (string, string) { <-held; return "selected", "allow_once" }
		first := c.peer.Begin("session/prompt", promptOf(one, "edit"))
		synctest.Wait()
		if got := c.code("session/prompt", promptOf(one, "hello")); got != jsonrpc.CodeInvalidRequest {
			t.Errorf("a second prompt: code %d", got)
		}
		if tr := c.prompt(two, "hello"); tr.stop != "end_turn" {
			t.Errorf("the other session: %q", tr.stop)
		}
		close(held)
		if err := first.Wait(t.Context(), nil); err != nil {
			t.Error(err)
		}
		if tr := c.prompt(one, "hello"); tr.stop != "end_turn" {
			t.Errorf("the next prompt: %q", tr.stop)
		}
	})
}

// Over streams, Run writes whole lines and returns at the end of its input.
func TestRun(t *testing.T) {
	inR, in := io.Pipe()
	out, outW := io.Pipe()
	end := make(chan error, 1)
	go func() { end <- Run(t.Context(), inR, outW, Options{}) }()
	lines := bufio.NewScanner(out)
	next := func() string {
		t.Helper()
		if !lines.Scan() {
			t.Fatalf("no line: %v", lines.Err())
		}
		if !json.Valid(lines.Bytes()) {
			t.Fatalf("not one JSON text: %s", lines.Text())
		}
		return lines.Text()
	}
	io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`+"\n\r\n")
	wantText(t, "answer", next(), `"id":1`, `"protocolVersion":1`)
	io.WriteString(in, "no json\n")
	wantText(t, "answer", next(), "-32700")
	io.WriteString(in, `{"jsonrpc":"2.0","id":"a","method":"session/new","params":{"cwd":"/x","mcpServers":[]}}`+"\r\n")
	var r struct{ Result newSessionResult }
	if err := json.Unmarshal([]byte(next()), &r); err != nil || r.Result.SessionID == "" {
		t.Fatalf("session/new: %+v, %v", r, err)
	}
	wantText(t, "update", next(), "available_commands_update")
	prompt, _ := json.Marshal(promptOf(r.Result.SessionID, "long"))
	io.WriteString(in, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":`+string(prompt)+"}\n")
	wantText(t, "update", next(), "session_info_update")
	in.Close() // in the middle of a turn
	if err := <-end; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestRunEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	end := make(chan error, 1)
	in, w := io.Pipe()
	go func() { end <- Run(ctx, in, io.Discard, Options{}) }()
	cancel(why)
	if err := <-end; !errors.Is(err, why) {
		t.Errorf("Run: %v", err)
	}
	if _, err := w.Write([]byte("x\n")); err == nil {
		t.Error("the input is still open")
	}
}
