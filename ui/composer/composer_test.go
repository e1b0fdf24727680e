package composer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/finder"
	"parley/internal/intent"
	"parley/internal/notes"
	"parley/internal/picture"
	"parley/ui/layer"
	"parley/ui/theme"
)

// page is a fake page with one composer.
type page struct {
	t         *testing.T
	c         *Composer
	out       layer.Effects
	session   State
	said      []string
	submitted []string
}

// carryOut does what the composer wants.
func (p *page) carryOut() {
	for _, e := range p.out.Take() {
		switch e := e.(type) {
		case layer.Say:
			p.said = append(p.said, string(e))
		case layer.Do:
			p.submitted = append(p.submitted, p.c.Value())
			p.c.Clear()
		case RestoreNotes:
			p.session.Notes = notes.Merge(p.session.Notes, e)
		}
	}
}

func newPage(t *testing.T, o Options) *page {
	p := &page{t: t, session: State{Connected: true, Images: true, Dir: "/p", Placeholder: "say something"}}
	o.Env, o.Context = &layer.Env{Now: time.Now, Keys: intent.Default, Theme: theme.Plain()}, t.Context()
	o.Pages = func() []*Composer { return []*Composer{p.c} }
	p.c = NewStore(o).New(&p.out, func() State { return p.session }, func() []Command {
		return []Command{{Name: "review", Help: "looks at it", Args: "a file"}, {Name: "test"}}
	})
	p.c.Fit(60, 24)
	return p
}

// run runs a command and handles its messages.
func (p *page) run(cmd tea.Cmd) {
	p.carryOut()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			p.run(c)
		}
	case layer.Message:
		p.run(msg.Handle())
	}
}

// press presses keys as a page does: the popup gets them first.
func (p *page) press(keys ...tea.KeyPressMsg) {
	for _, k := range keys {
		press := layer.Press{KeyPressMsg: k, Name: k.String(), Want: intent.Default.Of(intent.Chat, k.String())}
		cmd, handled := tea.Cmd(nil), false
		if popup := p.c.Popup(); popup != nil {
			cmd, handled = popup.Key(press)
		}
		if !handled {
			cmd, _ = p.c.Type(press)
		}
		p.run(cmd)
		p.run(p.c.store.After(k))
	}
}

