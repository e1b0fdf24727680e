//go:build unix

package attacks

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/seeds"
)

// step executes one line of a script.
func (s *stage) step(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "call", "note", "update", "raw", "part", "stderr", "exit", "cut":
		return s.play(word, rest, 1)
	case "times":
		count, more, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(count)
		if err != nil {
			return err
		}
		word, rest, _ = strings.Cut(more, " ")
		return s.play(word, rest, n)
	case "owed":
		s.calls[rest]++
		return nil
	case "answered":
		return s.answered(rest)
	case "asked":
		return s.asked(s.expand(rest))
	case "unasked":
		s.drain()
		if len(s.open) > 0 {
			return fmt.Errorf("there is a question: %s", readable(s.open[0]))
		}
		return nil
	case "user":
		return s.answers(rest)
	case "do":
		do, arg, _ := strings.Cut(rest, " ")
		return s.place.change(do, arg)
	case "new":
		_, err := s.client.NewSession(s.t.Context(), acpclient.NewSession{Cwd: s.place.in})
		return err
	case "fails":
		return s.agent.endTurn(`"error":` + s.expand(rest))
	case "prompts":
		return s.session.Prompt(event.Block{Text: rest})
	case "inserts":
		return s.agent.insert()
	case "idles":
		return s.agent.state(`"idle","stopReason":"end_turn"`)
	case "knock":
		return s.connectTools(rest)
	case "tool":
		return s.callsTool(rest)
	}
	return fmt.Errorf("no step begins with %q", word)
}

// many is the number of repetitions from which a run without PARLEY_LONG plays only the last tenth.
const many = 10_000

// play sends one line n times.
func (s *stage) play(word, rest string, n int) error {
	rest = s.expand(rest)
	const portion = 1 << 20
	var out []byte
	first := 0
	if n >= many {
		first = n - seeds.Of(n)
	}
	for i := first; i < n; i++ {
		one, err := s.encode(word, strings.ReplaceAll(rest, "$n", strconv.Itoa(i)))
		if err != nil {
			return err
		}
		out = append(out, one...)
		if len(out) >= portion || i == n-1 {
			if err := s.agent.send(channel(word), out); err != nil {
				return err
			}
			out = nil
			s.applyEvents()
		}
	}
	return nil
}

func channel(word string) byte {
	switch word {
	case "stderr":
		return toStderr
	case "exit":
		return toExit
	case "cut":
		return toClose
	}
	return toStdout
}

// encode returns the bytes that the agent sends for a line.
func (s *stage) encode(word, rest string) ([]byte, error) {
	switch word {
	case "call":
		id, more, _ := strings.Cut(rest, " ")
		method, params, _ := strings.Cut(more, " ")
		s.calls[id]++
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, params), nil
	case "note":
		method, params, _ := strings.Cut(rest, " ")
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":%s}`+"\n", method, params), nil
	case "update":
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}`+"\n", rest), nil
	case "exit":
		return []byte(rest), nil
	case "cut":
		return nil, nil
	}
	if strings.HasPrefix(rest, `"`) {
		text, err := strconv.Unquote(rest)
		if err != nil {
			return nil, fmt.Errorf("%w: %.80s", err, rest)
		}
		rest = text
	}
	if word != "part" {
		rest += "\n"
	}
	return []byte(rest), nil
}

// answered waits for the answer to a call.
func (s *stage) answered(rest string) error {
	id, want, _ := strings.Cut(rest, " ")
	want = s.expand(want)
	enough := max(1, s.calls[id])
	if !s.waitUntil(func() bool { return s.count(id) >= enough }) {
		return fmt.Errorf("call %s is never answered", id)
	}
	s.agent.mu.Lock()
	all := s.agent.answers[id]
	s.agent.mu.Unlock()
	if !slices.ContainsFunc(all, func(a json.RawMessage) bool { return s.matches(a, want) }) {
		return fmt.Errorf("call %s is answered %.300s", id, all)
	}
	return nil
}

// matches reports whether an answer is the expected one.
func (s *stage) matches(answer json.RawMessage, want string) bool {
	var m struct {
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}
	if json.Unmarshal(answer, &m) != nil {
		return false
	}
	var r struct{ TerminalID string }
	if json.Unmarshal(m.Result, &r) == nil && r.TerminalID != "" {
		s.place.terminal = r.TerminalID
	}
	kind, text, _ := strings.Cut(want, " ")
	if m.Error == nil || kind != "error" {
		return m.Error == nil && kind == "ok" && strings.Contains(string(m.Result), text)
	}
	code, rest, _ := strings.Cut(text, " ")
	if _, err := strconv.Atoi(code); err != nil {
		return strings.Contains(m.Error.Message, text)
	}
	return strconv.Itoa(m.Error.Code) == code && strings.Contains(m.Error.Message, rest)
}

// asked waits for the next question.
func (s *stage) asked(text string) error {
	if !s.waitUntil(func() bool { return len(s.open) > 0 }) {
		return fmt.Errorf("nothing is asked")
	}
	if got := readable(s.open[0]); !strings.Contains(got, text) {
		return fmt.Errorf("the question does not say %q:\n%s", text, got)
	}
	return nil
}

// answers acts as the user.
func (s *stage) answers(option string) error {
	if option == "cancels" {
		s.session.Cancel()
		return nil
	}
	if len(s.open) == 0 {
		return fmt.Errorf("no question is open")
	}
	q := s.open[0]
	s.open = s.open[1:]
	if option == "rejects" {
		return s.host.Broker().Reject(q.Key)
	}
	return s.host.Broker().Answer(q.Key, option)
}

// waitUntil applies events until f returns true. It returns false after patience.
func (s *stage) waitUntil(f func() bool) bool {
	for deadline := time.Now().Add(patience); ; {
		s.applyEvents()
		if f() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		s.agent.mu.Lock()
		changed := s.agent.changed
		s.agent.mu.Unlock()
		done := s.client.Done()
		if s.closed() {
			done = nil
		}
		if f() { // called after changed was read, so that no change is missed
			return true
		}
		select {
		case <-changed:
		case <-done:
		case <-s.queue.Ready():
		case <-time.After(time.Until(deadline)):
		}
	}
}

// drain waits until parley has read everything the agent has sent.
func (s *stage) drain() {
	s.drains++
	id := strconv.Itoa(1_000_000 + s.drains)
	if s.play("call", id+` _read {}`, 1) != nil {
		return
	}
	s.waitUntil(func() bool { return s.count(id) > 0 || s.closed() })
	s.applyEvents()
}

func (s *stage) count(id string) int {
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	return len(s.agent.answers[id])
}

func (s *stage) closed() bool {
	select {
	case <-s.client.Done():
		return true
	default:
		return false
	}
}

// repliedOnce returns the calls that were not answered exactly once.
func (s *stage) repliedOnce() (wrong []string) {
	for id, n := range s.calls {
		if !s.waitUntil(func() bool { return s.count(id) >= n || s.closed() }) {
			wrong = append(wrong, id+" has no answer")
		}
	}
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	for id, all := range s.agent.answers {
		if n := s.calls[id]; len(all) > n && id != "null" && id != "" {
			wrong = append(wrong, fmt.Sprintf("%s was asked %d times and has %d answers", id, n, len(all)))
		}
	}
	slices.Sort(wrong)
	return wrong
}
