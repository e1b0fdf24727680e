package chat

import (
	"parley/acpclient/thread"
)

// Bounds of a search.
const (
	maxHits      = 10_000
	portionItems = 1000
	portionBytes = 512 << 10
	maxSearched  = 32 << 20 // of texts that are kept for the next search, in bytes
)

// Hit is a match: the ord-th of a part of an item.
type Hit struct {
	item int
	part int // 0: the line that says what it is, or the message; 1: what it holds; 2: what is not shown of it
	ord  int
	off  int // in the text of a message, in bytes
}

func (h Hit) compare(o Hit) int {
	switch {
	case h.item != o.item:
		return h.item - o.item
	case h.part != o.part:
		return h.part - o.part
	}
	return h.ord - o.ord
}

// Item is the index of the item that the match is in.
func (h Hit) Item() int { return h.item }

// Search looks through the clean text of a whole transcript, whatever of it is
// shown, in portions: Portion on the screen's goroutine, Run on any, Take on the
// screen's again.
type Search struct {
	layout *layout
	texts  *searched
	query  query
	next   int
	total  int
	hits   []Hit
	More   bool // there are more matches than are kept
}

// Portion is a part of the transcript to be searched.
type Portion struct {
	query query
	last  int
	docs  []doc
	hits  []Hit
}

// doc is one item of a portion.
type doc struct {
	item    int
	version int
	parts   texts
	hidden  string // what is searched besides
	known   []string
	message bool
}

// searched are the texts of tool calls that were searched before.
type searched struct {
	texts map[int]keptText
	bytes int
}

type keptText struct {
	version int
	parts   []string
}

// Hits are the matches found so far, in order.
func (s *Search) Hits() []Hit { return s.hits }

// Done tells whether everything was looked at.
func (s *Search) Done() bool { return s.next >= s.total || s.More || s.query.text == "" }

// Progress is how much was looked at, in percent.
func (s *Search) Progress() int { return s.next * 100 / max(1, s.total) }

// After is the index of the first hit behind another one.
func (s *Search) After(h Hit) int {
	low, high := 0, len(s.hits)
	for low < high {
		if mid := (low + high) / 2; s.hits[mid].compare(h) <= 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// From is the index of the first hit in an item or a later one.
func (s *Search) From(item int) int { return s.After(Hit{item: item, part: -1}) }

// Portion takes the next part of the transcript; nil when there is none.
func (s *Search) Portion() *Portion {
	if s.Done() {
		return nil
	}
	p := &Portion{query: s.query}
	bytes := 0
	for s.next < s.total && len(p.docs) < portionItems && bytes < portionBytes {
		it := s.layout.thread.Items[s.next]
		s.next++
		if silent(it) || it.Kind == thread.Decision && s.layout.density == Quiet {
			continue
		}
		d := s.texts.doc(s.layout.pen(it))
		p.docs = append(p.docs, d)
		bytes += len(it.Text) + d.size(it)
	}
	p.last = s.next
	return p
}

// size is about how many bytes a tool call has.
func (d *doc) size(it *thread.Item) int {
	n := 100
	if it.Tool != nil {
		n += len(it.Tool.RawInput) + len(it.Tool.RawOutput)
		for _, c := range it.Tool.Content {
			switch {
			case c.Diff != nil:
				n += 4 * (len(c.Diff.Old) + len(c.Diff.New)) // they are compared
			case c.Changes != nil:
				n += len(c.Changes.Patch)
			case c.Content != nil:
				n += len(c.Content.Text)
			case c.Terminal != "":
				n += 64 << 10
			}
		}
	}
	return n
}

// doc is what is searched of an item.
func (k *searched) doc(p *pen) doc {
	it := p.it
	d := doc{item: it.Index, version: it.Version}
	switch it.Kind {
	case thread.UserMessage, thread.AgentMessage, thread.ThoughtMessage:
		d.parts, d.message = p.source(), true
		return d
	}
	if known, ok := k.texts[it.Index]; ok && known.version == it.Version {
		d.known = known.parts
		return d
	}
	d.parts = p.source()
	if it.Tool != nil {
		if command := p.command(); command != "" {
			d.parts[0] = fixed(command)
		}
		if it.Tool.Title != p.subject() {
			d.hidden = it.Tool.Title
		}
	}
	if it.Shell != nil {
		d.parts[0] = fixed(it.Shell.Terminal.Command)
	}
	return d
}

// Run searches the portion.
func (p *Portion) Run() {
	for n := range p.docs {
		d := &p.docs[n]
		if len(p.hits) > maxHits {
			return
		}
		if d.message {
			p.search(d.item, 0, d.parts.join())
			continue
		}
		if d.known == nil {
			d.known = []string{d.parts[:1].join(), d.parts[1:].join(), d.hidden}
		}
		for part, text := range d.known {
			p.search(d.item, part, text)
		}
	}
}

func (p *Portion) search(item, part int, text string) {
	ord := 0
	p.query.each(text, func(from, _ int) bool {
		p.hits = append(p.hits, Hit{item, part, ord, from})
		ord++
		return len(p.hits) <= maxHits
	})
}

// Take takes what a portion has found.
func (s *Search) Take(p *Portion) {
	s.hits = append(s.hits, p.hits...)
	if len(s.hits) > maxHits {
		s.hits, s.More = s.hits[:maxHits], true
	}
	for _, d := range p.docs {
		if !d.message && d.known != nil {
			s.texts.keep(d)
		}
	}
}

// keep remembers the text of an item for the next search.
func (k *searched) keep(d doc) {
	n := bytesOf(d.known)
	if k.texts == nil || k.bytes+n > maxSearched {
		*k = searched{texts: map[int]keptText{}}
	}
	k.bytes += n - bytesOf(k.texts[d.item].parts)
	k.texts[d.item] = keptText{d.version, d.known}
}

func bytesOf(parts []string) (n int) {
	for _, part := range parts {
		n += len(part)
	}
	return n
}
