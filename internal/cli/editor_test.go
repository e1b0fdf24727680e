package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestSplitWords(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"vi", []string{"vi"}},
		{"  code --wait\t-n ", []string{"code", "--wait", "-n"}},
		{`"/opt/my editor/ed" -c 'set tw=0 "x"'`, []string{"/opt/my editor/ed", "-c", `set tw=0 "x"`}},
		{`/opt/my\ editor/ed "a\"b\\c\d" ''`, []string{"/opt/my editor/ed", `a"b\c\d`, ""}},
		{`a"b c"d`, []string{"ab cd"}},
		{`'\'`, []string{`\`}},
		{"", nil}, {"''", nil}, {`"open`, nil}, {"'open", nil},
	} {
		got, err := splitWords(c.line, false)
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%s: %q, %v", c.line, got, err)
		}
	}
	if got, err := splitWords(`"C:\Program Files\ed.exe" -x`, true); err != nil || !slices.Equal(got, []string{`C:\Program Files\ed.exe`, "-x"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhichEditor(t *testing.T) {
	dir := t.TempDir()
	ed := filepath.Join(dir, "my-ed")
	if runtime.GOOS == "windows" {
		ed += ".exe"
	}
	must.Do(t, os.WriteFile(ed, []byte("#!/bin/sh\n"), 0o700))
	t.Setenv("PATH", dir)
	for _, c := range []struct {
		visual, editor string
		want           string // the arguments, or the error
	}{
		{"my-ed -v", "other", ed + "|-v"},
		{"", "my-ed", ed},
		{" ", "'my-ed'", ed},
		{"", "", "no editor: set $VISUAL or $EDITOR to one, for instance EDITOR=vi"},
		{"gone -w", "my-ed", "$VISUAL is gone -w, which does not exist; set it to an editor that does"},
		{"", "./my-ed", "$EDITOR is ./my-ed, which is a different program in each project; set it to a name on PATH or an absolute path"},
		{"", "'my-ed", "$EDITOR: a quote is not closed"},
	} {
		vars := map[string]string{"VISUAL": c.visual, "EDITOR": c.editor}
		words, err := editor(func(name string) string { return vars[name] })
		got := strings.Join(words, "|")
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.visual, c.editor, got, c.want)
		}
	}
}

// editorScript makes a shell script the editor.
func editorScript(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the editor of the test is a shell script")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "ed.sh")
	must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700))
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", path+" --flag")
	t.Setenv("PARLEY_STATE", t.TempDir())
	t.Setenv("TMPDIR", filepath.Join(dir, "none")) // an agent in the sandbox writes there
	return dir
}

func TestEditing(t *testing.T) {
	dir := editorScript(t, `[ "$1" = --flag ] && [ -O "$2" ] && stat -c '%a %n' "$2" > seen; sed -i.bak s/fix/mend/ "$2"`+"\n")
	e := must.Get(NewEditing(context.Background(), "fix\tthis", dir))(t)
	must.Do(t, e.Command.Run())
	if got, err := e.Done(); got != "mend\tthis\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if runtime.GOOS == "linux" {
		if seen, _ := os.ReadFile(filepath.Join(dir, "seen")); !strings.HasPrefix(string(seen), "600 ") || !strings.HasSuffix(string(seen), "/parley-draft.md\n") {
			t.Errorf("the editor saw %q", seen)
		}
	}
	if left, _ := os.ReadDir(os.Getenv("PARLEY_STATE")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestEditingFails(t *testing.T) {
	dir := editorScript(t, "rm \"$2\"; exit 3\n")
	e := must.Get(NewEditing(context.Background(), "x", dir))(t)
	if err := e.Command.Run(); err == nil {
		t.Error("an editor that fails is no error")
	}
	if _, err := e.Done(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(os.Getenv("PARLEY_STATE")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	dir = editorScript(t, "exec sleep 1000\n")
	ctx, stop := context.WithCancel(context.Background())
	e = must.Get(NewEditing(ctx, "x", dir))(t)
	done := make(chan error)
	go func() { done <- e.Command.Run() }()
	stop()
	if err := <-done; err == nil { // parley ends while the editor runs
		t.Error("no error")
	}
	_, _ = e.Done()
}
