package event

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

	// ID is whatever the caller knows the prompt by again, if it is returned. The agent does not get it.
	ID uint64
}
