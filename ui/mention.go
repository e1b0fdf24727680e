package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"parley/internal/mention"
	"parley/internal/safetext"
	"parley/ui/layer"
	"parley/ui/widget"
)

// mentioning is the mention of a file that is being typed.
type mentioning struct {
	line     string // up to the cursor, while a word is open; "" for none
	word     mention.Word
	closed   string // the line up to the @ of the word that the popup was closed for
	gen      uint64 // of the search; answers to others are late
	answered uint64 // the search that the popup shows
	cancel   context.CancelFunc
	popup    *popup
	waits    string // the key that completes as soon as there is an answer
}

// Messages of looking for files.
type (
	filesMsg struct {
		chat  *chat
		gen   uint64
		found FoundFiles
		err   error
	}
	filesAgainMsg struct {
		chat *chat
		gen  uint64
	}
)

// maxTyped is how much of a line is looked at for a mention, in bytes.
const maxTyped = 4 << 10

// listingPause is how long to wait before a list that grows is asked again.
const listingPause = 100 * time.Millisecond

// afterTyping is what a key or a paste has brought for the files in the draft: a
// search, images to read.
func (m *Model) afterTyping(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if m.page == chatPage {
			m.chat.pictureTyped(msg)
			m.pictures.do(m.chat.mentionTyped())
		}
	case tea.PasteMsg:
		if m.page == chatPage {
			m.pictures.do(m.chat.mentionTyped())
		}
	}
	return m.pictures.todo()
}

// mentionTyped looks whether the cursor is behind a mention, and searches for it.
func (c *chat) mentionTyped() tea.Cmd {
	at := &c.at
	line := c.composer.TailBeforeCursor(maxTyped)
	word, ok := c.wordTyped(line)
	switch {
	case !ok:
		c.endMention()
		at.closed = ""
		return nil
	case at.closed != "" && at.closed == line[:word.Start]+"@":
		c.endMention()
		return nil
	case at.line == line && at.popup != nil && c.popup == nil: // somebody has closed it
		c.closeMention()
		return nil
	}
	if at.popup != nil {
		c.popup = at.popup
	}
	if at.line == line {
		return nil
	}
	same := at.line != "" && at.word.Query == word.Query
	at.line, at.word, at.closed, at.waits = line, word, "", ""
	if same {
		return nil
	}
	at.gen++
	return c.findFiles()
}

// wordTyped is the mention before the cursor, where one may be.
func (c *chat) wordTyped(line string) (mention.Word, bool) {
	if c.m.opts.Files == nil || c.ReadOnly || c.focused || c.picker != nil || strings.IndexByte(line, '@') < 0 || c.shelling() {
		return mention.Word{}, false
	}
	word, ok := mention.Typed(line)
	if !ok {
		return word, false
	}
	if before := c.composer.Before(); len(before) > len(line) && strings.ContainsAny(before, "`~") {
		_, ok = mention.Typed(before) // in a fence?
	}
	return word, ok
}

// findFiles searches for the mention that is being typed.
func (c *chat) findFiles() tea.Cmd {
	if c.at.cancel != nil {
		c.at.cancel()
	}
	ctx, cancel := context.WithCancel(c.m.w.Context())
	c.at.cancel = cancel
	files, dir, query, gen := c.m.opts.Files, c.shellDir(), c.at.word.Query, c.at.gen
	return func() tea.Msg {
		defer cancel()
		found, err := files.Find(ctx, dir, query)
		return filesMsg{c, gen, found, err}
	}
}

// endMention forgets the mention: the cursor has left it.
func (c *chat) endMention() {
	if c.popup != nil && c.popup == c.at.popup {
		c.popup = nil
	}
	if c.at.cancel != nil {
		c.at.cancel()
	}
	c.at.gen++
	c.at.line, c.at.popup, c.at.cancel, c.at.waits = "", nil, nil, ""
}

// closeMention closes the popup for this word.
func (c *chat) closeMention() {
	closed := c.at.line[:c.at.word.Start] + "@"
	c.endMention()
	c.at.closed = closed
}

// handle shows what was found, unless something else is being looked for by now.
func (msg filesMsg) handle(*Model) tea.Cmd {
	c, at := msg.chat, &msg.chat.at
	if msg.gen != at.gen {
		return nil
	}
	if msg.err != nil {
		at.waits = ""
		return nil
	}
	fresh := at.answered != msg.gen
	at.answered = msg.gen
	items := c.fileItems(msg.found.Matches)
	switch {
	case len(items) == 0 && msg.found.Complete:
		if c.popup == at.popup {
			c.popup = nil
		}
		at.popup = nil
	case fresh || at.popup == nil:
		at.popup = &popup{c: c, files: true, list: widget.NewList(items)}
	default:
		at.popup.list.SetItems(items)
	}
	var cmds []tea.Cmd
	if p := at.popup; p != nil {
		p.foot = "tab completes · esc"
		if !msg.found.Complete {
			p.foot = "listing… " + grouped(msg.found.Listed) + " files"
		}
		if c.popup == nil || c.popup.files {
			c.popup = p
		}
	}
	if !msg.found.Complete {
		gen := msg.gen
		cmds = append(cmds, tea.Tick(listingPause, func(time.Time) tea.Msg { return filesAgainMsg{c, gen} }))
	}
	if key := at.waits; key != "" && (len(items) > 0 || msg.found.Complete) {
		at.waits = ""
		cmds = append(cmds, c.mentionDone(key))
	}
	return tea.Batch(cmds...)
}

