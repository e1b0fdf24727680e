package record

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/jsonscan"
)

// Session is one session of a connection, as far as the messages tell of it.
// Nothing of it is safe for a terminal.
type Session struct {
	ID      string    `json:"id"` // verbatim
	Cwd     string    `json:"cwd,omitempty"`
	Title   string    `json:"title,omitempty"` // that the agent gave
	First   string    `json:"first,omitempty"` // how the first prompt of this log begins
	Prompts int       `json:"prompts,omitempty"`
	Used    time.Time `json:"used"` // when it was opened or prompted last
}

// Bounds of what is kept of the sessions of a connection, the newest first.
const (
	maxSessions     = 200
	maxSessionBytes = 16 << 10 // of their JSON, in a Meta
	maxAsked        = 100      // requests that wait for the answer that opens a session
	maxFirst        = 80       // characters
)

// notes is what the messages of a log tell of sessions, of those too that it had no
// room for. It sees them redacted.
type notes struct {
	sessions []*Session
	asked    map[int64]opening
	changed  bool // since the last meta line
	prompted bool // changed, in a way that is worth a line at once
}

// opening is a request that opens a session. ID is "" where the answer names it.
type opening struct{ id, cwd string }

// wants tells, at little cost, whether a message may tell something.
func (n *notes) wants(dir Direction, msg []byte) bool {
	return dir == Out && names(msg, "session/") || dir == In && (len(n.asked) > 0 || bytes.Contains(msg, []byte("_info_update")))
}

// message notes one message, without its secrets.
func (n *notes) message(dir Direction, at time.Time, msg []byte) {
	switch {
	case len(msg) == 0 || msg[0] != '{' && msg[0] != '[' || !n.wants(dir, msg):
	case dir == Out:
		n.sent(at, open(msg))
	default:
		if msg[0] == '{' {
			n.received(at, open(msg))
			return
		}
		for it := jsonscan.ItemsOf(msg); it.Next(); {
			n.received(at, open(it.Value))
		}
	}
}

// names tells, at little cost, whether a method may be in a message; word ends
// with a slash, which may be escaped.
func names(msg []byte, word string) bool {
	return bytes.Contains(msg, []byte(word)) || bytes.Contains(msg, []byte(word[:len(word)-1]+`\/`))
}

// envelope is what all this needs of a message. Params and result are raw.
type envelope struct {
	method         string
	id             []byte
	params, result []byte
}

func open(msg []byte) (e envelope) {
	m := jsonscan.MembersOf(msg)
	for m.Next() {
		switch string(m.Key) {
		case "method":
			e.method, _ = jsonscan.Text(m.Value)
		case "id":
			e.id = m.Value
		case "params":
			e.params = m.Value
		case "result":
			e.result = m.Value
		}
	}
	return e
}

// member is the raw value of one member of an object; nil where it has none.
func member(object []byte, name string) []byte {
	m := jsonscan.MembersOf(object)
	for m.Next() {
		if string(m.Key) == name {
			return m.Value
		}
	}
	return nil
}

func text(object []byte, name string) string {
	s, _ := jsonscan.Text(member(object, name))
	return s
}

// sent notes a request of parley's.
func (n *notes) sent(at time.Time, e envelope) {
	id, cwd := text(e.params, "sessionId"), text(e.params, "cwd")
	switch e.method {
	case "session/new", "session/fork":
		id = ""
	case "session/load", "session/resume":
	case "session/prompt":
		if s := n.session(id); s != nil {
			s.Prompts++
			s.Used = at
			if s.First == "" {
				s.First = beginning(e.params)
			}
			n.changed, n.prompted = true, true
		}
		return
	default:
		return
	}
	if number, ok := jsonscan.Int(e.id); ok && len(n.asked) < maxAsked {
		if n.asked == nil {
			n.asked = map[int64]opening{}
		}
		n.asked[number] = opening{id, cwd}
	}
}

// received notes an answer that opens a session, or a title.
func (n *notes) received(at time.Time, e envelope) {
	if e.method == "" {
		number, ok := jsonscan.Int(e.id)
		asked, open := n.asked[number]
		if !ok || !open {
			return
		}
		delete(n.asked, number)
		if e.result == nil { // refused
			return
		}
		if asked.id == "" {
			asked.id = text(e.result, "sessionId")
		}
		if s := n.session(asked.id); s != nil {
			s.Used, n.changed = at, true
			if len(asked.cwd) <= maxField {
				s.Cwd = asked.cwd
			}
		}
		return
	}
	update := member(e.params, "update")
	title := member(update, "title")
	if title == nil || text(update, "sessionUpdate") != "session_info_update" {
		return
	}
	if s := n.session(text(e.params, "sessionId")); s != nil {
		was := s.Title
		s.Title = oneLine(text(update, "title"), maxTitle)
		n.changed = n.changed || was != s.Title
	}
}

// session finds a session, or makes room for it; nil without a usable id.
func (n *notes) session(id string) *Session {
	if id == "" || len(id) > maxID {
		return nil
	}
	for _, s := range n.sessions {
		if s.ID == id {
			return s
		}
	}
	if len(n.sessions) == maxSessions {
		n.sort()
		n.sessions = n.sessions[:maxSessions-1]
	}
	s := &Session{ID: id}
	n.sessions = append(n.sessions, s)
	return s
}

// sort puts those first that are worth more: with prompts, then newer ones.
func (n *notes) sort() {
	slices.SortStableFunc(n.sessions, func(a, b *Session) int {
		if (a.Prompts > 0) != (b.Prompts > 0) {
			return min(1, b.Prompts) - min(1, a.Prompts)
		}
		return b.Used.Compare(a.Used)
	})
}

// list is what goes into a Meta.
func (n *notes) list() (out []Session) {
	n.sort()
	size := 0
	for _, s := range n.sessions {
		data, err := json.Marshal(s)
		if size += len(data); err != nil || size > maxSessionBytes {
			break
		}
		out = append(out, *s)
	}
	return out
}

// beginning is how the text of a prompt begins.
func beginning(params []byte) string {
	for it := jsonscan.ItemsOf(member(params, "prompt")); it.Next(); {
		if text(it.Value, "type") != "text" {
			continue
		}
		if s := oneLine(text(it.Value, "text"), maxTitle); s != "" {
			short := s
			for i, count := 0, 0; i < len(s); count++ {
				if count == maxFirst {
					short = strings.TrimSpace(s[:i]) + "…"
					break
				}
				_, size := utf8.DecodeRuneInString(s[i:])
				i += size
			}
			return short
		}
	}
	return ""
}

// oneLine joins the words of a text, and cuts it to about limit bytes.
func oneLine(s string, limit int) string {
	return clip(strings.Join(strings.Fields(clip(s, 8*limit)), " "), limit)
}
