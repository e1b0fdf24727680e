package wire_test

import (
	"cmp"
	"reflect"
	"strings"
	"testing"

	"parley/acpclient/wire"
)

// decode decodes an update as part of a session/update.
func decode(version int, update []byte) (wire.Update, error) {
	var n wire.Notification
	err := n.Decode(version, []byte(`{"sessionId":"s","update":`+string(update)+`}`))
	return n.Update, cmp.Or(err, n.Update.Err)
}

// Every member of a tool call has three states in v2: absent, null and a value. In v1
// null is no change. A malformed member counts as absent.
func TestNullOfATool(t *testing.T) {
	for value, want := range map[string]wire.ToolCall{
		``: {}, `5`: {}, `{}`: {},
		`"x"`:  {Title: new("x"), Kind: new("x"), Status: new("x")},
		`null`: {Title: new(""), Kind: new("other"), Status: new("pending")},
	} {
		raw := `{"sessionUpdate":"tool_call_update","toolCallId":"c"}`
		if value != "" {
			raw = strings.NewReplacer("VALUE", value).Replace(`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":VALUE,"kind":VALUE,"status":VALUE}`)
		}
		want.ID = "c"
		if u, err := decode(2, []byte(raw)); err != nil || !reflect.DeepEqual(u.Tool, want) {
			t.Errorf("%q: %+v %v", value, u.Tool, err)
		}
		if value == "null" {
			want = wire.ToolCall{ID: "c"}
		}
		if u, err := decode(1, []byte(raw)); err != nil || !reflect.DeepEqual(u.Tool, want) {
			t.Errorf("%q in v1: %+v %v", value, u.Tool, err)
		}
	}
	tool := func(version int, member string) *wire.ToolCall {
		u, err := decode(version, []byte(`{"sessionUpdate":"tool_call_update","toolCallId":"c",`+member+`}`))
		if err != nil {
			t.Fatalf("%s: got %v", member, err)
		}
		return &u.Tool
	}
	for value, want := range map[string]*bool{`null`: new(false), `{}`: new(false), `{"cancel":{}}`: new(true), `{"cancel":null}`: new(false), `[]`: nil, `true`: nil} {
		if got := tool(2, `"capabilities":`+value).Cancel; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v", value, got)
		}
	}
	for value, want := range map[string]wire.Raw{`null`: wire.Raw("null"), `[1]`: wire.Raw(`[1]`), `false`: wire.Raw(`false`)} {
		if got := tool(2, `"rawInput":`+value); !reflect.DeepEqual(got.RawInput, want) || got.RawOutput != nil {
			t.Errorf("%s: got %+v", value, got)
		}
	}
	for _, member := range []string{`"content":null`, `"locations":null`} {
		one, two := tool(1, member), tool(2, member)
		if one.Content != nil || one.Locations != nil || (two.Content == nil) == (two.Locations == nil) {
			t.Errorf("%s: %+v, %+v", member, one, two)
		}
	}
}

// An update without a required member is malformed, whatever else it has.
func TestUpdatesRefusedV2(t *testing.T) {
	for _, raw := range []string{
		`{}`, `[]`, `5`, `{"sessionUpdate":null}`, `{"sessionUpdate":"agent_message"}`, `{"sessionUpdate":"agent_message","messageId":5}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"m"}`, `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":5}}`,
		`{"sessionUpdate":"tool_call_update"}`, `{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c"}`,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"terminal"}}`,
		`{"sessionUpdate":"terminal_update","command":"x"}`, `{"sessionUpdate":"terminal_output_chunk","data":""}`, `{"sessionUpdate":"state_update","state":5}`,
		`{"sessionUpdate":"plan_update"}`, `{"sessionUpdate":"plan_update","plan":{"type":"items","entries":[]}}`, `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p"}}`,
	} {
		if u, err := decode(2, []byte(raw)); err == nil {
			t.Errorf("%s is accepted as %+v", raw, u)
		}
	}
}

// A diff of v2 has no texts; a diff of v1 in a v2 connection is read as one of v1.
func TestDiffsV2(t *testing.T) {
	u, err := decode(2, []byte(`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff","path":"/a","newText":"x"},{"type":"diff","changes":5},{"type":"diff","changes":[{"operation":"add","path":"/b"}],"patch":{"format":"git_patch"}}]}`))
	if c := *u.Tool.Content; err != nil || len(c) != 2 || c[0].Type != "diff" || c[1].Type != wire.ChangesContent || c[1].Patch != "" {
		t.Errorf("%+v %v", c, err)
	}
}

// FuzzDecodeUpdateV2 decodes arbitrary bytes, alone and as the content of a message next
// to a valid block, which is kept.
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
		u, err := decode(2, data)
		if err == nil && u.Kind == "" && u.Unknown == "" {
			t.Errorf("%q has no kind and no error", data)
		}
		if err == nil && (u.Terminal != nil && u.Kind != wire.TerminalUpdated || u.State != nil && u.State.State == "") {
			t.Errorf("%q became %+v", data, u)
		}
		wire.DecodePermissionRequest(2, data)
		r := wire.InitializeResponse{Version: 2}
		r.UnmarshalJSON(data)
		sound := `{"type":"text","text":"sound"}`
		u, err = decode(2, []byte(`{"sessionUpdate":"user_message","messageId":"m","content":[`+sound+`,`+string(data)+`]}`))
		if err != nil || u.Blocks == nil { // the bytes made the whole message malformed
			return
		}
		if len(*u.Blocks) == 0 || (*u.Blocks)[0].Text != "sound" && !strings.Contains(string(data), "content") {
			t.Errorf("next to %q the valid block is missing: %+v", data, *u.Blocks)
		}
	})
}
