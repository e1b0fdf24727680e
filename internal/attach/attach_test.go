package attach

import (
	"context"
	"errors"
	"slices"
	"testing"

	"parley/acpclient/event"
	"parley/internal/finder"
	"parley/internal/picture"
	"parley/internal/token"
)

// someFiles are files that can be read.
type someFiles []string

func (f someFiles) Read(_ context.Context, _ []string, path string, _, _ int) (finder.Mentioned, error) {
	if !slices.Contains(f, path) {
		return finder.Mentioned{}, finder.ErrNoFile
	}
	text := "text of " + path
	return finder.Mentioned{URI: "file:///p/" + path, Name: path, Text: &text}, nil
}

func TestMentions(t *testing.T) {
	var p Images
	files := someFiles{"a.go"}.Read
	to := Recipient{Agent: event.AgentInfo{EmbeddedContext: true}}
	if p.Expand("no mention", files, to) != nil || p.Expand("@a.go", nil, to) != nil {
		t.Error("plain text is expanded")
	}
	blocks, notes := p.Expand("see @a.go and @b.go", files, to)(t.Context())
	if len(notes) > 0 || len(blocks) != 2 || blocks[0].Text != "see @a.go and @b.go" || blocks[1].Content == nil || *blocks[1].Content != "text of a.go" {
		t.Errorf("%+v, %q", blocks, notes)
	}
	withheld := 0
	to.Withheld = func() { withheld++ }
	if p.Expand("see @a.go", files, to) != nil || withheld != 1 {
		t.Errorf("an agent without access to the files gets them; %d notices", withheld)
	}
}

func TestImages(t *testing.T) {
	var p Images
	a, broken := p.Add("a.png", "./a.png"), p.Add("clipboard", "")
	a.Read(func() (picture.Image, error) { return picture.Image{Data: []byte("PNG"), MimeType: "image/png"}, nil })
	broken.Read(func() (picture.Image, error) { return picture.Image{}, errors.New("no image") })
	none := func(rune) bool { return false }
	if p.Loaded(a, none) != nil || p.Loaded(broken, none) == nil {
		t.Error("wrong outcome")
	}
	text := "see " + string(a.Token) + string(broken.Token) + string(rune(token.Last))
	if got := p.Display(text); got != "see [image a.png 3 B]" {
		t.Errorf("displayed: %q", got)
	}
	if got := p.Portable(text); got != "see ./a.png" {
		t.Errorf("for another run: %q", got)
	}
	expand := p.Expand(text, nil, Recipient{Agent: event.AgentInfo{Image: true}})
	blocks, notes := expand(t.Context())
	if len(blocks) != 2 || blocks[0].Text != "see " || string(blocks[1].Image) != "PNG" || !slices.Equal(notes, []string{"An image is no longer available"}) {
		t.Errorf("%+v, %q", blocks, notes)
	}
	if got := p.TextOf(blocks); got != "see "+string(a.Token) {
		t.Errorf("back as text: %q", got)
	}
	blocks, notes = p.Expand("see "+string(a.Token), nil, Recipient{})(t.Context())
	if len(blocks) != 1 || blocks[0].Text != "see ./a.png" || !slices.Equal(notes, []string{NoImages}) {
		t.Errorf("for an agent that takes none: %+v, %q", blocks, notes)
	}
}
