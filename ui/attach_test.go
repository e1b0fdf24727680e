package ui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"parley/internal/picture"

	tea "charm.land/bubbletea/v2"

	"parley/internal/fakeagent"
)

// somePictures are the images of a test.
type somePictures struct {
	files     map[string]string
	clipboard string
	slow      time.Duration
}

func (p *somePictures) Open(_ context.Context, path string) (picture.Image, error) {
	time.Sleep(p.slow)
	data, ok := p.files[path]
	switch {
	case !ok:
		return picture.Image{}, fmt.Errorf("open %s: %w", path, fs.ErrNotExist)
	case data == "":
		return picture.Image{}, errors.New("larger than 10 MiB")
	}
	return picture.Image{Data: []byte(data), MimeType: "image/png"}, nil
}

func (p *somePictures) Clipboard(context.Context) (picture.Image, error) {
	time.Sleep(p.slow)
	if p.clipboard == "" {
		return picture.Image{}, errors.New("there is no image in the clipboard")
	}
	return picture.Image{Data: []byte(p.clipboard), MimeType: "image/png"}, nil
}

func (p *somePictures) fill(o *Options) { o.OpenPicture, o.ClipboardPicture = p.Open, p.Clipboard }

func pictured() *somePictures {
	return &somePictures{files: map[string]string{"/tmp/shot.png": "PNG", "/home/ada/my shot.jpg": strings.Repeat("x", 23600), "/tmp/big.png": ""}}
}

func withPictures(p *somePictures) func(*driver, *Options) {
	return func(d *driver, o *Options) {
		p.fill(o)
		d.fake.Capabilities(embeds)
	}
}

func TestPastedImage(t *testing.T) {
	drive(t, withPictures(pictured()), func(d *driver) {
		d.connected()
		d.types("see ")
		d.send(tea.PasteMsg{Content: "'/home/ada/my shot.jpg' "})
		d.sees("see [image my shot.jpg 24 kB]")
		d.press("backspace")
		d.misses("[image")
		d.send(tea.PasteMsg{Content: "file:///tmp/shot.png\n"})
		d.types(" here\n")
		d.wait(50 * time.Millisecond)
		d.sees("▌ see [image shot.png 3 B] here")
		d.sent(1, `[{"type":"text","text":"see "},{"type":"image","data":"UE5H","mimeType":"image/png"},{"type":"text","text":" here"}]`)
		d.press("up") // the history has it
		d.sees("see [image shot.png 3 B] here")
		d.press("enter")
		d.wait(50 * time.Millisecond)
		d.sent(2, `[{"type":"text","text":"see "},{"type":"image","data":"UE5H","mimeType":"image/png"},{"type":"text","text":" here"}]`)
	})
}

// A typed path becomes an image after a space, or when it is sent; other text is unchanged.
func TestTypedImage(t *testing.T) {
	drive(t, withPictures(pictured()), func(d *driver) {
		d.connected()
		d.types("see /tmp/shot.png")
		d.misses("[image")
		d.types(" ")
		d.sees("see [image shot.png 3 B]")
		d.press("ctrl+u")
		d.types("see /tmp/gone.png ")
		d.draft("see /tmp/gone.png ")
		d.types("/tmp/big.png ")
		d.draft("see /tmp/gone.png /tmp/big.png ")
		d.sees("Larger than 10 MiB")
		d.press("ctrl+u")
		d.types("/tmp/shot.png\n")
		d.wait(50 * time.Millisecond)
		d.sent(1, `[{"type":"image","data":"UE5H","mimeType":"image/png"}]`)
		d.types("/tmp/gone.png\n")
		d.wait(50 * time.Millisecond)
		d.sent(2, `[{"type":"text","text":"/tmp/gone.png"}]`)
		d.types("assets/shot.png is a name\n")
		d.wait(50 * time.Millisecond)
		d.sent(3, `[{"type":"text","text":"assets/shot.png is a name"}]`)
	})
}

// A space typed into a list does not turn a path in the draft into an image.
func TestSpaceElsewhereIsNoImage(t *testing.T) {
	drive(t, withPictures(pictured()), func(d *driver) {
		d.connected()
		d.send(tea.PasteMsg{Content: "see /tmp/shot.png "})
		d.press("ctrl+p")
		d.types("a b")
		d.press("esc", "esc")
		d.draft("see /tmp/shot.png ")
	})
}

