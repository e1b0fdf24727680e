package workspace

import "hash/maphash"

// literal has the hashes of the texts of clients, in which an @ names no file, as they are sent.
type literal struct{ hashes map[uint64]bool }

// maxLiteral is how many there are until those that no longer wait are forgotten.
const maxLiteral = 1000

var literalSeed = maphash.MakeSeed()

func (l *literal) has(sent string) bool {
	return len(l.hashes) > 0 && l.hashes[maphash.String(literalSeed, sent)]
}

func (l *literal) remove(sent string) { delete(l.hashes, maphash.String(literalSeed, sent)) }

func (l *literal) add(sent string) {
	if l.hashes == nil {
		l.hashes = map[uint64]bool{}
	}
	l.hashes[maphash.String(literalSeed, sent)] = true
}

func (l *literal) adopt(other literal) {
	for h := range other.hashes {
		if l.hashes == nil {
			l.hashes = map[uint64]bool{}
		}
		l.hashes[h] = true
	}
}

// SubmitLiteral is like Submit for a line of somebody who gets no files: an @ in it stays text, also when it was
// queued and the client has left. A prompt that the user has taken off the queue keeps its place.
func (p *Prompts) SubmitLiteral(line string) error {
	if len(p.literal.hashes) >= maxLiteral {
		var waits literal
		for _, text := range p.Pending() {
			if sent := sentText(text); p.literal.has(sent) {
				waits.add(sent)
			}
		}
		p.literal = waits
	}
	p.literal.add(sentText(line))
	q := &p.Queue
	hold := len(q.texts) > 0 && !q.paused
	switch {
	case !q.editing:
		return p.submit(line, hold)
	case !hold && p.Ready():
		return p.Send(line)
	}
	q.Add(line)
	return nil
}
