package question

import (
	"cmp"
	"strings"

	"parley/permissions"
)

// optionFor returns the option of a key: the key of its position, or the letter of its
// kind if it is the only one of that kind.
func optionFor(options []permissions.Option, key string) (permissions.Option, bool) {
	for i, o := range options {
		if place := placeKey(i); place == key && place != "" {
			return o, true
		}
	}
	for _, o := range options {
		if letter := letterOf(options, o); letter == key && letter != "" {
			return o, true
		}
	}
	return permissions.Option{}, false
}

// placeKey is the key of the i-th option, whatever its kind: a digit, then letters that
// have no other meaning in a question.
func placeKey(i int) string {
	const places = "1234567890bceghilmopqrstuvwxz"
	if i >= len(places) {
		return ""
	}
	return places[i : i+1]
}

// wideLetter is the key of the option that grants more than the question shows.
const wideLetter = "A"

var letters = map[string]string{permissions.AllowOnce: "y", permissions.AllowAlways: "a", permissions.RejectOnce: "n", permissions.RejectAlways: "N"}

// letterOf is the key of an option's kind; "" if another option has that kind.
func letterOf(options []permissions.Option, o permissions.Option) string {
	if o.Wide {
		return wideLetter
	}
	n := 0
	for _, other := range options {
		if other.Kind == o.Kind && !other.Wide {
			n++
		}
	}
	if n > 1 {
		return ""
	}
	return letters[o.Kind]
}

// answerKeys are the keys that answer most questions. In a question where they do not,
// they are a mistake and not the beginning of a draft.
const answerKeys = "yanNA123456789"

// answersOf lists the keys of the options.
func answersOf(options []permissions.Option) string {
	var keys []string
	for i, o := range options {
		keys = append(keys, keyOf(options, i, o))
	}
	if n := len(keys); n > 1 {
		keys = append(keys[:n-2], keys[n-2]+" or "+keys[n-1])
	}
	return strings.Join(keys, ", ")
}

// keyOf is the key shown with the i-th option.
func keyOf(options []permissions.Option, i int, o permissions.Option) string {
	return cmp.Or(letterOf(options, o), placeKey(i))
}

// onceOf returns the first option that allows once.
func onceOf(options []permissions.Option) (permissions.Option, bool) {
	for _, o := range options {
		if o.Kind == permissions.AllowOnce {
			return o, true
		}
	}
	return permissions.Option{}, false
}

// harmless reports whether an option can be chosen before everything was read.
func harmless(o permissions.Option) bool {
	return o.Kind == permissions.RejectOnce || o.Kind == permissions.RejectAlways
}
