package record

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"parley/internal/envelope"
	"parley/internal/jsonscan"
)

// Span is a range of received messages by number, from 1.
type Span struct{ First, Last uint64 }

// Query selects the messages of a log that belong to one entry.
type Query struct {
	// Session is the id. Messages of other sessions within Spans are left out.
	Session string
	Spans   []Span // in any order
	Request int64  // JSON-RPC id of a request that parley sent; 0: none
}

// Limits of a Selection: half of each for the first and for the last messages.
const (
	maxSelected      = 200
	maxSelectedBytes = 1 << 20
	maxSelectedData  = 256 << 10 // of one message
)

// Selection is the result of Select, in the order of the log.
type Selection struct {
	Lines   []Selected
	Omitted int  // messages found and left out
	Full    bool // the log reached its limit: there may have been more
}

// Selected is one message.
type Selected struct {
	Line              // Data is no longer JSON if it was cut
	CutBytes      int // bytes cut off
	OmittedBefore int // messages left out before it
}

// Select reads a log once. It returns the wanted received messages, the wanted request with
// its answer, and parley's answers to the agent's requests among them. The error is that of
// ctx if it ended.
func Select(ctx context.Context, path string, want Query) (Selection, error) {
	r, err := Open(path)
	if err != nil {
		return Selection{}, err
	}
	defer r.Close()
	s := selector{want: want, answers: map[string]int{}}
	s.want.Spans = slices.Clone(want.Spans)
	slices.SortFunc(s.want.Spans, func(a, b Span) int { return cmp.Compare(a.First, b.First) })
	for _, span := range want.Spans {
		s.last = max(s.last, span.Last)
	}
	for lines := 0; !s.done(); lines++ {
		if lines%1000 == 0 && ctx.Err() != nil {
			return Selection{}, context.Cause(ctx)
		}
		text, err := r.line()
		s.line(text)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Selection{}, err
		}
	}
	return s.found.selection(), nil
}

// selector is one pass over a log.
type selector struct {
	want         Query
	last         uint64         // last wanted number
	passed       bool           // it was passed
	requestFound bool           // the wanted request was found
	answered     bool           // and its answer
	answers      map[string]int // ids of parley's answers that are wanted
	found        halves
}

// done reports whether no more wanted messages can follow.
func (s *selector) done() bool {
	return (s.passed || s.last == 0) && (s.answered || s.want.Request == 0) && len(s.answers) == 0
}

// line handles one line, mostly by what precedes the message.
func (s *selector) line(text []byte) {
	h := headOf(text)
	s.found.full = s.found.full || h.limit
	s.passed = s.passed || h.n > 0 && h.n >= s.last
	if h.dir != Out && (h.dir != In || !s.wants(h.n) && (!s.requestFound || s.answered)) {
		return
	}
	p, ok := parseLine(text)
	if ok && (p.Dir == In && s.received(p.Line) || p.Dir == Out && s.sent(p.Data)) {
		s.found.add(p.Line)
	}
}

func (s *selector) wants(n uint64) bool {
	i, found := slices.BinarySearchFunc(s.want.Spans, n, func(sp Span, n uint64) int { return cmp.Compare(sp.First, n) })
	return n > 0 && (found || i > 0 && n <= s.want.Spans[i-1].Last)
}

// received reports whether a received message is wanted, and notes the requests in it whose
// answers are.
func (s *selector) received(l Line) bool {
	wanted := s.wants(l.N)
	alone := jsonscan.KindOf(l.Data) == jsonscan.Object
	envelope.Each(l.Data, func(e envelope.Envelope) {
		if e.IsAnswer() {
			if id, ok := jsonscan.Int(e.ID); ok && s.requestFound && !s.answered && id == s.want.Request {
				s.answered, wanted = true, true
			}
			return
		}
		if session := envelope.Session(e.Params); alone && session != "" && session != s.want.Session {
			wanted = false
		}
		if wanted && e.ID != nil {
			s.answers[envelope.Key(e.ID)]++
		}
	})
	return wanted
}

// sent reports whether a message of parley is wanted.
func (s *selector) sent(data []byte) (wanted bool) {
	envelope.Each(data, func(e envelope.Envelope) {
		key := envelope.Key(e.ID)
		switch {
		case e.ID == nil:
		case !e.IsAnswer():
			if id, ok := jsonscan.Int(e.ID); ok && id == s.want.Request && id != 0 && !s.requestFound {
				s.requestFound, wanted = true, true
			}
		case s.answers[key] > 0:
			wanted = true
			if s.answers[key]--; s.answers[key] == 0 {
				delete(s.answers, key)
			}
		}
	})
	return wanted
}

// lineHead is the part of a line before the message, or a gap.
type lineHead struct {
	dir   Direction
	n     uint64
	limit bool // the log reached its limit here
}

// headOf parses a line up to its message, by far the longest part.
func headOf(text []byte) (h lineHead) {
	at := jsonscan.CursorOf(text)
	for at.Enter(); at.Key() && string(at.Name) != "msg"; {
		switch name, value := string(at.Name), at.Value(); name {
		case "dir":
			h.dir = Direction(envelope.Text(value))
		case "n":
			n, _ := jsonscan.Int(value)
			h.n = uint64(max(n, 0))
		case "gap":
			h.limit = jsonscan.Is(value, "limit")
		}
	}
	return h
}

// halves keeps the first and the last messages added.
type halves struct {
	first, last           []Selected
	firstBytes, lastBytes int
	omitted               int
	full                  bool
}

func (h *halves) add(l Line) {
	s := Selected{Line: l}
	if len(l.Data) > maxSelectedData {
		end := maxSelectedData
		for end > 0 && !utf8.RuneStart(l.Data[end]) {
			end--
		}
		s.Data, s.CutBytes = json.RawMessage(bytes.Clone(l.Data[:end])), len(l.Data)-end
	}
	size := len(s.Data)
	if len(h.last) == 0 && len(h.first) < maxSelected/2 && h.firstBytes+size <= maxSelectedBytes/2 {
		h.first = append(h.first, s)
		h.firstBytes += size
		return
	}
	h.last = append(h.last, s)
	h.lastBytes += size
	for len(h.last) > maxSelected/2 || h.lastBytes > maxSelectedBytes/2 {
		h.lastBytes -= len(h.last[0].Data)
		h.last[0] = Selected{}
		h.last = h.last[1:]
		h.omitted++
	}
}

func (h *halves) selection() Selection {
	if len(h.last) > 0 {
		h.last[0].OmittedBefore = h.omitted
	}
	return Selection{Lines: append(h.first, h.last...), Omitted: h.omitted, Full: h.full}
}
