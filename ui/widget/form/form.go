// Package form is fields to fill in, and the ways out.
package form

import (
	"errors"
	"slices"
	"strings"

	"parley/ui/intent"
	"parley/ui/widget/editor"
	"parley/ui/widget/list"
	"parley/ui/widget/text"
)

// Kind is how a field of a Form is filled in.
type Kind int

// The kinds of fields: typed text, a typed number (one line, blanks around it dropped), yes or no, one of the options,
// any of the options, typed text of which the screen shows no more than how long it is.
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

// The ways out of a form; FormOpen while it has not been left.
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

// Value is what a field holds; its kind says where. The zero value is an empty one.
type Value struct {
	Text   string // FormText, FormNumber, FormSecret
	On     bool   // FormBool
	Chosen []int  // FormSelect (none or one) and FormMulti (ascending): places in Options
}

// Field describes one field. All texts are plain, and are shown on one row but for Help, which wraps.
type Field struct {
	Label, Help string
	Warning     string // shown with the field all the time
	Kind        Kind
	OneLine     bool // FormText: no newlines; those pasted become blanks
	// Required refuses an empty text or choice before Check is asked.
	Required bool
	Options  []FormOption
	Value    Value // what the field begins with
	// Check says in one short sentence what is wrong with a value. It is called when the field is left and before
	// sending, and must be quick.
	Check func(Value) error
}

// maxFieldRows is how many rows a text, an open list or the options of a FormMulti may take before they scroll.
const maxFieldRows = 6

// Form is a questionnaire with the row "Send · Decline · Cancel" under its fields. What is to be sent has been on the
// screen: a form is not sent before every field was shown once. Use [New].
type Form struct {
	fields []*formField
	focus  int // len(fields): the row under them
	button Choice
	choice Choice
	top    int // first row of the window
	nudge  int // rows scrolled inside a focused field that is higher than the window
	page   int // rows of the window, as shown last

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
	list   *list.List // the options of a FormSelect that fit what is typed, nil while nothing is
	err    error
	seen   bool // its beginning has been on the screen

	help      []string // wrapped to helpWidth
	helpWidth int
}

var errFormEmpty = errors.New("enter a value")

// New returns a form with the first field focused, whose texts are edited with the keys given.
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

// WithoutDecline takes Decline away, where nobody waits for an answer: what is left of the ways out is Send and Cancel. It
// returns the form.
func (f *Form) WithoutDecline() *Form {
	f.noDecline = true
	return f
}

// oneLine says whether the text of the field may hold no newline.
func (ff *formField) oneLine() bool { return ff.Kind == FormNumber || ff.OneLine }

func (ff *formField) typed() bool {
	return ff.Kind == FormText || ff.Kind == FormNumber || ff.Kind == FormSecret
}

// offers tells whether the field has options to choose from.
func (ff *formField) offers() bool { return ff.Kind == FormSelect || ff.Kind == FormMulti }

// paste puts text at the cursor of the field.
func (ff *formField) paste(s string) {
	switch {
	case ff.Kind == FormSecret: // a key of many lines is one; those around it came by accident
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

// check finds out what is wrong with the field and remembers it.
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

// choose makes the i-th option the only one; -1 for none.
func (ff *formField) choose(i int) {
	clear(ff.chosen)
	if i >= 0 && i < len(ff.chosen) {
		ff.chosen[i], ff.cursor = true, i
	}
	ff.err = nil
}

// Values returns what the fields hold, in their order.
func (f *Form) Values() []Value {
	out := make([]Value, len(f.fields))
	for i, ff := range f.fields {
		out[i] = ff.value()
	}
	return out
}

// Choice returns how the form was left, FormOpen while it was not.
func (f *Form) Choice() Choice { return f.choice }

// Submitted says whether the form was sent: its values are valid.
func (f *Form) Submitted() bool { return f.choice == FormSend }

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

// focused returns the field that has the keys, nil for the row under the fields.
func (f *Form) focused() *formField {
	if f.focus >= len(f.fields) {
		return nil
	}
	return f.fields[f.focus]
}

// move focuses the i-th field, or the row under the fields. The field that is left is checked.
func (f *Form) move(i int) {
	i = max(min(i, len(f.fields)), 0)
	if ff := f.focused(); ff != nil && i != f.focus {
		ff.check()
		ff.list = nil
	}
	f.focus = i
}

// submit sends the form, or goes to the first field that keeps it from being sent.
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
