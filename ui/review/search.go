package review

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/text"
	"parley/ui/layer"
	"parley/ui/theme"
)

// search looks for a text in the diffs of all files.
type search struct {
	typing bool
	text   string
	last   string

	found   *file // with the last match, which is at line
	line    int
	step    int  // the file that is shown has a match: find it in this direction once it is read
	running bool // files are being searched
}

// key takes a key while the text is typed, and reports whether it is to be found now.
func (s *search) key(p layer.Press) (find bool) {
	switch p.Name {
	case "esc", "ctrl+c", "ctrl+g":
		s.typing = false
	case "enter":
		s.typing = false
		if s.text != "" {
			s.last = s.text
		}
		return true
	case "backspace", "ctrl+h", "shift+backspace":
		_, n := utf8.DecodeLastRuneInString(s.text)
		s.text = s.text[:len(s.text)-n]
	case "ctrl+u":
		s.text = ""
	default:
		if layer.Printable(p.KeyPressMsg) {
			s.text += oneLine(p.Text)
		}
	}
	return false
}

func oneLine(s string) string { return strings.ReplaceAll(text.CleanInput(s), "\n", " ") }

// matcher returns what finds a text. A capital letter makes it case-sensitive.
func matcher(query string) func(string) bool {
	if strings.ContainsFunc(query, unicode.IsUpper) {
		return func(line string) bool { return strings.Contains(line, query) }
	}
	return func(line string) bool { return strings.Contains(strings.ToLower(line), query) }
}

// find goes to the next match or the previous one, in this file or another.
func (r *Review) find(step int) tea.Cmd {
	f := r.current()
	if r.search.last == "" || f == nil || r.search.running {
		return nil
	}
	if s := r.sheet(); s != nil {
		from := r.top - step
		if r.search.found == f {
			from = r.search.line
		}
		if line := s.Find(from, step, matcher(r.search.last)); line >= 0 {
			r.arriveAt(line)
			return r.Read()
		}
	}
	// Look for a file with a match, after the one that is shown, and around to that.
	r.search.running = true
	store, matches, whole := r.store, matcher(r.search.last), r.whole
	var files []*file
	for i := range r.files {
		n := len(r.files)
		files = append(files, r.files[((r.at+step*(i+1))%n+n)%n])
	}
	data := make([]entry, len(files))
	for i, f := range files {
		data[i] = f.entry
	}
	return func() tea.Msg {
		for i, f := range data {
			before, after, ok := store.Texts(f.Change)
			if !ok || f.Undone || !matches(before) && !matches(after) {
				continue
			}
			if compare(f, before, after, whole).Matches(matches) {
				return matched{r, store, files[i], step}
			}
		}
		return matched{r: r, store: store}
	}
}

// matched is the next file that has a match.
type matched struct {
	r     *Review
	store *Changes
	file  *file // nil: none
	step  int
}

// Handle implements layer.Message.
func (m matched) Handle() tea.Cmd {
	r := m.r
	r.search.running = false
	if r.store != m.store {
		return nil
	}
	if m.file == nil {
		return r.out.Say("No match for " + r.search.last)
	}
	for i, f := range r.files {
		if f != m.file {
			continue
		}
		r.show(i)
		r.tree.seek(r.files, r.at)
		r.search.step = m.step
		r.arrive()
		return r.Read()
	}
	return nil
}

// arrive goes to the match in a file that was searched, once that is read.
func (r *Review) arrive() {
	s, step := r.sheet(), r.search.step
	if s == nil || step == 0 {
		return
	}
	r.search.step = 0
	from := -1
	if step < 0 {
		from = s.Len()
	}
	if line := s.Find(from, step, matcher(r.search.last)); line >= 0 {
		r.arriveAt(line)
	}
}

// arriveAt shows a match.
func (r *Review) arriveAt(line int) {
	r.search.found, r.search.line = r.current(), line
	if line < r.top || line >= r.top+r.fits(r.top) {
		r.top = max(0, min(line-2, r.last()))
	}
	if s := r.sheet(); s.Change(line) >= 0 {
		r.change = s.Change(line)
	}
}

// marked marks the first match in each of some rows.
func (s *search) marked(rows []string, th *theme.Theme) []string {
	out := make([]string, len(rows))
	query := s.last
	for i, row := range rows {
		plain := ansi.Strip(row)
		if !strings.ContainsFunc(query, unicode.IsUpper) {
			plain = strings.ToLower(plain)
		}
		at := strings.Index(plain, query)
		if out[i] = row; at >= 0 {
			left := text.Width(plain[:at])
			out[i] = text.Highlight(row, left, left+text.Width(query), th.Match.Paint)
		}
	}
	return out
}
