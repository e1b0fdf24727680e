package record

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/internal/must"

	"github.com/google/go-cmp/cmp"
)

func TestStateDir(t *testing.T) {
	root := t.TempDir()
	home := func() (string, error) { return root, nil }
	for _, c := range []struct {
		system string
		env    map[string]string
		want   string
	}{
		{"linux", nil, filepath.Join(root, ".local", "state", "parley")},
		{"freebsd", map[string]string{"XDG_STATE_HOME": "relative"}, filepath.Join(root, ".local", "state", "parley")},
		{"linux", map[string]string{"XDG_STATE_HOME": root}, filepath.Join(root, "parley")},
		{"linux", map[string]string{"XDG_STATE_HOME": root, "PARLEY_STATE": filepath.Join(root, "x")}, filepath.Join(root, "x")},
		{"darwin", nil, filepath.Join(root, "Library", "Application Support", "parley")},
		{"windows", map[string]string{"LocalAppData": filepath.Join(root, "l")}, filepath.Join(root, "l", "parley")},
		{"windows", nil, filepath.Join(root, "AppData", "Local", "parley")},
	} {
		got, err := stateDir(c.system, func(k string) string { return c.env[k] }, home)
		if err != nil || got != c.want {
			t.Errorf("%s %v: %q, %v, want %q", c.system, c.env, got, err, c.want)
		}
	}
	t.Setenv("PARLEY_STATE", root)
	if got, err := Dir(); err != nil || got != filepath.Join(root, "sessions") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such permissions")
	}
	state := filepath.Join(t.TempDir(), "state")
	w := create(t, filepath.Join(state, "sessions"), Options{})
	for path, want := range map[string]os.FileMode{state: 0o700, filepath.Dir(w.Path()): 0o700, w.Path(): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

const head = `{"parley":1,"agent":"a","started":"2026-01-02T03:04:05Z"}` + "\n"

func put(t *testing.T, path, text string) string {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestReadsWhatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	const one, two = `{"t":"2026-01-02T03:04:06Z","dir":"in","msg":{"n":1}}`, `{"t":"2026-01-02T03:04:07Z","dir":"out","msg":{"n":2}}`
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"whole":         {one + "\n" + two + "\n", []string{`in {"n":1}`, `out {"n":2}`}},
		"no line end":   {one + "\n" + two, []string{`in {"n":1}`, `out {"n":2}`}},
		"torn":          {one + "\n" + two[:len(two)-3], []string{`in {"n":1}`}},
		"torn before":   {one[:20] + "\n" + two + "\n", []string{`out {"n":2}`}},
		"foreign lines": {"\n\x00\xff\n[]\n{}\n{\"dir\":\"in\"}\n{\"dir\":\"up\",\"msg\":1}\n{\"meta\":3}\n" + one + "\r\n", []string{`in {"n":1}`}},
		"nothing":       {"", nil},
		"too long":      {one + "\n" + `{"dir":"in","msg":"` + strings.Repeat("x", maxLine) + "\"}\n" + two, []string{`in {"n":1}`, `out {"n":2}`}},
		"long":          {`{"t":"2026-01-02T03:04:06Z","dir":"in","msg":"` + strings.Repeat("x", 1<<20) + "\"}\n", []string{`in "` + strings.Repeat("x", 1<<20) + `"`}},
	} {
		t.Run(name, func(t *testing.T) {
			lines, meta := readAll(t, put(t, path, head+c.text))
			if d := cmp.Diff(c.want, lines); d != "" {
				t.Errorf("%.400s", d)
			}
			if meta.Agent != "a" {
				t.Errorf("got %+v", meta)
			}
		})
	}
	for _, text := range []string{"", "{}", "x\n" + head, `{"parley":2}` + "\n", `{"parley":1,"agent":`} {
		if r, err := Open(put(t, path, text)); !errors.Is(err, ErrNotRecord) {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
	if _, err := Open(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestList(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	if all, err := List(dir); err != nil || all != nil {
		t.Errorf("%v, %v", all, err)
	}
	w := create(t, dir, Options{})
	big := []byte(`{"text":"` + strings.Repeat("x", 100<<10) + `"}`)
	w.Update(func(m *Meta) { m.Agent = "first" })
	w.Message(Out, 0, []byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`))
	w.Message(In, 0, []byte(`{"text":"session/prompt"}`))
	w.Message(Out, 0, []byte(`{"id":2,"method":"session\/prompt","params":{"sessionId":"s"}}`))
	w.Update(func(m *Meta) { m.Agent = "second" })
	for range 5 {
		w.Message(In, 0, big)
	}
	closeLog(t, w)

	put(t, filepath.Join(dir, "old.jsonl"), head+`{"t":"2026-01-03T03:04:05.5Z","dir":"in","msg":{}}`+"\n"+`{"t":"2027-`)
	put(t, filepath.Join(dir, "broken.jsonl"), "{}\n")
	put(t, filepath.Join(dir, "other.txt"), head)
	must.Do(t, os.Mkdir(filepath.Join(dir, "a.jsonl"), 0o700))
	all, err := List(dir)
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	if e := all[0]; e.Path != w.Path() || e.Agent != "second" || len(e.Sessions) != 1 || e.Sessions[0].Prompts != 2 || e.Size < 500<<10 || time.Since(e.Updated) > time.Hour {
		t.Errorf("got %+v", e)
	}
	if e := all[1]; filepath.Base(e.Path) != "old.jsonl" || e.Agent != "a" || e.Sessions != nil || !e.Updated.Equal(time.Date(2026, 1, 3, 3, 4, 5, 5e8, time.UTC)) {
		t.Errorf("got %+v", e)
	}
}

// After a crash between any two messages a log lists the same as after Close.
func TestListAfterCrash(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir, Options{})
	w.Update(func(m *Meta) { m.Agent = "kept" })
	w.Message(Out, 0, []byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`))
	for range 300 {
		w.Message(In, 0, []byte(`{"text":"`+strings.Repeat("x", 1000)+`"}`))
	}
	closeLog(t, w)
	text := must.Get(os.ReadFile(w.Path()))(t)
	crashed := filepath.Join(dir, "crashed.jsonl")
	begun := strings.Index(string(text), `"prompts":1`) + 200
	for end := begun; end < len(text); end += 7919 {
		put(t, crashed, string(text[:end]))
		if e, err := readEntry(crashed); err != nil || e.Agent != "kept" || len(e.Sessions) != 1 || e.Sessions[0].Prompts != 1 {
			t.Fatalf("cut at %d: %+v, %v", end, e, err)
		}
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	open := create(t, dir, Options{})
	old := time.Now().Add(-100 * time.Hour)
	must.Do(t, os.Chtimes(open.Path(), old, old))
	for i, name := range []string{"d", "c", "b", "a"} { // d is the oldest
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		path := put(t, filepath.Join(dir, name+".jsonl"), head+strings.Repeat("x", 1000))
		must.Do(t, os.Chtimes(path, at, at))
	}
	put(t, filepath.Join(dir, "other.txt"), "not ours")
	left := func() string {
		names, _ := filepath.Glob(filepath.Join(dir, "?.jsonl"))
		for i := range names {
			names[i] = filepath.Base(names[i])[:1]
		}
		return strings.Join(names, "")
	}
	for _, c := range []struct {
		bytes int64
		files int
		want  string
	}{{0, 0, "abcd"}, {1 << 20, 5, "abcd"}, {0, 4, "abc"}, {2900, 0, "ab"}, {1, 1, ""}} {
		if err := Prune(dir, c.bytes, c.files); err != nil || left() != c.want {
			t.Errorf("%d bytes, %d files: %q is left, %v; want %q", c.bytes, c.files, left(), err, c.want)
		}
	}
	if _, err := os.Stat(open.Path()); err != nil {
		t.Errorf("a log being written was removed: %v", err)
	}
	closeLog(t, open)
	if err := Prune(dir, 1, 0); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(open.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a closed log stays: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "other.txt")); err != nil {
		t.Error(err)
	}
	if err := Prune(filepath.Join(dir, "none"), 1, 1); err != nil {
		t.Error(err)
	}
}
