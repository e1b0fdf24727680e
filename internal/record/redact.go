package record

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"parley/internal/jsonscan"
)

// What is replaced, in a message:
//
//   - texts and numbers at or below a key that names a secret (secretName);
//   - the values of "env" and "headers", lists of {name, value} or objects, and
//     what follows a flag like --token in "args";
//   - in any text: user and password of a URL, values of a query like ?token=,
//     PEM blocks of private keys (redacttext.go);
//   - images and sounds beyond 4 KiB, by their size.
//
// Everything else, the order of keys and the way numbers and texts are written
// stay as they were; line ends between values become blanks.
const redacted = "[redacted]"

const maxMedia = 4 << 10 // bytes of base64 that are kept

// scope is what holds for a value because of the keys above it.
type scope struct {
	secrecy secrecy
	listed  bool // an item of "env" or "headers": its "value" is secret
	mapped  bool // "env" or "headers" as an object: all its values are secret
	args    bool // "args": arguments of a command
	media   bool // a text that may be base64
}

// redactor copies JSON that json.Valid has accepted, which bounds its depth and
// lets it go on without checks of its own.
type redactor struct {
	in  []byte
	pos int
	out []byte
	// plain is where texts stand of which only what they say counts, while note;
	// it ends when a medium turns up that is long enough to be replaced.
	plain []span
	note  bool
}

// redactJSON appends one sound JSON text to b, without secrets.
func redactJSON(b, sound []byte) []byte {
	r := redactor{in: sound, out: b}
	r.all()
	return r.out
}

func (r *redactor) all() {
	r.blank()
	r.value(scope{})
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

// mark copies the punctuation at pos and the blanks behind it.
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
		r.out = append(r.out, key...)
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
		*kind, r.note = kindOf(r.in[start:]), false
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
	}
	return in
}

func (r *redactor) array(s scope) {
	r.mark()
	flag := false // the item before was a flag whose value this one is
	for r.in[r.pos] != ']' {
		in := s
		isText := r.in[r.pos] == '"'
		if s.args && flag && isText {
			in.secrecy = hidden
		}
		item := r.pos
		r.value(in)
		flag = s.args && isText && isFlag(r.in[item:r.pos])
		if r.in[r.pos] == ',' {
			r.mark()
		}
	}
	r.out = append(r.out, ']')
	r.pos++
}

// isFlag tells whether a raw text is a flag such as --token, without its value.
func isFlag(raw []byte) bool {
	arg, _ := jsonscan.Text(bytes.TrimSpace(raw))
	return strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") && secretName(arg) == hidden
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
		r.out = append(r.out, `"`+redacted+`"`...)
		return
	}
	if r.note && s == (scope{}) {
		r.plain = append(r.plain, span{r.pos - len(raw) + 1, r.pos - 1})
	}
	loose := s.listed || s.args
	if !loose && !mayHide(raw) {
		r.out = append(r.out, raw...)
		return
	}
	text, ok := jsonscan.Text(raw)
	clean := text
	if name, value, isVar := strings.Cut(text, "="); s.listed && isVar && value != "" { // ["NAME=value"]
		clean = name + "=" + redacted
	} else if loose {
		clean = redactLoose(text)
	} else {
		clean = redactText(text)
	}
	if !ok || clean == text {
		r.out = append(r.out, raw...)
		return
	}
	r.out = appendString(r.out, clean)
}

func (r *redactor) literal(s scope) {
	start := r.pos
	for r.pos < len(r.in) && !strings.ContainsRune(",]} \t\r\n", rune(r.in[r.pos])) {
		r.pos++
	}
	raw := r.in[start:r.pos]
	if s.secrecy == hidden && jsonscan.KindOf(raw) == jsonscan.Number {
		r.out = append(r.out, `"`+redacted+`"`...)
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

// endsFold tells whether name ends in the lower-case word, in whatever case.
func endsFold(name []byte, word string) bool {
	return len(name) >= len(word) && strings.EqualFold(string(name[len(name)-len(word):]), word)
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

// appendString appends s as a JSON string that keeps <, > and &.
func appendString(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
