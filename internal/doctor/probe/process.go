package probe

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/doctor"
	"parley/internal/envelope"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
	"parley/internal/words"
)

// lingering is how long what an agent has started may outlive it, a little less than the transport allows.
const lingering = 400 * time.Millisecond

// close ends a connection and says what had to be done for it.
func (p *probe) close(w *wire) doctor.Finding {
	s, ok := w.conn.(*transport.Stdio)
	if !ok {
		w.conn.Close()
		return skip("the agent is on another machine")
	}
	begun := time.Now()
	exit := make(chan time.Duration, 1)
	go func() {
		<-s.Exit()
		exit <- time.Since(begun)
	}()
	err := s.Close()
	all, own := time.Since(begun), <-exit
	switch {
	case err != nil:
		return fail(err.Error(), "")
	case own >= p.Grace:
		return fail("it still ran "+seconds(p.Grace)+" later, and had to be killed", "")
	case all-own >= lingering:
		return warn("what the agent has started outlives it", "")
	}
	return pass("ended after %s, with what it had started", seconds(own))
}

// usual is how long parley waits after it has closed stdin.
const usual = 2 * time.Second

func (p *probe) endOfInput() doctor.Finding {
	begun := time.Now()
	f := p.close(p.main)
	if took := time.Since(begun); f.State == doctor.Pass && took > usual {
		return warn("ended after "+seconds(took)+"; parley waits "+seconds(usual)+", then sends SIGTERM", "")
	}
	return f
}

func (p *probe) terminate() doctor.Finding {
	if p.unknown == nil {
		return skip("the agent did not start")
	}
	s, ok := p.unknown.conn.(*transport.Stdio)
	switch {
	case !ok:
		p.unknown.conn.Close()
		return skip("the agent is on another machine")
	case runtime.GOOS == "windows":
		p.close(p.unknown)
		return skip("Windows has no such signal")
	case !p.unknown.alive():
		return skip("the agent had already ended")
	}
	process, err := os.FindProcess(s.Pid())
	if err == nil {
		err = process.Signal(syscall.SIGTERM)
	}
	if err != nil {
		return skip("the signal cannot be sent: %v", err)
	}
	begun := time.Now()
	select {
	case <-s.Exit():
	case <-time.After(p.Grace):
		s.Kill()
		s.Close()
		return fail("it still ran "+seconds(p.Grace)+" later, and had to be killed", "")
	case <-p.ctx.Done():
	}
	took := time.Since(begun)
	begun = time.Now()
	s.Close()
	if time.Since(begun) >= lingering {
		return warn("what the agent has started outlives it", "")
	}
	return pass("ended after %s, with what it had started", seconds(took))
}

// offered judges the answer to an offer of a version. allowed are the versions to answer.
func offered(w *wire, r reply, highest int) doctor.Finding {
	switch {
	case !r.answered && !w.alive():
		return fail(w.ended(), r.show())
	case r.code == jsonrpc.CodeUnsupportedVersion && jsonscan.KindOf(at(r.Error, "data", "supported")) == jsonscan.Array:
		return pass("error %d, which names the supported versions", r.code)
	case !r.ok():
		return fail(r.how(), r.show())
	}
	raw := string(at(r.Result, "protocolVersion"))
	version, err := strconv.Atoi(raw)
	switch {
	case err != nil || version < 1:
		return fail("answers version "+cmp.Or(raw, "nothing"), r.show())
	case version > highest:
		return fail(fmt.Sprintf("answers version %d, which does not exist", version), r.show())
	case version == 2 && (jsonscan.KindOf(at(r.Result, "info")) != jsonscan.Object || jsonscan.KindOf(at(r.Result, "capabilities")) != jsonscan.Object):
		return fail("answers version 2 without its info or capabilities", r.show())
	}
	return pass("answers version %d", version)
}

// intact sends what is no request and waits for the answer that match accepts, then checks that the agent still
// answers.
func (p *probe) intact(raw string, match func(message) bool) (m message, answered bool, f doctor.Finding) {
	w := p.second.wire
	if _, local := w.conn.(*transport.HTTP); local {
		return m, false, skip("by HTTP, nothing but messages can be sent")
	}
	if !w.alive() {
		return m, false, skip("the agent has ended")
	}
	at, err := w.send([]byte(raw), false, "")
	if err == nil {
		r := w.call(p.Patience.Call, nowhere, struct{}{})
		if m, _, answered = w.wait(p.Patience.Quiet, at, match); !r.answered {
			return m, answered, fail("a request after it got "+r.how(), message{raw: []byte(raw), out: true}.show())
		}
	}
	return m, answered, f
}

