package demo

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/acpclient/jsonrpc"
	"parley/internal/must"
)

// schemaOf names the schema definition of each message the agent sends: the params of its requests
// and notifications, and the results of the client's requests.
var schemaOf = map[string]string{
	"session/update":             "SessionNotification",
	"session/request_permission": "RequestPermissionRequest",
	"fs/read_text_file":          "ReadTextFileRequest",
	"fs/write_text_file":         "WriteTextFileRequest",
	"terminal/create":            "CreateTerminalRequest",
	"terminal/wait_for_exit":     "WaitForTerminalExitRequest",
	"terminal/output":            "TerminalOutputRequest",
	"terminal/release":           "ReleaseTerminalRequest",
	"$/cancel_request":           "CancelRequestNotification",
	"initialize":                 "InitializeResponse",
	"session/new":                "NewSessionResponse",
	"session/set_mode":           "SetSessionModeResponse",
	"session/prompt":             "PromptResponse",
}

func schemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	dir := os.Getenv("ACP_SCHEMA_DIR")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "acp", "schema")
	}
	file, err := os.Open(filepath.Join(dir, "v1", "schema.json"))
	if err != nil {
		t.Skipf("the official schema is not there (set ACP_SCHEMA_DIR): %v", err)
	}
	defer file.Close()
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	must.Do(t, compiler.AddResource("acp.json", doc))
	out := map[string]*jsonschema.Schema{}
	for method, def := range schemaOf {
		if out[method], err = compiler.Compile("acp.json#/$defs/" + def); err != nil {
			t.Fatal(err)
		}
	}
	if out["error"], err = compiler.Compile("acp.json#/$defs/Error"); err != nil {
		t.Fatal(err)
	}
	return out
}

// Everything the agent can send is valid under the official schema.
func TestSchema(t *testing.T) {
	defs := schemas(t)
	seen := map[string]bool{}
	bubble(t, Options{Pace: -1}, func(t *testing.T, c *client) {
		c.files[workDir+"/README.md"] = "# Readme\n"
		s := c.open(allCaps)
		for _, prompt := range []string{"help", "think, plan, read, edit, hunks, unasked, run ls and long", "read nothing.txt"} {
			c.prompt(s, prompt)
		}
		c.denied["session/request_permission"] = jsonrpc.Errorf(-32603, "no user")
		c.prompt(s, "edit and run ls")
		c.must("session/set_mode", setModeParams{s, "auto"}, nil)
		c.code("session/prompt", promptOf("nobody", "hi"))
		c.exit = func(ctx context.Context) any { <-ctx.Done(); return struct{}{} }
		running := c.peer.Begin("session/prompt", promptOf(s, "run sleep 1000"))
		synctest.Wait()
		c.cancelled(s, running)
		for _, data := range c.wire.all() {
			seen[validate(t, defs, c.wire, data)] = true
		}
	})
	for method := range schemaOf {
		if !seen[method] {
			t.Errorf("nothing was sent for %s", method)
		}
	}
	if !seen["error"] {
		t.Error("no error was sent")
	}
}

// validate checks one message and returns its method.
func validate(t *testing.T, defs map[string]*jsonschema.Schema, wire *wiretap, data []byte) string {
	t.Helper()
	var m struct {
		ID, Result, Params, Error json.RawMessage
		Method                    string
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatalf("%s: got %v", data, err)
	}
	method, body := m.Method, m.Params
	switch {
	case m.Error != nil:
		method, body = "error", m.Error
	case method == "":
		wire.mu.Lock()
		method, body = wire.methods[string(m.ID)], m.Result
		wire.mu.Unlock()
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%s: got %v", data, err)
	}
	def := defs[method]
	if def == nil {
		t.Fatalf("no schema for %q: %s", method, data)
	}
	if err := def.Validate(v); err != nil {
		t.Errorf("%s: %v\n%s", method, err, data)
	}
	return method
}
