package carried

import (
	"fmt"
	"strconv"
	"strings"
)

// The text around a command.
const (
	shellIntro = "I ran this command myself:\n\n"
	shellSign  = "$ "
)

// maxOutput is how much of a command's output is sent with a prompt, in bytes.
const maxOutput = 20_000

// Command is a command that the user ran. Output is what it wrote, as text; Rows counts its lines, also those that are
// Lost: their text is no longer known. Ended says how it ended, as a sentence.
type Command struct {
	Line   string
	Output string
	Rows   int
	Lost   bool
	Ended  string
}

// Shell returns the block of a command: its output is cut in the middle if it is long.
func Shell(c Command) string {
	text := c.Output
	if len(text) > maxOutput {
		const head = maxOutput / 4
		tail := len(text) - (maxOutput - head)
		left := text[head:tail]
		text = fmt.Sprintf("%s\n… %d lines, %d bytes omitted …\n%s", strings.ToValidUTF8(text[:head], ""), strings.Count(left, "\n")+1, len(left), strings.ToValidUTF8(text[tail:], ""))
	}
	if c.Lost {
		text = "… earlier output omitted …\n" + text
	}
	fence := fenceFor(text + "\n" + c.Line)
	if text != "" {
		text += "\n"
	}
	return shellIntro + fence + "console " + strconv.Itoa(c.Rows) + "\n" + shellSign + c.Line + "\n" + text + fence + "\n\n" + c.Ended + "\n\n"
}

// fenceFor returns a fence that the text does not contain.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
