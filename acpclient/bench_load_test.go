package acpclient_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// prose is the text of the loads: words, Markdown, code, and scripts with multi-byte
// letters.
const prose = "## What the parser does\n\nIt reads **one token** at a time and keeps `pos`, so that an error can say where it was. " +
	"Most of it is plain text that goes on for a while, as answers do, before anything else happens at all.\n\n" +
	"- a first point, with a [link](https://example.com/a?b=1&c=2)\n- 第二点は日本語で書かれている\n- and a third one 🎉\n\n" +
	"```go\nfunc next(s string) (tok Token, rest string) {\n\tif s == \"\" {\n\t\treturn Token{Kind: EOF}, \"\"\n\t}\n\treturn lex(s)\n}\n```\n\n"

// load is a stream of updates: block, repeated.
type load struct {
	block []byte
	lines int   // in block
	ids   []int // positions in block of four digits that differ in each repetition
}

// add appends one update. #### in it becomes four digits.
func (l *load) add(format string, args ...any) {
	start := len(l.block)
	l.block = fmt.Appendf(l.block, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":`+format+"}}\n", args...)
	if i := strings.Index(string(l.block[start:]), "####"); i >= 0 {
		l.ids = append(l.ids, start+i)
	}
	l.lines++
}

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }

// chunks cuts s into pieces of about n bytes, between runes.
func chunks(s string, n int) (out []string) {
	for s != "" {
		i := min(n, len(s))
		for i < len(s) && !utf8.RuneStart(s[i]) {
			i++
		}
		out = append(out, s[:i])
		s = s[i:]
	}
	return out
}

// newLoad returns one of the loads of BenchmarkEngine.
func newLoad(name string, version int) *load {
	l := &load{}
	switch name {
	case "text": // chunks of 20 bytes
		for i, c := range chunks(strings.Repeat(prose, 30), 20) {
			l.add(`{"sessionUpdate":"agent_message_chunk","messageId":"msg_%d","content":{"type":"text","text":%s}}`, i/200, quoted(c))
		}
	case "tools": // three messages for each call, with a result of 600 bytes
		for i := range 300 {
			started := "tool_call"
			if version == 2 {
				started = "tool_call_update"
			}
			l.add(`{"sessionUpdate":"%s","toolCallId":"call_####_%d","title":"Read internal/server/file%d.go","kind":"read","status":"pending","locations":[{"path":"/w/internal/server/file%d.go","line":12}],"rawInput":{"path":"/w/internal/server/file.go","limit":200}}`, started, i, i, i)
			l.add(`{"sessionUpdate":"tool_call_update","toolCallId":"call_####_%d","status":"in_progress"}`, i)
			l.add(`{"sessionUpdate":"tool_call_update","toolCallId":"call_####_%d","status":"completed","content":[{"type":"content","content":{"type":"text","text":%s}}],"rawOutput":{"ok":true}}`, i, quoted(chunks(prose, 600)[0]))
		}
	case "terminal": // one line of a command's output per message
		for i := range 1000 {
			line := fmt.Sprintf("\x1b[32mok\x1b[0m  \tperf/pkg%04d\t%d.%03ds\tcoverage: %d%% of statements\r\n", i, i%7, i, i%100)
			if version == 2 {
				l.add(`{"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"%s"}`, base64.StdEncoding.EncodeToString([]byte(line)))
			} else {
				l.add(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","_meta":{"terminal_output":{"terminal_id":"t1","data":%s}}}`, quoted(line))
			}
		}
	case "giant", "huge": // one message of 10 MB or 64 MB
		size := map[string]int{"giant": 10 << 20, "huge": 64 << 20}[name]
		l.add(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":%s}}`, quoted(strings.Repeat(prose, size/len(prose))))
	}
	return l
}

// write sends n updates.
func (l *load) write(out *os.File, n int) {
	for round := 0; n > 0; round++ {
		for _, at := range l.ids {
			copy(l.block[at:], fmt.Sprintf("%04d", round%10_000))
		}
		block := l.block
		if n < l.lines {
			for i := range block {
				if block[i] == '\n' {
					if n--; n == 0 {
						block = block[:i+1]
						break
					}
				}
			}
		} else {
			n -= l.lines
		}
		if _, err := out.Write(block); err != nil {
			return
		}
	}
}

// lastLine is the start of the line that ends a load.
const lastLine = `{"jsonrpc":"2.0","id":`

// loadProcess runs the test binary as an agent that answers each prompt with a load, at no cost but that
// of the copying.
// spec is its name, the version, and the number of updates.
func loadProcess(spec string) int {
	var name string
	var version, n int
	if _, err := fmt.Sscan(spec, &name, &version, &n); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	l := newLoad(name, version)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		m := decode(in.Bytes())
		result := map[string]string{"session/new": `{"sessionId":"s1"}`, "session/prompt": `{"stopReason":"end_turn"}`}[m.Method]
		if m.Method == "initialize" {
			result = fmt.Sprintf(`{"protocolVersion":%d,"info":{"name":"load","version":"0"},"capabilities":{"session":{}}}`, version)
		}
		if m.Method == "session/prompt" {
			l.write(os.Stdout, n)
		}
		fmt.Fprintf(os.Stdout, lastLine+"%s,\"result\":%s}\n", m.ID, result)
	}
	return 0
}
