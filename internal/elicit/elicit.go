// Package elicit understands what an agent asks with elicitation/create: forms,
// which are read from the restricted JSON schema of a request, checked and
// turned into the content of the answer, and links, which are judged before
// anyone opens them.
//
// The contract: Parse copies what it keeps, so the caller may reuse the bytes.
// A Form is not changed afterwards and may be shared between goroutines. What is
// called safe holds no control characters (see safetext); keys and option values
// are kept as the agent wrote them, for the answer, and are not safe to show.
// Nothing here blocks, opens or fetches anything, and all work is bounded: by
// the limits below, and for patterns by what they cost to match.
package elicit

import (
	"encoding/json"
	"errors"
	"regexp"
)

// ErrSchema reports a requestedSchema that is no form; the answer to the request
// is Invalid params.
var ErrSchema = errors.New("elicit: not a form")

// ErrTooLarge reports a form beyond the limits of this package. It is refused
// whole: an answer to a part of it would not be the user's answer.
var ErrTooLarge = errors.New("elicit: form too large")

// The limits of a form. Titles are counted in runes, the others in bytes unless
// they say what they count.
const (
	MaxFields  = 200
	MaxOptions = 5000 // in all fields together

	maxTitle       = 200
	maxDescription = 4000
	maxKey         = 1 << 10
	maxValue       = 64 << 10 // an option's value, a default, the schema of an unknown field
	maxPattern     = 4 << 10
)

// Kind is how a field is asked for.
type Kind int

// The kinds of fields. Unknown is a property of a type, or with choices, that
// this package does not know: it must not be shown as one of the others; the
// user may write raw JSON or decline.
const (
	Unknown Kind = iota
	Text
	Number
	Integer
	Bool
	Select
	MultiSelect
)

// The formats of texts that are checked. Others mean nothing to parley.
const (
	FormatEmail    = "email"
	FormatURI      = "uri"
	FormatDate     = "date"
	FormatDateTime = "date-time"
)

// Form is what the agent wants to know.
type Form struct {
	Title, Description string  // safe to show
	Fields             []Field // in the order of the JSON text
}

// Field is one property of a form.
type Field struct {
	Key                string // verbatim: the name in the answer, not safe to show
	Title, Description string // safe to show; the title is never empty
	Kind               Kind
	Required           bool

	// Default is what to begin with, nil for nothing: a string (Text, Select),
	// float64, int64, bool or []string. Texts are cleaned, so that what is sent
	// is what was seen; choices are among the options.
	Default any

	Options []Option // Select and MultiSelect

	MinLength, MaxLength *int // code points
	Pattern              string
	Format               string // safe to show; see the Format constants
	// Min and Max are inclusive; beyond 2^53 they are rounded.
	Min, Max           *float64
	MinItems, MaxItems *int

	// Secret says that the field seems to ask for a password or the like, which
	// the protocol forbids: warn the user.
	Secret bool

	// Raw is the property's schema, for Unknown fields; nil where it is too long
	// to show. Not safe to show.
	Raw json.RawMessage

	pattern *regexp.Regexp // nil where there is none or it cannot be checked
	steps   int            // what the pattern costs per byte at worst
}

// Option is one choice of a Select or MultiSelect.
type Option struct {
	Value              string // verbatim, not safe to show
	Title, Description string // safe to show
}

// has tells whether value is one of the options.
func (f Field) has(value string) bool {
	for _, o := range f.Options {
		if o.Value == value {
			return true
		}
	}
	return false
}
