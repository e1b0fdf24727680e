package toolserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"parley/internal/safetext"
)

// ErrRefused is matched by the error of Relay if parley refused the connection.
var ErrRefused = errors.New("parley refused it")

// Limits of the answer to the token.
const (
	maxAnswer      = 512
	answerPatience = 30 * time.Second
)

// Relay sends the token to the socket, then copies in to the socket and the socket to out
// until either ends or ctx does; none of these is an error. A read of in may still be
// waiting when it returns.
func Relay(ctx context.Context, in io.Reader, out io.Writer, path, token string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return fmt.Errorf("reach parley, which offered its tools: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	r := bufio.NewReaderSize(conn, maxAnswer)
	if err := authenticate(conn, r, token); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	ended := make(chan struct{}, 2)
	go func() { io.Copy(conn, in); ended <- struct{}{} }()
	go func() { io.Copy(out, r); ended <- struct{}{} }()
	<-ended
	return nil
}

// authenticate sends the token and reads whether it is valid.
func authenticate(conn net.Conn, r *bufio.Reader, token string) error {
	conn.SetDeadline(time.Now().Add(answerPatience))
	if _, err := fmt.Fprintln(conn, token); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	line, err := r.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if answer := strings.TrimSpace(string(line)); answer != okLine {
		return fmt.Errorf("%w: %s", ErrRefused, safetext.Line(answer, maxAnswer))
	}
	return conn.SetDeadline(time.Time{})
}
