package gateway

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// agentMode is the environment variable that makes the test program play an agent.
const agentMode = "GATEWAY_TEST_AGENT"

func init() {
	if mode := os.Getenv(agentMode); mode != "" {
		os.Exit(playAgent(mode))
	}
}

// played is the agent of the tests: it sends what the client asks it to send, byte for byte, so it is not
// the fakeagent.
type played struct {
	mu   sync.Mutex
	out  func(lines []string)
	rest func() // returns at the end of the agent
	n    int
}

func (p *played) say(lines ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(lines) > 0 {
		p.out(lines)
	}
}

type heard struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func playAgent(mode string) int {
	p := &played{out: func(lines []string) { os.Stdout.WriteString(strings.Join(lines, "\n") + "\n") }, rest: func() { time.Sleep(time.Hour) }}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	if mode == "stubborn" || mode == "stubborn child" {
		signal.Ignore(syscall.SIGTERM)
	}
	if mode == "stubborn child" {
		fmt.Println("ready")
		time.Sleep(time.Hour)
	}
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			if mode == "stubborn" {
				time.Sleep(time.Hour)
			}
			return 0
		}
		if code := p.hear(mode, strings.TrimSuffix(line, "\n")); code >= 0 {
			return code
		}
	}
}

// hear does what a line asks for. It returns an exit code, or -1 to continue.
func (p *played) hear(mode, line string) int {
	var m heard
	if json.Unmarshal([]byte(line), &m) != nil {
		p.say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
		return -1
	}
	var params struct {
		SessionID string   `json:"sessionId"`
		Lines     []string `json:"lines"`
		Times     int      `json:"times"`
		Code      int      `json:"code"`
		Text      string   `json:"text"`
	}
	json.Unmarshal(m.Params, &params)
	answer := func(result string) {
		if m.ID != nil {
			p.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`)
		}
	}
	switch m.Method {
	case "initialize":
		switch mode {
		case "dies":
			io.WriteString(os.Stderr, "no licence\n")
			return 7
		case "mute":
			return -1
		case "refuses":
			p.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32022,"message":"no such version"}}`)
			return -1
		case "early": // sends something before it answers
			p.say(`{"jsonrpc":"2.0","method":"_early","params":{}}`)
		}
		answer(fmt.Sprintf(`{"protocolVersion":1,"pid":%d}`, os.Getpid()))
	case "session/new":
		p.n++
		answer(fmt.Sprintf(`{"sessionId":"sess-%d"}`, p.n))
	case "session/load":
		for i := range 3 {
			p.say(update(params.SessionID, fmt.Sprint("replay ", i)))
		}
		answer(`{}`)
	case "_say": // sends the lines unchanged
		p.say(params.Lines...)
		answer(`{}`)
	case "_repeat":
		for range params.Times {
			p.say(params.Lines...)
		}
		answer(`{}`)
	case "_exit":
		p.say(params.Lines...)
		return params.Code
	case "_stderr":
		fmt.Fprintln(os.Stderr, params.Text)
		answer(`{}`)
	case "_spawn":
		answer(fmt.Sprint(spawn()))
	case "_stop": // stops reading
		p.say(params.Lines...)
		p.rest()
	case "_echo": // answers with the request, unchanged
		answer(line)
	case "":
		p.say(`{"jsonrpc":"2.0","method":"_answered","params":` + line + `}`)
	default:
		p.say(params.Lines...)
		answer(`{"to":"` + m.Method + `"}`)
		if m.ID == nil {
			p.say(`{"jsonrpc":"2.0","method":"_heard","params":{"sessionId":"` + params.SessionID + `","line":` + line + `}}`)
		}
	}
	return -1
}

func spawn() int {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), agentMode+"=stubborn child")
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return 0
	}
	bufio.NewReader(out).ReadString('\n')
	return cmd.Process.Pid
}

// update returns a session/update of the agent.
func update(session, text string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":` + quote(session) + `,"update":{"text":` + quote(text) + `}}}`
}

func quote(s string) string {
	out, _ := json.Marshal(s)
	return string(out)
}

// saying returns a message that makes the agent send lines.
func saying(session string, lines ...string) string {
	return `{"jsonrpc":"2.0","method":"_say","params":{"sessionId":` + quote(session) + `,"lines":` + list(lines) + `}}`
}

func list(lines []string) string {
	out, _ := json.Marshal(lines)
	if lines == nil {
		return "[]"
	}
	return string(out)
}

func request(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":` + quote(method) + `,"params":` + params + `}`
}

func result(id, value string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + value + `}`
}
