package acptest

import (
	"sync"
	"testing"
	"testing/synctest"

	"parley/acpclient/transport"
)

// User does what a script says the user of the client does. Act must not wait
// for the agent: the script continues only after Act has returned. The verbs:
//
//	connect                starts the handshake
//	new DIR +ROOT mcp:TYPE:NAME   opens a session; all parts are optional
//	load ID DIR +ROOT …    opens a stored session with its history
//	resume ID DIR +ROOT …  opens a stored session without its history
//	fork ID DIR +ROOT …    copies a stored session into a new one
//	list DIR               lists the stored sessions, all or those of DIR
//	delete ID              deletes a stored session
//	switch ID              makes an open session the current one
//	close                  closes the session
//	login METHOD           logs in
//	logout                 logs out
//	mode ID                switches the session's mode
//	option ID VALUE        changes an option; true and false are booleans
//	giveup                 cancels the call that is waited for
//	attach URI NAME        adds a link to the next prompt
//	embed URI TEXT         adds a resource with its text
//	image TYPE DATA        adds an image of that MIME type
//	prompt TEXT            sends a prompt; TEXT may be quoted as in Go
//	cancel                 stops the turn
//	answer OPTION          answers the oldest open question; a quoted OPTION
//	                       may hold anything, and "for TOOL" may follow it
//	answer cancel          dismisses it
//	quit                   closes the connection
//	wait                   does nothing
//
// The current session is the one opened or switched to last.
type User interface {
	Act(session, verb, arg string) error
	// Idle is called after every line of the script, when all goroutines are idle.
	Idle()
}

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

// Play plays the script with user as the user. The error is the first difference: an
// unexpected message of the client, or a missing one.
func (a *Agent) Play(user User) error {
	return play(a.steps, stage{
		in: a.in,
		settle: func() {
			synctest.Wait()
			user.Idle()
		},
		hangup: func() { a.end.Close() },
		act:    func(s step) error { return user.Act(s.session, s.do, s.arg) },
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
