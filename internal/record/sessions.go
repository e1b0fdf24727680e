package record

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/envelope"
	"parley/internal/jsonscan"
	"parley/internal/words"
)

// Session is one session of a connection, as found in the messages. Its texts are not safe
// for a terminal.
type Session struct {
	ID      string `json:"id"` // verbatim
	Cwd     string `json:"cwd,omitempty"`
	Title   string `json:"title,omitempty"` // given by the agent
	First   string `json:"first,omitempty"` // start of the first prompt in this log
	Prompts int    `json:"prompts,omitempty"`
	// Reopened says that it was loaded, resumed or forked: it has a conversation, even without a prompt.
	Reopened bool      `json:"reopened,omitempty"`
	Used     time.Time `json:"used"` // when it was last opened or prompted
}

// Limits for the sessions of a connection, the newest first.
const (
	maxSessions     = 200
	maxSessionBytes = 16 << 10 // of their JSON, in a Meta
	maxAsked        = 100      // requests waiting for the answer that opens a session
	maxFirst        = 80       // characters
)

// notes is what the messages of a log say about sessions, including messages that did not
// fit into the log. It sees redacted messages.
type notes struct {
	sessions []*Session
	asked    map[string]opening // by the key of their ids
	changed  bool               // since the last meta line
	prompted bool               // changed so that a meta line is worth writing at once
}

// opening is a request that opens a session. id is "" if the answer will name it.
type opening struct {
	id, cwd string
	fresh   bool // a new session
}

// wants reports whether a message may be about sessions. It cheaply rules out chunks of
// text, which are nearly all messages of an agent.
func (n *notes) wants(dir Direction, msg []byte) bool {
	return dir == Out || dir == In && (len(n.asked) > 0 || bytes.Contains(msg, []byte("session_info_update")))
}

// message notes one redacted message.
func (n *notes) message(dir Direction, at time.Time, msg []byte) {
	if !n.wants(dir, msg) {
		return
	}
	envelope.Each(msg, func(e envelope.Envelope) {
		switch {
		case dir == Out:
			n.sent(at, e)
		case e.IsAnswer():
			n.answered(at, e)
		case e.HasMethod("session/update"):
			n.updated(e)
		}
	})
}

// sent notes a request of parley.
func (n *notes) sent(at time.Time, e envelope.Envelope) {
	id, method := envelope.Session(e.Params), envelope.Text(e.Method)
	switch method {
	case "session/new", "session/fork":
		id = ""
	case "session/load", "session/resume":
	case "session/prompt":
		if s := n.session(id); s != nil {
			s.Prompts++
			s.Used = at
			if s.First == "" {
				s.First = beginning(e.Params)
			}
			n.changed, n.prompted = true, true
		}
		return
	default:
		return
	}
	if key := envelope.Key(e.ID); key != "" && len(n.asked) < maxAsked {
		if n.asked == nil {
			n.asked = map[string]opening{}
		}
		n.asked[key] = opening{id, envelope.Text(envelope.Member(e.Params, "cwd")), method == "session/new"}
	}
}

// answered notes an answer that opens a session.
func (n *notes) answered(at time.Time, e envelope.Envelope) {
	key := envelope.Key(e.ID)
	asked, open := n.asked[key]
	if !open {
		return
	}
	delete(n.asked, key)
	if e.Result == nil || e.Failed() {
		return
	}
	if asked.id == "" {
		asked.id = envelope.Text(envelope.Member(e.Result, "sessionId"))
	}
	if s := n.session(asked.id); s != nil {
		s.Used, n.changed = at, true
		s.Reopened = s.Reopened || !asked.fresh
		if len(asked.cwd) <= maxField {
			s.Cwd = asked.cwd
		}
	}
}

// updated notes a title from the agent.
func (n *notes) updated(e envelope.Envelope) {
	update := envelope.Member(e.Params, "update")
	if !jsonscan.Is(envelope.Member(update, "sessionUpdate"), "session_info_update") {
		return
	}
	title := envelope.Member(update, "title")
	if title == nil {
		return
	}
	if s := n.session(envelope.Session(e.Params)); s != nil {
		was := s.Title
		s.Title = oneLine(envelope.Text(title), maxTitle)
		n.changed = n.changed || was != s.Title
	}
}

// session returns a session, making it if necessary; nil if the id is unusable.
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

// Begun reports whether the session has a conversation.
func (s Session) Begun() bool { return s.Prompts > 0 || s.Reopened }

// sort puts sessions with a conversation first, then newer ones.
func (n *notes) sort() {
	slices.SortStableFunc(n.sessions, func(a, b *Session) int {
		switch {
		case a.Begun() == b.Begun():
			return b.Used.Compare(a.Used)
		case a.Begun():
			return -1
		}
		return 1
	})
}

// list returns the sessions for a Meta.
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

// beginning returns the start of the text of a prompt. What goes with it comes before it, in blocks that
// end with an empty line.
func beginning(params []byte) (first string) {
	for it := jsonscan.ItemsOf(envelope.Member(params, "prompt")); it.Next(); {
		if envelope.Text(envelope.Member(it.Value, "type")) != "text" {
			continue
		}
		text := envelope.Text(envelope.Member(it.Value, "text"))
		if s := oneLine(text, maxTitle); s != "" && !strings.HasSuffix(text, "\n\n") {
			return shortened(s)
		} else if first == "" {
			first = shortened(s)
		}
	}
	return first
}

// shortened returns the first maxFirst characters of a text.
func shortened(s string) string {
	for i, count := 0, 0; i < len(s); count++ {
		if count == maxFirst {
			return strings.TrimSpace(s[:i]) + "…"
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s
}

// oneLine joins the words of a text and cuts it to about limit bytes.
func oneLine(s string, limit int) string {
	return words.Clip(words.OneLine(words.Clip(s, 8*limit)), limit)
}
