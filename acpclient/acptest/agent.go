package acptest

import (
	"sync"
	"testing"
	"testing/synctest"

	"parley/acpclient/transport"
)

// Agent plays a script over one end of a pipe. It must be created and used in a synctest
// bubble.
type Agent struct {
	t     testing.TB
	steps []step
	end   transport.Conn // the agent's
	conn  transport.Conn // the client's
	in    chan []byte

	mu            sync.Mutex
	sent          [][]byte // by the client
	agentMessages [][]byte // by the agent
}

// New returns an agent that plays the file "script" of an archive. It is closed when the
// test ends.
func New(t testing.TB, archive *Archive) *Agent {
	t.Helper()
	steps, err := parse(archive.File("script"))
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) == 0 {
		t.Fatal("the archive has no file named script")
	}
	a := &Agent{t: t, steps: steps, in: make(chan []byte, 1<<16)}
	a.conn, a.end = transport.Pipe()
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		defer close(a.in)
		for {
			data, err := a.end.Recv()
			if err != nil {
				return
			}
			own := append([]byte(nil), data...)
			a.mu.Lock()
			a.sent = append(a.sent, own)
			a.mu.Unlock()
			a.in <- own
		}
	}()
	t.Cleanup(func() {
		a.end.Close()
		<-pumped
	})
	return a
}

// Conn is the client's end of the connection.
func (a *Agent) Conn() transport.Conn { return a.conn }

// ClientMessages returns what the client has sent so far.
func (a *Agent) ClientMessages() [][]byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([][]byte(nil), a.sent...)
}

// AgentMessages returns what the agent has sent so far.
func (a *Agent) AgentMessages() [][]byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([][]byte(nil), a.agentMessages...)
}

// play plays the script with a user. The error is the first difference: an
// unexpected message of the client, or a missing one.
func (a *Agent) play(user *engineUser) error {
	return play(a.steps, stage{
		in: a.in,
		settle: func() {
			synctest.Wait()
			user.idle()
		},
		hangup: func() { a.end.Close() },
		act:    func(s step) error { return user.act(s.session, s.do, s.arg) },
		send: func(messages [][]byte) error {
			for _, m := range messages {
				a.mu.Lock()
				a.agentMessages = append(a.agentMessages, m)
				a.mu.Unlock()
				if err := a.end.Send(transport.Message{Data: m}); err != nil {
					return err
				}
			}
			return nil
		},
	})
}