// handle asks again while files are being listed.
func (msg filesAgainMsg) handle(*Model) tea.Cmd {
	if msg.gen != msg.chat.at.gen {
		return nil
	}
	return msg.chat.findFiles()
}

// fileItems are the lines of the popup. The directory that is typed itself is
// none of them.
func (c *chat) fileItems(found []FoundFile) []widget.Item {
	room := max(10, widget.InnerWidth(c.m.width)-2)
	items := make([]widget.Item, 0, len(found))
	for _, f := range found {
		if strings.HasSuffix(f.Path, "/") && f.Path == c.at.word.Query {
			continue
		}
		it := widget.Item{Title: f.Path, Marks: f.Marks, Value: f.Path}
		if safe := safetext.Line(f.Path, 4096); safe != f.Path || safetext.HasSuspicious(f.Path) {
			quoted := strconv.Quote(f.Path)
			it.Title, it.Marks = safetext.Line(quoted[1:len(quoted)-1], 4096), nil
		}
		items = append(items, cutFront(it, room))
	}
	return items
}

// cutFront leaves out the beginning of a path that is too long: its end says
// more.
func cutFront(it widget.Item, room int) widget.Item {
	over := widget.Width(it.Title) - room
	if over <= 0 {
		return it
	}
	runes := []rune(it.Title)
	n, cells := 0, 0
	for ; n < len(runes) && cells < over+1; n++ {
		cells += widget.Width(string(runes[n]))
	}
	it.Title = "…" + string(runes[n:])
	marks := []int(nil)
	for _, at := range it.Marks {
		if at >= n {
			marks = append(marks, at-n+1)
		}
	}
	it.Marks = marks
	return it
}

// grouped writes a number with commas.
func grouped(n int) string {
	return widget.Grouped(n)
}

// mentionKey handles the keys of the popup of files.
func (c *chat) mentionKey(p layer.Press) (tea.Cmd, bool) {
	list := c.popup.list
	switch name := p.Name; name {
	case "up", "down":
		if list.Len() == 0 {
			return nil, false
		}
		list.Move(map[string]int{"up": -1, "down": 1}[name])
		c.popup.moved = true
		return nil, true
	case "esc":
		c.closeMention()
		return nil, true
	case "tab", "enter":
		if c.at.answered != c.at.gen { // what is shown is for what was typed before
			c.at.waits = name
			return nil, true
		}
		return c.mentionDone(name), true
	}
	return nil, false
}

// mentionDone completes with what is selected. Enter behind what names a file
// already sends, and so it does where there is nothing to choose from.
func (c *chat) mentionDone(key string) tea.Cmd {
	path, ok := "", false
	if c.at.popup != nil {
		var it widget.Item
		if it, ok = c.at.popup.list.Selected(); ok {
			path = it.Value.(string)
		}
	}
	if key == "enter" && (!ok || path == c.at.word.Query && !c.at.popup.moved) {
		c.endMention()
		return c.submit()
	}
	if !ok {
		return nil
	}
	return c.completeFile(path)
}

// completeFile puts a path in the place of what was typed of it. A directory is
// gone into, a file is done with. Lines behind it stay.
func (c *chat) completeFile(path string) tea.Cmd {
	line, after := c.composer.TailBeforeCursor(maxTyped), c.composer.AfterCursor()
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
		text += c.at.word.Lines
		if following := after[rest:]; strings.HasPrefix(following, " ") {
			rest++
			text += " "
		} else if !strings.HasPrefix(following, ":") {
			text += " "
		}
	}
	n := len(line) - c.at.word.Start
	c.endMention()
	c.composer.DeleteAfter(rest)
	c.composer.ReplaceBefore(n, text)
	c.history.Leave()
	return c.mentionTyped()
}

// roots are the directories whose files prompts of the page may mention: the
// session's own first.
func (c *chat) roots() []string {
	dir := c.shellDir()
	roots := []string{dir}
	if conn := c.Agent.Conn(); conn != nil && conn.Template.Cwd == dir {
		roots = append(roots, conn.Template.Roots...)
	}
	return roots
}

// mentionsIn are the files that a prompt may name, each once.
func mentionsIn(text string) []mention.Mention {
	const most = 50
	var out []mention.Mention
	for _, m := range mention.Find(text) {
		same := func(o mention.Mention) bool { return o.Path == m.Path && o.From == m.From && o.To == m.To }
		if len(out) < most && !slices.ContainsFunc(out, same) {
			out = append(out, m)
		}
	}
	return out
}

func fileWord(m mention.Mention) string {
	if m.From == 0 {
		return safetext.Line(m.Path, 60)
	}
	return fmt.Sprintf("%s:%d-%d", safetext.Line(m.Path, 60), m.From, m.To)
}
