package acpclient

import (
	"encoding/base64"
	"fmt"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/safetext"
	"parley/internal/words"
)

// wireBlock returns a block in the form in which it is sent.
func wireBlock(b event.Block) any {
	switch {
	case b.Image != nil:
		return struct {
			Type     string `json:"type"`
			Data     string `json:"data"`
			MimeType string `json:"mimeType"`
		}{"image", base64.StdEncoding.EncodeToString(b.Image), b.MimeType}
	case b.Content != nil:
		return struct {
			Type     string        `json:"type"`
			Resource wire.Resource `json:"resource"`
		}{"resource", wire.Resource{URI: b.URI, MimeType: b.MimeType, Text: b.Content}}
	case b.URI != "":
		link := map[string]string{"type": "resource_link", "uri": b.URI, "name": b.Name}
		if b.MimeType != "" {
			link["mimeType"] = b.MimeType
		}
		return link
	}
	return wire.TextBlock(b.Text)
}

// blockShown returns the text that the transcript shows for a block.
func blockShown(b event.Block) string {
	switch {
	case b.Image != nil:
		if b.Name != "" {
			return "[image " + safetext.Line(b.Name, 60) + " " + words.Bytes(len(b.Image)) + "]"
		}
		return imageShown(b.MimeType, len(b.Image))
	case b.URI != "":
		return "" // the text names it
	}
	return b.Text
}

// imageShown is made from what the messages say about an image, so that a log shows the
// same.
func imageShown(mime string, n int) string {
	return "[" + strings.Replace(mime, "/", " ", 1) + " " + words.Bytes(n) + "]"
}

// loggedSize returns the size of the data of an image in bytes. A log has the size in
// place of the data.
func loggedSize(data string) (n int) {
	if _, err := fmt.Sscanf(data, "[%d bytes]", &n); err == nil {
		return n
	}
	return base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(data, "=")))
}

// promptRequest returns the request and its text, safe to show.
func (s *Session) promptRequest(blocks []event.Block) (req wire.PromptRequest, shown string) {
	req.SessionID = s.id
	for _, b := range blocks {
		req.Prompt = append(req.Prompt, wireBlock(b))
		shown += blockShown(b)
	}
	return req, safetext.Clean(shown)
}
