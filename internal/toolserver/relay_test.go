package toolserver_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/must"
	"parley/internal/toolserver"
)

// relaying is a relay between two pipes.
type relaying struct {
	in   *io.PipeWriter
	out  *io.PipeReader
	done chan error
}

func relay(t *testing.T, ctx context.Context, path, token string) relaying {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	r := relaying{inW, outR, make(chan error, 1)}
	go func() {
		r.done <- toolserver.Relay(ctx, inR, outW, path, token)
		outW.Close()
	}()
	t.Cleanup(func() { inW.Close(); outR.Close() })
	return r
}

func (r relaying) ended(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(patience):
		t.Fatal("the relay does not end")
		return nil
	}
}

func (r relaying) client(t *testing.T) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	return must.Get(client.Connect(t.Context(), &mcp.IOTransport{Reader: r.out, Writer: r.in}, nil))(t)
}

func TestRelay(t *testing.T) {
	r := newRig(t)
	r.offer.Bind(theSession)
	path, token := socketAndToken(t, r.offered)
	re := relay(t, t.Context(), path, token)
	client := re.client(t)
	text := strings.Repeat("all of it, both ways\n", 10_000)
	done := r.begin(t.Context(), client, "write_text_file", in{"path": "a", "content": text})
	r.answer("once")
	if got := r.ended(done); got.failed || got.err != nil {
		t.Fatal(got)
	}
	r.want(r.call(client, "read_text_file", in{"path": "a"}), text)
	re.in.Close()
	if err := re.ended(t); err != nil {
		t.Error(err)
	}
}

func TestRelayEndsWithServer(t *testing.T) {
	r := newRig(t)
	path, token := socketAndToken(t, r.offered)
	re := relay(t, t.Context(), path, token)
	re.client(t)
	r.server.Close()
	if err := re.ended(t); err != nil {
		t.Error(err)
	}
}

func TestRelayEndsWithContext(t *testing.T) {
	r := newRig(t)
	path, token := socketAndToken(t, r.offered)
	ctx, cancel := context.WithCancel(t.Context())
	re := relay(t, ctx, path, token)
	re.client(t)
	cancel()
	if err := re.ended(t); err != nil {
		t.Error(err)
	}
}

func TestRelayRefused(t *testing.T) {
	r := newRig(t)
	path, token := socketAndToken(t, r.offered)
	var out bytes.Buffer
	if err := toolserver.Relay(t.Context(), strings.NewReader("{}\n"), &out, path, "wrong"); !errors.Is(err, toolserver.ErrRefused) ||
		err.Error() != "parley refused it: the token is unknown or no longer valid" || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := toolserver.Relay(t.Context(), strings.NewReader(""), &out, path, token); err != nil {
		t.Error(err)
	}
	if err := toolserver.Relay(t.Context(), strings.NewReader(""), &out, path, token); !errors.Is(err, toolserver.ErrRefused) || !strings.Contains(err.Error(), "used already") {
		t.Error(err)
	}
	if err := toolserver.Relay(t.Context(), strings.NewReader(""), &out, filepath.Join(t.TempDir(), "none"), token); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// Another program at the socket may answer anything: the error is one safe line.
func TestRelayToAnotherProgram(t *testing.T) {
	dir := must.Get(os.MkdirTemp("", "p"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	l := must.Get(net.Listen("unix", filepath.Join(dir, "s")))(t)
	defer l.Close()
	for _, answer := range []string{"\x1b[2Jno\n", "", strings.Repeat("long", 1000)} {
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(conn, answer)
			conn.(*net.UnixConn).CloseWrite()
			io.Copy(io.Discard, conn)
			conn.Close()
		}()
		err := toolserver.Relay(t.Context(), strings.NewReader(""), io.Discard, l.Addr().String(), "token")
		if !errors.Is(err, toolserver.ErrRefused) || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%.20q: got %v", answer, err)
		}
	}
}
