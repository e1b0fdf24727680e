package acpclient

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"parley/acpclient/event"
	"parley/internal/safetext"
)

// cutTexts are texts that change if the state at the end of a chunk is lost.
var cutTexts = []string{
	"🏳️\u200d🌈 and 👩🏽\u200d💻", "می\u200cخواهم", "a\r\nb\rc\r\r\nd", "plain words, 日本語, e\u0301 and हिन्दी",
	"a\x1b[1;31mred\x1b[0m b", "a\x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\", "a\x1b]0;title\x07b\x1bPq\x1b\\c\u009b1md",
	"e" + strings.Repeat("\u0301", 20) + "x", "é\u200d\u200d\u200cx", "🇩🇪🇫🇷 1️⃣ \U000e0041\ufeff", "tab\t \u202eturned\u2069 \"quoted\\\"",
}

// betweenChunks are updates that may arrive between two chunks of a message, by version.
var betweenChunks = map[int][]string{
	1: {
		`{"sessionUpdate":"usage_update","used":1,"size":2}`,
		`{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high","status":"pending"}]}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"t","data":"x"}}}`,
		`{"sessionUpdate":"current_mode_update","currentModeId":"m"}`,
	},
	2: {
		`{"sessionUpdate":"usage_update","used":1,"size":2}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"content","content":{"type":"text","text":"x\u001b["}}}`,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"b2s="}`,
		`{"sessionUpdate":"state_update","state":"running"}`,
		`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`,
		`{"sessionUpdate":"agent_message","messageId":"other","content":[{"type":"text","text":"x\u001b["}]}`,
		`{"sessionUpdate":"agent_message","messageId":"m","_meta":{}}`,
	},
}

func init() {
	for version, list := range betweenChunks {
		betweenChunks[version] = append(list,
			`{"sessionUpdate":"session_info_update","title":"x"}`,
			`{"sessionUpdate":"available_commands_update","availableCommands":[]}`,
			`{"sessionUpdate":"notice","severity":"info","title":"x"}`,
			`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"x\u001b["}}`,
			`{"sessionUpdate":"hologram"}`,
			`{"sessionUpdate":5}`,
			`{"sessionUpdate":"user_message_chunk","messageId":"u","content":{"type":"text","text":"u\r"}}`,
			`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"u\u001b[1"}}`,
			`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":{"type":"text","text":"hm\u001b]"}}`,
			`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm\u001b["}}`,
			`{"sessionUpdate":"agent_message_chunk","messageId":"n","content":{"type":"text","text":"n\r"}}`,
			`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"image","data":"QQ==","mimeType":"image/png"}}`)
	}
}

// jsonBytes returns s as a raw JSON string, with its invalid UTF-8 unchanged.
func jsonBytes(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		default:
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}

// cutBytes cuts a text between any two bytes, cutUnits between any two UTF-16 units, as
// JavaScript programs do. Both return raw JSON strings.
func cutBytes(text string, cut func() bool) (out []string) {
	from := 0
	for i := 1; i <= len(text); i++ {
		if i == len(text) || cut() {
			out = append(out, jsonBytes(text[from:i]))
			from = i
		}
	}
	return out
}

func cutUnits(text string, cut func() bool) (out []string) {
	piece := ""
	units := utf16.Encode([]rune(text))
	for i, u := range units {
		if r := rune(u); utf16.IsSurrogate(r) {
			piece += fmt.Sprintf(`\u%04x`, u)
		} else {
			quoted, _ := json.Marshal(string(r))
			piece += string(quoted[1 : len(quoted)-1])
		}
		if i == len(units)-1 || cut() {
			out = append(out, `"`+piece+`"`)
			piece = ""
		}
	}
	return out
}

