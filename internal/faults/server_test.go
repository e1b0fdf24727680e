package faults

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/gateway"
	"parley/internal/must"
)

// server is `parley serve` in this process. Its agents are processes.
type server struct {
	t       *testing.T
	gateway *gateway.Server
	addr    string
	lines   atomic.Int64 // open network connections
	log     journal

	stop  context.CancelFunc
	ended chan error
}

// idle is the server's idle limit.
const idle = 2 * time.Second

// serve starts a server. buffer, if not 0, is the limit in bytes of what may wait in a session's
// stream.
func serve(t *testing.T, l *ledger, buffer int64) *server {
	t.Helper()
	s := &server{t: t, ended: make(chan error, 1)}
	s.gateway = gateway.New(gateway.Options{
		Start:  gateway.Command([]string{os.Args[0], agentWord, l.ln.Addr().String()}, nil, 64<<20),
		Limits: gateway.Limits{Idle: idle, SessionBuffer: buffer},
		Log:    slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	ln := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	s.addr = ln.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() { s.ended <- s.gateway.Serve(ctx, counting{ln, &s.lines}, nil) }()
	return s
}

// close ends the server and waits until it has ended.
func (s *server) close() {
	s.stop()
	select {
	case err := <-s.ended:
		if err != nil {
			s.t.Errorf("serve: %v", err)
		}
	case <-time.After(patience):
		s.t.Errorf("the server does not end\n%s", stacks())
	}
}

// counting is a listener that counts its open connections.
type counting struct {
	net.Listener
	open *atomic.Int64
}

func (c counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.open.Add(1)
	return &counted{Conn: conn, open: c.open}, nil
}

type counted struct {
	net.Conn
	open *atomic.Int64
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// journal is the log of a server.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// count returns how often a text is in the log.
func (j *journal) count(text string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return bytes.Count(j.text.Bytes(), []byte(text))
}

// settled describes what the server has started and not yet ended, "" if there is nothing.
func (s *server) settled() string {
	connections := s.log.count("connection started") - s.log.count("connection ended")
	streams := s.log.count("stream started") - s.log.count("stream ends")
	if connections == 0 && streams == 0 && s.lines.Load() == 0 {
		return ""
	}
	return fmt.Sprintf("at the server %d connections, %d streams and %d lines are open", connections, streams, s.lines.Load())
}

// reorderer makes the messages of a server overtake each other: now and then it delays one of the
// streams of a connection, or the response to a POST, independently.
type reorderer struct {
	http.Handler
	mu     sync.Mutex
	chance interface{ IntN(int) int }
}

// draw returns a random pause below most with a chance of 1 in one, otherwise 0.
func (l *reorderer) draw(one int, most time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.chance.IntN(one) > 0 {
		return 0
	}
	return time.Duration(l.chance.IntN(int(most)))
}

func (l *reorderer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.Handler.ServeHTTP(&reorderingWriter{w, r, l}, r)
}

type reorderingWriter struct {
	http.ResponseWriter
	r *http.Request
	l *reorderer
}

// Unwrap is for http.ResponseController.
func (w *reorderingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader delays the response to a POST, so that the answer may arrive before it.
func (w *reorderingWriter) WriteHeader(status int) {
	if w.r.Method == http.MethodPost {
		w.wait(w.l.draw(2, 30*time.Millisecond))
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *reorderingWriter) Write(p []byte) (int, error) {
	if w.r.Method == http.MethodGet {
		w.wait(w.l.draw(3, 40*time.Millisecond))
	}
	return w.ResponseWriter.Write(p)
}

func (w *reorderingWriter) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-w.r.Context().Done():
	}
}
