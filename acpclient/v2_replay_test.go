package acpclient_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/wire"
	"parley/internal/must"
)

// TestSchemaV2 checks that the schema is present, that validation can fail, and that
// every kind of update in it is known.
func TestSchemaV2(t *testing.T) {
	s, err := loadSchemaV2()
	if err != nil {
		t.Skipf("the ACP schema is absent, set ACP_SCHEMA_DIR: %v", err)
	}
	for def, value := range map[string]string{"InitializeRequest": `{"protocolVersion":2}`, "NewSessionRequest": `{"cwd":"/","extra":1}`,
		"SetSessionConfigOptionRequest": `{"sessionId":"s","configId":"c","value":"x"}`, "PromptRequest": `{"sessionId":"s","prompt":[]}`} {
		if validV2(s, def, json.RawMessage(value)) == nil {
			t.Errorf("%s takes %s", def, value)
		}
	}
	var defs struct {
		Defs map[string]struct {
			AnyOf []struct {
				Properties map[string]struct{ Const string }
			}
		} `json:"$defs"`
	}
	data, err := os.ReadFile(filepath.Join(shared("ACP_SCHEMA_DIR", "schema"), "v2", "schema.json"))
	if err != nil || json.Unmarshal(data, &defs) != nil {
		t.Fatal(err)
	}
	kinds := 0
	for _, v := range defs.Defs["SessionUpdate"].AnyOf {
		kind := v.Properties["sessionUpdate"].Const
		if kind == "" {
			continue
		}
		kinds++
		var n wire.Notification
		n.Decode(2, []byte(`{"sessionId":"s","update":{"sessionUpdate":"`+kind+`","toolCallId":"c","terminalId":"t","data":"","messageId":"m","content":{"type":"text","text":""},"state":"idle","plan":{"type":"items","planId":"p","entries":[]},"title":"t","compactionId":"c"}}`))
		u := &n.Update
		known := u.Blocks != nil || u.Content.Type != "" || u.State != nil || u.Tool.ID != "" || u.Piece != nil || u.Terminal != nil || u.Output != nil || u.Plan != nil || u.Title != nil || u.Usage != nil || u.Notice != nil || u.Compact != nil
		if !known && !strings.HasPrefix(kind, "available_commands") && !strings.HasPrefix(kind, "config_option") && u.MessageID == "" {
			t.Errorf("%s is not known: %v", kind, u.Err)
		}
	}
	if kinds < 15 {
		t.Errorf("only %d kinds: is the schema read rightly?", kinds)
	}
}

// TestReplaysV2 feeds the messages of real agents of v2 to an engine.
func TestReplaysV2(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(shared("ACP_TRANSCRIPT_DIR", "transcripts"), "*.jsonl"))
	replayed := 0
	for _, path := range paths {
		lines, version := heard(t, path)
		if version != 2 {
			continue
		}
		replayed++
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { replayV2(t, lines) })
		})
	}
	if replayed == 0 {
		t.Skip("no recordings of v2, set ACP_TRANSCRIPT_DIR")
	}
}

func replayV2(t *testing.T, lines [][]byte) {
	ids := sessionsOf(lines)
	a, conn := newV2Agent(t, nil)
	q, log := event.NewQueue(), event.NewLog()
	c := must.Get(acpclient.Connect(t.Context(), conn, acpclient.Options{Name: "parley", Version: "0", Protocol: "2", Sink: q, Log: log}))(t)
	defer c.Close()
	threads := map[string]*thread.Thread{}
	for _, id := range ids {
		a.set("session/new", fmt.Sprintf(`{"sessionId":%q}`, id))
		threads[id] = thread.New(id)
		must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}))(t)
	}
	for _, line := range lines {
		a.say(string(line))
	}
	synctest.Wait()
	ends := 0
	for _, e := range q.Drain() {
		switch e := e.(type) {
		case event.UnknownArrived:
			t.Errorf("unknown: %s %.200s", e.Kind, e.JSON)
		case event.TurnEnded:
			ends++
		}
		for id, th := range threads {
			if e.EventSession() == id || th.Subagent(e.EventSession()) != nil {
				th.Apply(e)
			}
		}
	}
	kept, _ := log.Lines()
	for _, l := range kept {
		if strings.Contains(l.Text, "that cannot be ") || strings.Contains(l.Text, "v1 on a connection") || strings.Contains(l.Text, "panic") {
			t.Errorf("log: %s", l.Text)
		}
	}
	idles := 0
	for _, line := range lines {
		if strings.Contains(string(line), `"sessionUpdate":"state_update","state":"idle"`) {
			idles++
		}
	}
	if ends == 0 && idles > 0 || ends > idles {
		t.Errorf("%d turns have ended, and the agent was idle %d times", ends, idles)
	}
	for id, th := range threads {
		if th.State != thread.Idle || len(th.Held) > 0 {
			t.Errorf("session %s ends %v, held %v", id, th.State, th.Held)
		}
	}
}
