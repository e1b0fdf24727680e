// Package elicit parses what an agent asks with elicitation/create: forms, which it reads
// from the restricted JSON schema of a request, validates and turns into the content of the
// answer, and links, which it judges before anyone opens them.
//
// Parse copies what it keeps, so the caller may reuse the bytes. A Form is not changed
// afterwards and may be shared between goroutines. Text documented as safe contains no
// control characters (see safetext). Keys and option values are kept as the agent wrote
// them, for the answer, and are not safe to show. Nothing here blocks, opens or fetches
// anything, and all work is bounded: by the limits below, and for patterns by the cost of
// matching.
package elicit

import (
	"errors"
	"regexp"
)

// ErrSchema means that a requestedSchema is not a form; the answer to the request is
// Invalid params.
var ErrSchema = errors.New("elicit: not a form")

// ErrTooLarge means that a form exceeds the limits of this package. It is refused as a
// whole, because an answer to part of it would not be the user's answer.
var ErrTooLarge = errors.New("elicit: form too large")

// The limits of a form. Titles are counted in runes, the others in bytes unless stated.
const (
	MaxFields  = 200
	MaxOptions = 5000 // in all fields together

	maxTitle       = 200
	maxDescription = 4000
	maxKey         = 1 << 10
	maxValue       = 64 << 10 // an option's value, a default, the schema of an unknown field
	maxPattern     = 4 << 10
)

// Kind is the kind of a field.
type Kind int

// The kinds of fields. Unknown is a property with a type or choices that this package does
// not know. It must not be shown as one of the others; the user may write raw JSON or
// decline.
const (
	Unknown Kind = iota
	Text
	Number
	Integer
	Bool
	Select
	MultiSelect
)

// The formats of texts that are checked. parley ignores others.
const (
	FormatEmail    = "email"
	FormatURI      = "uri"
	FormatDate     = "date"
	FormatDateTime = "date-time"
)

// Form is what the agent asks for.
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

	// Default is the initial value, nil for none: a string (Text, Select), float64, int64,
	// bool or []string. Texts are cleaned, so that the user sees what is sent; choices are
	// among the options.
	Default any

	Options []Option // for Select and MultiSelect

	MinLength, MaxLength *int // code points
	Pattern              string
	Format               string // safe to show; see the Format constants
	// Min and Max are inclusive; beyond 2^53 they are rounded.
	Min, Max           *float64
	MinItems, MaxItems *int

	// Secret means that the field seems to ask for a password or the like, which the
	// protocol forbids: warn the user.
	Secret bool

	pattern *regexp.Regexp // nil if there is none or it cannot be checked
	steps   int            // worst cost of the pattern per byte
}

// Option is one choice of a Select or MultiSelect.
type Option struct {
	Value              string // verbatim, not safe to show
	Title, Description string // safe to show
}

// has reports whether value is one of the options.
func (f Field) has(value string) bool {
	for _, o := range f.Options {
		if o.Value == value {
			return true
		}
	}
	return false
}
