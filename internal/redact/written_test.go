package redact_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/gateway"
	"parley/internal/must"
	"parley/internal/record"
	"parley/internal/redact"
	"parley/internal/seeds"
)

// planted is a message with a secret in each of its texts.
type planted struct {
	msg     []byte
	secrets []string
}

// transcripts returns the messages of the files in testdata, by file.
func transcripts(t *testing.T) map[string][][]byte {
	t.Helper()
	all := map[string][][]byte{}
	paths, _ := filepath.Glob(filepath.Join("..", "..", "testdata", "*", "*.txtar"))
	for _, path := range paths {
		text := must.Get(os.ReadFile(path))(t)
		for line := range bytes.Lines(text) {
			at := bytes.IndexByte(line, '{')
			if at < 0 || !json.Valid(line[at:]) {
				continue
			}
			msg := bytes.TrimSpace(line[at:])
			if session, ok := bytes.CutPrefix(line[:at], []byte("< update@")); ok {
				msg = fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, bytes.TrimSpace(session), msg)
			}
			name := filepath.Base(path)
			all[name] = append(all[name], msg)
		}
	}
	if len(all) < 100 {
		t.Fatalf("%d transcripts", len(all))
	}
	return all
}

// identifying are the members that identify a message. Every second round leaves them unchanged,
// so that the message is understood.
var identifying = map[string]bool{"jsonrpc": true, "method": true, "sessionUpdate": true, "type": true}

// plant puts a secret into each text of a message, a different one in each round.
func plant(t *testing.T, msg []byte, all []redact.Secret, round int) (p planted) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(msg))
	dec.UseNumber()
	var inObject []bool // for each open object or array
	key, isKey := "", false
	done, n := 0, 0
	for {
		before := int(dec.InputOffset())
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, msg)
		}
		if len(inObject) > 0 && inObject[len(inObject)-1] && !isKey {
			if name, ok := token.(string); ok { // otherwise it is the end of the object
				key, isKey = name, true
				continue
			}
		}
		isKey = false
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				inObject = append(inObject, token == '{')
			} else {
				inObject = inObject[:len(inObject)-1]
			}
		case string:
			if round%2 == 0 && identifying[key] {
				break
			}
			secret := all[(round+n)%len(all)]
			text := []string{secret.Text, token + " " + secret.Text, secret.Text + "\n" + token}[(round/2+n)%3]
			n++
			from := before + bytes.IndexByte(msg[before:], '"')
			p.msg = redact.AppendString(append(p.msg, msg[done:from]...), text)
			done = int(dec.InputOffset())
			p.secrets = append(p.secrets, secret.Secret)
		}
	}
	p.msg = append(p.msg, msg[done:]...)
	if !json.Valid(p.msg) {
		t.Fatalf("no JSON: %s", p.msg)
	}
	return p
}

// rounds calls f with each transcript and the secrets of each round. With all seeds, each
// text of each message has a secret of every shape in one of the rounds.
func rounds(t *testing.T, f func(t *testing.T, name string, msgs []planted)) {
	files := transcripts(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		msgs := files[name]
		all := redact.Secrets(uint64(len(name)))
		first := 0
		for _, c := range name {
			first += int(c)
		}
		for round := range seeds.Of(len(all)) {
			var p []planted
			for i, msg := range msgs {
				p = append(p, plant(t, msg, all, first+round+i*2))
			}
			f(t, name, p)
			if t.Failed() {
				return
			}
		}
	}
}

