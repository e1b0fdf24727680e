package acpclient_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/acptest"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
)

var logged = time.Date(2026, 3, 1, 10, 42, 0, 0, time.UTC)

// replayLines replays lines, "> " for messages of parley and "< " for those of the
// agent, one a second. The line "end" ends the replay.
func replayLines(protocol int, lines ...string) (th *thread.Thread, events eventList) {
	r := acpclient.NewReplay("s", protocol, &events)
	n := uint64(0)
	for i, l := range lines {
		at := logged.Add(time.Duration(i) * time.Second)
		switch kind, rest, _ := strings.Cut(l, " "); kind {
		case ">":
			r.Message(at, true, 0, []byte(rest))
		case "<":
			n++
			r.Message(at, false, n, []byte(rest))
		case "gap":
			r.Gap(at, 7, false)
		case "end":
			r.End()
		default:
			panic(l)
		}
	}
	return threadOf("s", events), events
}

// outline renders the transcript with one line for each item.
func outline(th *thread.Thread) string {
	var out []string
	for _, it := range th.Items {
		switch it.Kind {
		case thread.UserMessage, thread.AgentMessage, thread.Notice:
			out = append(out, map[thread.Kind]string{thread.UserMessage: "user ", thread.AgentMessage: "agent ", thread.Notice: "notice "}[it.Kind]+string(it.Text))
		case thread.TurnEnd:
			s := "end " + it.End.StopReason
			if it.End.Err != nil {
				s += it.End.Err.Error()
			}
			out = append(out, s)
		case thread.Decision:
			out = append(out, "decision "+it.Answer.Decision+it.Answer.By)
		case thread.ToolCall:
			out = append(out, "tool "+it.Tool.ID)
		default:
			out = append(out, fmt.Sprint("kind ", it.Kind))
		}
	}
	return strings.Join(out, " | ")
}

const (
	opened     = `> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w"}}`
	named      = `< {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`
	asks       = `> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"do "},{"type":"resource_link","uri":"file:///x"},{"type":"text","text":"it\u001b[2J"}]}}`
	done       = `< {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`
	asksAgain  = `> {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"again"}]}}`
	loads      = `> {"jsonrpc":"2.0","id":4,"method":"session/load","params":{"sessionId":"s","cwd":"/w"}}`
	permission = `< {"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`
)

func said(text string) string {
	return `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"}}}}`
}

