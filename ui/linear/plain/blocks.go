package plain

import (
	"strings"

	"parley/internal/safetext"
)

// indentOf returns the width of a line's indentation, in columns, and the rest of the line.
func indentOf(line string) (columns int, rest string) {
	for i := range len(line) {
		switch line[i] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		case '\r':
		default:
			return columns, line[i:]
		}
	}
	return columns, ""
}

// unindented removes at most that many columns of indentation.
func unindented(line string, columns int) string {
	at := 0
	for i := range len(line) {
		if at >= columns || line[i] != ' ' && line[i] != '\t' {
			return line[i:]
		}
		if at++; line[i] == '\t' {
			at += 3 - (at-1)%4
		}
	}
	return ""
}

// marker splits a line into the marker of a list item and its content.
func marker(line string) (mark, content string, ok bool) {
	n := 0
	for n < len(line) && n < 9 && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	switch {
	case n >= len(line):
		return "", "", false
	case n > 0 && (line[n] == '.' || line[n] == ')'), n == 0 && strings.IndexByte("-*+", line[0]) >= 0:
		n++
	default:
		return "", "", false
	}
	if n < len(line) && line[n] != ' ' && line[n] != '\t' {
		return "", "", false
	}
	return line[:n], strings.TrimLeft(line[n:], " \t"), true
}

// heading returns the level of a heading that begins with #, 0 for other lines.
func heading(line string) int {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	if n == 0 || n > 6 || n < len(line) && line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	return n
}

// rule reports whether a line is a thematic break.
func rule(line string) bool {
	line = strings.NewReplacer(" ", "", "\t", "", "\r", "").Replace(line)
	return len(line) >= 3 && strings.IndexByte("-*_", line[0]) >= 0 && strings.Trim(line, line[:1]) == ""
}

// fenceOpens reports whether a line opens a code fence.
func fenceOpens(line string) bool {
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return false
	}
	return line[0] == '~' || !strings.Contains(strings.TrimLeft(line, "`"), "`")
}

// codeNames maps the word after a fence to the spoken name of the language.
var codeNames = map[string]string{"go": "Go", "js": "JavaScript", "javascript": "JavaScript", "ts": "TypeScript", "typescript": "TypeScript", "tsx": "TypeScript",
	"jsx": "JavaScript", "py": "Python", "python": "Python", "sh": "shell", "bash": "shell", "shell": "shell", "zsh": "shell", "console": "console", "rs": "Rust", "rust": "Rust",
	"c": "C", "cpp": "C++", "c++": "C++", "cs": "C#", "csharp": "C#", "java": "Java", "kotlin": "Kotlin", "rb": "Ruby", "ruby": "Ruby", "php": "PHP",
	"json": "JSON", "yaml": "YAML", "yml": "YAML", "toml": "TOML", "xml": "XML", "html": "HTML", "css": "CSS", "sql": "SQL", "md": "Markdown", "markdown": "Markdown",
	"diff": "diff", "text": "text", "txt": "text"}

// codeName returns ", Go" for the info string of a fence, "" for an unknown language.
func codeName(info string) string {
	words := strings.Fields(info)
	if len(words) == 0 {
		return ""
	}
	name := strings.Trim(words[0], "{}.")
	if known := codeNames[strings.ToLower(name)]; known != "" {
		return ", " + known
	}
	if name = safetext.Line(name, 30); name == "" {
		return ""
	}
	return ", " + name
}

// codeLine returns a line of code as it is printed.
func codeLine(s string) string {
	return strings.ReplaceAll(safetext.Clean(strings.TrimSuffix(s, "\r")), "\n", " ")
}
