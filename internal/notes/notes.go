// Package notes has what the user wants to tell an agent about pieces of its work, and makes one
// prompt of it. All functions are pure.
package notes

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/internal/safetext"
	"parley/internal/words"
)

// Note is what the user says about lines of a file, or about an entry of the transcript. It is kept
// with the draft.
type Note struct {
	Path   string `json:"path,omitempty"`   // of the file, verbatim and relative to the session's directory; "" for an entry
	From   int    `json:"from,omitempty"`   // the first of its lines, from 1; 0: the whole file
	To     int    `json:"to,omitempty"`     // the last of its lines
	Old    bool   `json:"old,omitempty"`    // the lines are those before the change
	Entry  string `json:"entry,omitempty"`  // what kind of entry it is, as the user says it to the agent: "your message" is the agent's
	Title  string `json:"title,omitempty"`  // of the entry, on one line and safe to show; may be ""
	Quote  string `json:"quote,omitempty"`  // the code or the words that it is about, safe to show; see [Bound]
	Diff   bool   `json:"diff,omitempty"`   // Quote has a sign at the beginning of each line
	Undone bool   `json:"undone,omitempty"` // no note, but a change that the user has undone
	Stale  bool   `json:"stale,omitempty"`  // the user has undone the code that it quotes
	Text   string `json:"text,omitempty"`   // what the user says
}

// Limits of a quote.
const (
	maxLines = 120
	maxBytes = 12 << 10
)

// Bound shortens a quote that is too long.
func Bound(s string) string {
	s = strings.TrimRight(s, "\n")
	end, lines := 0, 0
	for end < len(s) && lines < maxLines {
		n := len(s) - end
		if i := strings.IndexByte(s[end:], '\n'); i >= 0 {
			n = i + 1
		}
		if end+n > maxBytes {
			break
		}
		end += n
		lines++
	}
	switch rest := s[end:]; {
	case rest == "":
		return s
	case end == 0: // one line that is too long
		end = maxBytes
		for !utf8.RuneStart(s[end]) {
			end--
		}
		return s[:end] + "…"
	default:
		return s[:end] + "… " + words.Count(strings.Count(rest, "\n")+1, "more line")
	}
}

// Where says to the user in a few words what a note is about. It is safe to show.
func (n Note) Where() string {
	entry := n.Entry
	if thing, of := strings.CutPrefix(entry, "your "); of {
		entry = "the agent's " + thing
	} else if thing, of := strings.CutPrefix(entry, "my "); of {
		entry = "your " + thing
	}
	switch {
	case n.Path == "" && n.Title != "":
		return entry + ": " + n.Title
	case n.Path == "":
		return entry
	}
	where := safetext.Line(n.Path, 200)
	if n.From > 0 {
		where += ":" + n.lines()
	}
	if n.Old {
		where += " (before)"
	}
	return where
}

// lines returns its lines as "3" or "3-5".
func (n Note) lines() string {
	if n.To <= n.From {
		return strconv.Itoa(n.From)
	}
	return strconv.Itoa(n.From) + "-" + strconv.Itoa(n.To)
}

// About reports whether two notes are about the same.
func (n Note) About(other Note) bool {
	n.Text, n.Undone, n.Stale, other.Text, other.Undone, other.Stale = "", false, false, "", false, false
	return n == other
}

// Split separates the notes, in the order of a prompt, from the changes that were undone.
func Split(all []Note) (said, undone []Note) {
	for _, n := range all {
		if n.Undone {
			undone = append(undone, n)
		} else {
			said = append(said, n)
		}
	}
	slices.SortStableFunc(said, func(a, b Note) int {
		switch {
		case a.Path == "" || b.Path == "":
			return cmp.Compare(b.Path, a.Path) // files first, and entries in the order of their notes
		case a.Path != b.Path:
			return cmp.Compare(a.Path, b.Path)
		}
		return cmp.Compare(a.From, b.From)
	})
	return said, undone
}