func code(m message) int64 {
	n, _ := jsonscan.Int(at(m.Error, "code"))
	return n
}

func (p *probe) parseError() doctor.Finding {
	const raw = `{"jsonrpc":"2.0","id":7,"method":`
	m, answered, f := p.intact(raw, func(m message) bool { return m.IsAnswer() && m.Failed() && envelope.Key(m.ID) == "" })
	switch {
	case f.State != "":
		return f
	case !answered:
		return warn(fmt.Sprintf("text that is not JSON gets no answer; want error %d", jsonrpc.CodeParseError), "sent "+raw)
	case code(m) != jsonrpc.CodeParseError:
		return warn(fmt.Sprintf("text that is not JSON: want error %d, got %d", jsonrpc.CodeParseError, code(m)), m.show())
	case m.ID == nil:
		return warn("the error has no id, which must be null", m.show())
	}
	return pass("error %d", jsonrpc.CodeParseError)
}

func (p *probe) batch() doctor.Finding {
	raw := `[{"jsonrpc":"2.0","id":"batch","method":"` + nowhere + `"},{"jsonrpc":"2.0","method":"` + nowhere + `"}]`
	m, answered, f := p.intact(raw, func(m message) bool { return m.IsAnswer() && (m.batch || m.Failed() && envelope.Key(m.ID) == "") })
	switch {
	case f.State == doctor.Fail && p.second.info == nil: // version 1 has none
		f.State = doctor.Warn
		return f
	case f.State != "":
		return f
	case !answered:
		return warn(fmt.Sprintf("no answer; want an array, or error %d", jsonrpc.CodeInvalidRequest), "sent "+raw)
	case m.batch && envelope.Text(m.ID) == "batch":
		return pass("answered with an array")
	case !m.batch && code(m) == jsonrpc.CodeInvalidRequest:
		return pass("refused with error %d", jsonrpc.CodeInvalidRequest)
	}
	return warn(fmt.Sprintf("want an array, or error %d", jsonrpc.CodeInvalidRequest), m.show())
}

func (p *probe) offerUnknown() doctor.Finding {
	forgetTwo(p)
	p.second.end()
	w, r, err := p.start(p.offer(99))
	if err != nil {
		return fail(err.Error(), "")
	}
	p.unknown = w
	return offered(w, r, 2)
}

// requests checks that the agent asks only for what was offered to it.
func (p *probe) requests() doctor.Finding {
	n := 0
	for _, w := range p.wires {
		for _, m := range w.since(0) {
			if m.out || m.Method == nil {
				continue
			}
			n++
			name := envelope.Text(m.Method)
			family, _, _ := strings.Cut(name, "/")
			switch {
			case family == "terminal" || family == "elicitation" && m.ID != nil:
				return fail(name+" was not offered", m.show())
			case family == "session" || family == "fs" || family == "$" || family == "auth" || family == "elicitation" || strings.HasPrefix(name, "_"):
			default:
				return warn(name+" is no method of the protocol; extensions begin with an underscore", m.show())
			}
		}
	}
	return pass("only what was offered, in %s", words.Count(n, "message"))
}

func (p *probe) stdout() doctor.Finding {
	n, lines, first := 0, 0, message{}
	for _, w := range p.wires {
		for _, m := range w.since(0) {
			if m.out {
				continue
			}
			if n++; m.line {
				if lines++; lines == 1 {
					first = m
				}
			}
		}
	}
	if n == 0 {
		return skip("nothing was received")
	}
	if lines > 0 {
		return fail(fmt.Sprintf("%d of %d lines are no JSON-RPC message", lines, n), first.show())
	}
	return pass("%d messages and nothing else", n)
}

func (p *probe) stderr() doctor.Finding {
	lines, last := 0, ""
	for _, w := range p.wires {
		s, ok := w.conn.(*transport.Stdio)
		if !ok {
			return skip("the agent is on another machine")
		}
		if tail := s.Stderr().Tail(1000); len(tail) > 0 {
			lines, last = lines+len(tail), tail[len(tail)-1]
		}
	}
	if lines == 0 {
		return pass("nothing is written")
	}
	return pass("%s, the last: %s", words.Count(lines, "line"), safetext.Line(last, 100))
}
