package intent

import (
	"slices"
	"strings"
	"testing"
)

// Every action has its words, every key one meaning in a context, every intent a
// way to it, and what belongs to others is left alone.
func TestActions(t *testing.T) {
	for _, preset := range append(Presets(), "") {
		k, err := NewKeymap(preset, nil)
		if err != nil {
			t.Fatal(err)
		}
		names, commands := map[string]bool{}, map[string]bool{}
		for _, a := range Actions {
			name := a.In.String() + "." + a.Name
			if a.Intent == None || a.Name == "" || a.Help == "" || names[name] || a.Command != "" && (commands[a.Command] || commands[a.Also]) {
				t.Errorf("%s: got %+v", preset, a)
			}
			if a.Command != "" && !slices.ContainsFunc(Groups, func(g Group) bool { return slices.Contains(g.Intents, a.Intent) }) {
				t.Errorf("%s is in no group", name)
			}
			if a.Command == "" && a.Also+a.Args+a.InLines != "" {
				t.Errorf("%s: %s has no command that this is about: %+v", preset, name, a)
			}
			names[name] = true
			if a.Command != "" {
				commands[a.Command], commands[a.Also] = true, a.Also != ""
			}
			want := a.Keys
			if changed, ok := presets[k.preset][a.In][a.Intent]; ok {
				want = changed
			}
			if got := k.Keys(a.In, a.Intent); !slices.Equal(got, want) {
				t.Errorf("%s: %s has %q, want %q: two have one of the keys", preset, name, got, want)
			}
			if len(want) == 0 && a.Command == "" {
				t.Errorf("%s: nothing leads to %s", preset, name)
			}
			for _, key := range want {
				if spelt, err := NormalizeKey(key); err != nil || spelt != key {
					t.Errorf("%s: %s: %q is spelt %q, %v", preset, name, key, spelt, err)
				}
				if key == "ctrl+b" || key == `ctrl+\` {
					t.Errorf("%s: %s has %s, which is others'", preset, name, key)
				}
			}
		}
		for in, changes := range presets[k.preset] {
			for i := range changes {
				if NameOf(in, i) == "" {
					t.Errorf("%s changes the keys of intent %d in %s, which has none", preset, i, in)
				}
			}
		}
	}
	for i := Send; i <= Undo; i++ {
		if !slices.ContainsFunc(Actions, func(a Action) bool { return a.Intent == i }) {
			t.Errorf("intent %d is no action", i)
		}
	}
	if got := Default.Of(Draft, "ctrl+a"); got != LineStart {
		t.Errorf("ctrl+a is %d", got)
	}
}

func TestChanges(t *testing.T) {
	k, err := NewKeymap("", Changes{"chat": {"palette": {"Ctrl+K", "f5"}, "sessions": nil}, "transcript": {"next": {"J"}, "leave": {"k"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in   Context
		key  string
		want Intent
	}{
		{Chat, "ctrl+k", Palette}, {Chat, "f5", Palette}, {Chat, "ctrl+p", None}, {Chat, "ctrl+s", None}, {Draft, "ctrl+k", KillToEnd},
		{Transcript, "J", Next}, {Transcript, "j", None}, {Transcript, "k", Leave}, {Transcript, "up", Previous}, {Transcript, "esc", None},
	} {
		if got := k.Of(c.in, c.key); got != c.want {
			t.Errorf("%s in %s: %d, want %d", c.key, c.in, got, c.want)
		}
	}
	if k.Label(Chat, Palette) != "ctrl+k" || k.Label(Chat, Sessions) != "" || k.Label(Transcript, Previous) != "up" {
		t.Error("labels are not those of the keys")
	}
	for wrong, changes := range map[string]Changes{
		`keys.chats: want one of`:                                {"chats": nil},
		`keys.chat.palete: no such action; there are send, stop`: {"chat": {"palete": {"x"}}},
		`keys.chat.palette: key "ctrl+": want one like`:          {"chat": {"palette": {"ctrl+"}}},
		`keys.chat.palette: key "hyper+x"`:                       {"chat": {"palette": {"hyper+x"}}},
		`keys.draft.yank: x is also a key of left`:               {"draft": {"yank": {"x"}, "left": {"x"}}},
		`no way out`: {"chat": {"interrupt": nil, "quit-if-empty": nil}},
	} {
		if _, err := NewKeymap("", changes); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("got %v, want %q", err, wrong)
		}
	}
	if _, err := NewKeymap("ed", nil); err == nil || err.Error() != `keymap: "ed": want one of default, emacs, vim` {
		t.Error(err)
	}
}

func TestSpelling(t *testing.T) {
	for key, want := range map[string]string{"ctrl+k": "ctrl+k", "C-k": "", "Ctrl+K": "ctrl+k", "shift+g": "G", "G": "G", "alt+shift+f": "alt+shift+f", "Alt+Enter": "alt+enter",
		"Return": "enter", "PageDown": "pgdown", "ctrl++": "ctrl++", "+": "+", "space": "space", " ": "", "": "", "ctrl+ctrl+a": "", "nokey": "", "shift+ctrl+up": "ctrl+shift+up", "é": "é"} {
		got, err := NormalizeKey(key)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", key, got, err)
		}
	}
}

// The list of all actions has each with a command, and none twice.
func TestGroups(t *testing.T) {
	seen := map[Intent]int{}
	for _, g := range Groups {
		for _, i := range g.Intents {
			seen[i]++
		}
	}
	for _, a := range append(Of(Chat), Of(Always)...) {
		if n := seen[a.Intent]; n > 1 || n == 0 && a.Command != "" {
			t.Errorf("%s is listed %d times", a.Name, n)
		}
		delete(seen, a.Intent)
	}
	for i := range seen {
		t.Errorf("intent %d is listed and is no action of the chat page", i)
	}
}
