package acpclient

import (
	"encoding/base64"
	"fmt"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// wireBlock is a block as it goes out.
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

// blockShown is what of a block stands in the transcript.
func blockShown(b event.Block) string {
	switch {
	case b.Image != nil:
		if b.Name != "" {
			return "[image " + safetext.Line(b.Name, 60) + " " + event.ByteCount(len(b.Image)) + "]"
		}
		return imageShown(b.MimeType, len(b.Image))
	case b.URI != "":
		return "" // the text names it
	}
	return b.Text
}

// imageShown is what is known of an image on the wire, too: a log shows the same.
func imageShown(mime string, n int) string {
	return "[" + strings.Replace(mime, "/", " ", 1) + " " + event.ByteCount(n) + "]"
}

// loggedSize is how many bytes the data of an image stand for, also where the log
// only says how many there were.
func loggedSize(data string) (n int) {
	if _, err := fmt.Sscanf(data, "[%d bytes]", &n); err == nil {
		return n
	}
	return base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(data, "=")))
}

// promptRequest is the request, and the text of it as it may be shown.
func (s *Session) promptRequest(blocks []event.Block) (req wire.PromptRequest, shown string) {
	req.SessionID = s.id
	for _, b := range blocks {
		req.Prompt = append(req.Prompt, wireBlock(b))
		shown += blockShown(b)
	}
	return req, safetext.Clean(shown)
}
