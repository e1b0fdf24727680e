package markdown

import (
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"parley/ui/widget/syntax"
)

// Listing is a piece of code in a block that was not analysed yet.
type Listing struct {
	lang, text string
	spans      []syntax.Span
}

// Len returns the size of the code, in bytes.
func (c *Listing) Len() int { return len(c.text) }

// Run analyses the code. It takes a tenth of a millisecond per line, and some
// milliseconds for a language that was not used before, so call it on another
// goroutine than the screen's, which may use the renderer meanwhile. The language is
// never guessed from the code.
func (c *Listing) Run() {
	lex := languages.of(c.lang)
	if lex == nil {
		return
	}
	defer func() {
		if recover() != nil { // a lexer's rules are not ours
			c.spans = nil
		}
	}()
	it, err := lex.Tokenise(nil, c.text+"\n")
	if err != nil {
		return
	}
	size := 0
	var spans []syntax.Span
	for token := it(); token != chroma.EOF; token = it() {
		if size += len(token.Value); size > len(c.text)+1 {
			return // it adds something
		}
		class, to := syntax.Of(token.Type), min(size, len(c.text))
		if n := len(spans); n > 0 && spans[n-1].Class == class {
			spans[n-1].To = to
		} else if to > 0 {
			spans = append(spans, syntax.Span{To: to, Class: class})
		}
	}
	if size == len(c.text)+1 { // it loses nothing
		c.spans = spans
	}
	languages.met(c.lang)
}

// maxLexers bounds the names of languages that are remembered; an unknown one
// costs chroma some milliseconds, and the agent chooses the names.
const maxLexers = 64

// languages holds the lexers that were used. It is safe for concurrent use.
var languages = known{lexers: map[string]*lexer{}}

type known struct {
	mu     sync.Mutex
	lexers map[string]*lexer
}

// lexer is a language; chroma is nil if there is no such language.
type lexer struct {
	chroma chroma.Lexer
	met    bool // its rules were used: they are compiled
}

// of returns the lexer of that name, nil if there is none.
func (k *known) of(lang string) chroma.Lexer {
	k.mu.Lock()
	l := k.lexers[lang]
	k.mu.Unlock()
	if l != nil {
		return l.chroma
	}
	l = &lexer{met: true} // there is nothing to compile
	if strings.Trim(strings.ToLower(lang), "abcdefghijklmnopqrstuvwxyz0123456789+-_#.") == "" {
		if found := lexers.Get(lang); found != nil { // without mu: the screen must not wait
			l.chroma, l.met = chroma.Coalesce(found), false
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.lexers) >= maxLexers {
		clear(k.lexers)
	}
	k.lexers[lang] = l
	return l.chroma
}

// met says that the rules of a language were used.
func (k *known) met(lang string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l := k.lexers[lang]; l != nil {
		l.met = true
	}
}

// ready reports whether code in the language can be analysed without delay.
func (k *known) ready(lang string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.lexers[lang]
	return l != nil && l.met
}