func (p *page) types(text string) {
	for _, r := range text {
		p.press(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

var (
	esc   = tea.KeyPressMsg{Code: tea.KeyEscape}
	tab   = tea.KeyPressMsg{Code: tea.KeyTab}
	enter = tea.KeyPressMsg{Code: tea.KeyEnter}
)

// draft checks the text in the composer.
func (p *page) draft(want string) {
	p.t.Helper()
	if got := p.c.Value(); got != want {
		p.t.Errorf("the draft is %q, want %q", got, want)
	}
}

// offers checks the lines of the popup; no lines mean no popup.
func (p *page) offers(want ...string) {
	p.t.Helper()
	var got []string
	if popup := p.c.Popup(); popup != nil {
		for _, row := range popup.Lines(40, 8, theme.Plain()) {
			got = append(got, strings.TrimSpace(strings.TrimPrefix(ansi.Strip(row), "›")))
		}
	}
	if !slices.Equal(got, want) {
		p.t.Errorf("offered: %q, want %q", got, want)
	}
}

func TestCommandsAreCompleted(t *testing.T) {
	p := newPage(t, Options{})
	p.types("/")
	p.offers("/review  looks at it  a file", "/test")
	p.types("te")
	p.offers("/test")
	p.press(enter)
	p.draft("/test")
	p.offers()
	p.press(esc)
	p.c.Clear()
	p.types("/re")
	p.press(tab)
	p.draft("/review ")
	if got := p.c.Hint(); got != "a file" {
		t.Errorf("hint %q", got)
	}
	p.c.Clear()
	p.types("/re")
	p.press(esc)
	p.types("v")
	p.offers() // closed for this text
	p.c.Clear()
	p.types("/x")
	p.offers()
	p.types(" and more")
	p.draft("/x and more")
}

// The selected command stays selected when the agent's commands arrive.
func TestCommandsArriveLate(t *testing.T) {
	p := newPage(t, Options{})
	p.types("/")
	p.press(tea.KeyPressMsg{Code: tea.KeyDown})
	p.c.Refresh()
	p.press(tab)
	p.draft("/test")
}

// someFiles are found by prefix.
type someFiles []string

func (f someFiles) Find(_ context.Context, _, query string) (finder.Found, error) {
	found := finder.Found{Listed: len(f), Complete: true}
	for _, path := range f {
		if strings.HasPrefix(path, query) {
			found.Matches = append(found.Matches, finder.Match{Path: path})
		}
	}
	return found, nil
}

// When something else takes the place of the popup of files, it stays closed until more of
// the word is typed.
func TestHiddenFilePopup(t *testing.T) {
	p := newPage(t, Options{Tools: Tools{FindFiles: someFiles{"main.go", "make/", "view.go"}.Find}})
	p.types("see @ma")
	p.offers("main.go", "make/")
	p.c.ClosePopup()
	p.offers()
	p.types("i")
	p.offers("main.go")
	p.press(tab)
	p.draft("see @main.go ")
	p.types("@v")
	p.c.ClosePopup()
	p.run(p.c.store.After(tab)) // after a key that the composer did not get
	p.types("i")
	p.offers()
	p.session.Unfocused = true
	p.c.SetValue("@v")
	p.run(p.c.store.After(tab))
	p.offers()
}

// An edited entry of the history is a draft: the next step back starts from it.
func TestRecallOfAnEditedEntry(t *testing.T) {
	p := newPage(t, Options{})
	for _, text := range []string{"one", "two", "three\twith a tab"} {
		p.c.AddToRunHistory(text)
	}
	p.c.Recall(intent.HistoryBack)
	p.c.Recall(intent.HistoryBack)
	p.draft("two")
	p.types("!")
	p.c.Recall(intent.HistoryBack)
	p.draft("three    with a tab")
	p.c.Recall(intent.HistoryForward)
	p.draft("two!")
}

// Returned prompts are before the draft, in the order in which they were sent.
func TestReturnedPrompts(t *testing.T) {
	p := newPage(t, Options{})
	p.types("draft")
	p.c.ReturnPrompt(2, "second")
	p.c.ReturnPrompt(1, "first")
	p.draft("first\nsecond\ndraft")
	p.c.SetValue("edited")
	p.c.ReturnPrompt(3, "third")
	p.draft("third\nedited")
}

// pictures has one image.
type pictures struct{}

func (pictures) Open(_ context.Context, path string) (picture.Image, error) {
	if path != "/p/a.png" {
		return picture.Image{}, fmt.Errorf("open %s: %w", path, fs.ErrNotExist)
	}
	return picture.Image{Data: []byte("PNG"), MimeType: "image/png"}, nil
}

func (pictures) Clipboard(context.Context) (picture.Image, error) {
	return picture.Image{}, errors.New("there is no image in the clipboard")
}

func TestImagesOfADraft(t *testing.T) {
	p := newPage(t, Options{Tools: Tools{OpenPicture: pictures{}.Open, ClipboardPicture: pictures{}.Clipboard}})
	p.run(p.c.Paste("./a.png"))
	if got := p.c.DisplayText(p.c.Value()); got != "[image a.png 3 B]" {
		t.Errorf("pasted: %q", got)
	}
	if got := p.c.PortableText(p.c.Value()); got != "./a.png" {
		t.Errorf("for another run it is %q", got)
	}
	p.c.Clear()
	p.run(p.c.PasteImage())
	p.draft("")
	if want := []string{"There is no image in the clipboard"}; !slices.Equal(p.said, want) {
		t.Errorf("said %q", p.said)
	}
	p.session.Images = false
	p.run(p.c.Paste("./a.png"))
	p.draft("./a.png")
	if got := p.said[len(p.said)-1]; got != "This agent does not accept images: the path is kept as text" {
		t.Errorf("said %q", got)
	}
}
