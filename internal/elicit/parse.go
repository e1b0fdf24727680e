package elicit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/internal/jsonscan"
	"parley/internal/safetext"
	"parley/internal/words"
)

// Parse reads a requestedSchema. It is as tolerant as the protocol asks: a missing or odd
// type means object, missing properties an empty form, and annotations or limits of the
// wrong type are ignored. Unknown properties become fields of kind Unknown. Errors are
// ErrSchema and ErrTooLarge.
func Parse(schema []byte) (Form, error) {
	if jsonscan.KindOf(schema) != jsonscan.Object || !json.Valid(schema) {
		return Form{}, fmt.Errorf("requestedSchema is no JSON object: %w", ErrSchema)
	}
	var form Form
	var properties, required []byte
	for m := jsonscan.MembersOf(schema); m.Next(); {
		switch string(m.Key) {
		case "title":
			form.Title = title(m.Value)
		case "description":
			form.Description = description(m.Value)
		case "properties":
			properties = m.Value
		case "required":
			required = m.Value
		}
	}
	p := parser{at: map[string]int{}}
	switch jsonscan.KindOf(properties) {
	case jsonscan.Object:
		if err := p.properties(properties); err != nil {
			return Form{}, err
		}
	case jsonscan.Invalid, jsonscan.Null: // absent
	default:
		return Form{}, fmt.Errorf("properties is no object: %w", ErrSchema)
	}
	p.require(required)
	form.Fields = p.fields
	return form, nil
}

// parser collects the fields of one form.
type parser struct {
	fields  []Field
	at      map[string]int // index of the field of a key
	options int
}

// properties reads the fields in order. A duplicate key replaces the earlier field in its
// place, as in other JSON readers.
func (p *parser) properties(raw []byte) error {
	for m := jsonscan.MembersOf(raw); m.Next(); {
		key := string(m.Key)
		if !utf8.Valid(m.Key) {
			key = string([]rune(key)) // as JSON will encode it
		}
		i, again := p.at[key]
		if !again && len(p.fields) == MaxFields || len(key) > maxKey {
			return fmt.Errorf("properties: %w", ErrTooLarge)
		}
		f, err := p.field(key, m.Value)
		if err != nil {
			return fmt.Errorf("property %s: %w", strconv.Quote(safetext.Line(key, 40)), err)
		}
		if again {
			p.fields[i] = f
			continue
		}
		p.at[key] = len(p.fields)
		p.fields = append(p.fields, f)
	}
	return nil
}

func (p *parser) require(raw []byte) {
	if jsonscan.KindOf(raw) != jsonscan.Array {
		return
	}
	for t := jsonscan.ItemsOf(raw); t.Next(); {
		if name, ok := jsonscan.Text(t.Value); ok {
			if i, known := p.at[name]; known {
				p.fields[i].Required = true
			}
		}
	}
}

// property is the schema of one field before it is interpreted.
type property struct {
	typ                                  string
	enum, oneOf, items, def, pattern     []byte
	minLength, maxLength, format         []byte
	minimum, maximum, minItems, maxItems []byte
}

func (p *parser) field(key string, raw []byte) (Field, error) {
	f := Field{Key: key}
	var prop property
	for m := jsonscan.MembersOf(raw); m.Next(); {
		switch string(m.Key) {
		case "title":
			f.Title = title(m.Value)
		case "description":
			f.Description = description(m.Value)
		default:
			prop.set(string(m.Key), m.Value)
		}
	}
	if f.Title == "" {
		f.Title = labelOf(key)
	}
	if err := p.interpret(&f, prop); err != nil {
		return f, err
	}
	if f.Kind == Unknown {
		f = Field{Key: key, Title: f.Title, Description: f.Description}
	}
	f.Secret = secret(f)
	return f, nil
}

func (p *property) set(key string, value []byte) {
	switch key {
	case "type":
		p.typ, _ = jsonscan.Text(value)
	case "enum":
		p.enum = value
	case "oneOf":
		p.oneOf = value
	case "items":
		p.items = value
	case "default":
		p.def = value
	case "pattern":
		p.pattern = value
	case "format":
		p.format = value
	case "minLength":
		p.minLength = value
	case "maxLength":
		p.maxLength = value
	case "minimum":
		p.minimum = value
	case "maximum":
		p.maximum = value
	case "minItems":
		p.minItems = value
	case "maxItems":
		p.maxItems = value
	}
}

// interpret sets the kind of the field and what belongs to it; the kind stays Unknown if
// it cannot.
func (p *parser) interpret(f *Field, prop property) (err error) {
	switch prop.typ {
	case "boolean":
		f.Kind = Bool
		switch string(prop.def) {
		case "true":
			f.Default = true
		case "false":
			f.Default = false
		}
	case "number", "integer":
		f.number(prop)
	case "string":
		return p.text(f, prop)
	case "array":
		ok := false
		if ok, err = p.items(f, prop.items); !ok || err != nil {
			return err
		}
		f.Kind = MultiSelect
		f.MinItems, f.MaxItems = count(prop.minItems), count(prop.maxItems)
		f.defaultItems(prop.def)
	}
	return nil
}

func (f *Field) number(prop property) {
	f.Kind = Number
	f.Min, f.Max = number(prop.minimum), number(prop.maximum)
	if prop.typ == "integer" {
		f.Kind = Integer
		if n, ok := jsonscan.Int(prop.def); ok {
			f.Default = n
		}
	} else if n := number(prop.def); n != nil {
		f.Default = *n
	}
}

