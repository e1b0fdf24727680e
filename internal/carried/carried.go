// Package carried is what goes with a prompt besides the user's words: the output of the user's own commands, and a
// conversation from another session. Each is a fenced block that tells the model what it is, and by which it is
// recognised, also in a replayed prompt.
package carried

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/internal/words"
)

// kinds are the kinds of blocks that are sent with a prompt: how each begins, and the first line
// in its fence.
var kinds = []struct{ intro, sign string }{{shellIntro, shellSign}, {conversationIntro, ""}}

// Begins reports whether a prompt seems to begin with a block that was sent with it.
func Begins(text []byte) bool {
	for _, k := range kinds {
		if bytes.HasPrefix(text, []byte(k.intro)) {
			return true
		}
	}
	return false
}

// Split separates the blocks that were sent with a prompt, from Shell and Conversation,
// from its text.
func Split(text string) (blocks []string, rest string) {
	for {
		n := blockLen(text)
		if n == 0 {
			return blocks, text
		}
		blocks, text = append(blocks, text[:n]), text[n:]
	}
}

// blockLen returns the size of the block that a text begins with; 0 if it begins with none.
func blockLen(text string) int {
	for _, k := range kinds {
		rest, ok := strings.CutPrefix(text, k.intro)
		if !ok {
			continue
		}
		first, _, ok := strings.Cut(rest, "\n")
		fence := first[:len(first)-len(strings.TrimLeft(first, "`"))]
		if !ok || len(fence) < 3 || !strings.HasPrefix(rest[len(first)+1:], k.sign) {
			return 0
		}
		_, after, ok := strings.Cut(rest[len(first):], "\n"+fence+"\n\n")
		ended, after, more := strings.Cut(after, "\n\n")
		if !ok || !more || strings.Contains(ended, "\n") {
			return 0
		}
		return len(text) - len(after)
	}
	return 0
}

// Line describes blocks that are sent with a prompt on one line.
func Line(blocks ...string) string {
	last := blocks[len(blocks)-1]
	line := shellLine(last)
	if rest, ok := strings.CutPrefix(last, conversationIntro); ok {
		line = conversationLine(rest)
	}
	if n := len(blocks); n > 1 {
		line += fmt.Sprintf(", and %d more", n-1)
	}
	return line
}

// shellLine describes a block of Shell.
func shellLine(block string) string {
	rest := strings.TrimPrefix(block, shellIntro)
	first, rest, _ := strings.Cut(rest, "\n")
	command, _, _ := strings.Cut(strings.TrimPrefix(rest, shellSign), "\n")
	_, count, _ := strings.Cut(first, "console ")
	if n, err := strconv.Atoi(count); n > 0 && err == nil {
		return "output of " + command + " (" + words.Count(n, "line") + ")"
	}
	return command + " (no output)"
}

// Blocks are what goes with the next prompt, in order.
type Blocks []string

// Add adds a block.
func (b *Blocks) Add(block string) { *b = append(*b, block) }

// Return adds the blocks that went with a prompt which the user has got back.
func (b *Blocks) Return(blocks []string) { *b = append(slices.Clip(blocks), *b...) }

// Drop removes the newest block; false if there is none.
func (b *Blocks) Drop() bool {
	n := len(*b)
	if n > 0 {
		*b = (*b)[:n-1]
	}
	return n > 0
}
