package notes

import (
	"strconv"
	"strings"

	"parley/internal/mention"
)

// Piece is a part of a prompt: text, or a quote with its fence.
type Piece struct {
	Text  string
	Quote bool
}

// Prompt makes one prompt of notes: where, what is there, and what the user says, for each. What was
// undone comes last. Lines of a file are named as a mention, so that they become a resource. Quotes
// are fenced: nothing in them is a mention or ends the fence.
func Prompt(all []Note) []Piece {
	said, undone := Split(all)
	p := &prompt{}
	p.tell("My notes on your work:", said)
	p.tell("I have undone these changes of yours. Do not make them again unless I ask for them:", undone)
	return p.pieces
}

// Rejected makes the prompt that says why a request was rejected. what is the request in a few words,
// quote what it would have done; both may be "".
func Rejected(what, quote string, diff bool, why string) string {
	p := &prompt{}
	head := "I rejected this."
	if what != "" {
		head = "I rejected this: " + span(what)
	}
	p.text(head)
	p.text(why) // before the quote, so that a shortened view of the prompt has it
	p.quote(quote, diff)
	return Text(p.pieces)
}

// Text joins the pieces of a prompt.
func Text(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

type prompt struct{ pieces []Piece }

func (p *prompt) tell(head string, notes []Note) {
	if len(notes) == 0 {
		return
	}
	p.text(head)
	for _, n := range notes {
		p.text(n.head())
		p.quote(n.Quote, n.Diff)
		p.text(n.Text)
	}
}

// text adds a paragraph. A fence that it opens ends with it.
func (p *prompt) text(s string) {
	s = strings.TrimSpace(s)
	if s == "" {
		return
	}
	if mention.Unclosed(s) {
		for _, mark := range []string{"`", "~"} {
			if closed := s + "\n" + strings.Repeat(mark, max(3, longest(s, mark[0]))); !mention.Unclosed(closed) {
				s = closed
				break
			}
		}
	}
	if len(p.pieces) > 0 {
		s = "\n\n" + s
	}
	p.pieces = append(p.pieces, Piece{Text: s})
}

func (p *prompt) quote(s string, diff bool) {
	if s == "" {
		return
	}
	fence := strings.Repeat("`", max(3, longest(s, '`')+1))
	language := ""
	if diff {
		language = "diff"
	}
	p.pieces = append(p.pieces, Piece{Text: "\n\n"}, Piece{fence + language + "\n" + strings.TrimSuffix(s, "\n") + "\n" + fence, true})
}

// longest returns the length of the longest run of a character.
func longest(s string, char byte) (most int) {
	n := 0
	for i := range len(s) {
		if s[i] != char {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}

// head names what a note is about. Lines that are gone, and names that cannot be mentioned, are
// named without a mention.
func (n Note) head() string {
	switch {
	case n.Path == "" && n.Title != "":
		return "On " + n.Entry + " " + span(n.Title) + ":"
	case n.Path == "":
		return "On " + n.Entry + ":"
	}
	lines := ""
	if n.From > 0 {
		lines = ":" + n.lines()
	}
	if !n.Old && !n.Undone && !n.Stale {
		word := mention.Format(n.Path) + lines
		if m := mention.Find(word); len(m) == 1 && m[0].Start == 0 && m[0].End == len(word) && m[0].Path == n.Path {
			return word
		}
	}
	head := span(n.Path)
	switch {
	case n.From == 0:
	case n.To > n.From:
		head += ", lines " + n.lines()
	default:
		head += ", line " + n.lines()
	}
	if n.Old {
		head += " before the change"
	}
	if n.Stale {
		head += " (I have undone this)"
	}
	return head
}

// span writes a text of one line as code, whatever is in it.
func span(s string) string {
	if quoted := strconv.Quote(s); quoted[1:len(quoted)-1] != s && strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		s = quoted
	}
	fence := strings.Repeat("`", longest(s, '`')+1)
	if len(fence) > 1 {
		s = " " + s + " "
	}
	return fence + s + fence
}
