// Package syntax finds the classes of the parts of code. The language comes from a name, of a file or of the language; it is
// never guessed from the code. All functions may be called from any goroutine. Analysing a line takes a tenth of a
// millisecond, and a language that was not used before some milliseconds: keep that off the screen's goroutine.
package syntax

import (
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"parley/internal/glyphs"
)

// Class is what a part of code is.
type Class uint8

// The classes. What is none of the others is Text.
const (
	Text Class = iota
	Keyword
	Function
	String
	Number
	Comment
	Inserted // of a patch
	Deleted
	Classes // how many there are
)

// Of returns the class of one of chroma's tokens.
func Of(t chroma.TokenType) Class {
	switch {
	case t == chroma.GenericInserted:
		return Inserted
	case t == chroma.GenericDeleted:
		return Deleted
	case t.InCategory(chroma.Comment):
		return Comment
	case t == chroma.KeywordConstant, t.InSubCategory(chroma.LiteralNumber):
		return Number
	case t.InCategory(chroma.Keyword), t == chroma.OperatorWord:
		return Keyword
	case t.InSubCategory(chroma.LiteralString):
		return String
	case t == chroma.NameFunction, t == chroma.NameClass, t == chroma.NameTag, t == chroma.NameBuiltin:
		return Function
	}
	return Text
}

// Span is a run of one class in a line: up to the byte To, from where the one before ends.
type Span struct {
	To    int
	Class Class
}

// Whole returns where a part of text ends that begins at from and should end at to, so that no grapheme cluster is cut:
// the width of half a cluster is undefined. from must be at the start of a cluster, and is returned if to is not after it.
func Whole(text string, from, to int) int {
	to = max(from, to)
	if to == from || to == len(text) || text[to-1] < utf8.RuneSelf && text[to] < utf8.RuneSelf {
		return to
	}
	for from < to {
		cluster, _ := glyphs.Whole(text[from:])
		from += max(len(cluster), 1)
	}
	return from
}

const (
	// maxNames bounds the file names whose language is remembered: the agent chooses them.
	maxNames = 512
	// patience is how long one call of Lines may take. Lines that it has not reached by then have no classes.
	patience = 2 * time.Second
)

var files = struct {
	sync.Mutex
	lexers map[string]chroma.Lexer
}{lexers: map[string]chroma.Lexer{}}

// lexerOf returns the lexer for files of that name, nil where there is none.
func lexerOf(path string) chroma.Lexer {
	name := filepath.Base(path)
	files.Lock()
	defer files.Unlock()
	if l, ok := files.lexers[name]; ok {
		return l
	}
	if len(files.lexers) >= maxNames {
		clear(files.lexers)
	}
	var l chroma.Lexer
	if len(name) <= 255 {
		if l = lexers.Match(name); l != nil {
			l = chroma.Coalesce(l)
		}
	}
	files.lexers[name] = l
	return l
}

// Known reports whether files of that name are of a known language.
func Known(path string) bool { return lexerOf(path) != nil }

// Lines returns the classes in consecutive lines of a file of that name; nil if its language is unknown or cannot be
// analysed. The lines have no newlines at their ends.
func Lines(path string, lines []string) (spans [][]Span) {
	lex := lexerOf(path)
	if lex == nil || len(lines) == 0 {
		return nil
	}
	defer func() {
		if recover() != nil { // a lexer's rules are not ours
			spans = nil
		}
	}()
	it, err := lex.Tokenise(nil, strings.Join(lines, "\n")+"\n")
	if err != nil {
		return nil
	}
	s := splitter{lines: lines, spans: make([][]Span, len(lines))}
	until := time.Now().Add(patience)
	for n, token := 0, it(); token != chroma.EOF; token = it() {
		if !s.add(token.Value, Of(token.Type)) {
			return nil
		}
		if n++; n%256 == 0 && time.Now().After(until) {
			break
		}
	}
	return s.spans
}

// splitter hands tokens out to the lines they lie in.
type splitter struct {
	lines []string
	spans [][]Span
	line  int
	at    int // in that line
}

// add adds the next token; false if it is not the text of the lines.
func (s *splitter) add(text string, c Class) bool {
	for text != "" {
		if s.line >= len(s.lines) {
			return false
		}
		part, rest, newline := strings.Cut(text, "\n")
		if len(part) > len(s.lines[s.line])-s.at {
			return false
		}
		if part != "" {
			s.at += len(part)
			last := s.spans[s.line]
			if n := len(last); n > 0 && last[n-1].Class == c {
				last[n-1].To = s.at
			} else {
				s.spans[s.line] = append(last, Span{s.at, c})
			}
		}
		if !newline {
			return true
		}
		if s.at != len(s.lines[s.line]) {
			return false
		}
		text, s.line, s.at = rest, s.line+1, 0
	}
	return true
}
