//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// loadAgent is an ACP 1 agent on standard input and output. It writes prepared bytes, since the
// fakeagent would cost more than what is measured. The prompt says what it does:
//
//	flood n=1000 c=20 t=1          n chunks of c bytes, made before the first is sent
//	pace n=1000 c=20 rate=200 t=1  the same, rate chunks a second, some with a mark
//	work t=1                       five lines of text, and a file changed with a tool call
//	anything else t=1              a short answer
//
// Each answer ends with letter number t of ends. The id of a session to load describes its
// content, with commas for spaces:
//
//	turns,n=20000,t=1              n updates: prompts, thoughts, text, tool calls
//	text,kb=5000,t=1,top=2         turns of 50 kB of text, the letter top in the first prompt
type loadAgent struct {
	out     *bufio.Writer
	reports *reporter
	session string
	marks   int // letters already used as marks in streams
	turns   int // of work
}

// runAgent serves one client until its input ends.
func runAgent(in io.Reader, out io.Writer) {
	a := &loadAgent{out: bufio.NewWriterSize(out, 1<<18), reports: dialReports()}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				SessionID string
				Prompt    []struct{ Text string }
			}
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.Method == "" || m.ID == nil {
			continue
		}
		text := ""
		for _, block := range m.Params.Prompt {
			text += block.Text
		}
		a.serve(m.ID, m.Method, m.Params.SessionID, text)
		a.out.Flush()
	}
}

func (a *loadAgent) serve(id json.RawMessage, method, session, text string) {
	result := `{}`
	switch method {
	case "initialize":
		result = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"agentInfo":{"name":"load","version":"1"},"authMethods":[]}`
	case "session/new":
		result = `{"sessionId":"new"}`
	case "session/load":
		a.session = session
		a.send(a.replay(strings.Split(session, ",")))
	case "session/prompt":
		a.session = session
		a.prompt(strings.Fields(text))
		result = `{"stopReason":"end_turn"}`
	}
	fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
}

// number returns the value of a word such as n=20, otherwise if there is none.
func number(words []string, name string, otherwise int) int {
	for _, w := range words {
		if value, ok := strings.CutPrefix(w, name+"="); ok {
			if n, err := strconv.Atoi(value); err == nil {
				return n
			}
		}
	}
	return otherwise
}

func (a *loadAgent) prompt(words []string) {
	switch chunks := answer(words); {
	case len(words) > 0 && words[0] == "pace":
		a.pace(chunks, number(words, "rate", 200))
	case len(words) > 0 && words[0] == "work":
		a.work(chunks[0])
	default:
		var all []byte
		for _, c := range chunks {
			all = a.update(all, "agent_message_chunk", c)
		}
		a.send(all)
	}
}

// send writes prepared messages. The time is measured from their first byte.
func (a *loadAgent) send(all []byte) {
	a.reports.tell("begin", "-")
	a.out.Write(all)
	a.out.Flush()
}

// work changes one of 200 files in its directory, and says so in a few lines before the end.
func (a *loadAgent) work(end string) {
	a.turns++
	name, before, after := fmt.Sprintf("file%d.txt", a.turns%200), fmt.Sprintf("turn %d\n", a.turns-200), fmt.Sprintf("turn %d\n", a.turns)
	var all []byte
	for i := range 5 {
		all = a.update(all, "agent_message_chunk", fmt.Sprintf("Line %d of turn %d.\n\n", i, a.turns))
	}
	all = a.raw(all, fmt.Sprintf(`"sessionUpdate":"tool_call","toolCallId":"w%d","title":"Edit %s","kind":"edit","status":"pending","locations":[{"path":%q}]`, a.turns, name, name))
	a.send(all)
	os.WriteFile(name, []byte(after), 0o644)
	done := a.raw(nil, fmt.Sprintf(`"sessionUpdate":"tool_call_update","toolCallId":"w%d","status":"completed","content":[{"type":"diff","path":%q,"oldText":%q,"newText":%q}]`, a.turns, name, before, after))
	a.out.Write(a.update(done, "agent_message_chunk", end))
}

// pace sends each chunk when it is due, and four marks a second in them.
func (a *loadAgent) pace(chunks []string, rate int) {
	a.reports.tell("begin", "-")
	began, due, line := time.Now(), false, []byte(nil)
	for i, chunk := range chunks {
		due = due || i%max(rate/4, 1) == 0
		letter := ""
		if at := strings.IndexByte(chunk, ' '); due && at >= 0 && i < len(chunks)-1 { // a space is never inside a link
			letter, due = streams.at(a.marks), false
			a.marks++
			chunk = chunk[:at] + " " + letter + chunk[at:]
		}
		line = a.update(line[:0], "agent_message_chunk", chunk)
		a.out.Write(line)
		if letter != "" {
			a.reports.tell("mark", letter)
		}
		a.out.Flush()
		time.Sleep(time.Until(began.Add(time.Duration(i+1) * time.Second / time.Duration(rate))))
	}
}

// answer returns the answer to a prompt as chunks, without the marks of a paced stream.
func answer(words []string) []string {
	end := "heard\n\n"
	var out []string
	if len(words) > 0 && (words[0] == "flood" || words[0] == "pace") {
		n, pieces := number(words, "n", 1000), cut(corpus(), number(words, "c", 20))
		due, every := false, max(20, n/5000)
		for i := range n {
			piece := pieces[i%len(pieces)]
			due = due || i%every == 0
			if at := strings.IndexByte(piece, ' '); due && at >= 0 && words[0] == "flood" { // a space is never inside a link
				piece, due = piece[:at]+" "+waypoint+piece[at:], false
			}
			out = append(out, piece)
		}
		end = "\n```\n\n" + strings.Join(lastWords(), " ") + "\n\n"
		if strings.Count(strings.Join(out[n/len(pieces)*len(pieces):], ""), "```")%2 == 0 {
			end = strings.TrimPrefix(end, "\n```")
		}
	}
	return append(out, end+"End "+ends.at(number(words, "t", 0))+"\n")
}

