package linear

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/hello"
	"parley/internal/join"
	"parley/internal/must"
	"parley/internal/workspace"
)

// oneConn is a listener of one connection.
type oneConn struct {
	conn chan net.Conn
	done chan struct{}
}

func (o oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-o.conn:
		return c, nil
	case <-o.done:
		return nil, net.ErrClosed
	}
}

func (o oneConn) Close() error   { close(o.done); return nil }
func (o oneConn) Addr() net.Addr { return nil }

// A client that joins is announced and listed, prompts like the user, and follows what the user does.
func TestAClientJoins(t *testing.T) {
	var l oneConn
	talkTo(t, func(r *rig) {
		l = oneConn{make(chan net.Conn), make(chan struct{})}
		r.opts.Begun = func(w *workspace.Workspace) { join.Serve(w, l, join.Options{}) }
	}, func(r *rig) {
		r.wants(r.started()...)
		ours, theirs := net.Pipe()
		l.conn <- theirs
		must.Do(t, hello.Send(ours, "phone", hello.Talk))
		var got strings.Builder
		go func() {
			for in := bufio.NewScanner(ours); in.Scan(); {
				got.WriteString(in.Text() + "\n")
			}
		}()
		say := func(line string) {
			io.WriteString(ours, line+"\n")
			time.Sleep(time.Second)
			synctest.Wait()
		}
		say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
		r.wants("Notice: client phone has joined: it may talk.")
		say(`{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"s1","cwd":"/","mcpServers":[]}}`)
		say(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"from afar"}]}}`)
		if text := r.out.text(); !strings.Contains(text, "You said: from afar") || !strings.Contains(text, "lient phone sent a prompt") {
			t.Errorf("the chat is %s", text)
		}
		r.types("from here", "/status")
		time.Sleep(time.Second)
		synctest.Wait()
		if text := r.out.text(); !strings.Contains(text, "Joined: phone, may talk.") {
			t.Errorf("the chat is %s", text)
		}
		if !strings.Contains(got.String(), `"text":"from here"`) || !strings.Contains(got.String(), `"stopReason":"end_turn"`) {
			t.Errorf("the client got %s", got.String())
		}
		ours.Close()
		time.Sleep(time.Second)
		synctest.Wait()
		if text := r.out.text(); !strings.Contains(text, "Notice: client phone has left.") {
			t.Errorf("the chat is %s", text)
		}
	})
}
