package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"parley/internal/outflow"
)

const (
	idleTimeout   = 2 * time.Minute // how long HTTP keeps a connection without a request
	maxHeader     = 64 << 10        // bytes of headers
	shutdownGrace = time.Second / 4 // how long responses may take to be sent after everything else has ended
)

// Serve serves ln until ctx ends, then shuts down: new requests are refused, queued
// messages are sent, sockets and streams are closed, agents end. Limits.Drain bounds the
// time of that, and closing now cuts it short. When Serve returns no process is left. The
// error is that of ln, nil if ctx ended it.
func (s *Server) Serve(ctx context.Context, ln net.Listener, now <-chan struct{}) error {
	server := s.httpServer()
	failed := make(chan error, 1)
	go func() {
		if s.TLS != nil {
			failed <- server.ServeTLS(ln, "", "")
		} else {
			failed <- server.Serve(ln)
		}
	}()
	var err error
	select {
	case err = <-failed:
		err = fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	s.log.Info("shutting down")
	bound, stop := context.WithTimeout(context.Background(), s.limits.Drain)
	defer stop()
	go func() {
		select {
		case <-now:
			stop()
		case <-bound.Done():
		}
	}()
	stopped := make(chan struct{})
	go func() { // closes the listener at once, then waits for requests to end
		defer close(stopped)
		server.Shutdown(bound)
	}()
	s.drain(bound)
	select {
	case <-stopped:
	case <-time.After(shutdownGrace):
	case <-bound.Done():
	}
	if closing := server.Close(); closing != nil && !errors.Is(closing, net.ErrClosed) {
		s.log.Debug("close the server", "error", closing)
	}
	s.log.Info("shut down")
	return err
}

func (s *Server) httpServer() *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(s.TLS != nil)
	protocols.SetUnencryptedHTTP2(s.TLS == nil)
	l := s.limits
	return &http.Server{
		Handler: s, Protocols: protocols, TLSConfig: s.TLS,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			outflow.Bound(conn)
			return ctx
		},
		ReadHeaderTimeout: l.Header, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		WriteTimeout: l.Stall, // for short responses; streams extend it
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: l.Sessions + 100, // a stream for each session, and room for requests
			WriteByteTimeout:     l.Stall,
			// The answer to a ping arrives after all data on the way, and HTTP/2 accepts no
			// other sign of life here. So a ping gets as much time as a client may be away.
			SendPingTimeout: l.Ping, PingTimeout: max(l.Idle, l.Stall),
		},
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}
