package redact

import (
	"bytes"
	"strconv"
	"strings"

	"parley/internal/jsonscan"
)

// Besides the secrets that Text finds in any string, JSON replaces in a message:
//
//  - texts and numbers at or below a key that names a secret (secretName);
//  - the values of "env" and "headers", lists of {name, value} or objects;
//  - in "args", what Words finds, and in "command" what Command or Words finds;
//  - images and sounds over 4 KiB, by their size.
//
// Everything else, the order of keys and the notation of numbers and texts stays unchanged;
// line ends between values become spaces.

const maxMedia = 4 << 10 // longest base64 that is kept, in bytes

// scope is what the keys above a value say about it.
type scope struct {
	secrecy secrecy
	listed  bool   // an item of "env" or "headers": its "value" is secret
	mapped  bool   // "env" or "headers" as an object: all its values are secret
	args    bool   // an item of "args" or of a "command" that is a list
	program string // of "args": the "command" before them
	command bool   // a command line
	media   bool   // a text that may be base64
}

// redactor walks one JSON text and collects the edits.
type redactor struct {
	in    []byte
	at    jsonscan.Cursor // in in
	edits []edit          // in the order of the text
}

// edit replaces a value or a key. If with is nil, it stays unchanged.
type edit struct {
	from, to int
	with     []byte
}

// JSON appends a valid JSON text to b, without secrets.
func JSON(b, sound []byte) []byte {
	r := redactor{in: sound, at: jsonscan.CursorOf(sound)}
	r.value(scope{})
	start, done := len(b), 0
	for _, e := range r.edits {
		if e.with != nil {
			b = append(append(b, sound[done:e.from]...), e.with...)
			done = e.to
		}
	}
	b = append(b, sound[done:]...)
	for _, end := range []byte("\r\n") { // these are only between values; in a log each message is one line
		for rest := b[start:]; ; {
			i := bytes.IndexByte(rest, end)
			if i < 0 {
				break
			}
			rest[i] = ' '
			rest = rest[i+1:]
		}
	}
	return b
}

// replace replaces the value that the cursor has just passed, unless with is nil.
func (r *redactor) replace(raw, with []byte) {
	if with != nil {
		to := r.at.Pos()
		r.edits = append(r.edits, edit{to - len(raw), to, with})
	}
}

var marked = []byte(`"` + Mark + `"`)

// kind returns the kind of the next value.
func (r *redactor) kind() jsonscan.Kind { return jsonscan.KindOf(r.in[r.at.Pos():]) }

func (r *redactor) value(s scope) {
	switch r.kind() {
	case jsonscan.Object:
		r.object(s)
	case jsonscan.Array:
		r.array(s)
	case jsonscan.String:
		r.text(s)
	case jsonscan.Number:
		if raw := r.at.Value(); s.secrecy == hidden {
			r.replace(raw, marked)
		}
	default:
		r.at.Value()
	}
}

func (r *redactor) object(s scope) {
	var m media
	named, program := public, "" // what the members before say about "value" and "args"
	r.at.Enter()
	for before := r.at.Pos(); r.at.Key(); before = r.at.Pos() {
		r.key(before)
		kind := r.kind()
		in := s.member(r.at.Name, kind)
		switch name := string(r.at.Name); {
		case strings.EqualFold(name, "key"), strings.EqualFold(name, "name"):
			named = secretName(r.peek())
		case strings.EqualFold(name, "value"):
			in.secrecy = max(in.secrecy, named)
		case in.command:
			program = r.peek()
		case in.args && name == "args":
			in.program = program
		}
		switch {
		case in.media:
			m.add(r)
			continue
		case kind != jsonscan.String:
		case string(r.at.Name) == "type", string(r.at.Name) == "mimeType":
			m.is = m.is || r.namesMedia()
		}
		r.value(in)
	}
	m.end(r)
}

// peek returns the next value if it is a text that is no longer than a name can be.
func (r *redactor) peek() string {
	ahead := r.at
	if raw := ahead.Value(); len(raw) <= maxName && raw[0] == '"' {
		text, _ := jsonscan.Text(raw)
		return text
	}
	return ""
}

