package headless

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/demo"
)

// scriptVar makes this test binary an agent: the demo agent, or one that plays a script.
const scriptVar = "PARLEY_TEST_SCRIPT"

func TestMain(m *testing.M) {
	switch script := os.Getenv(scriptVar); script {
	case "":
		os.Exit(m.Run())
	case "demo":
		if err := demo.Run(context.Background(), os.Stdin, os.Stdout, demo.Options{Pace: -1, Version: "1.2"}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		a := &scripted{in: bufio.NewReader(os.Stdin), out: bufio.NewWriter(os.Stdout)}
		a.run(strings.Split(script, "\n"))
	}
}

// scripted is an agent that plays the lines of a script:
//
//	{…}           a session/update
//	ask {…}       a permission request for that tool call; its outcome becomes a message
//	request M {…} the same for any other request
//	stop REASON   answers the prompt
//	error CODE    answers the prompt with an error
//	out TEXT      a line on stdout
//	stderr TEXT   a line on stderr
//	flood N       N chunks of text
//	cancel        waits for session/cancel
//	late          waits a moment
//	hang          waits for the end of stdin
//	exit CODE     ends
//	greet         answers initialize and session/new and waits for the prompt
//	await METHOD  waits for that request and writes its parameters to stderr
//	answer {…}    answers it
//	refuse CODE   answers it with an error
type scripted struct {
	in     *bufio.Reader
	out    *bufio.Writer
	prompt json.RawMessage // id

	awaited json.RawMessage // id
}

func (a *scripted) run(script []string) {
	for _, line := range script {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "greet":
			a.greet()
		case "await":
			m := a.await(rest)
			a.awaited, a.prompt = m.ID, m.ID
			fmt.Fprintf(os.Stderr, "%s %s\n", m.Method, m.Params)
		case "answer":
			a.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, a.awaited, rest)
		case "refuse":
			a.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"no such luck"}}`, a.awaited, rest)
		case "ask":
			a.request("session/request_permission", `{"sessionId":"s","toolCall":`+rest+`,"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}`)
		case "request":
			method, params, _ := strings.Cut(rest, " ")
			a.request(method, params)
		case "stop":
			a.send(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"%s"}}`, a.prompt, rest)
		case "error":
			a.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"no such luck","data":"the detail"}}`, a.prompt, rest)
		case "out":
			a.send("%s", rest)
		case "stderr":
			fmt.Fprintln(os.Stderr, rest)
		case "flood":
			n, _ := strconv.Atoi(rest)
			for i := range n {
				fmt.Fprintf(a.out, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"%d "}}}}`+"\n", i)
			}
		case "cancel":
			a.await("session/cancel")
		case "late":
			time.Sleep(2 * time.Millisecond)
		case "hang":
			a.await("")
		case "exit":
			code, _ := strconv.Atoi(rest)
			os.Exit(code)
		default:
			a.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}`, line)
		}
	}
	a.await("")
}

func (a *scripted) send(format string, args ...any) {
	fmt.Fprintf(a.out, format+"\n", args...)
	a.out.Flush()
}

type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

// await reads up to a message with that method; "result" means an answer.
func (a *scripted) await(method string) incoming {
	for {
		line, err := a.in.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		var m incoming
		if json.Unmarshal(line, &m) != nil {
			os.Exit(9)
		}
		if m.Method == method && method != "" || m.Result != nil && method == "result" {
			return m
		}
	}
}

func (a *scripted) greet() {
	a.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentInfo":{"name":"scripted","version":"7"},"agentCapabilities":{}}}`, a.await("initialize").ID)
	a.send(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s"}}`, a.await("session/new").ID)
	a.prompt = a.await("session/prompt").ID
}

// request sends a request; its result becomes a message.
func (a *scripted) request(method, params string) {
	a.send(`{"jsonrpc":"2.0","id":77,"method":"%s","params":%s}`, method, params)
	outcome, _ := json.Marshal(string(a.await("result").Result))
	a.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}}}`, outcome)
}
