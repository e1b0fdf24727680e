package redact

import (
	"bytes"
	"strconv"
	"strings"

	"parley/internal/jsonscan"
)

// What is replaced in a message, beside what Text finds in any string of it:
//
//   - texts and numbers at or below a key that names a secret (secretName);
//   - the values of "env" and "headers", lists of {name, value} or objects;
//   - in "args", what Words finds, and in "command" what Command or Words finds;
//   - images and sounds beyond 4 KiB, by their size.
//
// Everything else, the order of keys and the way numbers and texts are written
// stay as they were; line ends between values become blanks.

const maxMedia = 4 << 10 // bytes of base64 that are kept

// scope is what holds for a value because of the keys above it.
type scope struct {
	secrecy secrecy
	listed  bool // an item of "env" or "headers": its "value" is secret
	mapped  bool // "env" or "headers" as an object: all its values are secret
	args    bool // an item of "args" or of a "command" that is a list
	command bool // a command line
	media   bool // a text that may be base64
}

// redactor copies JSON that json.Valid has accepted, which bounds its depth and
// lets it go on without checks of its own.
type redactor struct {
	in  []byte
	pos int
	out []byte
}

// JSON appends one sound JSON text to b, without secrets.
func JSON(b, sound []byte) []byte {
	r := redactor{in: sound, out: b}
	r.blank()
	r.value(scope{})
	return r.out
}

// blank copies white space; a line must stay one.
func (r *redactor) blank() {
	for ; r.pos < len(r.in); r.pos++ {
		switch c := r.in[r.pos]; c {
		case ' ', '\t':
			r.out = append(r.out, c)
		case '\n', '\r':
			r.out = append(r.out, ' ')
		default:
			return
		}
	}
}

func (r *redactor) value(s scope) {
	switch r.in[r.pos] {
	case '{':
		r.object(s)
	case '[':
		r.array(s)
	case '"':
		r.text(r.rawString(), s)
	default:
		r.literal(s)
	}
	r.blank()
}

// mark copies the punctuation at pos and the blanks after it.
func (r *redactor) mark() {
	r.out = append(r.out, r.in[r.pos])
	r.pos++
	r.blank()
}

func (r *redactor) object(s scope) {
	start := r.pos
	kind := unseen
	r.mark()
	for r.in[r.pos] != '}' {
		key := r.rawString()
		r.out = redactRaw(r.out, key, prose)
		r.blank()
		r.mark() // :
		in := s.member(keyName(key), r.in[r.pos])
		if in.media {
			r.media(start, &kind)
		} else {
			r.value(in)
		}
		if r.in[r.pos] == ',' {
			r.mark()
		}
	}
	r.out = append(r.out, '}')
	r.pos++
}

// media copies the text at pos, or its size if it is the long base64 of an image
// or a sound. start is where its object begins, kind what is known of it.
func (r *redactor) media(start int, kind *kind) {
	raw := r.rawString()
	if len(raw)-2 > maxMedia && *kind == unseen {
		*kind = kindOf(r.in[start:])
	}
	if len(raw)-2 > maxMedia && *kind == isMedia {
		r.out = append(r.out, `"[`+strconv.Itoa(decodedSize(raw))+` bytes]"`...)
	} else {
		r.text(raw, scope{media: true})
	}
	r.blank()
}

// member is the scope of the member called name whose value begins with first.
func (s scope) member(name []byte, first byte) scope {
	in := scope{secrecy: max(s.secrecy, secretName(name))}
	if s.mapped || s.listed && string(name) == "value" {
		in.secrecy = hidden
	}
	switch {
	case in.secrecy != public:
	case first == '"':
		in.media = string(name) == "data" || string(name) == "blob"
	case endsFold(name, "headers"), len(name) == len("env") && endsFold(name, "env"):
		in.listed, in.mapped = first == '[', first == '{'
	case string(name) == "args":
		in.args = first == '['
	case string(name) == "command", string(name) == "cmd", string(name) == "script":
		in.args, in.command = first == '[', first == '"'
	}
	return in
}

func (r *redactor) array(s scope) {
	r.mark()
	before := "" // the item before, where it may be a flag
	for r.in[r.pos] != ']' {
		if s.args && s.secrecy == public && r.in[r.pos] == '"' {
			before = r.argument(before)
			r.blank()
		} else {
			r.value(s)
			before = ""
		}
		if r.in[r.pos] == ',' {
			r.mark()
		}
	}
	r.out = append(r.out, ']')
	r.pos++
}

// argument copies the word of a command at pos, and returns it.
func (r *redactor) argument(before string) string {
	raw := r.rawString()
	word, ok := jsonscan.Text(raw)
	if safe := argument(before, word); ok && safe != word {
		r.out = AppendString(r.out, safe)
	} else {
		r.out = append(r.out, raw...)
	}
	return word
}

// rawString steps over the string at pos and returns it with its quotes.
func (r *redactor) rawString() []byte {
	start := r.pos
	for r.pos++; r.in[r.pos] != '"'; r.pos++ {
		if r.in[r.pos] == '\\' {
			r.pos++
		}
	}
	r.pos++
	return r.in[start:r.pos]
}

func (r *redactor) text(raw []byte, s scope) {
	if s.secrecy > public && len(raw) > 2 {
		r.out = append(r.out, `"`+Mark+`"`...)
		return
	}
	if s.listed { // ["NAME=value"]
		if text, ok := jsonscan.Text(raw); ok {
			if name, value, found := strings.Cut(text, "="); found && value != "" {
				r.out = AppendString(r.out, name+"="+Mark)
				return
			}
		}
	}
	m := prose
	if s.listed || s.command {
		m = command
	}
	r.out = redactRaw(r.out, raw, m)
}

func (r *redactor) literal(s scope) {
	start := r.pos
	for r.pos < len(r.in) && !strings.ContainsRune(",]} \t\r\n", rune(r.in[r.pos])) {
		r.pos++
	}
	raw := r.in[start:r.pos]
	if s.secrecy == hidden && jsonscan.KindOf(raw) == jsonscan.Number {
		r.out = append(r.out, `"`+Mark+`"`...)
		return
	}
	r.out = append(r.out, raw...)
}

// keyName is a key without its quotes.
func keyName(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	s, _ := jsonscan.Text(raw)
	return []byte(s)
}

// kind is what an object that holds base64 is.
type kind int

const (
	unseen kind = iota
	isMedia
	noMedia
)

// kindOf tells whether the object that text begins with is an image or a sound.
func kindOf(text []byte) kind {
	m := jsonscan.MembersOf(text)
	for m.Next() {
		switch string(m.Key) {
		case "type":
			if jsonscan.Is(m.Value, "image") || jsonscan.Is(m.Value, "audio") {
				return isMedia
			}
		case "mimeType":
			of, _ := jsonscan.Text(m.Value)
			if strings.HasPrefix(of, "image/") || strings.HasPrefix(of, "audio/") {
				return isMedia
			}
		}
	}
	return noMedia
}

// decodedSize is how many bytes a base64 string stands for.
func decodedSize(raw []byte) int {
	return len(bytes.TrimRight(raw[1:len(raw)-1], "=")) * 3 / 4
}