func TestImagesNotAccepted(t *testing.T) {
	drive(t, func(d *driver, o *Options) { pictured().fill(o) }, func(d *driver) {
		d.connected()
		d.press("ctrl+v")
		d.sees("This agent does not accept images")
		d.wait(6 * time.Second)
		d.send(tea.PasteMsg{Content: "/tmp/gone.png"})
		d.misses("does not accept images")
		d.press("ctrl+u")
		d.send(tea.PasteMsg{Content: "/tmp/shot.png"})
		d.sees("This agent does not accept images: the path is kept as text")
		d.draft("/tmp/shot.png")
		d.press("enter")
		d.wait(50 * time.Millisecond)
		d.sent(1, `[{"type":"text","text":"/tmp/shot.png"}]`)
	})
}

func TestClipboardImage(t *testing.T) {
	p := pictured()
	p.slow = time.Second
	drive(t, withPictures(p), func(d *driver) {
		d.connected()
		d.types("this: ")
		d.press("ctrl+v")
		d.sees("this: [image clipboard]")
		d.wait(1100 * time.Millisecond)
		d.sees("There is no image in the clipboard")
		d.draft("this: ")
		p.clipboard = "PNG"
		d.press("ctrl+v")
		d.types(" ok?\ndraft") // sent before it is there
		d.wait(500 * time.Millisecond)
		d.prompts("")
		d.wait(time.Second)
		d.sent(1, `[{"type":"text","text":"this: "},{"type":"image","data":"UE5H","mimeType":"image/png"},{"type":"text","text":" ok?"}]`)
		d.draft("draft")
	})
}

// An image in a queued prompt returns to the draft with it.
func TestQueuedImage(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		withPictures(pictured())(d, o)
		d.fake.Turn(slow)
	}, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.wait(50 * time.Millisecond)
		d.types("two /tmp/shot.png")
		d.press("enter")
		d.wait(50 * time.Millisecond)
		d.sees(`"two [image shot.png 3 B]"`)
		d.press("up")
		d.sees("two [image shot.png 3 B]")
		d.types("!\n")
		d.wait(4 * time.Second)
		d.sent(2, `[{"type":"text","text":"two "},{"type":"image","data":"UE5H","mimeType":"image/png"},{"type":"text","text":"!"}]`)
	})
}

// A prompt that an agent of v2 gives back has its image again.
func TestImageComesBack(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		pictured().fill(o)
		d.fake.Protocol = "2"
		d.fake.Answer("initialize", `{"protocolVersion":2,"info":{"name":"fake","version":"2"},"capabilities":{"session":{"prompt":{"image":{}}}}}`)
		d.fake.OnPrompt(func(t *fakeagent.Turn) (string, error) { return "", fakeagent.Errorf(-32603, "no room") })
	}, func(d *driver) {
		d.connected()
		d.types("see /tmp/shot.png now\n")
		d.wait(100 * time.Millisecond)
		d.sent(1, `[{"type":"text","text":"see "},{"type":"image","data":"UE5H","mimeType":"image/png"},{"type":"text","text":" now"}]`)
		d.sees("Not accepted", "see [image shot.png 3 B] now")
	})
}

// An image in a draft becomes its path again when the next agent does not accept images.
func TestImageForAnotherAgent(t *testing.T) {
	drive(t, withPictures(pictured()), func(d *driver) {
		d.connected()
		d.types("see /tmp/shot.png ")
		d.sees("[image shot.png 3 B]")
		d.fake.Capabilities("")
		d.Agent().Close()
		d.wait(100 * time.Millisecond)
		d.press("enter") // starts it again
		d.wait(100 * time.Millisecond)
		d.sees("[image shot.png 3 B]")
		d.press("enter")
		d.wait(50 * time.Millisecond)
		d.sees("This agent does not accept images")
		d.sent(1, `[{"type":"text","text":"see /tmp/shot.png "}]`)
	})
}

// A prompt with an image is in the history once, by its name; the project's history has
// the path, which is what another run can use.
func TestImageInTheHistory(t *testing.T) {
	k := newDisk()
	drive(t, func(d *driver, o *Options) {
		withPictures(pictured())(d, o)
		o.History = k
	}, func(d *driver) {
		d.connected()
		d.types("see /tmp/shot.png here\n")
		d.wait(time.Second)
		d.press("ctrl+r")
		d.wait(time.Second)
		d.sees("╭ Prompt history", "see [image shot.png 3 B] here", "1/1")
		if got := strings.Join(k.history, "|"); got != "see /tmp/shot.png here" {
			t.Errorf("the project's history is %q", got)
		}
	})
}
