package composer

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"parley/internal/finder"
	"parley/internal/intent"
	"parley/internal/mention"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/ui/layer"
	"parley/ui/widget/editor"
	"parley/ui/widget/list"
)

// mentions completes the mention of a file while it is typed.
type mentions struct {
	env    *layer.Env
	editor *editor.Editor
	out    *layer.Effects
	state  func() State
	search finder.FindFunc // nil: mentions are not completed
	ctx    context.Context // cancelled when the screen ends

	line     string // the line up to the cursor while a mention is typed, else ""
	word     mention.Word
	closed   string // the line up to the @ of the mention for which the popup was closed
	number   uint64 // of the last search; results of others are dropped
	answered uint64 // number of the search whose results the popup shows
	cancel   context.CancelFunc
	popup    *Popup
	hidden   bool   // something else has the popup's place
	waits    string // the key that completes once the results come
}

// Messages of searching files.
type (
	filesMsg struct {
		mentions *mentions
		search   uint64
		found    finder.Found
		err      error
	}
	filesAgainMsg struct {
		mentions *mentions
		search   uint64
	}
)

// maxTyped is how many bytes before the cursor are searched for a mention.
const maxTyped = 4 << 10

// listingPause is how long to wait before searching again while files are being listed.
const listingPause = 100 * time.Millisecond

// refresh starts a search if the cursor is after a mention.
func (m *mentions) refresh() tea.Cmd {
	line := m.editor.TailBeforeCursor(maxTyped)
	word, ok := m.typed(line)
	switch {
	case !ok:
		m.reset()
		m.closed = ""
		return nil
	case m.closed != "" && m.closed == line[:word.Start]+"@":
		m.reset()
		return nil
	case m.line == line && m.hidden:
		m.close()
		return nil
	}
	m.hidden = false
	if m.line == line {
		return nil
	}
	same := m.line != "" && m.word.Query == word.Query
	m.line, m.word, m.closed, m.waits = line, word, "", ""
	if same {
		return nil
	}
	m.number++
	return m.find()
}

// typed returns the mention before the cursor; false without one.
func (m *mentions) typed(line string) (mention.Word, bool) {
	if m.search == nil || strings.IndexByte(line, '@') < 0 || shelling(m.editor) {
		return mention.Word{}, false
	}
	if s := m.state(); s.ReadOnly || s.Unfocused {
		return mention.Word{}, false
	}
	word, ok := mention.Typed(line)
	if !ok {
		return word, false
	}
	if before := m.editor.Before(); len(before) > len(line) && strings.ContainsAny(before, "`~") {
		_, ok = mention.Typed(before) // false in a fenced block
	}
	return word, ok
}

// find searches for files that match the mention.
func (m *mentions) find() tea.Cmd {
	if m.cancel != nil {
		m.cancel()
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.cancel = cancel
	dir, query, search := m.state().Dir, m.word.Query, m.number
	return func() tea.Msg {
		defer cancel()
		found, err := m.search(ctx, dir, query)
		return filesMsg{m, search, found, err}
	}
}

// reset forgets the mention after the cursor has left it.
func (m *mentions) reset() {
	if m.cancel != nil {
		m.cancel()
	}
	m.number++
	m.line, m.popup, m.cancel, m.waits, m.hidden = "", nil, nil, "", false
}

// close closes the popup for this mention.
func (m *mentions) close() {
	closed := m.line[:m.word.Start] + "@"
	m.reset()
	m.closed = closed
}

// hide hides the popup. It stays closed unless more is typed.
func (m *mentions) hide() { m.hidden = m.popup != nil }

// Handle shows the results of the last search and drops any others.
func (msg filesMsg) Handle() tea.Cmd {
	m := msg.mentions
	if msg.search != m.number {
		return nil
	}
	if msg.err != nil {
		m.waits = ""
		return nil
	}
	fresh := m.answered != msg.search
	m.answered = msg.search
	items := m.items(msg.found.Matches)
	switch {
	case len(items) == 0 && msg.found.Complete:
		m.popup = nil
	case fresh || m.popup == nil:
		m.popup = &Popup{env: m.env, list: list.New(items), onEnd: m.key}
	default:
		m.popup.list.SetItems(items)
	}
	m.hidden = false
	var cmds []tea.Cmd
	if m.popup != nil {
		m.popup.foot = completes(m.env) + " · esc close"
		if !msg.found.Complete {
			m.popup.foot = "Listing… " + words.Thousands(msg.found.Listed) + " files"
		}
	}
	if !msg.found.Complete {
		cmds = append(cmds, tea.Tick(listingPause, func(time.Time) tea.Msg { return filesAgainMsg{m, msg.search} }))
	}
	if key := m.waits; key != "" && (len(items) > 0 || msg.found.Complete) {
		m.waits = ""
		cmds = append(cmds, m.done(key))
	}
	return tea.Batch(cmds...)
}

// Handle searches again while files are being listed.
func (msg filesAgainMsg) Handle() tea.Cmd {
	if msg.search != msg.mentions.number {
		return nil
	}
	return msg.mentions.find()
}

// items returns the lines of the popup, without the directory that is typed itself.
func (m *mentions) items(found []finder.Match) []list.Item {
	items := make([]list.Item, 0, len(found))
	for _, f := range found {
		if strings.HasSuffix(f.Path, "/") && f.Path == m.word.Query {
			continue
		}
		it := list.Item{Title: f.Path, Path: true, Marks: f.Marks, Value: f.Path}
		if safe := safetext.Line(f.Path, 4096); safe != f.Path || safetext.HasSuspicious(f.Path) {
			quoted := strconv.Quote(f.Path)
			it.Title, it.Marks = safetext.Line(quoted[1:len(quoted)-1], 4096), nil
		}
		items = append(items, it)
	}
	return items
}

// key handles a key that ends the popup.
func (m *mentions) key(key string) tea.Cmd {
	switch {
	case key == "esc":
		m.close()
	case m.answered != m.number: // the popup shows the results of an older search
		m.waits = key
	default:
		return m.done(key)
	}
	return nil
}

// done completes the selected path. Enter sends instead if the mention already names a file
// or nothing was found.
func (m *mentions) done(key string) tea.Cmd {
	path, ok := "", false
	if m.popup != nil {
		var it list.Item
		if it, ok = m.popup.list.Selected(); ok {
			path = it.Value.(string)
		}
	}
	if key == "enter" && (!ok || path == m.word.Query && !m.popup.moved) {
		m.reset()
		return m.out.Add(layer.Do(intent.Send))
	}
	if !ok {
		return nil
	}
	return m.complete(path)
}

// complete replaces the mention by a path and keeps its line range. After a directory it
// searches in it.
func (m *mentions) complete(path string) tea.Cmd {
	line, after := m.editor.TailBeforeCursor(maxTyped), m.editor.AfterCursor()
	rest := strings.IndexFunc(after, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-", r)
	})
	if rest < 0 {
		rest = len(after)
	}
	text := mention.Format(path)
	if strings.HasSuffix(path, "/") {
		if text == `@"`+path+`"` {
			text = strings.TrimSuffix(text, `"`)
		}
	} else {
		text += m.word.Lines
		if following := after[rest:]; strings.HasPrefix(following, " ") {
			rest++
			text += " "
		} else if !strings.HasPrefix(following, ":") {
			text += " "
		}
	}
	n := len(line) - m.word.Start
	m.reset()
	m.editor.DeleteAfter(rest)
	m.editor.ReplaceBefore(n, text)
	return m.refresh()
}
