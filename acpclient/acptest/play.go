package acptest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"parley/acpclient/transport"
)

// patience is how long a script waits for the client's next message. In a synctest
// bubble that time passes at once when all goroutines are idle.
const patience = 30 * time.Second

// stage is what a script is played on.
type stage struct {
	in     <-chan []byte // what the client sends; closed when it closes its end
	send   func(messages [][]byte) error
	act    func(s step) error // the user; nil if a person is
	settle func()             // waits until all goroutines are idle; nil if that cannot be known
	hangup func()
}

// play runs the steps and returns the first difference.
func play(steps []step, on stage) error {
	known := names{}
	for _, s := range steps {
		if err := on.step(s, known); err != nil {
			return fmt.Errorf("script line %d: %w", s.line, err)
		}
		if on.settle != nil {
			on.settle()
		}
	}
	if on.settle == nil {
		return nil
	}
	return on.quiet()
}

func (on stage) step(s step, known names) error {
	switch s.verb {
	case expect:
		return on.expect(s, known)
	case send:
		filled := make([][]byte, len(s.messages))
		for i, m := range s.messages {
			filled[i] = known.fill(m)
		}
		return on.send(filled)
	case act:
		if on.act != nil {
			return on.act(s)
		}
	case quiet:
		return on.quiet()
	case skip:
		for on.quiet() != nil {
		}
	case gone:
		if got, err := on.next(); err != errGone {
			return fmt.Errorf("the client is still there: %.200s", got)
		}
	case pause:
		time.Sleep(s.wait)
	case hangup:
		on.hangup()
	}
	return nil
}

func (on stage) expect(s step, known names) error {
	if s.anyOf == nil {
		got, err := on.next()
		if err != nil {
			return fmt.Errorf("%w, want %s", err, s.message)
		}
		return complain(known.match(s.message, got, s.exact), got)
	}
	for left := slices.Clone(s.anyOf); len(left) > 0; {
		got, err := on.next()
		if err != nil {
			return fmt.Errorf("%w, want %s", err, left[0].message)
		}
		i := slices.IndexFunc(left, func(w step) bool {
			trial := maps.Clone(known)
			if trial.match(w.message, got, w.exact) != nil {
				return false
			}
			maps.Copy(known, trial)
			return true
		})
		if i < 0 {
			return complain(known.match(left[0].message, got, left[0].exact), got)
		}
		left = slices.Delete(left, i, i+1)
	}
	return nil
}

func complain(err error, got []byte) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w\nthe client sent %.2000s", err, got)
}

var (
	errGone   = errors.New("the client is gone")
	errSilent = errors.New("the client sends nothing")
)

// next waits for the client's next message.
func (on stage) next() ([]byte, error) {
	select {
	case got, ok := <-on.in:
		if !ok {
			return nil, errGone
		}
		return got, nil
	case <-time.After(patience):
		return nil, errSilent
	}
}

func (on stage) quiet() error {
	select {
	case got, ok := <-on.in:
		if ok {
			return fmt.Errorf("the client sent what no line asks for: %.2000s", got)
		}
	default:
	}
	return nil
}

// Play plays a script to a client at the other end of two streams, the standard streams
// if the script runs as an agent. The steps of the user are skipped. It returns the
// first difference, or nil when the script is over and the client has closed its end.
func Play(r io.Reader, w io.Writer, script []byte) error {
	steps, err := parse(script)
	if err != nil {
		return err
	}
	in := make(chan []byte, 1024)
	failed := make(chan error, 1)
	go func() {
		defer close(in)
		lines := transport.NewLineReader(r, 0)
		for {
			line, err := lines.Next()
			if err != nil {
				failed <- err
				return
			}
			in <- append([]byte(nil), line...)
		}
	}()
	err = play(steps, stage{in: in, hangup: func() {
		if c, ok := w.(io.Closer); ok {
			c.Close()
		}
	}, send: func(messages [][]byte) error {
		var out []byte
		for _, m := range messages {
			out = append(append(out, m...), '\n')
		}
		_, err := w.Write(out)
		return err
	}})
	if err != nil {
		return err
	}
	for got := range in { // the client may send more before it closes
		_ = got
	}
	if err := <-failed; !errors.Is(err, io.EOF) {
		return fmt.Errorf("read from the client: %w", err)
	}
	return nil
}
