package intent

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Keymap is what each key means in each context. It does not change once it is
// made, so any goroutine may use it.
type Keymap struct {
	preset string
	keys   map[Context]map[Intent][]string
	of     map[Context]map[string]Intent
}

// Changes are keys of the configuration: by the name of a context, and the name
// of an action in it. No keys at all take those of the action away.
type Changes map[string]map[string][]string

// Default is the keymap without a preset and without changes.
var Default = func() *Keymap {
	k, err := NewKeymap("", nil)
	if err != nil {
		panic(err) // a mistake in Actions; the tests find it
	}
	return k
}()

// Presets are the names that NewKeymap takes.
func Presets() []string { return slices.Sorted(maps.Keys(presets)) }

// KeyError says what is wrong with Changes, and where: the keys of the tables
// that lead there.
type KeyError struct {
	Path []string
	What string
}

func (e *KeyError) Error() string { return strings.Join(e.Path, ".") + ": " + e.What }

// wrong makes one; the path begins with "keys".
func wrong(path []string, format string, args ...any) error {
	return &KeyError{append([]string{"keys"}, path...), fmt.Sprintf(format, args...)}
}

// NewKeymap lays changes over a preset; "" is the default one. It fails with a
// *KeyError that says which name or key is wrong, and what there is instead.
func NewKeymap(preset string, changes Changes) (*Keymap, error) {
	if preset == "" {
		preset = "default"
	}
	base, ok := presets[preset]
	if !ok {
		return nil, &KeyError{[]string{"keymap"}, fmt.Sprintf("%q: want one of %s", preset, strings.Join(Presets(), ", "))}
	}
	k := &Keymap{preset: preset, keys: map[Context]map[Intent][]string{}, of: map[Context]map[string]Intent{}}
	for _, c := range Contexts {
		k.keys[c], k.of[c] = map[Intent][]string{}, map[string]Intent{}
	}
	for _, a := range Actions {
		k.keys[a.In][a.Intent] = a.Keys
		if keys, ok := base[a.In][a.Intent]; ok {
			k.keys[a.In][a.Intent] = keys
		}
	}
	changed, err := k.change(changes)
	if err != nil {
		return nil, err
	}
	return k, k.index(changed)
}

// change takes the keys of the configuration over; it returns those that it
// named.
func (k *Keymap) change(changes Changes) (map[Context]map[Intent]bool, error) {
	changed := map[Context]map[Intent]bool{}
	for _, in := range slices.Sorted(maps.Keys(changes)) {
		c := slices.Index(contextNames, in)
		if c < 0 {
			return nil, wrong([]string{in}, "want one of %s", strings.Join(contextNames, ", "))
		}
		changed[Context(c)] = map[Intent]bool{}
		for _, name := range slices.Sorted(maps.Keys(changes[in])) {
			i := slices.IndexFunc(Actions, func(a Action) bool { return a.In == Context(c) && a.Name == name })
			if i < 0 {
				return nil, wrong([]string{in, name}, "no such action; there are %s", strings.Join(names(Context(c)), ", "))
			}
			var keys []string
			for _, key := range changes[in][name] {
				spelt, err := Spelling(key)
				if err != nil {
					return nil, wrong([]string{in, name}, "%v", err)
				}
				keys = append(keys, spelt)
			}
			k.keys[Context(c)][Actions[i].Intent] = keys
			changed[Context(c)][Actions[i].Intent] = true
		}
	}
	return changed, nil
}

// index finds the intent of every key. A key that the configuration gives away is
// taken from the action that had it; two that it names are a mistake.
func (k *Keymap) index(changed map[Context]map[Intent]bool) error {
	for _, first := range []bool{true, false} { // what was asked for before what is there anyway
		for _, a := range Actions {
			if changed[a.In][a.Intent] != first {
				continue
			}
			var kept []string
			for _, key := range k.keys[a.In][a.Intent] {
				other, taken := k.of[a.In][key]
				if taken && first {
					return wrong([]string{a.In.String(), a.Name}, "%s is also a key of %s", key, NameOf(a.In, other))
				}
				if !taken {
					k.of[a.In][key] = a.Intent
					kept = append(kept, key)
				}
			}
			k.keys[a.In][a.Intent] = kept
		}
	}
	if len(k.keys[Chat][Interrupt]) == 0 && len(k.keys[Chat][QuitIfEmpty]) == 0 {
		return wrong([]string{"chat"}, "neither interrupt nor quit-if-empty has a key: there would be no way out")
	}
	return nil
}

// Of is what a key means in a context; None where it means nothing.
func (k *Keymap) Of(in Context, key string) Intent { return k.of[in][key] }

// Keys are those of an action, the first of them the one to show.
func (k *Keymap) Keys(in Context, i Intent) []string { return k.keys[in][i] }

// Label is the first key of an action, "" without one.
func (k *Keymap) Label(in Context, i Intent) string {
	if keys := k.keys[in][i]; len(keys) > 0 {
		return Shown(keys[0])
	}
	return ""
}

// Vim tells whether the composer is to have the modes of vi.
func (k *Keymap) Vim() bool { return k.preset == "vim" }

// Commands are the actions with a slash command, in order.
func Commands() []Action {
	return slices.DeleteFunc(slices.Clone(Actions), func(a Action) bool { return a.Command == "" })
}

// Own begins the names by which parley's commands are always to be had, whatever the
// agent has.
const Own = "parley:"

// otherNames are names of commands that users of other programs type.
var otherNames = map[string]string{"exit": "quit", "clear": "new", "resume": "sessions"}

// Offer is a command of parley's beside those of an agent.
type Offer struct {
	Slash string // what to type, without the slash
	Action
}

// Offers are the commands with the names to type, where taken tells which names are the
// agent's.
func Offers(taken func(name string) bool) []Offer {
	var all []Offer
	for _, a := range Commands() {
		name := a.Command
		if taken(name) {
			name = Own + name
		}
		all = append(all, Offer{name, a})
	}
	return all
}

// Named finds the command of parley's that a name means, which is the agent's where taken
// says so, unless Own begins it.
func Named(name string, taken func(name string) bool) (Action, bool) {
	name, own := strings.CutPrefix(name, Own)
	if !own && taken(name) {
		return Action{}, false
	}
	if other, ok := otherNames[name]; ok {
		name = other
	}
	i := slices.IndexFunc(Actions, func(a Action) bool { return a.Command == name && name != "" })
	if i < 0 {
		return Action{}, false
	}
	return Actions[i], true
}

// Of returns the actions of a context, in order.
func Of(in Context) []Action {
	return slices.DeleteFunc(slices.Clone(Actions), func(a Action) bool { return a.In != in })
}

func names(in Context) []string {
	var out []string
	for _, a := range Of(in) {
		out = append(out, a.Name)
	}
	return out
}

// NameOf is the name of an action in a context, "" where it has none there.
func NameOf(in Context, i Intent) string {
	for _, a := range Of(in) {
		if a.Intent == i {
			return a.Name
		}
	}
	return ""
}
