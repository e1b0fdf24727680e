//go:build unix

package interop

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// scripted collects what a client must receive.
type scripted struct {
	dir   string
	lines []line
}

// script returns what a client in testdata receives when it plays its script with goagent in
// sessions of that directory. If short is set, it omits what not every client supports.
func script(dir string, short bool) []line {
	s := &scripted{dir: dir}
	s.got("", "initialize", `{"version":1,"agent":"interop-go","load":true}`)
	s.begins("go-1")
	s.hello("go-1")
	s.turn("go-1", "end_turn", "client=interop 1.2.3 version=1 fs=true,true terminal=false mode=ask cwd="+dir)

	s.asks("go-1", "ask-1", "asked.txt")
	s.ends("go-1", "ask-1")
	s.turn("go-1", "end_turn", "outcome: yes")

	for _, part := range []string{`"line":0,"limit":0`, `"line":2,"limit":0`, `"line":2,"limit":1`, `"line":9,"limit":1`} {
		s.got("go-1", "read", `{"file":"notes.txt",`+part+`}`)
	}
	s.got("go-1", "read", `{"file":"missing.txt","line":0,"limit":0}`)
	s.got("go-1", "read", `{"file":"notes.txt","line":0,"limit":0}`) // the path is relative
	s.turn("go-1", "end_turn", "read")

	s.asks("go-1", "edit-2", "notes.txt")
	s.got("go-1", "write", `{"file":"notes.txt","content":"one\ntwo\nTHREE\n"}`)
	s.got("go-1", "read", `{"file":"notes.txt","line":0,"limit":0}`)
	s.ends("go-1", "edit-2")
	s.turn("go-1", "end_turn", "written")

	s.got("go-1", "session/prompt", `{"code":-32603,"message":"the agent says no"}`)
	s.turn("go-1", "end_turn", numbers(200)...)
	if short {
		s.turn("go-1", "end_turn", strings.Repeat("x", 200_000))
	} else {
		s.turn("go-1", "end_turn", strings.Repeat("é漢🎉x", 20_000))
	}
	s.turn("go-1", "cancelled", "waiting", " no more")
	s.hello("go-1")

	s.begins("go-2")
	s.hello("go-2")
	s.turn("go-1", "cancelled", "waiting", " no more")
	s.got("go-2", "session/set_mode", `{}`)
	s.got("go-2", "session/close", `{}`)

	s.got("", "session/list", `{"nextCursor":"page two","sessions":[{"sessionId":"earlier","cwd":"/tmp","title":"An earlier one","updatedAt":"2026-01-02T03:04:05Z"}]}`)
	s.got("", "session/list", `{"sessions":[{"sessionId":"oldest","cwd":"/tmp"}]}`)
	if !short {
		s.loads()
	}
	return s.lines
}

// loads loads one session that does not exist and one that does.
func (s *scripted) loads() {
	s.got("", "session/load", `{"code":-32002,"message":"Resource not found"}`)
	s.got("", "session/load", `{"modes":`+modesOf("code")+`}`)
	for _, text := range []string{"what was ", "asked"} {
		s.got("earlier", "update", `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":%q}}`, text)
	}
	s.says("earlier", "what was answered")
	s.hello("earlier")
}

func (s *scripted) got(session, what, value string, args ...any) {
	if len(args) > 0 {
		value = fmt.Sprintf(value, args...)
	}
	s.lines = append(s.lines, line{session, what, json.RawMessage(value)})
}

func (s *scripted) says(session string, chunks ...string) {
	for _, c := range chunks {
		text, _ := json.Marshal(c)
		s.got(session, "update", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}`, text)
	}
}

// turn adds texts and the end of the turn.
func (s *scripted) turn(session, reason string, chunks ...string) {
	s.says(session, chunks...)
	s.got(session, "session/prompt", `{"stopReason":%q}`, reason)
}

func (s *scripted) hello(session string) { s.turn(session, "end_turn", "hello ", "from ", "go") }

// begins opens a session.
func (s *scripted) begins(id string) {
	s.got("", "session/new", `{"sessionId":%q,"modes":%s}`, id, modesOf("ask"))
	s.got(id, "update", `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"early","description":"does early","input":{"hint":"what to early"}}]}`)
}

func modesOf(current string) string {
	return fmt.Sprintf(`{"currentModeId":%q,"availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code","description":"writes without asking"}]}`, current)
}

// asks adds a question about a file.
func (s *scripted) asks(session, tool, file string) {
	s.got(session, "update", `{"sessionUpdate":"tool_call","toolCallId":%q,"title":%q,"kind":"edit","status":"pending"}`, tool, "Change "+s.dir+"/"+file)
	s.got(session, "asked", `{"tool":%q,"options":["yes","always","no"]}`, tool)
}

func (s *scripted) ends(session, tool string) {
	s.got(session, "update", `{"sessionUpdate":"tool_call_update","toolCallId":%q,"status":"completed"}`, tool)
}

func numbers(n int) (out []string) {
	for i := range n {
		out = append(out, strconv.Itoa(i)+" ")
	}
	return out
}
