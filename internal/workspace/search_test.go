package workspace_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/workspace"
)

// searchable is a logged session that was said in, and what was looked for in it.
func searchable(asked *[]string, session, said string, size int64, takes time.Duration) workspace.Logged {
	return workspace.Logged{Agent: "fake", Session: session, Search: func(ctx context.Context, words []string, most int64) (map[string]string, int64) {
		*asked = append(*asked, session+":"+strings.Join(words, "+"))
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			*asked = append(*asked, session+" cancelled")
			return nil, 0
		}
		found := map[string]string{}
		for _, word := range words {
			if strings.Contains(said, word) {
				found[word] = said
			}
		}
		return found, min(size, most)
	}}
}

// The logs are searched one after another once the query rests; another query cancels the search.
func TestSearchLogs(t *testing.T) {
	var asked []string
	with(t, func(r *rig) {
		r.opts.Logs = func() ([]workspace.Logged, error) {
			return []workspace.Logged{searchable(&asked, "a", "typed errors", 1, time.Second), {Agent: "fake", Session: "none"}, searchable(&asked, "b", "lexer", 1, time.Second), searchable(&asked, "c", "errors, typed", 1, time.Second)}, nil
		}
	}, func(r *rig) {
		found := func(word string) (out string) {
			for _, s := range []string{"a", "b", "c", "none"} {
				if around, ok := r.w.Found("fake", s, word); ok {
					out += s + ":" + around + " "
				}
			}
			return strings.TrimSpace(out)
		}
		looks := func(word, want string, state workspace.SearchState, times string) {
			t.Helper()
			r.settle()
			if got := found(word); got != want || r.w.Searching() != state || strings.Join(asked, " ") != times {
				t.Errorf("%s is found in %q, want %q; state %d, want %d; asked %q, want %q", word, got, want, r.w.Searching(), state, asked, times)
			}
		}
		r.w.Search("Typed  ERRORS")
		looks("typed", "", workspace.SearchNone, "") // no logs yet
		r.w.List()
		looks("typed", "", workspace.SearchRunning, "")
		r.pass(100 * time.Millisecond)
		r.w.Search("er")
		looks("typed", "", workspace.SearchNone, "")
		r.w.Search("typed errors")
		r.w.Search("typed errors ") // the same
		r.pass(1300 * time.Millisecond)
		looks("typed", "a:typed errors", workspace.SearchRunning, "a:typed+errors b:typed+errors")
		r.w.Search("lexer")
		r.pass(4 * time.Second)
		looks("lexer", "b:lexer", workspace.SearchDone, "a:typed+errors b:typed+errors b cancelled a:lexer b:lexer c:lexer")
		r.w.Search("")
		looks("lexer", "", workspace.SearchNone, strings.Join(asked, " "))
	})
}

// A search ends at a limit of bytes or of time, and says so.
func TestSearchIsBounded(t *testing.T) {
	for _, c := range []struct {
		size  int64
		takes time.Duration
	}{{200 << 20, 0}, {1, 6 * time.Second}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			var asked []string
			with(t, func(r *rig) {
				r.opts.Logs = func() (all []workspace.Logged, err error) {
					for i := range 5 {
						all = append(all, searchable(&asked, fmt.Sprint(i), "", c.size, c.takes))
					}
					return all, nil
				}
			}, func(r *rig) {
				r.w.List()
				r.settle()
				r.w.Search("lexer")
				r.pass(time.Minute)
				if got := strings.Join(asked, " "); !strings.HasPrefix(got, "0:lexer 1:lexer") || strings.Contains(got, "2") || r.w.Searching() != workspace.SearchCut {
					t.Errorf("asked %q, state %d", got, r.w.Searching())
				}
			})
		})
	}
}
