package faults

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"parley/internal/must"
)

// ledger stores the sessions of the agents in the test, outside of any agent. Agents send notes
// over a socket and continue once a note is stored.
type ledger struct {
	ln   net.Listener
	work sync.WaitGroup

	mu       sync.Mutex
	agents   map[int]net.Conn // running, by pid
	pids     []int            // all, including those that have ended
	sessions map[string]*stored
	prompts  map[string]int  // how often each prompt was received, by its text
	finished map[string]bool // turns that the agent has finished, by the text of the prompt
}

// stored is a session.
type stored struct {
	owner int // the agent that may add to it: the last to open it
	items []item
	began map[int]beginning // by agent
}

// item is an update of the session.
type item struct {
	by     int
	user   bool // a prompt: sent to the client only when the session is loaded
	update json.RawMessage
}

// beginning is the state of the session when an agent opened it.
type beginning struct {
	items  int
	replay bool
}

// note is a message of an agent to the ledger; entry is the answer.
type (
	note struct {
		Do      string          `json:"do"`
		PID     int             `json:"pid,omitempty"`
		Session string          `json:"session,omitempty"`
		Text    string          `json:"text,omitempty"`
		Replay  bool            `json:"replay,omitempty"`
		Update  json.RawMessage `json:"update,omitempty"`
	}
	entry struct {
		OK      bool              `json:"ok"` // the agent owns the session
		Session string            `json:"session,omitempty"`
		Updates []json.RawMessage `json:"updates,omitempty"`
	}
)

func newLedger(t *testing.T) *ledger {
	t.Helper()
	ln := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	l := &ledger{ln: ln, agents: map[int]net.Conn{}, sessions: map[string]*stored{}, prompts: map[string]int{}, finished: map[string]bool{}}
	l.work.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			l.work.Go(func() { l.serve(conn) })
		}
	})
	return l
}

func (l *ledger) close() {
	l.ln.Close()
	l.mu.Lock()
	for _, conn := range l.agents {
		conn.Close()
	}
	l.mu.Unlock()
	l.work.Wait()
}

func (l *ledger) serve(conn net.Conn) {
	defer conn.Close()
	pid := 0
	in, out := json.NewDecoder(bufio.NewReader(conn)), json.NewEncoder(conn)
	for {
		var n note
		if in.Decode(&n) != nil {
			break
		}
		if n.Do == "hello" {
			pid = n.PID
			l.mu.Lock()
			l.agents[pid] = conn
			l.pids = append(l.pids, pid)
			l.mu.Unlock()
		}
		if out.Encode(l.write(pid, n)) != nil {
			break
		}
	}
	l.mu.Lock()
	delete(l.agents, pid)
	l.mu.Unlock()
}

// write stores a note.
func (l *ledger) write(pid int, n note) entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n.Do == "new" {
		n.Session = fmt.Sprint("session-", len(l.sessions)+1)
		l.sessions[n.Session] = &stored{owner: pid, began: map[int]beginning{pid: {}}}
		return entry{OK: true, Session: n.Session}
	}
	s := l.sessions[n.Session]
	switch n.Do {
	case "hello":
		return entry{OK: true}
	case "prompt":
		l.prompts[n.Text]++
	}
	if s == nil {
		return entry{}
	}
	if n.Do == "open" {
		s.owner, s.began[pid] = pid, beginning{len(s.items), n.Replay}
		e := entry{OK: true}
		for _, it := range s.items {
			e.Updates = append(e.Updates, it.update)
		}
		return e
	}
	if s.owner != pid {
		return entry{}
	}
	switch n.Do {
	case "prompt":
		s.items = append(s.items, item{pid, true, said("user_message_chunk", n.Text)})
	case "add":
		s.items = append(s.items, item{pid, false, n.Update})
	case "finish":
		l.finished[n.Text] = true
	}
	return entry{OK: true}
}

// said returns a text update. Prompts have ids, so that equal prompts stay separate.
func said(kind, text string) json.RawMessage {
	u := map[string]any{"sessionUpdate": kind, "content": map[string]string{"type": "text", "text": text}}
	if kind == "user_message_chunk" {
		u["messageId"] = text
	}
	out, _ := json.Marshal(u)
	return out
}

// expected returns what the client of an agent must have seen of a session.
func (l *ledger) expected(session string, pid int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[session]
	var out strings.Builder
	began := s.began[pid]
	for i, it := range s.items {
		if i < began.items && began.replay || i >= began.items && it.by == pid && !it.user {
			out.WriteString(rendered(it.update))
		}
	}
	return out.String()
}

// rendered returns an update in the form of a client's rendered events.
func rendered(update []byte) string {
	var u struct {
		Kind       string `json:"sessionUpdate"`
		Content    struct{ Text string }
		ToolCallID string `json:"toolCallId"`
		Status     string
	}
	json.Unmarshal(update, &u)
	switch u.Kind {
	case "user_message_chunk":
		return "\nUSER " + u.Content.Text
	case "agent_message_chunk":
		return u.Content.Text
	}
	return toolText(u.ToolCallID, u.Status)
}

func toolText(id, status string) string { return "\nTOOL " + id + " " + status + "\n" }

// received returns how often a prompt was received and whether its turn has ended.
func (l *ledger) received(text string) (times int, finished bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.prompts[text], l.finished[text]
}

// doubles returns the prompts that were received more than once.
func (l *ledger) doubles() (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for text, times := range l.prompts {
		if times != 1 {
			out = append(out, fmt.Sprintf("%d times: %s", times, text))
		}
	}
	return out
}

// living returns the number of running agents.
func (l *ledger) living() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.agents)
}
