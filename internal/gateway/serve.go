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
	keptAlive = 2 * time.Minute // how long HTTP keeps a connection without a request
	maxHeader = 64 << 10        // bytes of headers
	settling  = time.Second / 4 // how long answers may take to leave when everything else has ended
)

// Serve answers on ln until ctx ends, and then ends everything: nobody new comes
// in, what waits is sent, sockets and streams are closed, agents end. That is
// bounded by Limits.Drain, and hurried when now is closed. Afterwards no process
// is left. The error is that of ln, nil when ctx ended it.
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
	case <-time.After(settling):
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
		ReadHeaderTimeout: l.Header, IdleTimeout: keptAlive, MaxHeaderBytes: maxHeader,
		WriteTimeout: l.Stall, // of short answers; streams move it
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: l.Sessions + 100, // a stream for each session, and room for requests
			WriteByteTimeout:     l.Stall,
			// The answer to a ping lies behind all that is on its way, and nothing else counts
			// here as a sign of life: it gets the time that a client may be away.
			SendPingTimeout: l.Ping, PingTimeout: max(l.Idle, l.Stall),
		},
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}
