package composer

import (
	"cmp"
	"slices"
	"strings"
)

// returnedPrompts holds the prompts that were returned unsent and are before the draft, in the
// order in which they were sent.
type returnedPrompts []returnedPrompt

type returnedPrompt struct {
	key  uint64 // grows with every prompt of the session
	text string
}

// text returns the part of the draft that was returned.
func (r returnedPrompts) text() string {
	var texts []string
	for _, p := range r {
		texts = append(texts, p.text)
	}
	return strings.Join(texts, "\n")
}

// ReturnPrompt puts an unsent prompt into the composer: before the draft, and among other
// returned prompts in the order in which they were sent.
func (c *Composer) ReturnPrompt(key uint64, text string) {
	draft, ok := strings.CutPrefix(c.Value(), c.returned.text())
	if ok {
		draft = strings.TrimPrefix(draft, "\n")
	} else { // the user has edited them: they are part of the draft now
		c.returned = nil
	}
	at, _ := slices.BinarySearchFunc(c.returned, key, func(r returnedPrompt, key uint64) int { return cmp.Compare(r.key, key) })
	c.returned = slices.Insert(c.returned, at, returnedPrompt{key, text})
	text = c.returned.text()
	if draft != "" {
		text += "\n" + draft
	}
	c.SetValue(text)
}
