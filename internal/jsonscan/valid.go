package jsonscan

// maxDepth is the nesting depth that encoding/json accepts.
const maxDepth = 10_000

// Valid is json.Valid, several times as fast.
func Valid(data []byte) bool {
	end := validValue(data, skipSpace(data, 0), 0)
	return end >= 0 && skipSpace(data, end) == len(data)
}

// validValue returns the index after the value that starts at i, or -1.
func validValue(d []byte, i, depth int) int {
	if i >= len(d) {
		return -1
	}
	switch d[i] {
	case '"':
		return validString(d, i)
	case '{':
		return validNested(d, i+1, depth+1, '}')
	case '[':
		return validNested(d, i+1, depth+1, ']')
	}
	end := i
	for end < len(d) && !delimiter[d[end]] {
		end++
	}
	if !literal(d[i:end]) {
		return -1
	}
	return end
}

// validNested checks the members or items before the closing bracket shut and returns
// the index after it, or -1.
func validNested(d []byte, i, depth int, shut byte) int {
	if i = skipSpace(d, i); depth > maxDepth || i >= len(d) {
		return -1
	}
	if d[i] == shut {
		return i + 1
	}
	for {
		if shut == '}' {
			if i >= len(d) || d[i] != '"' {
				return -1
			}
			if i = validString(d, i); i < 0 {
				return -1
			}
			if i = skipSpace(d, i); i >= len(d) || d[i] != ':' {
				return -1
			}
			i = skipSpace(d, i+1)
		}
		if i = validValue(d, i, depth); i < 0 {
			return -1
		}
		if i = skipSpace(d, i); i >= len(d) {
			return -1
		}
		if d[i] == shut {
			return i + 1
		}
		if d[i] != ',' {
			return -1
		}
		i = skipSpace(d, i+1)
	}
}

// validString returns the index after the string that starts at i, or -1. Invalid UTF-8
// is accepted.
func validString(d []byte, i int) int {
	for i++; i < len(d); {
		if i += asciiRun(d[i:]); i >= len(d) {
			break
		}
		switch c := d[i]; {
		case c == '"':
			return i + 1
		case c < 0x20:
			return -1
		case c != '\\':
			i++
		case i+1 < len(d) && d[i+1] == 'u':
			if hex4(d[i:]) < 0 {
				return -1
			}
			i += 6
		case i+1 < len(d) && escapes[d[i+1]] != 0:
			i += 2
		default:
			return -1
		}
	}
	return -1
}

// literal reports whether b is a number, true, false or null.
func literal(b []byte) bool {
	switch string(b) {
	case "null", "true", "false":
		return true
	}
	return validNumber(b)
}

func validNumber(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	whole := digits(b)
	if whole == 0 || whole > 1 && b[0] == '0' {
		return false
	}
	if b = b[whole:]; len(b) > 0 && b[0] == '.' {
		n := digits(b[1:])
		if n == 0 {
			return false
		}
		b = b[1+n:]
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		if b = b[1:]; len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		n := digits(b)
		return n > 0 && n == len(b)
	}
	return len(b) == 0
}

// digits returns how many digits b starts with.
func digits(b []byte) int {
	for i, c := range b {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(b)
}