// waypoint occurs up to 5,000 times in a flood, spread over all of it.
const waypoint = "waypoint"

// lastWords end a long answer. Together on the screen they show that nothing is missing.
func lastWords() (out []string) {
	for i := range 60 {
		out = append(out, "last"+strconv.Itoa(i))
	}
	return out
}

// replay returns the updates of a stored session.
func (a *loadAgent) replay(words []string) (out []byte) {
	pieces, next := cut(corpus(), 80), 0
	say := func(kind string) {
		out = a.update(out, kind, pieces[next%len(pieces)])
		next++
	}
	switch words[0] {
	case "turns":
		for i := range number(words, "n", 20_000) {
			switch k := i % 20; {
			case k == 0:
				out = a.update(out, "user_message_chunk", fmt.Sprintf("question %d", i/20))
			case k == 1:
				say("agent_thought_chunk")
			case k == 8 || k == 14:
				out = a.raw(out, fmt.Sprintf(`"sessionUpdate":"tool_call","toolCallId":"t%d","title":"Read file%d.go","kind":"read","status":"pending","rawInput":{"path":"file%d.go"}`, i, i, i))
			case k == 9 || k == 15:
				out = a.raw(out, fmt.Sprintf(`"sessionUpdate":"tool_call_update","toolCallId":"t%d","status":"completed","content":[{"type":"content","content":{"type":"text","text":%s}}]`, i-1, quoted(pieces[i%len(pieces)])))
			default:
				say("agent_message_chunk")
			}
		}
	case "text":
		for turn := range max(1, number(words, "kb", 50)/50) {
			question := fmt.Sprintf("question %d", turn)
			if turn == 0 {
				question += " " + ends.at(number(words, "top", 0))
			}
			out = a.update(out, "user_message_chunk", question)
			for range 50_000 / 80 {
				say("agent_message_chunk")
			}
			out = a.update(out, "agent_message_chunk", "\n\n")
		}
	}
	out = a.update(out, "user_message_chunk", "the end")
	return a.update(out, "agent_message_chunk", "End "+ends.at(number(words, "t", 0))+"\n")
}

// update appends one update with text to lines.
func (a *loadAgent) update(lines []byte, kind, text string) []byte {
	return a.raw(lines, `"sessionUpdate":"`+kind+`","content":{"type":"text","text":`+quoted(text)+`}`)
}

func (a *loadAgent) raw(lines []byte, members string) []byte {
	lines = append(lines, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":`...)
	lines = append(append(lines, quoted(a.session)...), `,"update":{`...)
	return append(append(lines, members...), "}}}\n"...)
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
