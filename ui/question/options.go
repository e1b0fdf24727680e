package question

import (
	"cmp"
	"strings"

	"parley/permissions"
)

// optionFor finds the option of a key: its place, or the letter of a kind that
// only one option has.
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

// placeKey is the key of the i-th option, whatever its kind: a digit, and where
// those are used up a letter that means nothing else to a question.
func placeKey(i int) string {
	const places = "1234567890bceghilmopqrstuvwxz"
	if i >= len(places) {
		return ""
	}
	return places[i : i+1]
}

var letters = map[string]string{permissions.AllowOnce: "y", permissions.AllowAlways: "a", permissions.RejectOnce: "n", permissions.RejectAlways: "N"}

// letterOf is the key of an option's kind, "" where it has none of its own.
func letterOf(options []permissions.Option, o permissions.Option) string {
	n := 0
	for _, other := range options {
		if other.Kind == o.Kind {
			n++
		}
	}
	if n > 1 {
		return ""
	}
	return letters[o.Kind]
}

// answerKeys are those that answer most questions: where they do not, nobody means
// to type them.
const answerKeys = "yanN123456789"

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

// keyOf is the key that is shown with the i-th option.
func keyOf(options []permissions.Option, i int, o permissions.Option) string {
	return cmp.Or(letterOf(options, o), placeKey(i))
}

// onceOf is the first option that allows once.
func onceOf(options []permissions.Option) (permissions.Option, bool) {
	for _, o := range options {
		if o.Kind == permissions.AllowOnce {
			return o, true
		}
	}
	return permissions.Option{}, false
}

// harmless tells whether an option can be chosen before all was read.
func harmless(o permissions.Option) bool {
	return o.Kind == permissions.RejectOnce || o.Kind == permissions.RejectAlways
}