func (p *parser) text(f *Field, prop property) (err error) {
	ok := true
	switch {
	case present(prop.oneOf):
		f.Options, ok, err = p.choices(prop.oneOf, true)
		f.Kind = Select
	case present(prop.enum):
		f.Options, ok, err = p.choices(prop.enum, false)
		f.Kind = Select
	default:
		f.Kind = Text
		f.MinLength, f.MaxLength = count(prop.minLength), count(prop.maxLength)
		if s, is := jsonscan.Text(prop.format); is {
			f.Format = safetext.Line(words.Clip(s, maxTitle), maxTitle)
		}
		if s, is := jsonscan.Text(prop.pattern); is {
			f.Pattern = s
			f.pattern, f.steps = compile(s)
		}
	}
	if !ok {
		f.Kind = Unknown
	}
	if s, is := jsonscan.Text(prop.def); is && len(s) <= maxValue {
		if f.Kind == Text {
			f.Default = safetext.Clean(s)
		} else if f.has(s) {
			f.Default = s
		}
	}
	return err
}

// items reads the choices of an array: items of type string with an enum, or items with
// anyOf and no type.
func (p *parser) items(f *Field, raw []byte) (ok bool, err error) {
	if jsonscan.KindOf(raw) != jsonscan.Object {
		return false, nil
	}
	var typ, enum, anyOf []byte
	for m := jsonscan.MembersOf(raw); m.Next(); {
		switch string(m.Key) {
		case "type":
			typ = m.Value
		case "enum":
			enum = m.Value
		case "anyOf":
			anyOf = m.Value
		}
	}
	switch {
	case typ != nil && !jsonscan.Is(typ, "string"):
		return false, nil
	case present(anyOf):
		f.Options, ok, err = p.choices(anyOf, true)
	case present(enum) && typ != nil:
		f.Options, ok, err = p.choices(enum, false)
	}
	return ok, err
}

// choices reads options, each a string or, if titled, an object with const. ok is false if
// one is neither, since no answer could name it.
func (p *parser) choices(raw []byte, titled bool) (options []Option, ok bool, err error) {
	if jsonscan.KindOf(raw) != jsonscan.Array {
		return nil, false, nil
	}
	seen := map[string]bool{}
	for t := jsonscan.ItemsOf(raw); t.Next(); {
		var o Option
		value := t.Value
		if titled {
			if jsonscan.KindOf(t.Value) != jsonscan.Object {
				return nil, false, nil
			}
			value = nil
			for m := jsonscan.MembersOf(t.Value); m.Next(); {
				switch string(m.Key) {
				case "const":
					value = m.Value
				case "title":
					o.Title = title(m.Value)
				case "description":
					o.Description = description(m.Value)
				}
			}
		}
		if o.Value, ok = jsonscan.Text(value); !ok {
			return nil, false, nil
		}
		if p.options++; p.options > MaxOptions || len(o.Value) > maxValue {
			return nil, false, fmt.Errorf("options: %w", ErrTooLarge)
		}
		if seen[o.Value] {
			continue
		}
		seen[o.Value] = true
		if o.Title == "" {
			o.Title = labelOf(o.Value)
		}
		options = append(options, o)
	}
	return options, true, nil
}

// defaultItems keeps the initial choices that are among the options.
func (f *Field) defaultItems(raw []byte) {
	if jsonscan.KindOf(raw) != jsonscan.Array {
		return
	}
	options := map[string]bool{}
	for _, o := range f.Options {
		options[o.Value] = true
	}
	var chosen []string
	for t := jsonscan.ItemsOf(raw); t.Next(); {
		if s, ok := jsonscan.Text(t.Value); ok && options[s] && !slices.Contains(chosen, s) {
			chosen = append(chosen, s)
			options[s] = false // each once
		}
	}
	if chosen != nil {
		f.Default = chosen
	}
}

// present reports whether a member exists; null means absent.
func present(raw []byte) bool { return raw != nil && string(raw) != "null" }

// title returns a raw string as one safe line, "" for anything else.
func title(raw []byte) string {
	s, _ := jsonscan.Text(raw)
	return safetext.Line(words.Clip(s, 8*maxTitle), maxTitle)
}

// description returns a raw string made safe, "" for anything else.
func description(raw []byte) string {
	s, _ := jsonscan.Text(raw)
	s = strings.TrimSpace(safetext.Clean(words.Clip(s, 8*maxDescription)))
	n := 0
	for i := range s {
		if n++; n == maxDescription {
			return s[:i] + "…"
		}
	}
	return s
}

// labelOf returns what to show for a key or value without a title.
func labelOf(s string) string {
	if t := safetext.Line(words.Clip(s, 8*maxTitle), maxTitle); t != "" {
		return t
	}
	return "(no name)"
}

// count reads a length, nil if raw is not one.
func count(raw []byte) *int {
	n, ok := jsonscan.Int(raw)
	if !ok || n < 0 || n > 1<<31-1 {
		return nil
	}
	i := int(n)
	return &i
}

func number(raw []byte) *float64 {
	if jsonscan.KindOf(raw) != jsonscan.Number {
		return nil
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return nil
	}
	return &x
}
