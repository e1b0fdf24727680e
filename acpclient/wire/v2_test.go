package wire_test

import (
	"reflect"
	"strings"
	"testing"

	"parley/acpclient/wire"
)

// Every member of a patch has three states, and a malformed one is omitted.
func TestPatchStatesV2(t *testing.T) {
	for value, want := range map[string]wire.Opt[string]{``: {}, `null`: {Set: true, Null: true}, `"x"`: wire.Some("x"), `5`: {}, `{}`: {}, `""`: wire.Some("")} {
		raw := `{"sessionUpdate":"tool_call_update","toolCallId":"c"}`
		if value != "" {
			raw = `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":` + value + `,"status":` + value + `}`
		}
		u, err := wire.DecodeUpdateV2([]byte(raw))
		if err != nil || u.Tool.Title != want || u.Tool.Status != want {
			t.Errorf("%q: %+v %v", value, u.Tool, err)
		}
	}
	for value, want := range map[string]wire.Opt[bool]{`null`: {Set: true, Null: true}, `{}`: wire.Some(false), `{"cancel":{}}`: wire.Some(true), `{"cancel":null}`: wire.Some(false), `[]`: {}, `true`: {}} {
		tool, err := wire.DecodeToolCallPatch([]byte(`{"toolCallId":"c","capabilities":` + value + `}`))
		if err != nil || tool.Cancel != want {
			t.Errorf("%s: %+v %v", value, tool.Cancel, err)
		}
	}
	for value, want := range map[string]wire.Opt[wire.Raw]{`null`: {Set: true, Null: true}, `[1]`: wire.Some(wire.Raw(`[1]`)), `false`: wire.Some(wire.Raw(`false`))} {
		tool, err := wire.DecodeToolCallPatch([]byte(`{"toolCallId":"c","rawInput":` + value + `}`))
		if err != nil || !reflect.DeepEqual(tool.RawInput, want) || tool.RawOutput.Set {
			t.Errorf("%s: %+v %v", value, tool.RawInput, err)
		}
	}
}

// What counts must be there; the rest of an update does not make up for it.
func TestUpdatesRefusedV2(t *testing.T) {
	for _, raw := range []string{
		`{}`, `[]`, `5`, `{"sessionUpdate":null}`, `{"sessionUpdate":"agent_message"}`, `{"sessionUpdate":"agent_message","messageId":5}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"m"}`, `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":5}}`,
		`{"sessionUpdate":"tool_call_update"}`, `{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c"}`,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"terminal"}}`,
		`{"sessionUpdate":"terminal_update","command":"x"}`, `{"sessionUpdate":"terminal_output_chunk","data":""}`, `{"sessionUpdate":"state_update","state":5}`,
		`{"sessionUpdate":"plan_update"}`, `{"sessionUpdate":"plan_update","plan":{"type":"items","entries":[]}}`, `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p"}}`,
	} {
		if u, err := wire.DecodeUpdateV2([]byte(raw)); err == nil {
			t.Errorf("%s is taken as %+v", raw, u)
		}
	}
}

// A diff of v2 has no texts; one of v1 that comes nevertheless is read as such.
func TestDiffsV2(t *testing.T) {
	tool, err := wire.DecodeToolCallPatch([]byte(`{"toolCallId":"c","content":[{"type":"diff","path":"/a","newText":"x"},{"type":"diff","changes":5},{"type":"diff","changes":[{"operation":"add","path":"/b"}],"patch":{"format":"git_patch"}}]}`))
	if err != nil || len(tool.Content.V) != 2 || tool.Content.V[0].Type != "diff" || tool.Content.V[1].Type != wire.ChangesContent || tool.Content.V[1].Patch != "" {
		t.Errorf("%+v %v", tool.Content, err)
	}
}

// FuzzDecodeUpdateV2 decodes any bytes, alone and as the content of a message
// beside a sound block, which is kept.
func FuzzDecodeUpdateV2(f *testing.F) {
	for _, s := range []string{
		`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"hi"},5],"_meta":{}}`,
		`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":1e9,"message":"m"},"background":[{"type":"terminal","terminalId":"t"},7]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":null,"content":[{"type":"diff","changes":[{"operation":"move","path":"/a","oldPath":"/b"}],"patch":{"format":"git_patch","text":"x"}}],"capabilities":{"cancel":{}}}`,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"terminal","terminalId":"t"}}`,
		`{"sessionUpdate":"terminal_update","terminalId":"t","output":{"data":"4pyT"},"exitStatus":{"exitCode":-1},"size":{"cols":1e9,"rows":-1}}`,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"4pw="}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"a"}]}}`, `{"sessionUpdate":"plan_removed","planId":"p"}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"a"}]}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"configId":"a","type":"boolean","currentValue":true}]}`,
		`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":null}`, `{"sessionUpdate":"compaction_update","compactionId":"a","summary":null}`,
		`{"sessionUpdate":"_x","y":[1,{}]}`, `{"type":"text","text":"x"}`, `null`, `{"a":`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		u, err := wire.DecodeUpdateV2(data)
		if err == nil && u.Kind == "" {
			t.Errorf("%q has no kind and no error", data)
		}
		if err == nil && (u.Terminal != nil && u.Kind != wire.TerminalUpdated && u.Kind != wire.TerminalOutputChunk || u.State != nil && u.State.State == "") {
			t.Errorf("%q became %+v", data, u)
		}
		wire.DecodePermissionRequestV2(data)
		var r wire.InitializeResponseV2
		r.UnmarshalJSON(data)
		sound := `{"type":"text","text":"sound"}`
		u, err = wire.DecodeUpdateV2([]byte(`{"sessionUpdate":"user_message","messageId":"m","content":[` + sound + `,` + string(data) + `]}`))
		if err != nil || !u.Blocks.Set { // what came made the whole malformed
			return
		}
		if len(u.Blocks.V) == 0 || u.Blocks.V[0].Text != "sound" && !strings.Contains(string(data), "content") {
			t.Errorf("beside %q the sound block is gone: %+v", data, u.Blocks)
		}
	})
}
