package transcript

import (
	"cmp"
	"sort"

	"parley/acpclient/thread"
)

// Bounds of a search.
const (
	maxHits      = 10_000
	portionItems = 1000
	portionBytes = 512 << 10
	maxSearched  = 32 << 20 // bytes of text cached for the next search
)

// Hit is a match: the ord-th of a part of an item.
type Hit struct {
	item int // its index
	part int // 0: the line that identifies it, or the message; 1: its content; 2: text that is not shown
	ord  int
	off  int // in the text of a message, in bytes
}

func (h Hit) compare(o Hit) int { return cmp.Or(h.item-o.item, h.part-o.part, h.ord-o.ord) }

// Search searches the clean text of a whole transcript, shown or not, in portions: call
// Portion on the screen's goroutine, Run on any, and AddMatches on the screen's again.
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
	docs  []doc
	hits  []Hit
}

// doc is one item of a portion.
type doc struct {
	item    int
	version int
	known   []string        // the texts of its parts; nil: not read yet, or not cached
	read    func() []string // on any goroutine
	message bool
}

// searched holds the texts of tool calls from earlier searches.
type searched struct {
	texts map[int]searchedText
	bytes int
}

type searchedText struct {
	version int
	parts   []string
}

// Hits returns the matches found so far, in order.
func (s *Search) Hits() []Hit { return s.hits }

// Done reports whether everything was searched.
func (s *Search) Done() bool { return s.next >= s.total || s.More || s.query.text == "" }

// Progress returns how much was searched, in percent.
func (s *Search) Progress() int { return s.next * 100 / max(1, s.total) }

// After returns the index of the first hit after another one.
func (s *Search) After(h Hit) int {
	return sort.Search(len(s.hits), func(i int) bool { return s.hits[i].compare(h) > 0 })
}

// From returns the index of the first hit in an item or a later one.
func (s *Search) From(item int) int { return s.After(Hit{item: item, part: -1}) }

// Portion returns the next part of the transcript; nil if none is left.
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
		d := s.texts.doc(s.layout, it)
		p.docs = append(p.docs, d)
		bytes += len(it.Text) + d.size(it)
	}
	return p
}

// size returns about how many bytes a tool call has.
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

// doc returns the text of an item to search.
func (k *searched) doc(l *layout, it *thread.Item) doc {
	d := doc{item: it.Index, version: it.Version}
	if known, ok := k.texts[it.Index]; ok && known.version == it.Version {
		d.known = known.parts
		return d
	}
	p := l.pen(it)
	parts, hidden := p.source(), ""
	switch it.Kind {
	case thread.UserMessage, thread.AgentMessage, thread.ThoughtMessage:
		d.message, d.read = true, func() []string { return []string{parts.join()} }
		return d
	case thread.ToolCall:
		if command := p.command(); command != "" {
			parts[0] = fixed(command)
		}
		if it.Tool.Title != p.subject() {
			hidden = it.Tool.Title
		}
	case thread.ShellCommand:
		parts[0] = fixed(it.Shell.Terminal.Command)
	}
	d.read = func() []string { return []string{parts[:1].join(), parts[1:].join(), hidden} }
	return d
}

// Run searches the portion.
func (p *Portion) Run() {
	for n := range p.docs {
		d := &p.docs[n]
		if len(p.hits) > maxHits {
			return
		}
		known := d.known
		if known == nil {
			known = d.read()
		}
		for part, text := range known {
			p.search(d.item, part, text)
		}
		if !d.message {
			d.known = known
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

// AddMatches adds the matches of a portion.
func (s *Search) AddMatches(p *Portion) {
	s.hits = append(s.hits, p.hits...)
	if len(s.hits) > maxHits {
		s.hits, s.More = s.hits[:maxHits], true
	}
	for _, d := range p.docs {
		if d.known != nil {
			s.texts.keep(d)
		}
	}
}

// remember caches the text of an item for the next search.
func (k *searched) keep(d doc) {
	n := bytesOf(d.known)
	if k.texts == nil || k.bytes+n > maxSearched {
		*k = searched{texts: map[int]searchedText{}}
	}
	k.bytes += n - bytesOf(k.texts[d.item].parts)
	k.texts[d.item] = searchedText{d.version, d.known}
}

func bytesOf(parts []string) (n int) {
	for _, part := range parts {
		n += len(part)
	}
	return n
}
