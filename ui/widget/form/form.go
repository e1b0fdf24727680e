// Package form is a form: fields to fill in, and buttons.
package form

import (
	"errors"
	"slices"
	"strings"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/ui/widget/editor"
	"parley/ui/widget/list"
)

// Kind is how a field of a Form is filled in.
type Kind int

// The kinds of fields: text, a number (one line, without spaces around it), yes or no, one of the options, any of the
// options, and text of which the screen shows only the length.
const (
	FormText Kind = iota
	FormNumber
	FormBool
	FormSelect
	FormMulti
	FormSecret
)

// Choice is how a form was left.
type Choice int

// How a form can be left. It is FormOpen until then.
const (
	FormOpen Choice = iota
	FormSend
	FormDecline
	FormCancel
)

// FormOption is one option of a FormSelect or FormMulti. The texts are plain.
type FormOption struct {
	Label, Help string
}

// Value is the value of a field; its kind says which member has it. The zero Value is empty.
type Value struct {
	Text   string // FormText, FormNumber, FormSecret
	On     bool   // FormBool
	Chosen []int  // FormSelect (none or one) and FormMulti (ascending): indexes in Options
}

// Field describes one field. All texts are plain and have one row, except for Help, which wraps.
type Field struct {
	Label, Help string
	Warning     string // always shown with the field
	Kind        Kind
	OneLine     bool // FormText: pasted newlines become spaces
	// Required refuses an empty text or choice before Check is called.
	Required bool
	Options  []FormOption
	Value    Value // the default
	// Check says in one short sentence what is wrong with a value. It is called when the focus leaves the field and
	// before sending, and must be fast.
	Check func(Value) error
}

// maxFieldRows is how many rows a text, an open list or the options of a FormMulti may take before they scroll.
const maxFieldRows = 6

// Form is a list of fields above the buttons "Send · Decline · Cancel". It can be sent only after every field has been on
// the screen. Use [New].
type Form struct {
	fields []*formField
	focus  int // index of the focused field; len(fields) for the buttons
	button Choice
	choice Choice
	top    int // first row of the window
	nudge  int // rows scrolled inside a focused field that is higher than the window
	page   int // rows of the window in the last frame

	noDecline bool
}

// formField is a field being filled in.
type formField struct {
	Field
	text   *editor.Editor
	keys   *intent.Keymap
	on     bool
	chosen []bool
	cursor int        // option under the cursor
	first  int        // first option shown
	list   *list.List // the options of a FormSelect, filtered; nil while nothing is typed
	err    error
	seen   bool // its first row has been on the screen

	help      []string // wrapped to helpWidth
	helpWidth int
}

var errFormEmpty = errors.New("enter a value")

// New returns a form with the first field focused. keys are those of its text fields.
func New(fields []Field, keys *intent.Keymap) *Form {
	f := &Form{button: FormSend}
	for _, d := range fields {
		ff := &formField{Field: d, keys: keys, on: d.Value.On, chosen: make([]bool, len(d.Options)), helpWidth: -1}
		for _, i := range d.Value.Chosen {
			if i >= 0 && i < len(d.Options) {
				ff.chosen[i] = true
				if d.Kind == FormSelect {
					break
				}
			}
		}
		if d.Kind == FormSelect {
			ff.cursor = max(ff.choice(), 0)
		}
		ff.text = editor.New()
		ff.text.SetMaxRows(maxFieldRows)
		ff.paste(d.Value.Text)
		f.fields = append(f.fields, ff)
	}
	return f
}

// WithoutDecline removes the button Decline, for a form that no agent waits for. It returns the form.
func (f *Form) WithoutDecline() *Form {
	f.noDecline = true
	return f
}

// oneLine reports whether the field's text must be one line.
func (ff *formField) oneLine() bool { return ff.Kind == FormNumber || ff.OneLine }

func (ff *formField) typed() bool {
	return ff.Kind == FormText || ff.Kind == FormNumber || ff.Kind == FormSecret
}

// offers reports whether the field has options.
func (ff *formField) offers() bool { return ff.Kind == FormSelect || ff.Kind == FormMulti }

// paste puts text at the cursor of the field.
func (ff *formField) paste(s string) {
	switch {
	case ff.Kind == FormSecret: // a key may have several lines; line breaks around it are a copying mistake
		s = strings.Trim(text.CleanInput(s), "\n")
	case ff.oneLine():
		s = strings.ReplaceAll(strings.Trim(text.CleanInput(s), "\n"), "\n", " ")
	}
	ff.text.Insert(s)
}

func (ff *formField) value() Value {
	v := Value{}
	switch ff.Kind {
	case FormText, FormSecret:
		v.Text = ff.text.Value()
	case FormNumber:
		v.Text = strings.TrimSpace(ff.text.Value())
	case FormBool:
		v.On = ff.on
	default:
		for i, on := range ff.chosen {
			if on {
				v.Chosen = append(v.Chosen, i)
			}
		}
	}
	return v
}

// check sets and returns what is wrong with the field.
func (ff *formField) check() error {
	v := ff.value()
	ff.err = nil
	switch empty := ff.Kind != FormBool && v.Text == "" && len(v.Chosen) == 0; {
	case ff.Required && empty:
		ff.err = errFormEmpty
	case ff.Check != nil:
		ff.err = ff.Check(v)
	}
	return ff.err
}

// choose chooses only the i-th option; -1 for none.
func (ff *formField) choose(i int) {
	clear(ff.chosen)
	if i >= 0 && i < len(ff.chosen) {
		ff.chosen[i], ff.cursor = true, i
	}
	ff.err = nil
}

// Values returns the values of the fields in order. They are valid once the form was sent.
func (f *Form) Values() []Value {
	out := make([]Value, len(f.fields))
	for i, ff := range f.fields {
		out[i] = ff.value()
	}
	return out
}

// Choice returns how the form was left, or FormOpen.
func (f *Form) Choice() Choice { return f.choice }

// Paste puts text into the focused field, if it takes text.
func (f *Form) Paste(s string) {
	ff := f.focused()
	if ff == nil || f.choice != FormOpen {
		return
	}
	switch {
	case ff.typed():
		ff.paste(s)
		ff.err = nil
	case ff.list != nil:
		ff.list.SetFilter(ff.list.Filter() + s)
	case ff.Kind == FormSelect:
		ff.open(s)
	}
}

// focused returns the focused field, nil for the buttons.
func (f *Form) focused() *formField {
	if f.focus >= len(f.fields) {
		return nil
	}
	return f.fields[f.focus]
}

// move focuses the i-th field, or the buttons. It checks the field that loses the focus.
func (f *Form) move(i int) {
	i = max(min(i, len(f.fields)), 0)
	if ff := f.focused(); ff != nil && i != f.focus {
		ff.check()
		ff.list = nil
	}
	f.focus = i
}

// submit sends the form, or focuses the first field that is invalid or was never shown.
func (f *Form) submit() {
	bad := -1
	for i, ff := range f.fields {
		ff.list = nil
		if ff.check() != nil && bad < 0 {
			bad = i
		}
	}
	if bad < 0 {
		bad = slices.IndexFunc(f.fields, func(ff *formField) bool { return !ff.seen })
	}
	if bad >= 0 {
		f.focus = bad
		return
	}
	f.choice = FormSend
}
