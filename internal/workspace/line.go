package workspace

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/closest"
	"parley/internal/safetext"
)

// AgentCommand is the prefix of a line that is a command of the agent's: "/agent:review" sends "/review",
// although parley has a command of that name.
const AgentCommand = "/agent:"

// CommandWord returns the word after the slash if a line looks like a command, else "". A path such as
// "/usr/bin/x is broken" does not.
func CommandWord(line string) string {
	name, ok := strings.CutPrefix(line, "/")
	if end := strings.IndexFunc(name, unicode.IsSpace); end >= 0 {
		name = name[:end]
	}
	first, _ := utf8.DecodeRuneInString(name)
	if !ok || strings.Contains(name, "/") || !unicode.IsLetter(first) && !unicode.IsDigit(first) {
		return ""
	}
	return name
}

// ForAgent returns the line to type so that a prompt is sent as it is. A space keeps "!" from running a command.
func ForAgent(prompt string) string {
	if strings.HasPrefix(prompt, "!") {
		return " " + prompt
	}
	if CommandWord(prompt) == "" {
		return prompt
	}
	return AgentCommand + prompt[1:]
}

// forAgent reports whether a line is sent to the agent whatever parley makes of its command.
func forAgent(line string) bool {
	name, ok := strings.CutPrefix(CommandWord(line), AgentCommand[1:])
	return ok && name != ""
}

// sentText returns what is sent for a line.
func sentText(line string) string {
	if forAgent(line) {
		return "/" + line[len(AgentCommand):]
	}
	return line
}

// IsCommand reports whether a line must be resolved before it is sent: it may name a command of parley's,
// a template, or nothing.
func IsCommand(line string) bool { return CommandWord(line) != "" && !forAgent(line) }

// NoCommand says that a line looks like a command and is none of the names, and which of them was probably
// meant; "" if it is one of them, or a prompt.
func NoCommand(line string, names []string) string {
	word := CommandWord(line)
	if !IsCommand(line) || slices.Contains(names, word) {
		return ""
	}
	what := "No command /" + safetext.Line(word, 60)
	if meant := closest.Name(word, names); meant != "" {
		what += " (did you mean /" + meant + "?)"
	}
	return what
}
