// Package acptest is a scripted ACP agent. A script says what the agent sends,
// what its client must send, and what the user of that client does. In tests
// it plays over one end of transport.Pipe, in a synctest bubble, where time is
// fake and nothing sleeps; Play plays the same script over two streams, for a
// client in another process.
//
// A script is a file of lines in a txtar archive. Empty lines and lines that start
// with # are skipped.
//
//	> {json}               the client must send this next: as JSON, members in any
//	                       order, members of objects not listed ignored
//	>= {json}              the same, but with no other members
//	>>                     the expected messages that follow, up to the next
//	                       empty line, may come in any order
//	< {json}               the agent sends this
//	< result $id {json}    the agent answers a request of the client
//	< error $id {json}     the same with an error object
//	< call ID METHOD {json}      a request of the agent, ID as JSON
//	< note METHOD {json}         a notification of the agent
//	< update {json}        session/update; < update@s2 {json} for that session
//	<raw text              the agent sends the text verbatim, or unquoted if it is
//	                       quoted as in Go
//	<<                     the lines of the agent that follow, up to the next
//	                       empty line, are sent in one write
//	handshake              initialize and session/new, answered plainly; the
//	                       session is s1. handshake {json} gives the agent's answer
//	                       to initialize
//	quiet                  the client has sent nothing unexpected
//	skip                   ignores what the client has sent
//	gone                   the client has closed the connection
//	sleep 2s               lets time pass
//	hangup                 the agent closes its end
//	user VERB ARG          the user does something; user@s2 in that session.
//	                       See User
//
// In messages of the client, a string "$name" matches any value the first time and
// the same value afterwards, "..." matches anything. In messages of the agent, "$name"
// is replaced by that value.
package acptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// verb is the action of one step.
type verb int

const (
	expect verb = iota // the client must send message
	send               // the agent sends messages
	act                // the user does something
	quiet
	skip
	gone
	pause
	hangup
)

// step is one line of a script, or a group of lines that belongs together.
type step struct {
	verb     verb
	line     int // 1-based, for complaints
	exact    bool
	message  []byte   // for expect
	messages [][]byte // for send
	anyOf    []step   // for expect: these in any order, instead of message
	session  string   // for act: "" is the current one
	do, arg  string
	wait     time.Duration
}

const greeting = `user connect
> {"jsonrpc":"2.0","id":"$initialize","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"$client","version":"$version"}}}
< result $initialize %s
user new
> {"jsonrpc":"2.0","id":"$new","method":"session/new","params":{"cwd":"...","mcpServers":[]}}
< result $new {"sessionId":"s1"}
`

const plainAgent = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"agentInfo":{"name":"scripted","version":"1"}}`

// parse reads a script.
func parse(text []byte) ([]step, error) {
	var steps []step
	group := verb(-1) // the action of lines that extend the last step
	n := 0
	for raw := range strings.Lines(string(text)) {
		n++
		line := strings.TrimSpace(raw)
		switch {
		case line == "<<" || line == ">>":
			group = send
			if line == ">>" {
				group = expect
			}
			steps = append(steps, step{verb: group, line: n})
			continue
		case line == "":
			group = -1
			continue
		case line[0] == '#':
			continue
		}
		more, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("script line %d: %w", n, err)
		}
		for i := range more {
			more[i].line = n
		}
		if last := len(steps) - 1; group >= 0 && len(more) == 1 && more[0].verb == group {
			steps[last].messages = append(steps[last].messages, more[0].messages...)
			steps[last].anyOf = append(steps[last].anyOf, more[0])
			continue
		}
		group = -1
		steps = append(steps, more...)
	}
	return steps, nil
}

// plain are the lines that consist of one word.
var plain = map[string]verb{"quiet": quiet, "skip": skip, "gone": gone, "hangup": hangup}

func parseLine(line string) ([]step, error) {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == "handshake":
		if rest == "" {
			rest = plainAgent
		}
		return parse(fmt.Appendf(nil, greeting, rest))
	case plain[line] != 0:
		return []step{{verb: plain[line]}}, nil
	case word == "sleep":
		d, err := time.ParseDuration(rest)
		return []step{{verb: pause, wait: d}}, err
	case word == ">" || word == ">=":
		if !json.Valid([]byte(rest)) {
			return nil, fmt.Errorf("not JSON: %s", rest)
		}
		return []step{{verb: expect, exact: word == ">=", message: []byte(rest)}}, nil
	case word == "<":
		m, err := message(rest)
		return []step{{verb: send, messages: [][]byte{m}}}, err
	case line[0] == '<':
		text := line[1:]
		if s, err := strconv.Unquote(text); err == nil {
			text = s
		}
		return []step{{verb: send, messages: [][]byte{[]byte(text)}}}, nil
	case word == "user" || strings.HasPrefix(word, "user@"):
		_, session, _ := strings.Cut(word, "@")
		do, arg, _ := strings.Cut(rest, " ")
		return []step{{verb: act, session: session, do: do, arg: strings.TrimSpace(arg)}}, nil
	}
	return nil, fmt.Errorf("unknown line %q", line)
}

// message expands the short forms of the agent's messages.
func message(text string) ([]byte, error) {
	if text == "" || text[0] == '{' || text[0] == '[' {
		return []byte(text), nil
	}
	word, rest, _ := strings.Cut(text, " ")
	word, session, given := strings.Cut(word, "@")
	if !given {
		session = "s1"
	}
	var out string
	switch word {
	case "update":
		out = fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, session, rest)
	case "note":
		method, params, _ := strings.Cut(rest, " ")
		out = fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
	case "result", "error":
		id, value, _ := strings.Cut(rest, " ")
		if strings.HasPrefix(id, "$") {
			id = `"` + id + `"`
		}
		out = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%q:%s}`, id, word, value)
	case "call":
		id, rest, _ := strings.Cut(rest, " ")
		method, params, _ := strings.Cut(rest, " ")
		out = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
	default:
		return nil, fmt.Errorf("the agent cannot send %q", text)
	}
	if !json.Valid([]byte(out)) {
		return nil, fmt.Errorf("not JSON: %s", out)
	}
	return []byte(out), nil
}

// names maps placeholders to their values as raw JSON.
type names map[string]json.RawMessage

// fill replaces "$name" in the agent's messages.
func (n names) fill(message []byte) []byte {
	for name, value := range n {
		message = bytes.ReplaceAll(message, []byte(`"`+name+`"`), value)
	}
	return message
}
