package acpclient_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/must"
	"parley/internal/safetext"
)

// Recorded conversations of real agents are not part of this project. They are looked
// for in $ACP_TRANSCRIPT_DIR and next to the project.

// heard returns the lines that an agent of v1 sent in one recording.
func heard(t *testing.T, path string) (lines [][]byte, version int) {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	r := bufio.NewReader(f)
	for {
		text, err := r.ReadBytes('\n')
		if err != nil {
			return lines, version
		}
		var entry struct{ Dir, Line string }
		if err := json.Unmarshal(text, &entry); err != nil {
			t.Fatalf("%s: got %v", path, err)
		}
		if entry.Dir != "in" {
			continue
		}
		lines = append(lines, []byte(entry.Line))
		var m struct{ Result struct{ ProtocolVersion int } }
		if json.Unmarshal([]byte(entry.Line), &m); m.Result.ProtocolVersion > version {
			version = m.Result.ProtocolVersion
		}
	}
}

func TestReplays(t *testing.T) {
	dir := shared("ACP_TRANSCRIPT_DIR", "transcripts")
	paths, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if len(paths) == 0 {
		t.Skipf("no recordings in %s, set ACP_TRANSCRIPT_DIR", dir)
	}
	replayed := 0
	for _, path := range paths {
		lines, version := heard(t, path)
		if version != 1 {
			continue
		}
		replayed++
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl"), func(t *testing.T) {
			checkUpdates(t, lines)
			synctest.Test(t, func(t *testing.T) { replay(t, lines) })
		})
	}
	if replayed < 50 {
		t.Errorf("only %d of %d recordings are of v1", replayed, len(paths))
	}
}

// checkUpdates decodes every update separately.
func checkUpdates(t *testing.T, lines [][]byte) {
	for _, line := range lines {
		var m struct {
			Method string
			Params json.RawMessage
		}
		if json.Unmarshal(line, &m) != nil || m.Method != "session/update" {
			continue
		}
		var n wire.Notification
		if err := cmp.Or(n.Decode(1, m.Params), n.Update.Err); err != nil {
			t.Errorf("%.300s: got %v", line, err)
		}
	}
}

// replay sends the lines to an engine that has all of their sessions open.
func replay(t *testing.T, lines [][]byte) {
	q := event.NewQueue()
	agent, conn := newWireAgent(t, nil)
	log := event.NewLog()
	c := must.Get(acpclient.Connect(t.Context(), conn, acpclient.Options{Sink: q, Log: log}))(t)
	for _, id := range sessionsOf(lines) {
		agent.set("session/new", fmt.Sprintf(`{"sessionId":%q}`, id))
		must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}))(t)
	}
	for _, line := range lines {
		agent.say(string(line))
	}
	synctest.Wait()
	checkReplayed(t, lines, q.Drain())
	kept, _ := log.Lines()
	for _, l := range kept {
		if strings.Contains(l.Text, "that cannot be ") || strings.Contains(l.Text, "panic") {
			t.Errorf("log: %s", l.Text)
		}
	}
	c.Close()
	answers := map[string]int{}
	for _, m := range agent.got("") {
		answers[string(m.ID)]++
	}
	for id, n := range requestsOf(lines) {
		if answers[id] != n {
			t.Errorf("request %s came %d times and was answered %d times", id, n, answers[id])
		}
	}
}

// checkReplayed looks for unknown updates and for lost text.
func checkReplayed(t *testing.T, lines [][]byte, events []event.Event) {
	var got strings.Builder
	for _, e := range events {
		switch e := e.(type) {
		case event.UnknownArrived:
			t.Errorf("unknown: %s %.200s", e.Kind, e.JSON)
		case event.TextArrived:
			got.WriteString(e.Text)
		}
	}
	var want strings.Builder
	for _, line := range lines {
		var m struct {
			Params struct {
				Update struct {
					SessionUpdate string
					Content       struct{ Type, Text string }
				}
			}
		}
		json.Unmarshal(line, &m)
		if u := m.Params.Update; strings.HasSuffix(u.SessionUpdate, "_message_chunk") || u.SessionUpdate == "agent_thought_chunk" {
			want.WriteString(u.Content.Text)
		}
	}
	if clean := safetext.Clean(want.String()); clean == want.String() && got.String() != clean {
		t.Errorf("%d bytes of text arrived of %d", got.Len(), len(clean))
	}
}

// sessionsOf returns the sessions in the lines that are no sub-agents.
func sessionsOf(lines [][]byte) (ids []string) {
	subagents := map[string]bool{}
	for _, line := range lines {
		var m struct {
			Params struct {
				SessionID string
				Update    struct{ SessionUpdate, SessionID string }
			}
		}
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		if u := m.Params.Update; u.SessionUpdate == "subagent_update" {
			subagents[u.SessionID] = true
		}
		if id := m.Params.SessionID; id != "" && !subagents[id] && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func requestsOf(lines [][]byte) map[string]int {
	ids := map[string]int{}
	for _, line := range lines {
		if m := decode(line); m.Method != "" && m.ID != nil {
			ids[string(m.ID)]++
		}
	}
	return ids
}
