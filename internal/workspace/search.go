package workspace

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/internal/words"
)

// Limits of a search in the logs.
const (
	minSearched    = 3         // bytes of what is looked for: less is found everywhere
	searchedBytes  = 256 << 20 // of the logs
	searchPatience = 10 * time.Second
	searchPause    = 150 * time.Millisecond // after the last change of what is looked for
)

// search is a search for words in what was said in the logged sessions, the newest first.
type search struct {
	query  string
	cancel context.CancelFunc
	found  map[[2]string]map[string]string // the text around each word, by agent and session
	left   []Logged                        // not searched yet
	bytes  int64                           // that may still be read
	state  SearchState
}

// SearchState is how far the search in the logs has come.
type SearchState int

// The states of a search in the logs. It is SearchNone while nothing is looked for. A search
// is cut if it ended at a limit.
const (
	SearchNone SearchState = iota
	SearchRunning
	SearchDone
	SearchCut
)

// Search looks for the words of query in the prompts and answers of the logged sessions, instead
// of those it looked for before. What it finds is reported as Listed; "" ends it.
func (w *Workspace) Search(query string) {
	query = words.OneLine(strings.ToLower(query))
	if len(query) < minSearched {
		query = ""
	}
	if query != w.search.query {
		w.startSearch(query)
	}
}

// startSearch cancels the search and starts another one, if there is something to look for.
func (w *Workspace) startSearch(query string) {
	if w.search.cancel != nil {
		w.search.cancel()
	}
	w.search = search{query: query, found: w.search.found} // a word that is still typed stays found
	if query == "" || len(w.logs) == 0 {
		w.search.found = map[[2]string]map[string]string{}
		return
	}
	ctx, cancel := context.WithTimeout(w.conns.ctx, searchPause+searchPatience)
	w.search.cancel, w.search.left, w.search.bytes, w.search.state = cancel, slices.Clone(w.logs), searchedBytes, SearchRunning
	w.begin(func() Result {
		select {
		case <-time.After(searchPause):
		case <-ctx.Done():
		}
		return after(func() { w.searchNext(ctx) })
	})
}

// searchNext searches logged sessions in a task, until something is found in one of them.
func (w *Workspace) searchNext(ctx context.Context) {
	s := &w.search
	switch {
	case ctx.Err() == context.Canceled: // there is another search
		return
	case len(s.left) > 0 && s.bytes > 0 && ctx.Err() == nil:
	default:
		if s.state = SearchDone; len(s.left) > 0 || s.bytes <= 0 || ctx.Err() != nil {
			s.state = SearchCut
		}
		s.cancel()
		w.tell(SessionsListed{})
		return
	}
	left, words, bytes := s.left, strings.Fields(s.query), s.bytes
	w.begin(func() Result {
		var found map[string]string
		var in Logged
		for len(left) > 0 && len(found) == 0 && bytes > 0 && ctx.Err() == nil {
			in, left = left[0], left[1:]
			if in.Search != nil {
				var read int64
				found, read = in.Search(ctx, words, bytes)
				bytes -= read
			}
		}
		return after(func() {
			if ctx.Err() == context.Canceled {
				return
			}
			w.search.left, w.search.bytes = left, bytes
			if len(found) > 0 {
				w.search.found[[2]string{in.Agent, in.Session}] = found
				w.tell(SessionsListed{})
			}
			w.searchNext(ctx)
		})
	})
}

// Found returns the text around a word that the search has found in a logged session.
func (w *Workspace) Found(agent, session, word string) (around string, ok bool) {
	around, ok = w.search.found[[2]string{agent, session}][word]
	return around, ok
}

// Searching returns how far the search in the logs has come.
func (w *Workspace) Searching() SearchState { return w.search.state }