// What can be missing from a log, and how it can end.
func TestReplayOfPartOfALog(t *testing.T) {
	for _, c := range []struct {
		name     string
		protocol int
		lines    []string
		want     string
		state    thread.State
	}{
		{"a turn", 1, []string{opened, named, asks, said("ok"), done}, "user do it | agent ok | end end_turn", thread.Idle},
		{"it still runs", 1, []string{opened, named, asks, said("ok")}, "user do it | agent ok", thread.Running},
		{"it was running", 1, []string{opened, named, asks, said("ok"), "end"}, "user do it | agent ok | end the log ends here", thread.Idle},
		{"the beginning is missing", 1, []string{said("late"), asks, done}, "agent late | user do it | end end_turn", thread.Idle},
		{"all but updates is missing", 1, []string{said("only"), "end"}, "agent only", thread.Idle},
		{"the answer is missing", 1, []string{opened, named, asks, "gap", asksAgain, said("ok")}, "user do it | notice 7 messages are missing from the log here | end prompt: the end of the turn is missing from the log | user again | agent ok", thread.Running},
		{"the answer to a question is missing", 1, []string{opened, named, asks, permission, "end"}, "user do it | tool c | decision cancelled | end the log ends here", thread.Idle},
		{"a question that waits", 1, []string{opened, named, asks, permission}, "user do it | tool c", thread.Waiting},
		{"a question that was refused by an error", 1, []string{opened, named, asks, permission, `> {"jsonrpc":"2.0","id":"q","error":{"code":-32800,"message":"x"}}`, done}, "user do it | tool c | decision cancelled | end end_turn", thread.Idle},
		{"an answer that is none of the options", 1, []string{opened, named, asks, permission, `> {"jsonrpc":"2.0","id":"q","result":{"outcome":{"outcome":"selected","optionId":"z"}}}`, done}, "user do it | tool c | decision cancelled | end end_turn", thread.Idle},
		{"a load that does not end", 1, []string{loads, said("old")}, "agent old", thread.Loading},
		{"a load that did not end", 1, []string{loads, said("old"), "end"}, "agent old | notice the conversation could not be loaded whole: load the session: the log ends here", thread.Idle},
		{"a load that was given up", 1, []string{loads, said("old"), `> {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":4}}`, said("too late"), "end"},
			"agent old | notice the conversation could not be loaded whole: load the session: context canceled", thread.Idle},
		{"closed", 1, []string{opened, named, asks, done, `> {"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s"}}`, said("before"), `< {"jsonrpc":"2.0","id":9,"result":{}}`, said("too late"), "end"},
			"user do it | end end_turn | agent before", thread.Idle},
		{"given up before it was named", 1, []string{opened, `> {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`, said("x"), named, said("x"), "end"}, "", thread.Idle},
		{"closed in a turn", 1, []string{opened, named, asks, `> {"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s"}}`, `< {"jsonrpc":"2.0","id":9,"result":{}}`, "end"},
			"user do it | end the log ends here", thread.Idle},
		{"closed without a word and loaded again", 1, []string{opened, named, asks, loads, said("old"), done, `< {"jsonrpc":"2.0","id":4,"result":{}}`},
			"user do it | end the end of the turn is missing from the log | agent old", thread.Idle},
		{"another session", 1, []string{opened, strings.Replace(named, `"s"`, `"other"`, 1), strings.Replace(asks, `"s"`, `"other"`, 1), strings.Replace(said("x"), `"s"`, `"other"`, 1),
			strings.Replace(permission, `"s"`, `"other"`, 1), done, "gap", "end"}, "", thread.Idle},
		{"an answer glued to noise", 1, []string{opened, named, asks, "< \x1b[1m" + done[2:]}, "user do it | end end_turn", thread.Idle},
		{"the same as a log has it", 1, []string{opened, named, asks, `< "x` + strings.ReplaceAll(done[2:], `"`, `\"`) + `"`}, "user do it | end end_turn", thread.Idle},
		{"an answer without an id, soon", 1, []string{opened, named, asks, `< {"jsonrpc":"2.0","error":{"code":-32700,"message":"what"}}`, said("1")}, "user do it | agent 1", thread.Running},
		{"an answer without an id, in the end", 1, []string{opened, named, asks, `< {"jsonrpc":"2.0","error":{"code":-32700,"message":"what"}}`, said("1"), said("2")},
			"user do it | agent 1 | end prompt: the agent answered: what (-32700) | agent 2", thread.Idle},
		{"v2: a prompt is held", 2, []string{opened, named, asks}, "", thread.Running},
		{"v2: a prompt was held", 2, []string{opened, named, asks, "end"}, "end the log ends here", thread.Idle},
		{"v2 by its handshake", 1, []string{`> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}`, `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}}`, opened, named, asks,
			`< {"jsonrpc":"2.0","id":2,"result":{"messageId":"m"}}`}, "user do it", thread.Running},
	} {
		th, _ := replayLines(c.protocol, c.lines...)
		if got := outline(th); got != c.want || th.State != c.state {
			t.Errorf("%s: %v, %s\nwant %v, %s", c.name, th.State, got, c.state, c.want)
		}
		if c.lines[len(c.lines)-1] == "end" && len(th.Held) > 0 {
			t.Errorf("%s: held %v", c.name, th.Held)
		}
	}
}

// Times are those of the log.
func TestReplayTimes(t *testing.T) {
	th, _ := replayLines(1, opened, named, asks, strings.Replace(said("hm"), "agent_message", "agent_thought", 1), permission,
		`> {"jsonrpc":"2.0","id":"q","result":{"outcome":{"outcome":"selected","optionId":"y"}}}`, done)
	for i, want := range []time.Duration{2, 3, 4, 5, 6} {
		if at := th.Items[i].At; at != logged.Add(want*time.Second) {
			t.Errorf("item %d is of %v", i, at)
		}
	}
	if took := th.Items[4].End.Duration; took != 4*time.Second {
		t.Errorf("the turn took %v", took)
	}
}