// Put adds a note, or replaces the one about the same. One without a text is dropped.
func Put(all []Note, n Note) []Note {
	all = slices.DeleteFunc(slices.Clone(all), func(other Note) bool { return !other.Undone && other.About(n) })
	if strings.TrimSpace(n.Text) != "" {
		all = append(all, n)
	}
	return all
}

// Add adds a note. If there is one about the same, its text is continued.
func Add(all []Note, n Note) []Note {
	if text := TextOn(all, n); text != "" && strings.TrimSpace(n.Text) != "" {
		n.Text = text + "\n\n" + n.Text
	}
	return Put(all, n)
}

// TextOn returns what the user says so far about the same as n; "" if nothing.
func TextOn(all []Note, n Note) string {
	for _, other := range all {
		if !other.Undone && other.About(n) {
			return other.Text
		}
	}
	return ""
}

// Drop removes a note, or a change that was undone.
func Drop(all []Note, n Note) []Note {
	return slices.DeleteFunc(slices.Clone(all), func(other Note) bool { return other == n })
}

// Merge adds notes that were saved to those that there are, each once.
func Merge(all, saved []Note) []Note {
	for i, n := range saved {
		if !slices.Contains(all, n) {
			all = slices.Insert(slices.Clone(all), min(i, len(all)), n)
		}
	}
	return all
}

// Draft returns what is to be saved: nothing without a note, even if changes were undone.
func Draft(all []Note) []Note {
	if said, _ := Split(all); len(said) == 0 {
		return nil
	}
	return all
}

// Undo adds a change that was undone. Of too many the oldest are forgotten.
func Undo(all []Note, n Note) []Note {
	const most = 50
	n.Undone, n.Text = true, ""
	all = stale(append(slices.Clone(all), n), n.Path)
	if _, undone := Split(all); len(undone) > most {
		i := slices.IndexFunc(all, func(n Note) bool { return n.Undone })
		all = slices.Delete(all, i, i+1)
	}
	return all
}

// Redo removes what was undone last of a file.
func Redo(all []Note, path string) []Note {
	for i, n := range slices.Backward(all) {
		if n.Undone && n.Path == path {
			return stale(slices.Delete(slices.Clone(all), i, i+1), path)
		}
	}
	return all
}

// Move returns the notes with the lines that they have after a part of a file was undone or, before [Redo], redone.
// Those whose code is undone keep theirs.
func Move(all []Note, path, before, after string) []Note {
	old, now := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	same, end := 0, 0
	for same < min(len(old), len(now)) && old[same] == now[same] {
		same++
	}
	for end < min(len(old), len(now))-same && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	move := func(line int) int {
		if line > len(old)-end {
			return line + len(now) - len(old)
		}
		return line
	}
	all = slices.Clone(all)
	for i, n := range all {
		if n.Path == path && n.From > 0 && !n.Old && !n.Stale && !n.Undone {
			all[i].From, all[i].To = move(n.From), move(n.To)
		}
	}
	return all
}

// stale marks the notes on a file whose code was undone: the whole file, or a line that they quote. It changes all.
func stale(all []Note, path string) []Note {
	for i, n := range all {
		if n.Path != path || n.Undone || n.Quote == "" {
			continue
		}
		all[i].Stale = slices.ContainsFunc(all, func(u Note) bool {
			return u.Undone && u.Path == path && (u.From == 0 || n.near(u) && sharesChange(n.Quote, u.Quote))
		})
	}
	return all
}

// near reports whether two notes have lines in common. Those before a change have other numbers than those after it, so
// that such notes may be anywhere.
func (n Note) near(other Note) bool {
	return n.From == 0 || n.Old != other.Old || n.From <= other.To && other.From <= n.To
}

// sharesChange reports whether two diffs have an added or removed line in common.
func sharesChange(a, b string) bool {
	lines := map[string]bool{}
	for line := range strings.Lines(a) {
		lines[strings.TrimSuffix(line, "\n")] = line[0] == '+' || line[0] == '-'
	}
	for line := range strings.Lines(b) {
		if lines[strings.TrimSuffix(line, "\n")] {
			return true
		}
	}
	return false
}
