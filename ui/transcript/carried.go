package transcript

import (
	"bytes"
	"fmt"
	"strings"
)

// carriedKinds are the kinds of blocks that are sent with a prompt: how each begins, and the first line
// in its fence.
var carriedKinds = []struct{ intro, sign string }{{carriedIntro, carriedSign}, {conversationIntro, ""}}

// carries reports whether a prompt seems to begin with a block that was sent with it.
func carries(text []byte) bool {
	for _, k := range carriedKinds {
		if bytes.HasPrefix(text, []byte(k.intro)) {
			return true
		}
	}
	return false
}

// SplitCarried separates the blocks that were sent with a prompt, from ShellBlock and Conversation,
// from its text.
func SplitCarried(text string) (carried []string, rest string) {
	for {
		n := carriedLen(text)
		if n == 0 {
			return carried, text
		}
		carried, text = append(carried, text[:n]), text[n:]
	}
}

// carriedLen returns the size of the block that a text begins with; 0 if it begins with none.
func carriedLen(text string) int {
	for _, k := range carriedKinds {
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

// CarriedLine describes blocks that are sent with a prompt on one line.
func CarriedLine(carried ...string) string {
	last := carried[len(carried)-1]
	line := shellLine(last)
	if rest, ok := strings.CutPrefix(last, conversationIntro); ok {
		line = conversationLine(rest)
	}
	if n := len(carried); n > 1 {
		line += fmt.Sprintf(", and %d more", n-1)
	}
	return line
}

// shellLine describes a block of ShellBlock.
func shellLine(carried string) string {
	rest := strings.TrimPrefix(carried, carriedIntro)
	first, rest, _ := strings.Cut(rest, "\n")
	command, _, _ := strings.Cut(strings.TrimPrefix(rest, carriedSign), "\n")
	_, count, _ := strings.Cut(first, "console ")
	switch count {
	case "0":
		count = "no output"
	case "1":
		count = "1 line"
	default:
		count += " lines"
	}
	return "! " + command + " (" + count + ")"
}