// Of parley's terminals a replay shows what the agent received.
func TestReplayedTerminals(t *testing.T) {
	call := func(id int, method, more string) string {
		return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"method":"terminal/%s","params":{"sessionId":"s",%s}}`, id, method, more)
	}
	answer := func(id int, result string) string {
		return fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
	}
	create := call(1, "create", `"command":"make","args":["-j","two words","it's"],"cwd":"/w\u001b"`)
	ref := `"terminalId":"T"`
	card := `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","content":[{"type":"terminal","terminalId":"T"}]}}}`
	th, events := replayLines(1, opened, named, asks, create, answer(1, `{"terminalId":"T"}`), card,
		call(2, "output", ref), answer(2, `{"output":"one\n"}`), call(3, "output", ref), answer(3, `{"output":"one\ntwo\n"}`), call(4, "output", ref), answer(4, `{"output":"cut\n","truncated":true}`))
	term := th.TerminalOf(th.Items[1], "T")
	if term == nil || term.Command != `make -j 'two words' 'it'\''s'` || term.Cwd != "/w" || string(term.Output) != "cut\n" || term.Exited || term.Foreign {
		t.Fatalf("got %+v", term)
	}
	appended := 0
	for _, e := range events {
		if e, ok := e.(event.TerminalOutput); ok {
			appended += len(e.Data)
		}
	}
	if appended != len("one\ntwo\n") {
		t.Errorf("%d bytes were appended", appended)
	}
	head := []string{opened, named, asks, create, answer(1, `{"terminalId":"T"}`), card}
	for name, c := range map[string]struct {
		lines []string
		code  string
	}{
		"output":        {[]string{call(2, "output", ref), answer(2, `{"output":"x","exitStatus":{"exitCode":3}}`)}, "3"},
		"wait":          {[]string{call(2, "wait_for_exit", ref), answer(2, `{"exitCode":null,"signal":"SIGKILL\u001b"}`)}, "- SIGKILL"},
		"both":          {[]string{call(2, "wait_for_exit", ref), call(3, "output", ref), answer(3, `{"output":"x","exitStatus":{"exitCode":4}}`), answer(2, `{"exitCode":5}`)}, "4"},
		"released":      {[]string{call(2, "release", ref), answer(2, `{}`)}, "-"},
		"an error":      {[]string{call(2, "wait_for_exit", ref), `> {"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"x"}}`, "end"}, "-"},
		"the log's end": {[]string{"end"}, "-"},
	} {
		th, _ := replayLines(1, append(head, c.lines...)...)
		term := th.TerminalOf(th.Items[1], "T")
		code := "-"
		if term.Code != nil {
			code = fmt.Sprint(*term.Code)
		}
		if got := strings.TrimSpace(code + " " + term.Signal); !term.Exited || got != c.code {
			t.Errorf("%s: %q, %+v", name, got, term)
		}
	}
}

// Data that a log has replaced by its size keeps that size.
func TestReplayedImage(t *testing.T) {
	th, _ := replayLines(1, opened, named, strings.Replace(said(""), `{"type":"text","text":""}`, `{"type":"image","mimeType":"image/png","data":"[12345 bytes]"}`, 1))
	if a := th.Items[0].Attachment; a == nil || a.Bytes != 12345 {
		t.Errorf("got %+v", a)
	}
}

// FuzzReplay replays any lines: nothing panics, the events belong to the session and are
// safe to show, the same lines have the same result, and nothing is running at the end.
func FuzzReplay(f *testing.F) {
	begin := strings.ReplaceAll(strings.Join([]string{opened, named, asks, permission, loads, done, ""}, "\n"), `"s"`, `"s1"`)
	paths, _ := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	for _, path := range paths {
		var lines strings.Builder
		for line := range strings.Lines(string(acptest.Read(f, path).File("script"))) {
			update, ok := strings.CutPrefix(strings.TrimSpace(line), "< update ")
			if ok {
				line = `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + update + "}}\n"
			}
			lines.WriteString(line)
		}
		f.Add([]byte(begin + lines.String()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 20_000 {
			t.Skip()
		}
		for _, protocol := range []int{1, 2} {
			var first, second eventList
			for _, sink := range []*eventList{&first, &second} {
				r := acpclient.NewReplay("s1", protocol, sink)
				for i, line := range bytes.Split(data, []byte("\n")) {
					at := logged.Add(time.Duration(i) * time.Second)
					kind, rest, _ := bytes.Cut(line, []byte(" "))
					r.Message(at, string(kind) == ">", uint64(i), rest)
				}
				r.End()
			}
			checkEvents(t, first)
			if len(first) != len(second) {
				t.Fatalf("%d events, then %d", len(first), len(second))
			}
			if th := threadOf("s1", first); th.State != thread.Idle || len(th.Held) > 0 {
				t.Fatalf("ends %v, held %v", th.State, th.Held)
			}
		}
	})
}

func checkEvents(t *testing.T, events []event.Event) {
	t.Helper()
	verbatim := map[string]bool{"ID": true, "Session": true, "MessageID": true, "ToolID": true, "PlanID": true, "ModeID": true, "ModelID": true, "Terminal": true, "Current": true, "Data": true}
	for _, e := range events {
		if e.EventSession() != "s1" {
			t.Fatalf("got %#v", e)
		}
		acptest.EachString(e, func(path, s string) {
			if !verbatim[path[strings.LastIndexByte(path, '.')+1:]] && safetext.Clean(s) != s {
				t.Fatalf("%s is %q", path, s)
			}
		})
	}
}
