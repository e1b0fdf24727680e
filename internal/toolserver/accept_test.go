package toolserver_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
	"parley/internal/toolserver"
)

func TestWrongToken(t *testing.T) {
	r := newRig(t)
	_, token := socketAndToken(t, r.offered)
	if len(token) != 64 {
		t.Errorf("a token of %d digits", len(token))
	}
	for _, wrong := range []string{"", strings.Repeat("0", 64), token[:63], token + "0", strings.ToUpper(token), " " + token} {
		if got := r.answerTo(wrong + "\n"); got != "the token is unknown or no longer valid\n" {
			t.Errorf("%q is answered with %q", wrong, got)
		}
		r.logged("refused: the token is unknown")
	}
	// None of these has used up the token.
	r.offer.Bind(theSession)
	r.want(r.call(r.connect(r.offered, nil), "read_text_file", in{"path": r.put("a", "text")}), "text")
}

func TestTokenOfAnotherOffer(t *testing.T) {
	r := newRig(t)
	other, offer := r.newOffer()
	_, a := socketAndToken(t, r.offered)
	_, b := socketAndToken(t, other)
	if a == b {
		t.Fatal("two offers of one token")
	}
	// It is valid only for its own session.
	offer.Bind("nobody")
	r.offer.Bind(theSession)
	path := r.put("a", "text")
	r.wantError(r.call(r.connect(other, nil), "read_text_file", in{"path": path}), "unknown session")
	r.want(r.call(r.connect(r.offered, nil), "read_text_file", in{"path": path}), "text")
}

func TestUsedToken(t *testing.T) {
	r := newRig(t)
	r.offer.Bind(theSession)
	client := r.connect(r.offered, nil)
	_, token := socketAndToken(t, r.offered)
	for range 2 {
		if got := r.answerTo(token + "\n"); got != "the token was used already, and is good for one connection\n" {
			t.Errorf("a used token is answered with %q", got)
		}
		r.logged("refused: the token was used already")
		client.Close() // whether or not the first one is still connected
	}
}

func TestTokenOfWithdrawnOffer(t *testing.T) {
	r := newRig(t)
	_, token := socketAndToken(t, r.offered)
	r.offer.Withdraw()
	if got := r.answerTo(token + "\n"); got != "the token is unknown or no longer valid\n" {
		t.Errorf("answered with %q", got)
	}
}

func TestNoTokenInTime(t *testing.T) {
	r := newRig(t, func(o toolserver.Options) toolserver.Options { return o.WithPatience(50 * time.Millisecond) })
	_, token := socketAndToken(t, r.offered)
	for _, part := range []string{"", token[:10]} {
		if got := r.answerTo(part); got != "no token came in time\n" {
			t.Errorf("answered with %q", got)
		}
		r.logged("refused: no token came in time")
	}
	// The deadline is only for the token.
	r.offer.Bind(theSession)
	client := r.connect(r.offered, nil)
	done := r.begin(t.Context(), client, "run_command", in{"command": "sleep", "args": []string{"0.2"}})
	r.answer("once")
	r.want(r.ended(done), "[exit code 0]")
}

func TestFirstLineTooLong(t *testing.T) {
	r := newRig(t)
	_, token := socketAndToken(t, r.offered)
	for _, long := range []string{strings.Repeat("x", toolserver.MaxTokenLine), token + strings.Repeat(" ", 1<<20) + "\n"} {
		if got := r.answerTo(long); got != "the first line is too long for a token\n" {
			t.Errorf("answered with %q", got)
		}
		r.logged("refused: the first line is too long")
	}
}

// Connections without a token cannot keep out those with one for long, nor use more than a
// few slots.
func TestTooManyWithoutToken(t *testing.T) {
	r := newRig(t)
	type answered struct {
		conn net.Conn
		text string
	}
	first := make(chan answered, toolserver.MaxUnknown+1)
	held := map[net.Conn]bool{}
	for range toolserver.MaxUnknown + 1 {
		conn := r.dial()
		held[conn] = true
		go func() {
			text, _ := io.ReadAll(conn)
			first <- answered{conn, string(text)}
		}()
	}
	one := <-first // the last one to connect
	if one.text != "too many connections have shown no token\n" {
		t.Errorf("answered with %q", one.text)
	}
	r.logged("refused: too many connections")
	delete(held, one.conn)
	for conn := range held {
		conn.Close()
		break
	}
	r.logged("refused: the token is unknown") // the answer to the closed connection
	r.connect(r.offered, nil)
}

func TestSocketIsPrivate(t *testing.T) {
	r := newRig(t)
	path, token := socketAndToken(t, r.offered)
	if runtime.GOOS != "windows" {
		for name, want := range map[string]os.FileMode{path: os.ModeSocket | 0o600, filepath.Dir(path): os.ModeDir | 0o700} {
			if info, err := os.Lstat(name); err != nil || info.Mode() != want {
				t.Errorf("%s has mode %v, %v; want %v", name, info.Mode(), err, want)
			}
		}
	}
	if len(path) > toolserver.MaxSocketPath {
		t.Errorf("a path of %d bytes", len(path))
	}
	if m := r.offered; m.Command != "/bin/parley" || fmt.Sprint(m.Args) != "[mcp]" || m.Type != "stdio" || strings.Contains(fmt.Sprint(m.Command, m.Args), token) {
		t.Errorf("got %+v", m)
	}
	r.server.Close()
	if _, err := os.Lstat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the directory of the socket was not removed: %v", err)
	}
	if _, _, err := r.server.Offer(r.dir); err != toolserver.ErrClosed {
		t.Errorf("an offer of a closed server: %v", err)
	}
}

func TestSocketDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such variable")
	}
	short := must.Get(os.MkdirTemp("/tmp", "p"))(t)
	t.Cleanup(func() { os.RemoveAll(short) })
	long := filepath.Join(short, strings.Repeat("long", 25))
	must.Do(t, os.Mkdir(long, 0o700))
	for _, tc := range []struct{ runtime, temp, want string }{
		{short, long, short},
		{long, short, short},
		{"relative", short, short},
		{filepath.Join(short, "missing"), short, short},
		{long, long, "/tmp"},
	} {
		t.Setenv("XDG_RUNTIME_DIR", tc.runtime)
		t.Setenv("TMPDIR", tc.temp)
		s := toolserver.New(toolserver.Options{Command: []string{"x"}})
		m, _, err := s.Offer("/")
		if err != nil {
			t.Fatalf("%+v: got %v", tc, err)
		}
		if path, _ := socketAndToken(t, m); filepath.Dir(filepath.Dir(path)) != tc.want {
			t.Errorf("got %s, want it in %s", path, tc.want)
		}
		s.Close()
	}
	if left, _ := filepath.Glob(filepath.Join(short, "*", "parley-*")); len(left) > 0 {
		t.Errorf("not removed: %v", left)
	}
}

// No socket is made before it is needed, as for all agents of v1.
func TestNoOfferNoSocket(t *testing.T) {
	dir := realDir(t)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	toolserver.New(toolserver.Options{Command: []string{"x"}}).Close()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("got %v", left)
	}
}
