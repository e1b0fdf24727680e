package intent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Keymap maps keys to intents in each context. It is immutable, so any goroutine may use it.
type Keymap struct {
	preset string
	keys   map[Context]map[Intent][]string
	of     map[Context]map[string]Intent
}

// Changes are the keys in the configuration, by the name of a context and the name of an
// action in it. An empty list removes the keys of the action.
type Changes map[string]map[string][]string

// Default is the keymap without a preset and without changes.
var Default = func() *Keymap {
	k, err := NewKeymap("", nil)
	if err != nil {
		panic(err) // an error in Actions; the tests find it
	}
	return k
}()

// Presets returns the names that NewKeymap accepts.
func Presets() []string { return slices.Sorted(maps.Keys(presets)) }

// KeyError is an error in Changes, with the path of table keys to it.
type KeyError struct {
	Path []string
	What string
}

func (e *KeyError) Error() string { return strings.Join(e.Path, ".") + ": " + e.What }

// wrong returns a KeyError; its path begins with "keys".
func wrong(path []string, format string, args ...any) error {
	return &KeyError{append([]string{"keys"}, path...), fmt.Sprintf(format, args...)}
}

// NewKeymap applies changes to a preset; "" is the default one. Its error is a *KeyError that
// says which name or key is wrong and what is allowed.
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

// change applies the keys of the configuration and returns the actions that it names.
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
				spelt, err := NormalizeKey(key)
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

// index maps every key to its intent. A key that the configuration assigns is removed from
// the action that had it; one that it assigns twice is an error.
func (k *Keymap) index(changed map[Context]map[Intent]bool) error {
	for _, first := range []bool{true, false} { // keys of the configuration before the defaults
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

// Of returns the intent of a key in a context, or None.
func (k *Keymap) Of(in Context, key string) Intent { return k.of[in][key] }

// Keys returns the keys of an action, the one to show first.
func (k *Keymap) Keys(in Context, i Intent) []string { return k.keys[in][i] }

// Label returns the first key of an action, or "".
func (k *Keymap) Label(in Context, i Intent) string {
	if keys := k.keys[in][i]; len(keys) > 0 {
		return DisplayKey(keys[0])
	}
	return ""
}

// KeyOf returns the first key of an action, or "no key".
func (k *Keymap) KeyOf(in Context, i Intent) string { return cmp.Or(k.Label(in, i), "no key") }

// Labels joins the first keys of actions: "down, pgdn, G".
func (k *Keymap) Labels(in Context, of ...Intent) string {
	var all []string
	for _, i := range of {
		if key := k.Label(in, i); key != "" {
			all = append(all, key)
		}
	}
	return strings.Join(all, ", ")
}

// Hint is a key and what it does; without an intent only words.
type Hint struct {
	Key    Intent
	Action string
}

// Hints joins keys and what they do, as "esc reject · d details". Actions without a key are left out.
func (k *Keymap) Hints(in Context, hints ...Hint) string {
	var all []string
	for _, h := range hints {
		if key := k.Label(in, h.Key); key != "" || h.Key == None {
			all = append(all, strings.TrimSpace(key+" "+h.Action))
		}
	}
	return strings.Join(all, " · ")
}

// ChatKey returns the first key of an action of the chat page, its command if it has no key, or "none".
func (k *Keymap) ChatKey(i Intent) string {
	if key := k.Label(Chat, i); key != "" {
		return key
	}
	for _, a := range Commands() {
		if a.Intent == i {
			return "/" + a.Command
		}
	}
	return "none"
}

// Vim reports whether the composer has the modes of vi.
func (k *Keymap) Vim() bool { return k.preset == "vim" }

// Commands returns the actions with a slash command, in the order of the groups.
func Commands() (all []Action) {
	for _, g := range Groups {
		for _, i := range g.Intents {
			if at := slices.IndexFunc(Actions, func(a Action) bool { return a.Intent == i && a.Command != "" }); at >= 0 {
				all = append(all, Actions[at])
			}
		}
	}
	return all
}

// CommandNamed returns the command of parley's with a name.
func CommandNamed(name string) (Action, bool) {
	for _, a := range Commands() {
		if a.Command == name || a.Also == name && name != "" {
			return a, true
		}
	}
	return Action{}, false
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

// NameOf returns the name of an action in a context, or "".
func NameOf(in Context, i Intent) string {
	for _, a := range Of(in) {
		if a.Intent == i {
			return a.Name
		}
	}
	return ""
}
