package markdown

import "strings"

// fenceMark is an opening code fence.
type fenceMark struct {
	char   byte // '`' or '~'; 0: no fence
	size   int  // of the marker, at least 3
	indent int  // columns before it
}

// indentOf returns the columns of white space at the start of line, and the bytes
// they take.
func indentOf(line string) (columns, size int) {
	for size < len(line) {
		switch line[size] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns, size
		}
		size++
	}
	return columns, size
}

func isBlank(line string) bool { return strings.Trim(line, " \t\n\r") == "" }

// run returns how many bytes at the start of s are c.
func run(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// openingFence parses a line such as "```go"; size is 0 if line is none.
func openingFence(line string) (mark fenceMark, lang string) {
	indent, at := indentOf(line)
	s := line[at:]
	if indent > 3 || s == "" || s[0] != '`' && s[0] != '~' {
		return fenceMark{}, ""
	}
	n := run(s, s[0])
	info := strings.TrimSpace(s[n:])
	if n < 3 || s[0] == '`' && strings.IndexByte(info, '`') >= 0 {
		return fenceMark{}, ""
	}
	return fenceMark{char: s[0], size: n, indent: indent}, language(info)
}

// language returns the language an info string names.
func language(info string) string {
	info = strings.TrimPrefix(info, "{")
	info = strings.TrimPrefix(info, ".")
	if i := strings.IndexAny(info, " \t,{}:="); i >= 0 {
		info = info[:i]
	}
	if len(info) > 32 {
		return ""
	}
	return strings.Clone(info)
}

// closes reports whether line is the end of the fence.
func (m fenceMark) closes(line string) bool {
	indent, at := indentOf(line)
	s := line[at:]
	n := run(s, m.char)
	return indent <= m.indent+3 && n >= m.size && isBlank(s[n:])
}

// mayClose reports whether line could still become the end of the fence.
func (m fenceMark) mayClose(line string) bool {
	indent, at := indentOf(line)
	s := line[at:]
	n := run(s, m.char)
	return indent <= m.indent+3 && n > 0 && isBlank(s[n:])
}

func isHeading(line string) bool {
	indent, at := indentOf(line)
	s := line[at:]
	n := run(s, '#')
	return indent <= 3 && n >= 1 && n <= 6 && (n == len(s) || s[n] == ' ' || s[n] == '\t')
}

func isRule(line string) bool {
	indent, at := indentOf(line)
	s := line[at:]
	if indent > 3 || s == "" || s[0] != '-' && s[0] != '*' && s[0] != '_' {
		return false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case s[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// isUnderline reports the second line of a setext heading.
func isUnderline(line string) bool {
	indent, at := indentOf(line)
	s := strings.TrimRight(line[at:], " \t")
	return indent <= 3 && s != "" && (run(s, '=') == len(s) || run(s, '-') == len(s))
}

// listItem parses the marker of a list item. offset is the column where its
// content begins, 0 if line is no item; number is its number or -1.
func listItem(line string) (offset, number int, empty bool) {
	indent, at := indentOf(line)
	s := line[at:]
	if s == "" {
		return 0, 0, false
	}
	n, number := 0, -1
	for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
		number = max(number, 0)*10 + int(s[n]-'0')
		n++
	}
	if n == len(s) {
		return 0, 0, false
	}
	c := s[n]
	if n == 0 && c != '-' && c != '*' && c != '+' || n > 0 && c != '.' && c != ')' {
		return 0, 0, false
	}
	n++
	rest := s[n:]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, 0, false
	}
	blank, _ := indentOf(rest)
	if blank > 4 || isBlank(rest) {
		blank = 1
	}
	return indent + n + blank, number, isBlank(rest)
}

func isQuote(line string) bool {
	indent, at := indentOf(line)
	return indent <= 3 && at < len(line) && line[at] == '>'
}

// isReference reports a link reference definition: [label]: target.
func isReference(line string) bool {
	indent, at := indentOf(line)
	s := line[at:]
	if indent > 3 || s == "" || s[0] != '[' {
		return false
	}
	i := strings.Index(s, "]:")
	return i > 1 && !isBlank(s[i+2:]) && strings.IndexByte(s[1:i], '[') < 0
}

// blockTags are the HTML elements that start a block.
const blockTags = " address article aside blockquote body br center col colgroup dd details dialog dir div dl dt fieldset " +
	"figcaption figure footer form frame h1 h2 h3 h4 h5 h6 head header hr html iframe img legend li link main menu meta " +
	"nav ol optgroup option p param picture pre script section source style summary table tbody td textarea tfoot th " +
	"thead title tr track ul video "

// htmlEnd returns what ends the HTML block that line starts: "" a blank line;
// ok is false if line starts none.
func htmlEnd(line string) (end string, ok bool) {
	indent, at := indentOf(line)
	s := line[at:]
	if indent > 3 || len(s) < 3 || s[0] != '<' {
		return "", false
	}
	if strings.HasPrefix(s, "<!--") {
		return "-->", true
	}
	name := strings.TrimPrefix(s[1:], "/")
	n := 0
	for n < len(name) && n < 16 && (name[n]|0x20 >= 'a' && name[n]|0x20 <= 'z' || name[n] >= '0' && name[n] <= '9') {
		n++
	}
	if n == 0 || n < len(name) && !strings.ContainsRune(" \t/>", rune(name[n])) {
		return "", false
	}
	name = strings.ToLower(name[:n])
	switch name {
	case "pre", "script", "style", "textarea":
		if s[1] != '/' {
			return "</" + name, true
		}
	}
	return "", strings.Contains(blockTags, " "+name+" ")
}

// cells returns how many cells a table row has, at least 1.
func cells(row string) int {
	row = strings.TrimPrefix(strings.TrimSpace(row), "|")
	if strings.HasSuffix(row, "|") && !strings.HasSuffix(row, `\|`) {
		row = row[:len(row)-1]
	}
	n := 1
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case '|':
			n++
		}
	}
	return n
}

// isDelimiter reports the second row of a table: | --- | :-: |
func isDelimiter(line string) bool {
	indent, at := indentOf(line)
	s := line[at:]
	return indent <= 3 && strings.IndexByte(s, '-') >= 0 && strings.Trim(s, "|:- \t") == "" &&
		strings.ContainsAny(s, "|:")
}

// mayDelimit reports whether line could become a delimiter row that begins with a line.
func mayDelimit(line string) bool {
	indent, at := indentOf(line)
	s := line[at:]
	return indent <= 3 && strings.HasPrefix(s, "|") && strings.Trim(s, "|:- \t") == ""
}
