package event

import "fmt"

// Block is one part of a prompt: a text, unless Image or URI is set. Both versions have
// the same blocks. AgentInfo says what an agent accepts besides texts and links; Prompt
// does not check it.
type Block struct {
	Text string // verbatim

	// URI makes it a resource link or, with Content, an embedded resource, which only
	// agents with EmbeddedContext accept.
	URI     string
	Name    string // of the link or the image; the agent does not get that of an image
	Content *string

	// Image is the content of an image file, for agents with Image only. The session
	// reads it until the prompt is answered, so it must not change.
	Image    []byte
	MimeType string // of the image, or of the resource if known
}

// ByteCount formats a number of bytes for the label of an image.
func ByteCount(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
