package wire

import "parley/internal/jsonscan"

// ContentBlock is one piece of a message: text, image, audio, resource_link or
// resource. Any other type is kept in Raw.
type ContentBlock struct {
	Type        string       `json:"type"`
	Text        string       `json:"text,omitempty"` // as jsonscan.Piece: may hold halves of characters
	Data        string       `json:"data,omitempty"` // base64
	MimeType    string       `json:"mimeType,omitempty"`
	URI         string       `json:"uri,omitempty"`
	Name        string       `json:"name,omitempty"`
	Title       string       `json:"title,omitempty"`
	Description string       `json:"description,omitempty"`
	Size        *int64       `json:"size,omitempty"` // bytes
	Resource    *Resource    `json:"resource,omitempty"`
	Annotations *Annotations `json:"annotations,omitempty"`
	Raw         Raw          `json:"-"` // only for a type not listed above
}

// Resource is the embedded content of a resource block: Text or Blob (base64).
type Resource struct {
	URI      string  `json:"uri"`
	MimeType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     *string `json:"blob,omitempty"`
}

// Annotations say for whom a block is.
type Annotations struct {
	Audience []string `json:"audience,omitempty"`
}

// TextBlock is the text block that holds s. An empty text keeps its member.
func TextBlock(s string) any {
	return struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", s}
}

// DecodeContentBlock is lenient; false where raw is no object with a type.
func DecodeContentBlock(raw []byte) (ContentBlock, bool) {
	var b ContentBlock
	sound := true
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		switch string(m.Key) {
		case "type":
			b.Type = str(m.Value)
		case "text":
			b.Text, sound = jsonscan.Piece(m.Value)
		case "data":
			b.Data = str(m.Value)
		case "mimeType":
			b.MimeType = str(m.Value)
		case "uri":
			b.URI = str(m.Value)
		case "name":
			b.Name = str(m.Value)
		case "title":
			b.Title = str(m.Value)
		case "description":
			b.Description = str(m.Value)
		case "size":
			b.Size = optInt(m.Value)
		case "resource":
			b.Resource = decodeResource(m.Value)
		case "annotations":
			b.Annotations = decodeAnnotations(m.Value)
		}
	}
	if m.Err() != nil || b.Type == "" {
		return ContentBlock{}, false
	}
	switch b.Type {
	case "text":
		return b, sound
	case "image", "audio", "resource_link":
	case "resource":
		return b, b.Resource != nil
	default:
		b.Raw = keep(raw)
	}
	return b, true
}

func decodeResource(raw []byte) *Resource {
	var r Resource
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "uri":
			r.URI = str(v)
		case "mimeType":
			r.MimeType = str(v)
		case "text":
			r.Text = optStr(v)
		case "blob":
			r.Blob = optStr(v)
		}
	})
	if err != nil {
		return nil
	}
	return &r
}

func decodeAnnotations(raw []byte) *Annotations {
	var a Annotations
	err := fields(raw, func(key string, v []byte) {
		if key == "audience" {
			a.Audience, _ = list(v, jsonscan.Text)
		}
	})
	if err != nil {
		return nil
	}
	return &a
}
