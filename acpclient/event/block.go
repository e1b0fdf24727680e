package event

import "fmt"

// Block is one part of a prompt: a text, unless Image or URI says something else.
// Both versions know the same ones. What an agent takes besides texts and links
// is in the engine's AgentInfo; Prompt does not check it.
type Block struct {
	Text string // verbatim

	// URI makes it a resource link or, with Content, an embedded resource, which
	// only agents with EmbeddedContext take.
	URI     string
	Name    string // of the link, or of an image: the agent is not told that
	Content *string

	// Image is a picture's file, as bytes: only for agents with Image. The
	// session reads it until the prompt is answered; it must not change.
	Image    []byte
	MimeType string // of the image, or of the resource where it is known
}

// ByteCount is a number of bytes as the label of an image shows it.
func ByteCount(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
