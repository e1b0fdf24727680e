package acpclient_test

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"parley/acpclient/transport"
)

// wireAgent is the other end of a connection. It gives prepared answers, records what it receives,
// and sends what the test says. It is not the fakeagent, because these tests choose ids, order and
// bytes themselves, which the fakeagent leaves to package jsonrpc.
type wireAgent struct {
	t    *testing.T
	conn transport.Conn

	mu      sync.Mutex
	answers map[string]string // by method: a result, `"error":…`, or "error CODE DATA", after lines that are sent before, with $n for its number; "" means none
	asked   map[string]int    // by method
	sent    []rpc
	done    chan struct{}
}

const v1Hello = `{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"old","version":"1"}}`

// newWireAgent returns an agent, of v1 unless the answers say otherwise, that answers {} by default,
// and the client's end of its connection.
func newWireAgent(t *testing.T, answers map[string]string) (*wireAgent, transport.Conn) {
	a := &wireAgent{t: t, done: make(chan struct{}), asked: map[string]int{}, answers: map[string]string{"initialize": v1Hello, "session/new": `{"sessionId":"s1"}`}}
	maps.Copy(a.answers, answers)
	var ours transport.Conn
	ours, a.conn = transport.Pipe()
	go a.run()
	t.Cleanup(func() {
		a.conn.Close()
		<-a.done
	})
	return a, ours
}

const v2Hello = `{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{"prompt":{"image":{}},"mcp":{"stdio":{}},"delete":{}}}}`

// newV2Agent returns an agent of v2, whose prompts the test answers. What it receives is validated.
func newV2Agent(t *testing.T, answers map[string]string) (*wireAgent, transport.Conn) {
	var a *wireAgent
	t.Cleanup(func() { checkSentV2(t, a.sent) })
	all := map[string]string{"initialize": v2Hello, "session/new": `{"sessionId":"s"}`, "session/list": `{"sessions":[]}`, "session/prompt": ""}
	maps.Copy(all, answers)
	a, conn := newWireAgent(t, all)
	return a, conn
}

func (a *wireAgent) run() {
	defer close(a.done)
	for {
		data, err := a.conn.Recv()
		if err != nil {
			return
		}
		m := decode(bytes.Clone(data))
		a.mu.Lock()
		a.sent = append(a.sent, m)
		answer, given := a.answers[m.Method]
		if !given {
			answer = `{}`
		}
		a.asked[m.Method]++
		answer = strings.ReplaceAll(answer, "$n", fmt.Sprint(a.asked[m.Method]))
		a.mu.Unlock()
		if m.Method == "" || m.ID == nil || answer == "" {
			continue
		}
		for line := range strings.SplitSeq(answer, "\n") {
			switch {
			case strings.HasPrefix(line, "error "):
				code, data, _ := strings.Cut(line[6:], " ")
				a.reply(m, fmt.Sprintf(`"error":{"code":%s,"message":"no","data":%s}`, code, data))
			case strings.HasPrefix(line, `"error":`):
				a.reply(m, line)
			case strings.HasPrefix(line, `{"jsonrpc"`):
				a.say(line)
			case strings.HasPrefix(line, `{"sessionUpdate"`):
				a.update(line)
			default:
				a.reply(m, `"result":`+line)
			}
		}
	}
}

func (a *wireAgent) reply(m rpc, rest string) {
	a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, rest))
}

// set changes the answer to a method.
func (a *wireAgent) set(method, answer string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[method] = answer
}

// say sends lines.
func (a *wireAgent) say(lines ...string) {
	for _, l := range lines {
		a.conn.Send(transport.Message{Data: []byte(l)})
	}
}

// update sends updates of the session s.
func (a *wireAgent) update(updates ...string) {
	for _, u := range updates {
		a.say(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + u + `}}`)
	}
}

// heard returns the methods of all messages received; "" is an answer.
func (a *wireAgent) heard() (methods []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.sent {
		methods = append(methods, m.Method)
	}
	return methods
}

// got returns the messages received with a method; the answers for "".
func (a *wireAgent) got(method string) (out []rpc) {
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.sent {
		if m.Method == method {
			out = append(out, m)
		}
	}
	return out
}

// answer answers the n-th request of a method.
func (a *wireAgent) answer(method string, n int, rest string) {
	a.t.Helper()
	got := a.got(method)
	if len(got) <= n {
		a.t.Fatalf("%s was sent %d times", method, len(got))
	}
	a.reply(got[n], rest)
}
