//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/hello"
	"parley/internal/must"
)

// A client joins a kept parley, prompts it, and its turn continues when the client and the terminal have gone; another
// client then has all of it.
func TestJoin(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	s := k.start(170, 40, "--keep", "demo")
	s.WaitFor("Ask the agent", "Changed files")
	socket := ""
	s.poll("the socket for clients", func() bool {
		for _, kept := range k.list() {
			socket = kept.Clients
		}
		return socket != ""
	})
	phone := joins(t, socket, "phone", 1)
	s.WaitFor("Joined", "phone")
	phone.says(`{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":{"sessionId":"` + phone.session + `","prompt":[{"type":"text","text":"long"}]}}`)
	phone.hears("Section ")
	s.WaitFor("Section ", "client phone sent a prompt")
	phone.Close()
	s.Kill(os.Kill)
	time.Sleep(100 * time.Millisecond)
	tablet := joins(t, socket, "tablet", 2)
	tablet.hears(`"stopReason":"end_turn"`)
	if !strings.Contains(tablet.heard, `"text":"long"`) || !strings.Contains(tablet.heard, "Section 1") {
		t.Errorf("the other client got %s", tablet.heard)
	}
	tablet.Close()
}

// joined is a client that has joined.
type joined struct {
	net.Conn
	t       *testing.T
	in      *bufio.Reader
	session string
	heard   string
}

// joins connects a client of a version of ACP to a socket, and loads the session.
func joins(t *testing.T, socket, name string, version int) *joined {
	t.Helper()
	conn := must.Get(net.Dial("unix", socket))(t)
	conn.SetDeadline(time.Now().Add(patience))
	j := &joined{Conn: conn, t: t, in: bufio.NewReader(conn)}
	must.Do(t, hello.Send(conn, name, hello.Talk))
	j.says(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":` + string(rune('0'+version)) + `,"info":{"name":"x","version":"1"}}}`)
	j.says(`{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}`)
	var list struct {
		Result struct {
			Sessions []struct{ SessionID string }
		}
	}
	must.Do(t, json.Unmarshal([]byte(j.hears(`"sessions":`)), &list))
	j.session = list.Result.Sessions[0].SessionID
	if version == 1 {
		j.says(`{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"` + j.session + `","cwd":"/","mcpServers":[]}}`)
	} else {
		j.says(`{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"` + j.session + `","cwd":"/","replayFrom":{"type":"start"}}}`)
	}
	j.hears(`"id":3`)
	return j
}

func (j *joined) says(line string) { must.Get(io.WriteString(j, line+"\n"))(j.t) }

// hears reads until a line has a text, and returns the line.
func (j *joined) hears(text string) string {
	j.t.Helper()
	for {
		line, err := j.in.ReadString('\n')
		j.heard += line
		if err != nil {
			j.t.Fatalf("no %s: %v in %s", text, err, j.heard)
		}
		if strings.Contains(line, text) {
			return line
		}
	}
}