// No secret in any text of a conversation appears in its log, and otherwise the messages in
// the log are unchanged.
func TestNoSecretIsInALog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rounds(t, func(t *testing.T, name string, msgs []planted) {
		w := must.Get(record.Create(dir, record.Meta{Agent: "a", Started: time.Now()}, record.Options{MaxBytes: 1 << 30, QueueBytes: 1 << 30}))(t)
		noise := func(p planted) []byte { return append([]byte("! "), p.msg...) }
		for i, p := range msgs {
			w.Message(record.Out, 0, p.msg)
			w.Message(record.In, uint64(i+1), p.msg)
			w.Message(record.In, uint64(i+1), noise(p))
			w.Message(record.Err, 0, p.msg)
		}
		must.Do(t, w.Close())
		text := must.Get(os.ReadFile(w.Path()))(t)
		os.Remove(w.Path())
		n := 0
		for line := range bytes.Lines(text) {
			var l struct {
				Dir  record.Direction
				Msg  json.RawMessage
				Meta json.RawMessage
			}
			if err := json.Unmarshal(line, &l); err != nil {
				t.Fatalf("%s: %v in %s", name, err, line)
			}
			if l.Msg == nil { // the head, or a meta line
				for _, p := range msgs {
					for _, s := range p.secrets {
						redact.Lost(t, name+", of its sessions", string(line), s)
					}
				}
				continue
			}
			p := msgs[n/4]
			for _, s := range p.secrets {
				redact.Lost(t, fmt.Sprintf("%s, %s", name, l.Dir), string(line), s)
			}
			if n%4 < 2 {
				redact.SameShape(t, p.msg, l.Msg)
			}
			n++
		}
		if n != 4*len(msgs) {
			t.Errorf("%s: %d of %d messages are in the log", name, n, 4*len(msgs))
		}
	})
}

// hostileVar names a file. If it is set, the test program is an agent that writes each line
// of the file to standard error, and to standard output with a prefix that makes it invalid
// JSON.
const hostileVar = "REDACT_TEST_LINES"

func TestMain(m *testing.M) {
	if path := os.Getenv(hostileVar); path != "" {
		os.Exit(hostile(path))
	}
	os.Exit(m.Run())
}

func hostile(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 1
	}
	io.ReadFull(os.Stdin, make([]byte, 1)) // its first message has arrived
	for line := range bytes.Lines(text) {
		os.Stderr.Write(line)
		os.Stdout.Write(append([]byte("! "), line...))
	}
	os.Stdout.WriteString(`{"jsonrpc":"2.0","id":0,"result":{}}` + "\n")
	io.Copy(io.Discard, os.Stdin)
	return 0
}

// logged is what was written to a log.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// No secret appears in the log of a gateway: neither from lines of agents that are not
// messages or go to standard error, nor from refused messages of clients.
func TestNoSecretIsInTheLogOfAGateway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all []planted
	rounds(t, func(t *testing.T, _ string, msgs []planted) {
		for _, p := range msgs {
			if len(p.msg) < 8<<10 { // a longer line of standard error is cut, perhaps within a secret
				all = append(all, p)
			}
		}
	})
	var text []byte
	for _, p := range all {
		text = append(append(text, p.msg...), '\n')
	}
	path := filepath.Join(dir, "lines")
	must.Do(t, os.WriteFile(path, text, 0o600))
	self := must.Get(os.Executable())(t)
	ln := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	var log logged
	s := gateway.New(gateway.Options{Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Start: gateway.Command([]string{self}, append(os.Environ(), hostileVar+"="+path), 1<<20)})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln, nil) }()
	post := func(body []byte, header string) int {
		t.Helper()
		req := must.Get(http.NewRequestWithContext(ctx, "POST", "http://"+ln.Addr().String()+gateway.DefaultPath, bytes.NewReader(body)))(t)
		req.Header.Set("Content-Type", "application/json")
		if header != "" {
			req.Header.Set("Acp-Connection-Id", header)
		}
		res := must.Get(http.DefaultClient.Do(req))(t)
		res.Body.Close()
		return res.StatusCode
	}
	for _, p := range all[:100] {
		if status := post(p.msg, "nobody"); status == 200 {
			t.Errorf("a message without a connection is answered %d", status)
		}
	}
	if status := post([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`), ""); status != 200 {
		t.Fatalf("initialize is answered %d", status)
	}
	stop()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	noise, stderr := 0, 0
	for line := range bytes.Lines(log.text.Bytes()) {
		var l struct {
			Msg    string
			Stderr string
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		of := -1
		switch {
		case strings.HasPrefix(l.Msg, "the agent wrote a line that is not JSON"):
			of = noise
			noise++
		case l.Stderr != "":
			of = stderr
			stderr++
		}
		if of >= 0 && of < len(all) && !t.Failed() {
			for _, s := range all[of].secrets {
				redact.Lost(t, fmt.Sprintf("%s of %d bytes", l.Msg, len(all[of].msg)), string(line), s)
			}
		}
	}
	if noise != len(all) || stderr != len(all) {
		t.Errorf("of %d lines %d and %d are in the log", len(all), noise, stderr)
	}
}
