package wire

import "parley/internal/jsonscan"

// ContentBlock is one piece of a message: text, image, audio, resource_link or resource.
// Other types are kept in Raw.
type ContentBlock struct {
	Type     string
	Text     string // as jsonscan.PartialText: may start or end with an incomplete character
	Data     string // base64
	MimeType string
	URI      string
	Name     string
	Title    string
	Resource *Resource
	Raw      Raw // only for types not listed above
}

// Resource is the embedded content of a resource block: Text or Blob (base64).
type Resource struct {
	URI      string  `json:"uri"`
	MimeType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     *string `json:"blob,omitempty"`
}

// TextBlock returns the text block that holds s. An empty text keeps its member.
func TextBlock(s string) any {
	return struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", s}
}

var blockMembers = object(
	optional("type", text, func(b *ContentBlock) *string { return &b.Type }),
	strict("text", piece, func(b *ContentBlock) *string { return &b.Text }),
	optional("data", text, func(b *ContentBlock) *string { return &b.Data }),
	optional("mimeType", text, func(b *ContentBlock) *string { return &b.MimeType }),
	optional("uri", text, func(b *ContentBlock) *string { return &b.URI }),
	optional("name", text, func(b *ContentBlock) *string { return &b.Name }),
	optional("title", text, func(b *ContentBlock) *string { return &b.Title }),
	optional("resource", pointer(resource.value), func(b *ContentBlock) **Resource { return &b.Resource }),
)

var resource = object(
	optional("uri", text, func(r *Resource) *string { return &r.URI }),
	optional("mimeType", text, func(r *Resource) *string { return &r.MimeType }),
	optional("text", pointer(text), func(r *Resource) **string { return &r.Text }),
	optional("blob", pointer(text), func(r *Resource) **string { return &r.Blob }),
)

// block decodes a ContentBlock of any type. A resource must have its content.
func block(c *jsonscan.Cursor, b *ContentBlock) bool {
	start := c.Pos()
	if !blockMembers.value(c, b) {
		return false
	}
	switch b.Type {
	case "text", "image", "audio", "resource_link":
	case "resource":
		return b.Resource != nil
	case "":
		return false
	default:
		b.Raw = keep(c.From(start))
	}
	return true
}

// piece decodes a string that is a piece of a longer text.
func piece(c *jsonscan.Cursor, s *string) bool {
	t, ok := jsonscan.PartialText(c.Value())
	if ok {
		*s = t
	}
	return ok
}
