package wire_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley/acpclient/wire"
)

// FuzzDecodeUpdate decodes arbitrary bytes, alone and next to valid items, which must be
// kept in order.
func FuzzDecodeUpdate(f *testing.F) {
	for _, s := range []string{
		`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"hi"}}`,
		`{"sessionUpdate":"user_message_chunk","content":{"type":"resource","resource":{"uri":"file:///a","blob":"QQ=="}}}`,
		`{"sessionUpdate":"agent_thought_chunk","content":{"type":"image","data":5,"mimeType":null,"annotations":{"audience":["user",1]}}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c","content":[{"type":"diff","path":"/a","newText":"x"},{"type":"terminal","terminalId":"t"}],"_meta":{"terminal_output":{"data":"x"},"terminal_exit":{"exit_code":3}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"/a","line":1e9}],"rawInput":{"a":[1]},"status":null}`,
		`{"sessionUpdate":"plan","entries":[{"content":"a"},5]}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","input":{"hint":"h"}}]}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"id":"a","type":"select","options":[{"options":[{"value":"x"}]}]}]}`,
		`{"sessionUpdate":"usage_update","used":1e300,"size":-1,"cost":{"amount":1e999}}`,
		`{"sessionUpdate":"session_info_update","title":null}`, `{"sessionUpdate":"current_mode_update","modeId":"a"}`,
		`{"sessionUpdate":"notice","title":"a"}`, `{"sessionUpdate":"compaction_update","compactionId":"a","summary":[{"type":"text","text":"x"}]}`,
		`{"sessionUpdate":"hologram"}`, `{"sessionUpdate":`, `5`, `null`, ``, "{\"\xff\":1}", `{"type":"content","content":{"type":"text","text":"\ud800"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if u, err := decode(1, data); err == nil {
			checkDecoded(t, u)
			again, err := decode(1, slices.Clone(data))
			if err != nil || again.Kind != u.Kind || again.Unknown != u.Unknown {
				t.Errorf("decoded again it is %q, %v", again.Kind, err)
			}
		}
		neighbours(t, data)
	})
}

// checkDecoded checks the guarantees of a decoded update.
func checkDecoded(t *testing.T, u wire.Update) {
	t.Helper()
	if (u.Kind == "") == (u.Unknown == "") {
		t.Errorf("its kind is %q, or %q", u.Kind, u.Unknown)
	}
	switch u.Kind {
	case wire.ToolCallStarted, wire.ToolCallUpdate:
		for _, raw := range []wire.Raw{u.Tool.RawInput, u.Tool.RawOutput} {
			if raw != nil && !json.Valid(raw) {
				t.Errorf("kept %q", raw)
			}
		}
		if u.Tool.Locations != nil {
			for _, l := range *u.Tool.Locations {
				if l.Path == "" || l.Line < 0 {
					t.Errorf("location %+v", l)
				}
			}
		}
	case wire.AgentMessageChunk, wire.AgentThoughtChunk, wire.UserMessageChunk:
		if u.Content.Type == "" || u.Content.Type == "resource" && u.Content.Resource == nil {
			t.Errorf("content %+v", u.Content)
		}
	}
}

// neighbours puts data between valid items if it is one JSON value.
func neighbours(t *testing.T, data []byte) {
	if !json.Valid(data) {
		return
	}
	one, two := `{"type":"content","content":{"type":"text","text":"first neighbour"}}`, `{"type":"content","content":{"type":"text","text":"second neighbour"}}`
	u, err := decode(1, []byte(`{"sessionUpdate":"tool_call","toolCallId":"c","content":[`+one+","+string(data)+","+two+`]}`))
	if err != nil || u.Tool.Content == nil {
		t.Fatalf("the tool call is lost: %v", err)
	}
	texts := make([]string, 0, 3)
	for _, c := range *u.Tool.Content {
		texts = append(texts, c.Block.Text)
	}
	if n := len(texts); n < 2 || n > 3 || texts[0] != "first neighbour" || texts[n-1] != "second neighbour" {
		t.Errorf("the items around it are %q", texts)
	}
	u, err = decode(1, []byte(`{"entries":[{"content":"one"},`+string(data)+`,{"content":"two"}],"sessionUpdate":"plan"}`))
	if n := len(u.Plan.Entries); err != nil || n < 2 || u.Plan.Entries[0].Content != "one" || u.Plan.Entries[n-1].Content != "two" {
		t.Errorf("the plan is %+v, %v", u.Plan.Entries, err)
	}
	u, err = decode(1, []byte(`{"sessionUpdate":"agent_message_chunk","_meta":`+string(data)+`,"x":`+string(data)+`,"content":{"type":"text","text":"still here"}}`))
	if err != nil || u.Content.Text != "still here" {
		t.Errorf("the text is %q, %v", u.Content.Text, err)
	}
}

func TestStrictDecoders(t *testing.T) {
	for _, c := range []struct {
		name   string
		decode func(string) error
		good   []string
		bad    []string
	}{
		{"fs/read_text_file", func(s string) error { _, err := wire.DecodeReadTextFile([]byte(s)); return err },
			[]string{`{"sessionId":"s","path":"/a"}`, `{"sessionId":"s","path":"/a","line":null,"limit":0}`, `{"line":2.0,"path":"","sessionId":"s","x":{}}`},
			[]string{`{}`, `[]`, `{"sessionId":"s"}`, `{"path":"/a"}`, `{"sessionId":"s","path":5}`, `{"sessionId":"s","path":"/a","line":"1"}`,
				`{"sessionId":"s","path":"/a","line":-1}`, `{"sessionId":"s","path":"/a","limit":1.5}`, `{"sessionId":null,"path":"/a"}`}},
		{"fs/write_text_file", func(s string) error { _, err := wire.DecodeWriteTextFile([]byte(s)); return err },
			[]string{`{"sessionId":"s","path":"/a","content":""}`},
			[]string{`{"sessionId":"s","path":"/a"}`, `{"sessionId":"s","path":"/a","content":null}`, `{"sessionId":"s","path":"/a","content":["x"]}`}},
		{"terminal/create", func(s string) error { _, err := wire.DecodeCreateTerminal([]byte(s)); return err },
			[]string{`{"sessionId":"s","command":"ls"}`, `{"sessionId":"s","command":"ls","args":null,"env":[],"cwd":null,"outputByteLimit":null}`,
				`{"sessionId":"s","command":"ls","args":["-l"],"env":[{"name":"A","value":""}],"outputByteLimit":18446744073709551615}`},
			[]string{`{"sessionId":"s"}`, `{"sessionId":"s","command":"ls","args":"-l"}`, `{"sessionId":"s","command":"ls","args":["-l",5]}`,
				`{"sessionId":"s","command":"ls","env":{"A":"b"}}`, `{"sessionId":"s","command":"ls","env":[{"name":"A"}]}`, `{"sessionId":"s","command":"ls","cwd":5}`,
				`{"sessionId":"s","command":"ls","outputByteLimit":-1}`, `{"sessionId":"s","command":"ls","outputByteLimit":"1"}`}},
		{"terminal/output", func(s string) error { _, err := wire.DecodeTerminalRef([]byte(s)); return err },
			[]string{`{"sessionId":"s","terminalId":"t"}`}, []string{`{"sessionId":"s"}`, `{"terminalId":"t"}`, `null`, `{"sessionId":"s","terminalId":1}`}},
	} {
		for _, s := range c.good {
			if err := c.decode(s); err != nil {
				t.Errorf("%s refuses %s: %v", c.name, s, err)
			}
		}
		for _, s := range c.bad {
			if err := c.decode(s); err == nil || strings.Contains(err.Error(), "%!") {
				t.Errorf("%s accepts %s (%v)", c.name, s, err)
			}
		}
	}
}
