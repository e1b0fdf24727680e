package toolserver

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"parley/internal/safetext"
)

// The first line of a connection and its answer.
const (
	okLine       = "ok"
	maxTokenLine = 128 // bytes, with its end
)

// Answers to an invalid token.
var (
	errNoToken   = errors.New("the token is unknown or no longer valid")
	errUsedToken = errors.New("the token was used already, and is good for one connection")
	errTooSlow   = errors.New("no token came in time")
	errTooLong   = errors.New("the first line is too long for a token")
	errTooMany   = errors.New("too many connections have shown no token")
)

// accept accepts connections until the listener is closed.
func (s *Server) accept() {
	s.mu.Lock()
	socket := s.socket
	s.mu.Unlock()
	if socket == nil { // the server was closed meanwhile
		return
	}
	for {
		conn, err := socket.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as no free descriptors
			s.opts.Log("a connection for tools was not taken: " + safetext.Line(err.Error(), 300))
			time.Sleep(100 * time.Millisecond)
			continue
		}
		if !s.addConn(conn) {
			conn.Close()
			return
		}
		s.handlers.Go(func() {
			defer s.removeConn(conn)
			s.serveConn(conn)
		})
	}
}

// serveConn serves a connection if it has a token.
func (s *Server) serveConn(conn net.Conn) {
	conn.SetDeadline(time.Now().Add(s.opts.patience))
	o, r, err := s.admit(conn)
	if err != nil {
		s.opts.Log("a connection for tools was refused: " + err.Error())
		conn.SetWriteDeadline(time.Now().Add(time.Second))
		fmt.Fprintln(conn, err)
		return
	}
	if _, err := fmt.Fprintln(conn, okLine); err != nil {
		return
	}
	conn.SetDeadline(time.Time{})
	if err := o.serve(conn, r); err != nil {
		s.opts.Log("the connection for tools ended: " + safetext.Line(err.Error(), 300))
	}
}

// admit reads the token. It returns the offer that the token is for, and a reader for what
// follows it.
func (s *Server) admit(conn net.Conn) (*offer, io.Reader, error) {
	select {
	case s.unknown <- struct{}{}:
		defer func() { <-s.unknown }()
	default:
		return nil, nil, errTooMany
	}
	r := bufio.NewReaderSize(conn, maxTokenLine)
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, nil, errTooLong
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, nil, errTooSlow
	case err != nil:
		return nil, nil, errNoToken
	}
	o, err := s.redeem(strings.TrimRight(string(line), "\r\n"))
	return o, r, err
}

// redeem uses up a token.
func (s *Server) redeem(token string) (*offer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.offers[sha256.Sum256([]byte(token))]
	switch {
	case o == nil:
		return nil, errNoToken
	case o.redeemed:
		return nil, errUsedToken
	}
	o.redeemed = true
	return o, nil
}
