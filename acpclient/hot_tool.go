package acpclient

import (
	"strings"

	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
)

// This file is the short way of tool calls, in which both versions agree: titles
// and the like that are strings, content that is text, and nothing that is null.
//
// The strings of one message are made one behind the other in lent memory, and
// become one string in the end, of which each is a slice. Strings of messages that
// come one behind the other share their memory too. They are short, so that it does
// no harm where one of them lives longer than the others; a long one is a string by
// itself. All else is made in portions, which are
// small for the same reason, and because the garbage collector has least to do with
// what is not above 512 bytes.

// maxShared bounds the length of a string that shares its memory, sharedRoom is how
// much memory that is.
const (
	maxShared  = 2 << 10
	sharedRoom = 16 << 10
)

// take returns n values out of what is spare, or of a new portion. Nothing can be
// appended to them in place.
func take[T any](spare *[]T, n, portion int) []T {
	if n > len(*spare) || *spare == nil {
		if n > portion {
			return make([]T, n)
		}
		*spare = make([]T, portion)
	}
	out := (*spare)[:n:n]
	*spare = (*spare)[n:]
	return out
}

// callRoom is where the strings of a message are made.
type callRoom struct {
	words  []byte
	parts  []callPart
	at     int              // of the one that comes next
	shared string           // words
	room   *strings.Builder // of shared, with what was there before

	told   []toolWords // for what is to come, as what follows
	pieces []ToolContent
	blocks []Content
	places []Location
}

// callPart is a string: words[from:to], or one by itself.
type callPart struct {
	from, to int
	long     string
}

// toolWords are what the fields of a ToolChanged point to. They live no longer than
// their event.
type toolWords struct {
	title, name, rawInput, rawOutput string
	content                          []ToolContent
	places                           []Location
}

// hotTool does what toolChanged and toolPatched do. Nothing is done before all of
// it is decoded.
func (s *Session) hotTool(h *wire.Hot) bool {
	f, c := &s.client.floods, &h.Call
	defer f.shrink()
	var kind, status *string
	known := s.tools.find(h.ToolID)
	f.call.start()
	if known == nil {
		f.call.words = append(f.call.words, h.ToolID...)
		f.call.part(0)
	}
	if !f.word(&kind, c.Kind) || !f.word(&status, c.Status) || !f.gather(c) {
		return false
	}
	ends := status == completed || status == failed    // as it came, not as it is shown
	if ends && s.client.opts.Services.Forbids != nil { // which looks at all of the call
		return false
	}
	e := ToolChanged{For: s.for_(), Kind: kind, Status: status, At: s.client.now()}
	f.call.spread(c, &e, known)
	s.tools.follow(known, e.ID, h, ends)
	s.client.sink.PostTool(e)
	return true
}

// start is before the first string.
func (r *callRoom) start() { r.words, r.parts, r.at = r.words[:0], r.parts[:0], 0 }

// gather makes the strings safe, in the order in which spread takes them.
func (f *floods) gather(c *wire.HotCall) bool {
	r := &f.call
	if !f.line(c.Title, maxPhrase) || !f.line(c.Name, 80) {
		return false
	}
	for _, raw := range [...][]byte{c.RawInput, c.RawOutput} {
		if raw != nil {
			from := len(r.words)
			r.words = append(r.words, raw[:min(len(raw), maxRaw)]...)
			if r.words = safetext.CleanTail(r.words, from, &f.cleaned); len(raw) > maxRaw {
				r.words = append(r.words, "…"...)
			}
			r.part(from)
		}
	}
	for _, p := range c.Places {
		if !f.line(p.Path, maxPhrase) {
			return false
		}
	}
	for _, raw := range c.Texts {
		from := len(r.words)
		if len(raw) > giant { // not copied
			text, ok := jsonscan.Text(raw)
			if !ok {
				return false
			}
			r.parts = append(r.parts, callPart{from, from, safetext.Clean(text)})
			continue
		}
		var odd int
		var ok bool
		if r.words, odd, ok = jsonscan.AppendMarked(r.words, raw); !ok {
			return false
		}
		r.words = safetext.CleanTail(r.words, odd, &f.cleaned) // what is before that is safe
		r.part(from)
	}
	return true
}

// line makes a string for one line.
func (f *floods) line(raw []byte, limit int) bool {
	if raw == nil {
		return true
	}
	r := &f.call
	from := len(r.words)
	var ok bool
	if r.words, ok = jsonscan.AppendText(r.words, raw); ok {
		r.words = safetext.LineTail(r.words, from, limit)
		r.part(from)
	}
	return ok
}

// part ends a string.
func (r *callRoom) part(from int) {
	p := callPart{from: from, to: len(r.words)}
	if p.to-from > maxShared {
		p.long, p.to, r.words = string(r.words[from:]), from, r.words[:from]
	}
	r.parts = append(r.parts, p)
}

// spread puts what was gathered into an event of a call, of which known is stored,
// or nothing: then its name was gathered first.
func (r *callRoom) spread(c *wire.HotCall, e *ToolChanged, known *storedTool) {
	r.share()
	if known != nil {
		e.ID = known.id
	} else {
		e.ID = r.next()
	}
	if r.at == len(r.parts) && !c.Located && !c.Filled {
		return
	}
	w := &take(&r.told, 1, 4)[0]
	if c.Title != nil {
		w.title = r.next()
		e.Title = &w.title
	}
	if c.Name != nil {
		w.name = r.next()
		e.Name = &w.name
	}
	if c.RawInput != nil {
		w.rawInput = r.next()
		e.RawInput = &w.rawInput
	}
	if c.RawOutput != nil {
		w.rawOutput = r.next()
		e.RawOutput = &w.rawOutput
	}
	if c.Located {
		w.places = take(&r.places, len(c.Places), 16)
		for i, place := range c.Places {
			w.places[i] = Location{r.next(), place.Line}
		}
		e.Locations = &w.places
	}
	if c.Filled {
		w.content = take(&r.pieces, len(c.Texts), 12)
		blocks := take(&r.blocks, len(c.Texts), 6)
		for i := range blocks {
			blocks[i].Text = r.next()
			w.content[i].Content = &blocks[i]
		}
		e.Content = &w.content
	}
	r.shared = ""
}

// share makes one string of the words. A Builder that has room does not move what it
// has, of which others are parts.
func (r *callRoom) share() {
	if r.room == nil || r.room.Cap()-r.room.Len() < len(r.words) {
		r.room = &strings.Builder{}
		r.room.Grow(max(sharedRoom, len(r.words)))
	}
	from := r.room.Len()
	r.room.Write(r.words)
	r.shared = r.room.String()[from:]
}

// next is the string that comes next.
func (r *callRoom) next() string {
	p := &r.parts[r.at]
	r.at++
	if p.long == "" {
		return r.shared[p.from:p.to]
	}
	s := p.long
	p.long = ""
	return s
}

// word decodes a kind or a status.
func (f *floods) word(into **string, raw []byte) bool {
	if raw == nil {
		return true
	}
	text, ok := f.text(raw)
	if !ok {
		return false
	}
	if *into = often(text); *into == nil {
		s := safetext.Line(string(text), 40)
		*into = &s
	}
	return true
}

// words are what stands in most tool calls as kind and status.
var words = [...]string{"pending", "in_progress", "completed", "failed", "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}

var completed, failed = &words[2], &words[3]

// often finds one of words.
func often(text []byte) *string {
	for i := range words {
		if words[i] == string(text) {
			return &words[i]
		}
	}
	return nil
}
