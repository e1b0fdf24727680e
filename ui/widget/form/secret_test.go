package form

import (
	"reflect"
	"strings"
	"testing"

	"parley/internal/intent"
	"parley/ui/theme"
	"parley/ui/uitest"
)

const secret = "ßþðđ日ħ"

// The screen shows only the length of a secret, after any keys.
func TestFormSecret(t *testing.T) {
	f := New([]Field{{Label: "Key", Kind: FormSecret, Required: true, Help: "of the account"}, {Label: "Address", OneLine: true}}, intent.Default).WithoutDecline()
	look := func(want string) {
		t.Helper()
		for _, width := range []int{9, 12, 40, 80} {
			for _, height := range []int{1, 2, 4, 20} {
				rows, x, y := shown(f, width, height, theme.Dark())
				uitest.CheckStyled(t, rows, width)
				if got := strings.Join(rows, "\n"); strings.ContainsAny(got, secret) {
					t.Fatalf("the secret is on the screen:\n%s", got)
				}
				if y >= len(rows) || x >= width {
					t.Fatalf("the cursor is at %d,%d of %dx%d", x, y, width, height)
				}
			}
		}
		if got := screen(f, 40, 20, theme.Plain()); !strings.Contains(got, want+"\n") {
			t.Fatalf("no %q in\n%s", want, got)
		}
	}
	keys := func(names ...string) {
		for _, n := range names {
			f.Key(uitest.Press(n))
		}
	}
	look("    › █")
	keys("enter")
	look("    ✗ enter a value")
	keys("shift+tab")
	for _, r := range "ßþ" {
		keys(string(r))
	}
	look("    › ••█")
	f.Paste("\nðđ\x1b[2J日\r\n")
	look("    › •••••█")
	keys("home", "left")
	look("    › █••••")
	keys("end", "ħ", "left", "left")
	look("    › ••••█•")
	keys("shift+enter", "ctrl+j") // have no effect
	look("    › ••••█•")
	keys("end")
	if got, want := f.Values(), []Value{{Text: secret}, {}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	keys("ctrl+u")
	look("    › █")
	keys("ctrl+y")
	look("    › ••••••█")
	keys("tab")
	f.Paste("https://x")
	look("  Key  required\n    › ••••••")
	keys("up")
	look("    › ••••••█")
	keys("ctrl+s")
	if got, want := f.Values(), []Value{{Text: secret}, {Text: "https://x"}}; f.choice != FormSend || !reflect.DeepEqual(got, want) {
		t.Errorf("sent is %v, got %+v", f.choice == FormSend, got)
	}
}

// A secret of several lines stays whole and has one row; up and down leave the field.
func TestFormSecretOfManyLines(t *testing.T) {
	f := New([]Field{{Label: "a"}, {Label: "Key", Kind: FormSecret}, {Label: "b"}}, intent.Default)
	f.Key(uitest.Press("tab"))
	key := "-----BEGIN-----\n" + strings.Repeat("ß", 100) + "\n-----END-----"
	f.Paste("\r\n" + key + "\n")
	rows, x, y := shown(f, 40, 20, theme.Plain())
	if got := strings.Join(rows, "\n"); strings.Count(got, "•") != 33 || strings.ContainsAny(got, "ß-") || x != 39 || y != 4 {
		t.Errorf("the cursor is at %d,%d of\n%s", x, y, got)
	}
	if got := f.Values()[1].Text; got != key {
		t.Errorf("got %q", got)
	}
	f.Key(uitest.Press("up"))
	if f.focus != 0 {
		t.Error("up stays in the secret")
	}
	f.Key(uitest.Press("tab"))
	f.Key(uitest.Press("down"))
	if f.focus != 2 {
		t.Error("down stays in the secret")
	}
}

// A form without Decline has only Send and Cancel.
func TestFormWithoutDecline(t *testing.T) {
	for keys, want := range map[string]Choice{"<right><enter>": FormCancel, "<right><left><enter>": FormSend, "<left><enter>": FormSend, "<right><right><enter>": FormCancel, "<esc>": FormCancel} {
		f := New([]Field{{Label: "a"}}, intent.Default).WithoutDecline()
		formKeys(t, f, "<tab>")
		if got := screen(f, 40, 10, theme.Plain()); strings.Contains(got, "Decline") || !strings.Contains(got, "▸ Send · Cancel") {
			t.Errorf("%s", got)
		}
		if formKeys(t, f, keys); f.Choice() != want {
			t.Errorf("%s: got %d, want %d", keys, f.Choice(), want)
		}
	}
}
