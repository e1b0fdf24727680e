// Package registry reads the registry of agents: an index that lists agents, what they are and how they can
// be installed. The index is fetched only by Fetch, and kept in a file. It is hostile input: its size and what
// it can hold are bounded, and all that comes out of it is safe to show. Nothing is installed here.
package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Bounds of an index.
const (
	maxIndex   = 8 << 20 // bytes
	maxEntries = 2000
	maxWrong   = 20 // reported entries that were left out
)

// Index is what a registry lists.
type Index struct {
	Entries []Entry   // by id
	Wrong   []string  // entries that were left out, each a line that says why
	Fetched time.Time // when it was fetched
}

// Find returns the entry with an id.
func (x *Index) Find(id string) (Entry, bool) {
	at, found := slices.BinarySearchFunc(x.Entries, id, func(e Entry, id string) int { return cmp.Compare(e.ID, id) })
	if !found {
		return Entry{}, false
	}
	return x.Entries[at], true
}

// Matches reports whether each word of a search is in the id, the name or the description, in any case.
func (e Entry) Matches(search string) bool {
	text := strings.ToLower(e.ID + " " + e.Name + " " + e.Description)
	for _, word := range strings.Fields(strings.ToLower(search)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// decode reads an index. Unknown members are ignored, extensions too. An entry that is wrong is left out, and
// so is one whose id an earlier one has.
func decode(data []byte) (*Index, error) {
	if len(data) > maxIndex {
		return nil, fmt.Errorf("the index is larger than %d MB", maxIndex>>20)
	}
	if !json.Valid(data) {
		return nil, errors.New("the index is not JSON")
	}
	var index struct{ Agents json.RawMessage }
	_ = json.Unmarshal(data, &index) // else it has no agents
	// One by one, since there can be millions.
	dec := json.NewDecoder(bytes.NewReader(index.Agents))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, errors.New("the index lists no agents")
	}
	x := &Index{}
	seen := map[string]bool{}
	leave := func(why string) {
		if len(x.Wrong) < maxWrong {
			x.Wrong = append(x.Wrong, line(why, maxText))
		}
	}
	for i := 0; dec.More(); i++ {
		if i == maxEntries {
			leave(fmt.Sprintf("only the first %d agents are listed", maxEntries))
			break
		}
		var entry json.RawMessage
		if err := dec.Decode(&entry); err != nil {
			return nil, fmt.Errorf("the index cannot be read: %w", err)
		}
		e, err := newEntry(entry)
		switch {
		case err != nil:
			leave(err.Error())
		case seen[e.ID]:
			leave(e.ID + ": listed twice; the first one counts")
		default:
			seen[e.ID] = true
			x.Entries = append(x.Entries, e)
		}
	}
	slices.SortFunc(x.Entries, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	return x, nil
}
