package record

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"parley/internal/jsonscan"
)

// Span is received messages by their ordinals, from 1.
type Span struct{ First, Last uint64 }

// Want says which messages of a log to select: those that made one thing.
type Want struct {
	// Session is the id. Messages of others that lie within Spans are left out.
	Session string
	Spans   []Span // in any order
	Request int64  // the JSON-RPC id of a request that parley sent; 0: none
}

// Bounds of a Selection: the first and the last messages are kept, half of this
// each.
const (
	maxSelected      = 200
	maxSelectedBytes = 1 << 20
	maxSelectedData  = 256 << 10 // of one message
)

// Selection is what Select has found, in the order of the log.
type Selection struct {
	Lines []Selected
	Left  int  // messages that were found and left out
	Full  bool // the log came to its limit: there may have been more
}

// Selected is one message.
type Selected struct {
	Line       // Data is no longer JSON where something was cut off it
	Cut    int // bytes that are cut off
	Before int // messages left out before it
}

// Select reads a log once and returns the received messages that are wanted, the
// request that is wanted with its answer, and the answers of parley to the
// requests of the agent among them. The error is that of ctx where it ended.
func Select(ctx context.Context, path string, want Want) (Selection, error) {
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
	want     Want
	last     uint64         // ordinal that is wanted
	passed   bool           // it has come
	asked    bool           // the wanted request has come
	answered bool           // and its answer
	answers  map[string]int // answers of parley that are wanted, by id
	found    halves
}

// done tells whether nothing that is wanted can come any more.
func (s *selector) done() bool {
	return (s.passed || s.last == 0) && (s.answered || s.want.Request == 0) && len(s.answers) == 0
}

// line looks at one line: at little more than its head, mostly.
func (s *selector) line(text []byte) {
	h, ok := headOf(text)
	if !ok || h.dir == In && !s.wants(h.n) && !(s.asked && !s.answered) {
		if bytes.Contains(text, []byte(`"gap":"limit"`)) {
			if p, ok := parseLine(text); ok && p.Dir == Gap {
				s.found.full = true
			}
		}
		s.passed = s.passed || ok && s.last > 0 && h.n > s.last
		return
	}
	s.passed = s.passed || h.n >= s.last && h.n > 0
	p, ok := parseLine(text)
	switch {
	case !ok:
	case p.Dir == In && s.received(p.Line), p.Dir == Out && s.sent(p.Data):
		s.found.add(p.Line)
	}
}

func (s *selector) wants(n uint64) bool {
	i, found := slices.BinarySearchFunc(s.want.Spans, n, func(sp Span, n uint64) int { return cmp.Compare(sp.First, n) })
	return n > 0 && (found || i > 0 && n <= s.want.Spans[i-1].Last)
}

// received tells whether a received message is wanted, and notes what its
// requests are answered by.
func (s *selector) received(l Line) bool {
	wanted := s.wants(l.N)
	each(l.Data, func(e envelope) {
		switch {
		case e.method == "" && e.id != nil:
			if id, ok := jsonscan.Int(e.id); ok && s.asked && !s.answered && id == s.want.Request {
				s.answered, wanted = true, true
			}
		case wanted && e.method != "" && jsonscan.KindOf(l.Data) == jsonscan.Object:
			if of := member(e.params, "sessionId"); of != nil && !isText(of, s.want.Session) {
				wanted = false
				return
			}
		}
		if wanted && e.method != "" && e.id != nil {
			s.answers[idKey(e.id)]++
		}
	})
	return wanted
}

// sent tells whether a message of parley's is wanted.
func (s *selector) sent(data []byte) (wanted bool) {
	each(data, func(e envelope) {
		id := idKey(e.id)
		switch {
		case e.id == nil:
		case e.method != "":
			if number, ok := jsonscan.Int(e.id); ok && number == s.want.Request && number != 0 && !s.asked {
				s.asked, wanted = true, true
			}
		case s.answers[id] > 0:
			wanted = true
			if s.answers[id]--; s.answers[id] == 0 {
				delete(s.answers, id)
			}
		}
	})
	return wanted
}

// each takes a message apart, or each message of a batch.
func each(data []byte, f func(envelope)) {
	switch jsonscan.KindOf(data) {
	case jsonscan.Object:
		f(open(data))
	case jsonscan.Array:
		for it := jsonscan.ItemsOf(data); it.Next(); {
			f(open(it.Value))
		}
	}
}

func isText(raw []byte, want string) bool {
	s, ok := jsonscan.Text(raw)
	return ok && s == want
}

// idKey makes ids comparable: numbers by value, everything else by its bytes.
func idKey(raw []byte) string {
	if n, ok := jsonscan.Int(raw); ok {
		return strconv.FormatInt(n, 10)
	}
	return string(raw)
}

// lineHead is what a Writer puts before a message.
type lineHead struct {
	dir Direction
	n   uint64
}

const timeLen = len("2006-01-02T15:04:05.000Z")

// headOf reads the head of a line with a message, as a Writer writes it.
func headOf(text []byte) (h lineHead, ok bool) {
	rest, ok := bytes.CutPrefix(text, []byte(`{"t":"`))
	if !ok || len(rest) < timeLen {
		return h, false
	}
	if rest, ok = bytes.CutPrefix(rest[timeLen:], []byte(`","dir":"`)); !ok {
		return h, false
	}
	dir, rest, ok := bytes.Cut(rest, []byte(`",`))
	if h.dir = Direction(dir); !ok || h.dir != In && h.dir != Out {
		return h, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`"n":`)); ok {
		for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
			h.n = h.n*10 + uint64(rest[0]-'0')
			rest = rest[1:]
		}
	}
	return h, true
}

// halves keeps the first and the last of what is added.
type halves struct {
	first, last           []Selected
	firstBytes, lastBytes int
	left                  int
	full                  bool
}

func (h *halves) add(l Line) {
	s := Selected{Line: l}
	if len(l.Data) > maxSelectedData {
		end := maxSelectedData
		for end > 0 && !utf8.RuneStart(l.Data[end]) {
			end--
		}
		s.Data, s.Cut = json.RawMessage(bytes.Clone(l.Data[:end])), len(l.Data)-end
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
		h.left++
	}
}

func (h *halves) selection() Selection {
	if len(h.last) > 0 {
		h.last[0].Before = h.left
	}
	return Selection{Lines: append(h.first, h.last...), Left: h.left, Full: h.full}
}
