package permissions

import "strings"

// sedHarmless reports whether a sed script only prints, deletes and replaces. Other commands
// may read and write files and run programs.
func sedHarmless(script string) bool {
	s := sedScript{rest: script}
	for {
		s.skip(" \t;\n")
		if s.rest == "" {
			return script != ""
		}
		if !s.command() {
			return false
		}
		s.skip(" \t")
		if s.rest != "" && s.rest[0] != ';' && s.rest[0] != '\n' {
			return false
		}
	}
}

// sedScript is the rest of a script. Where implementations disagree on the end of a text, as
// with the delimiter in a bracket, nothing is accepted.
type sedScript struct{ rest string }

func (s *sedScript) skip(chars string) { s.rest = strings.TrimLeft(s.rest, chars) }

// next consumes one of these characters, if it is next.
func (s *sedScript) next(chars string) bool {
	if s.rest == "" || !strings.Contains(chars, s.rest[:1]) {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// command consumes a command with its addresses.
func (s *sedScript) command() bool {
	if s.address() {
		s.skip(" ")
		if s.next(",") {
			s.skip(" ")
			s.next("+~")
			if !s.address() {
				return false
			}
		}
		s.skip(" ")
		if s.next("!") {
			s.skip(" ")
		}
	}
	switch {
	case s.next("pdq="):
		return true
	case s.next("s"):
		return s.substitution()
	}
	return false
}

func (s *sedScript) address() bool {
	switch {
	case s.next("$"):
		return true
	case s.next("/"):
		return s.text('/', true)
	}
	before := s.rest
	s.skip("0123456789")
	return s.rest != before
}

func (s *sedScript) substitution() bool {
	if s.rest == "" || !strings.Contains("/|#,:@!%_+", s.rest[:1]) {
		return false
	}
	end := s.rest[0]
	s.rest = s.rest[1:]
	if !s.text(end, true) || !s.text(end, false) {
		return false
	}
	s.skip("gpiIm0123456789")
	return true
}

// text consumes a text up to its delimiter. In a pattern some implementations allow the
// delimiter in brackets.
func (s *sedScript) text(end byte, pattern bool) bool {
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '\n':
			return false
		case c == '\\':
			if i++; i == len(s.rest) || s.rest[i] == '\n' {
				return false
			}
		case c == end:
			s.rest = s.rest[i+1:]
			return true
		case c == '[' && pattern:
			n := bracket(s.rest[i:])
			if n == 0 || strings.IndexByte(s.rest[i:i+n], end) >= 0 || strings.ContainsAny(s.rest[i:i+n], "\\\n") {
				return false
			}
			i += n - 1
		}
	}
	return false
}

// bracket returns the length of the bracket that begins a pattern; 0 if it does not end.
func bracket(s string) int {
	i := 1
	if strings.HasPrefix(s[i:], "^") {
		i++
	}
	if strings.HasPrefix(s[i:], "]") {
		i++
	}
	for i < len(s) {
		switch {
		case s[i] == ']':
			return i + 1
		case s[i] == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0:
			end := strings.Index(s[i+2:], s[i+1:i+2]+"]")
			if end < 0 {
				return 0
			}
			i += 2 + end + 2
		default:
			i++
		}
	}
	return 0
}