// TestTextIsTheSameHoweverItIsCut checks that the text of a message depends neither on
// its chunks nor on the updates between them.
func TestTextIsTheSameHoweverItIsCut(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		version, text := 1+r.IntN(2), ""
		for range 1 + r.IntN(3) {
			text += cutTexts[r.IntN(len(cutTexts))]
		}
		id := `"messageId":"m",`
		if version == 1 && r.IntN(2) == 0 {
			id = ""
		}
		pieces := cutBytes
		if r.IntN(2) == 0 {
			pieces = cutUnits
		}
		often := 1 + r.IntN(8)
		var messages [][]byte
		for _, piece := range pieces(text, func() bool { return r.IntN(often) == 0 }) {
			messages = append(messages, []byte(update(`{"sessionUpdate":"agent_message_chunk",`+id+`"content":{"type":"text","text":`+piece+`}}`)))
			for range r.IntN(3) {
				list := betweenChunks[version]
				messages = append(messages, []byte(update(list[r.IntN(len(list))])))
			}
		}
		var got strings.Builder
		for _, e := range handle(version, messages) {
			if e, ok := e.(event.TextArrived); ok && e.Role == event.Agent && (e.MessageID == "m") == (id != "") && e.MessageID != "n" {
				got.WriteString(e.Text)
			}
		}
		if want := safetext.Clean(text); got.String() != want {
			t.Fatalf("seed %d, v%d:\n%s\nis %q\nwant %q", seed, version, joinLines(messages), got.String(), want)
		}
	}
}

func joinLines(messages [][]byte) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%q\n", m)
	}
	return b.String()
}

// An upsert discards the state of the cut text that it replaces, and is itself one text.
func TestChunksContinueAnUpsert(t *testing.T) {
	text := func(s string) string { return `{"type":"text","text":` + s + `}` }
	messages := [][]byte{
		[]byte(update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":` + text(`"old \u001b["`) + `}`)),
		[]byte(update(`{"sessionUpdate":"agent_message","messageId":"m","content":[` + text(`"1m new \ud83c"`) + `,` + text(`"\udf89\r"`) + `]}`)),
		[]byte(update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":` + text(`"\nline"`) + `}`)),
	}
	got := ""
	for _, e := range handle(2, messages) {
		switch e := e.(type) {
		case event.MessageReplaced:
			got = e.Text
		case event.TextArrived:
			got += e.Text
		}
	}
	if got != "1m new 🎉\nline" {
		t.Errorf("got %q", got)
	}
}

// Half a character whose other half never arrives is shown when the turn ends.
func TestHalfACharacterAtTheEndOfATurn(t *testing.T) {
	var events recorded
	c := testClient(1, &events)
	s := c.sessions.open["s1"]
	s.texts.write(event.Agent, "", "a\xf0\x9f")
	s.turns.running = true
	s.turns.answered(true, json.RawMessage(`{"stopReason":"end_turn"}`), nil)
	said, ended := "", false
	for _, e := range events {
		switch e := e.(type) {
		case event.TextArrived:
			said += e.Text
			ended = ended || said == ""
		case event.TurnEnded:
			ended = said == "a\uFFFD\uFFFD"
		}
	}
	if !ended {
		t.Errorf("got %+v", events)
	}
}

// The state of messages is bounded, whatever their ids are, and a message whose state
// was dropped is still made safe.
func TestRememberedMessagesAreBounded(t *testing.T) {
	var events recorded
	c := testClient(1, &events)
	s := c.sessions.open["s1"]
	for i := range 5000 {
		id := fmt.Sprint(i)
		if i%7 == 0 {
			id += strings.Repeat("x", 1<<16)
		}
		s.texts.write(event.Role(i%3), id, "half \x1b]0;a\xf0\x9f")
		held := 0
		for _, st := range s.texts.all {
			held += len(st.id)
		}
		if len(s.texts.all) > 64 || cap(s.texts.all) > 256 || held > 200<<10 {
			t.Fatalf("%d messages with %d bytes of ids after %d", len(s.texts.all), held, i)
		}
	}
	s.texts.write(event.Agent, "0", "\x1b[1mgo")
	if last := events[len(events)-1].(event.TextArrived); last.Text != "go" {
		t.Errorf("got %q", last.Text)
	}
	if slices.ContainsFunc(events, func(e event.Event) bool { text := e.(event.TextArrived).Text; return text != safetext.Clean(text) }) {
		t.Error("a text is not safe")
	}
}

func testClient(version int, sink event.Sink) *Client {
	c := &Client{sink: sink, opts: Options{Sink: sink, Log: event.NewLog()}, in: &counted{}, clock: func() time.Time { return time.Unix(1e9, 0) },
		sessions: newRegistry(), surface: v1{}}
	if version == 2 {
		c.surface = v2{}
	}
	for _, id := range []string{"s1", "s2"} {
		c.sessions.open[id] = newSession(c, id)
	}
	return c
}
