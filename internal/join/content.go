package join

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"parley/internal/attach"
	"parley/internal/picture"
	"parley/internal/safetext"
	"parley/internal/token"
)

// promptContent is the content of a prompt: texts and images, in their order.
type promptContent struct {
	session string
	pieces  []piece
}

// piece is a text or an image.
type piece struct {
	text  string
	image picture.Image
}

// maxPrompt bounds the blocks of a prompt.
const maxPrompt = 1000

// readPrompt decodes the parameters of session/prompt, on the goroutine of the client: they may be large.
func readPrompt(params json.RawMessage) (*promptContent, error) {
	var p struct {
		SessionID string
		Prompt    []struct{ Type, Text, Data, MimeType, URI, Name string }
	}
	if err := (&request{params: params}).decode(&p); err != nil {
		return nil, err
	}
	out, empty := &promptContent{session: p.SessionID}, true
	for _, b := range p.Prompt[:min(len(p.Prompt), maxPrompt)] {
		var next piece
		switch b.Type {
		case "text":
			next.text = withoutTokens(b.Text)
		case "resource_link":
			next.text = "[@" + withoutTokens(b.Name) + "](" + withoutTokens(b.URI) + ")"
		case "image":
			data, err := base64.StdEncoding.DecodeString(b.Data)
			if err != nil {
				return nil, invalid("The image is not base64")
			}
			mime, err := picture.Check(data)
			if err != nil {
				return nil, invalid("The image cannot be sent: %v", err)
			}
			next.image = picture.Image{Data: data, MimeType: mime}
		default:
			return nil, invalid("This content is not accepted: %s", safetext.Line(b.Type, 40))
		}
		empty = empty && next.image.Data == nil && strings.TrimSpace(next.text) == ""
		out.pieces = append(out.pieces, next)
	}
	if empty || len(p.Prompt) > maxPrompt {
		return nil, invalid("A prompt has content")
	}
	return out, nil
}

// withoutTokens removes the characters that mean the user's images.
func withoutTokens(text string) string {
	if !token.In(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if token.Is(r) {
			return -1
		}
		return r
	}, text)
}

func (c *client) prompt(r *request) {
	f := c.session(r, r.content.session)
	if f == nil {
		return
	}
	info := f.session.Agent.Info()
	var text strings.Builder
	for _, p := range r.content.pieces {
		if p.image.Data == nil {
			text.WriteString(p.text)
			continue
		}
		if info == nil || !info.Image {
			r.answer(nil, invalid(attach.NoImages))
			return
		}
		t := c.image(p.image)
		if t == 0 {
			r.answer(nil, invalid("There are too many images"))
			return
		}
		text.WriteRune(t)
	}
	if follows, _ := f.has(c); !follows {
		f.follow(c, false, c.hub.opts.Now(), func() {})
	}
	f.submit(c, text.String(), r)
}

// image adds an image, and returns the character for it, 0 if there are too many.
func (c *client) image(image picture.Image) rune {
	images := c.hub.w.Images()
	a := images.Add("of "+c.label(), "")
	if a == nil {
		return 0
	}
	a.Read(func() (picture.Image, error) { return image, nil })
	c.hub.images = append(c.hub.images, a.Token)
	pending := ""
	for _, s := range c.hub.w.Sessions() {
		pending += strings.Join(s.Prompts.Pending(), "")
	}
	images.Loaded(a, func(t rune) bool { // the user's own are not dropped
		return t == a.Token || !slices.Contains(c.hub.images, t) || strings.ContainsRune(pending, t)
	})
	return a.Token
}

// plain returns the text of a prompt without its images.
func plain(text string) string { return strings.TrimSpace(withoutTokens(text)) }

func (c *client) cancel(r *request) {
	if f := c.session(r, r.session); f != nil {
		f.cancel(c)
	}
}
