package acpclient

import (
	"encoding/json"
	"strconv"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
)

// content makes a block safe to show.
func content(b wire.ContentBlock) event.Content {
	c := event.Content{Name: safetext.Line(b.Name, maxTitle), URI: safetext.Line(b.URI, maxPhrase), MimeType: safetext.Line(b.MimeType, 80), Bytes: decodedSize(b.Data)}
	switch b.Type {
	case "text":
		return event.Content{Text: safetext.Clean(b.Text)}
	case "image":
		c.Kind = event.ImageContent
	case "audio":
		c.Kind = event.AudioContent
	case "resource_link":
		c.Kind = event.LinkContent
		if b.Title != "" {
			c.Name = safetext.Line(b.Title, maxTitle)
		}
	case "resource":
		c.Kind = event.ResourceContent
		c.URI, c.MimeType = safetext.Line(b.Resource.URI, maxPhrase), safetext.Line(b.Resource.MimeType, 80)
		if b.Resource.Text != nil {
			c.Text = safetext.Clean(*b.Resource.Text)
		}
		if b.Resource.Blob != nil {
			c.Bytes = decodedSize(*b.Resource.Blob)
		}
	default:
		c.Kind, c.Name, c.Text = event.UnknownContent, safetext.Line(b.Type, 80), shownJSON(b.Raw)
	}
	return c
}

// decodedSize returns about the size of base64 data. A log has the size in its place, as
// "[123 bytes]".
func decodedSize(data string) int {
	if size, ok := strings.CutPrefix(data, "["); ok {
		n, _ := strconv.ParseInt(strings.TrimSuffix(size, " bytes]"), 10, 32)
		return int(max(n, 0))
	}
	return len(data) / 4 * 3
}

// line returns p made safe to show on a line. Usually that is p itself.
func line(p *string, limit int) *string {
	if p == nil {
		return nil
	}
	s := safetext.Line(*p, limit)
	if s == *p {
		return p
	}
	safe := s
	return &safe
}

// shownRaw makes valid raw JSON safe to show: nil if it is absent, "" if it was cleared.
func shownRaw(raw wire.Raw) *string {
	if raw == nil {
		return nil
	}
	s := ""
	if !isNull(raw) {
		s = shownSound(raw)
	}
	return &s
}

func isNull(raw wire.Raw) bool { return string(raw) == "null" }

// shownJSON makes raw JSON safe to show and bounds it. Invalid JSON is quoted.
func shownJSON(raw []byte) string {
	if !jsonscan.Valid(raw) {
		quoted, _ := json.Marshal(string(raw[:min(len(raw), maxRaw)]))
		raw = quoted
	}
	return shownSound(raw)
}

func shownSound(raw []byte) string {
	if len(raw) > maxRaw {
		return safetext.Clean(string(raw[:maxRaw])) + "…"
	}
	return safetext.Clean(string(raw))
}
