package cli

import (
	"bytes"
	"context"
	"maps"
	"strings"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/record"
	"parley/internal/snippet"
)

// search looks for lower-case words in the prompts and answers of the session, in its newest log
// first, until all are found, ctx ends or most bytes are read. It returns the newest text around
// each word that it found, safe to show, and how many bytes it read. What cannot be read is left
// out.
func (g *logged) search(ctx context.Context, words []string, most int64) (found map[string]string, read int64) {
	found = map[string]string{}
	for i := len(g.files) - 1; i >= 0 && len(found) < len(words) && read < most && ctx.Err() == nil; i-- {
		text := &searchedText{words: words, found: map[string]string{}}
		read += g.searchFile(ctx, i, text, most-read)
		maps.Copy(text.found, found) // those of newer logs win
		found = text.found
	}
	return found, read
}

// searchFile passes what was said according to one log to text.
func (g *logged) searchFile(ctx context.Context, i int, text *searchedText, most int64) (read int64) {
	r, err := record.Open(g.files[i].path)
	if err != nil {
		return 0
	}
	defer r.Close()
	replay := acpclient.NewReplay(g.Session, g.files[i].protocol, text)
	for lines := 0; read < most && (lines%100 != 0 || ctx.Err() == nil); lines++ {
		l, err := r.Next()
		if err != nil {
			break
		}
		read += int64(len(l.Data))
		if l.Dir == record.In && !silent(l.Data) || l.Dir == record.Out && bytes.Contains(l.Data, []byte(`"method"`)) {
			replay.Message(l.At, l.Dir == record.Out, 0, l.Data)
		}
	}
	text.end()
	return read
}

// silent reports whether a message of an agent certainly holds nothing that was said: tool calls
// and files are most of a log. In a text the quotation marks would be escaped.
func silent(data []byte) bool {
	return bytes.Contains(data, []byte(`"sessionUpdate":"tool_call`)) || bytes.Contains(data, []byte(`"method":"fs/`)) || bytes.Contains(data, []byte(`"method":"terminal/`))
}

// searchedText is a sink that looks for words in what was said. It keeps no more than the message
// that is arriving.
type searchedText struct {
	words []string
	found map[string]string
	role  event.Role
	id    string
	text  []byte
}

// Lengths of the text that is searched at once, and of its end that is searched again with what
// follows, so that a word is found wherever the text is cut.
const (
	searchedAtOnce = 64 << 10
	searchedAgain  = 256
)

// Post implements event.Sink.
func (s *searchedText) Post(e event.Event) {
	switch e := e.(type) {
	case event.TextArrived:
		if e.Role != event.User && e.Role != event.Agent {
			return
		}
		if e.Role != s.role || e.MessageID != s.id {
			s.end()
		}
		s.role, s.id = e.Role, e.MessageID
		if s.text = append(s.text, e.Text...); len(s.text) > searchedAtOnce {
			s.look()
			s.text = append(s.text[:0], s.text[len(s.text)-searchedAgain:]...)
		}
	case event.MessageReplaced:
		if e.Role == event.User || e.Role == event.Agent {
			s.whole(e.Text)
		}
	case event.TurnStarted:
		s.whole(e.Text)
	case event.PromptHeld:
		s.whole(e.Text)
	}
}

// whole looks for the words in a message that arrives at once.
func (s *searchedText) whole(text string) {
	s.end()
	s.text = append(s.text, text...)
	s.end()
}

// end looks for the words in the message that has arrived.
func (s *searchedText) end() {
	s.look()
	s.text = s.text[:0]
}

func (s *searchedText) look() {
	if len(s.text) == 0 {
		return
	}
	text := string(s.text)
	lower := strings.ToLower(text)
	for _, word := range s.words {
		if strings.Contains(lower, word) {
			s.found[word], _ = snippet.Find(text, word)
		}
	}
}