// key redacts the key that the cursor has passed since before, together with the comma
// before it and the colon after it.
func (r *redactor) key(before int) {
	passed := r.at.From(before)
	from, to := bytes.IndexByte(passed, '"'), bytes.LastIndexByte(passed, '"')+1
	if with := safeRaw(passed[from:to], prose); with != nil {
		start := r.at.Pos() - len(passed)
		r.edits = append(r.edits, edit{start + from, start + to, with})
	}
}

// member returns the scope of the member called name, whose value is of that kind.
func (s scope) member(name []byte, kind jsonscan.Kind) scope {
	in := scope{secrecy: max(s.secrecy, secretName(name))}
	if s.mapped || s.listed && string(name) == "value" {
		in.secrecy = hidden
	}
	switch {
	case in.secrecy != public:
	case kind == jsonscan.String && (string(name) == "data" || string(name) == "blob"):
		in.media = true
	case endsFold(name, "headers"), len(name) == len("env") && endsFold(name, "env"):
		in.listed, in.mapped = kind == jsonscan.Array, kind == jsonscan.Object
	case string(name) == "args":
		in.args = kind == jsonscan.Array
	case string(name) == "command", string(name) == "cmd", string(name) == "script":
		in.args, in.command = kind == jsonscan.Array, kind == jsonscan.String
	}
	return in
}

func (r *redactor) array(s scope) {
	if s.args && s.secrecy == public && r.arguments(s.program) {
		return
	}
	r.at.EnterArray()
	for r.at.Item() {
		r.value(s)
	}
}

// arguments redacts the words of a command, with its program before them if they lack it. It reports
// false, and has done nothing, if the next value is no list of texts.
func (r *redactor) arguments(program string) bool {
	var words []string
	if program != "" {
		words = append(words, program)
	}
	first, ahead := len(words), r.at
	ahead.EnterArray()
	for ahead.Item() {
		raw := ahead.Value()
		word, ok := jsonscan.Text(raw)
		if raw[0] != '"' || !ok {
			return false
		}
		words = append(words, word)
	}
	safe := Words(words)
	r.at.EnterArray()
	for i := first; r.at.Item(); i++ {
		if raw := r.at.Value(); safe[i] != words[i] {
			r.replace(raw, AppendString(nil, safe[i]))
		}
	}
	return true
}

func (r *redactor) text(s scope) {
	raw := r.at.Value()
	if isPlace := s.secrecy == unlessPath && len(raw) > len(`""`) && isPath(raw[1:]); s.secrecy > public && !isPlace {
		if len(raw) > len(`""`) {
			r.replace(raw, marked)
		}
		return
	}
	if s.listed { // ["NAME=value"]
		text, _ := jsonscan.Text(raw)
		if name, value, found := strings.Cut(text, "="); found && value != "" {
			r.replace(raw, AppendString(nil, name+"="+Mark))
			return
		}
	}
	m := prose
	if s.listed || s.command {
		m = command
	}
	r.replace(raw, safeRaw(raw, m))
}

// media collects long texts of an object. They are base64 if the object is an image or a
// sound, which a later member may reveal.
type media struct {
	is    bool
	edits []int // by their index in redactor.edits
	sizes []int // in bytes, decoded
}

// add redacts a text that may be base64.
func (m *media) add(r *redactor) {
	before := len(r.edits)
	after := r.at
	raw := after.Value()
	r.text(scope{})
	if len(raw)-len(`""`) <= maxMedia {
		return
	}
	if len(r.edits) == before { // an edit for end to fill in
		r.edits = append(r.edits, edit{r.at.Pos() - len(raw), r.at.Pos(), nil})
	}
	m.edits, m.sizes = append(m.edits, before), append(m.sizes, decodedSize(raw))
}

// namesMedia reports whether the next value is the type of an image or a sound.
func (r *redactor) namesMedia() bool {
	ahead := r.at
	kind, _ := jsonscan.Text(ahead.Value())
	return kind == "image" || kind == "audio" || strings.HasPrefix(kind, "image/") || strings.HasPrefix(kind, "audio/")
}

// end replaces the texts of an image or a sound by their sizes.
func (m *media) end(r *redactor) {
	if !m.is {
		return
	}
	for i, at := range m.edits {
		r.edits[at].with = []byte(`"[` + strconv.Itoa(m.sizes[i]) + ` bytes]"`)
	}
}

// decodedSize returns the length of a base64 string after decoding.
func decodedSize(raw []byte) int {
	return len(bytes.TrimRight(raw[1:len(raw)-1], "=")) * 3 / 4
}
