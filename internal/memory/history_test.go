package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/must"
	"parley/internal/notes"
)

func load(t *testing.T, h *History) []string {
	t.Helper()
	return must.Get(h.Load())(t)
}

func add(t *testing.T, h *History, texts ...string) {
	t.Helper()
	for _, text := range texts {
		must.Do(t, h.Add(text))
	}
}

func TestHistory(t *testing.T) {
	dir := t.TempDir()
	h := NewHistory(dir, "/src/parser")
	if got := load(t, h); len(got) != 0 {
		t.Errorf("an empty history holds %q", got)
	}
	long := strings.Repeat("x", maxEntry+1)
	add(t, h, "one", "two\nlines\t\x1b[31m", "two\nlines\t\x1b[31m", " \n", long, "three", "one")
	want := []string{"two\nlines\t\x1b[31m", "three", "one"}
	if got := load(t, NewHistory(dir, "/src/parser")); !slices.Equal(got, want) {
		t.Errorf("the next run reads %q, want %q", got, want)
	}
	if got := load(t, NewHistory(dir, "/src/other")); len(got) != 0 {
		t.Errorf("another project has %q", got)
	}
	if info, err := os.Stat(h.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Dir(h.path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its directory: %v, %v", info.Mode(), err)
	}
}

// Two processes write at the same time, and the file is rewritten in between: every prompt
// is kept, and each process sees those of the other.
func TestTwoWriters(t *testing.T) {
	dir := t.TempDir()
	a, b := NewHistory(dir, "/p"), NewHistory(dir, "/p")
	add(t, a, "from a")
	add(t, b, "from b")
	if got := load(t, a); !slices.Equal(got, []string{"from a", "from b"}) {
		t.Errorf("a reads %q", got)
	}
	const each = 2500 // more than the file may hold
	var wg sync.WaitGroup
	for name, h := range map[string]*History{"a": a, "b": b} {
		wg.Go(func() {
			for i := range each {
				if err := h.Add(fmt.Sprint(name, " ", i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	got := load(t, NewHistory(dir, "/p"))
	if len(got) != maxEntries {
		t.Fatalf("%d entries kept", len(got))
	}
	// The newest of each are there without a gap.
	last := map[string]int{"a": -1, "b": -1}
	for _, text := range got {
		var name string
		var n int
		fmt.Sscanf(text, "%s %d", &name, &n)
		if before := last[name]; before >= 0 && n != before+1 {
			t.Fatalf("%s: %d comes after %d", name, n, before)
		}
		last[name] = n
	}
	if max(last["a"], last["b"]) != each-1 {
		t.Errorf("the last of them are %v", last)
	}
	if one, two := load(t, a), load(t, b); !slices.Equal(one, got) || !slices.Equal(two, got) {
		t.Error("the writers do not read what a new reader does")
	}
	files, _ := os.ReadDir(filepath.Dir(a.path))
	if len(files) != 1 {
		t.Errorf("files are left: %v", files)
	}
	if info, _ := os.Stat(a.path); info.Size() > 1<<20 {
		t.Errorf("the file was not rewritten: %d bytes", info.Size())
	}
}

// An entry appended to the old file during the replacement is kept, whoever notices it.
func TestReplacedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	a, b := NewHistory(dir, "/p"), NewHistory(dir, "/p")
	add(t, a, "first")
	b.open = func(path string) (appender, error) {
		f, err := openAppend(path)
		b.open = openAppend
		load(t, a)
		if err := a.shrink(); err != nil { // between opening and writing
			t.Error(err)
		}
		return f, err
	}
	add(t, b, "late")
	if got := load(t, NewHistory(dir, "/p")); !slices.Equal(got, []string{"first", "late"}) {
		t.Errorf("got %q", got)
	}
}

func TestCorruptHistory(t *testing.T) {
	dir := t.TempDir()
	h := NewHistory(dir, "/p")
	add(t, h, "good")
	f := must.Get(os.OpenFile(h.path, os.O_APPEND|os.O_WRONLY, 0))(t)
	f.WriteString("garbage\n{\"prompt\":7}\n\x00\x00\n{\"t\":\"2026-01-01T00:00:00Z\",\"prompt\":\"\xff\"}\n[]\n{\"prompt\":\"half a li")
	f.Close()
	add(t, h, "after") // after the incomplete line
	want := []string{"good", "\uFFFD", "after"}
	if got := load(t, NewHistory(dir, "/p")); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	must.Do(t, os.Remove(h.path))
	must.Do(t, os.Mkdir(h.path, 0o700))
	if _, err := h.Load(); err == nil {
		t.Error("a directory in its place is no error")
	}
	if err := h.Add("x"); err == nil {
		t.Error("no error for what was not stored")
	}
}

// full is a disk with room for so many bytes.
type full struct {
	appender
	room int
}

var errFull = errors.New("no space left on device")

func (f full) Write(p []byte) (int, error) {
	if len(p) <= f.room {
		return f.appender.Write(p)
	}
	n, _ := f.appender.Write(p[:f.room])
	return n, errFull
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	h := NewHistory(dir, "/p")
	add(t, h, "before")
	h.open = func(path string) (appender, error) {
		f, err := openAppend(path)
		return full{f, 12}, err
	}
	if err := h.Add("lost"); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	if got := load(t, h); !slices.Equal(got, []string{"before"}) {
		t.Errorf("got %q", got)
	}
	h.open = openAppend
	add(t, h, "there is room again")
	if got := load(t, h); !slices.Equal(got, []string{"before", "there is room again"}) {
		t.Errorf("got %q", got)
	}
	h.open = func(string) (appender, error) { return nil, fs.ErrPermission }
	if err := h.Add("x"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

// The file stays within its limit of bytes, and the newest entries stay.
func TestHistoryBytes(t *testing.T) {
	h := NewHistory(t.TempDir(), "/p")
	big := strings.Repeat("y", maxEntry-10)
	for i := range 2*maxBytes/maxEntry + 4 {
		add(t, h, fmt.Sprint(i, big))
	}
	info, err := os.Stat(h.path)
	if err != nil || info.Size() > maxBytes+maxEntry*4 {
		t.Fatalf("%d bytes, %v", info.Size(), err)
	}
	got := load(t, h)
	if n := len(got); n < 10 || !strings.HasPrefix(got[n-1], fmt.Sprint(2*maxBytes/maxEntry+3, "y")) {
		t.Errorf("%d entries", n)
	}
}

func TestProject(t *testing.T) {
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	deep := filepath.Join(root, "repo", "a", "b")
	must.Do(t, os.MkdirAll(deep, 0o700))
	if got := Project(deep); got != deep {
		t.Errorf("without git %q", got)
	}
	if err := os.WriteFile(filepath.Join(root, "repo", ".git"), []byte("gitdir: elsewhere"), 0o600); err != nil {
		t.Fatal(err) // in a linked worktree .git is a file
	}
	if got := Project(deep); got != filepath.Join(root, "repo") {
		t.Errorf("got %q", got)
	}
	if err := os.Symlink(deep, filepath.Join(root, "link")); err != nil {
		t.Skip(err)
	}
	if got := Project(filepath.Join(root, "link")); got != filepath.Join(root, "repo") {
		t.Errorf("by a link %q", got)
	}
}

func TestFileNames(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range [][]string{{"a", "b"}, {"a\x00b", ""}, {"ab"}, {"../../etc/passwd"}, {strings.Repeat("x", 5000)}, {"日本"}, {""}} {
		name := fileName(key[0], key...)
		if seen[name] || len(name) > 80 || strings.ContainsAny(name, `/\.`) {
			t.Errorf("%.40q is called %q", key, name)
		}
		seen[name] = true
	}
}

func TestDrafts(t *testing.T) {
	dir := t.TempDir()
	d := NewDrafts(dir, "/p")
	k := Key{Agent: "claude", Session: "../../../sess/1"}
	draft := Draft{Parts: []Part{{Text: "see "}, {Text: "\tpasted\n", Pasted: true}}, Queued: []string{"one", "two"}, Notes: []notes.Note{{Path: "a \"b\".go", From: 2, To: 3, Quote: "+x", Diff: true, Text: "why?"}}}
	for _, save := range []Draft{{Parts: []Part{{Text: "older"}}}, draft} {
		must.Do(t, d.Save(k, save))
	}
	got, err := NewDrafts(dir, "/elsewhere").Load(Key{"/p", k.Agent, k.Session}) // by the session's directory
	if err != nil || !slices.Equal(got.Parts, draft.Parts) || !slices.Equal(got.Queued, draft.Queued) || !slices.Equal(got.Notes, draft.Notes) {
		t.Errorf("%+v, %v", got, err)
	}
	left := Key{Agent: "a"}
	must.Do(t, d.Save(left, Draft{Queued: []string{"left"}, Session: "s"}))
	if got, _ := NewDrafts(dir, "/p").Load(left); got.Session != "s" || got.Queued[0] != "left" {
		t.Errorf("got %+v", got)
	}
	for project, k := range map[string]Key{"/q": left, "/p": {Agent: "b"}, "/r": k} {
		if got, _ := NewDrafts(dir, project).Load(k); !got.Empty() {
			t.Errorf("%s, %+v finds a draft of something else: %+v", project, k, got)
		}
	}
	files, _ := os.ReadDir(filepath.Join(dir, "drafts"))
	for _, f := range files {
		if info, _ := f.Info(); info.Mode().Perm() != 0o600 || !strings.HasSuffix(f.Name(), ".json") {
			t.Errorf("%s: got %v", f.Name(), info.Mode())
		}
	}
	must.Do(t, d.Save(k, Draft{Parts: []Part{{Text: " \n"}}}))
	if _, err := os.Stat(d.path(k)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a draft that was sent is still there: %v", err)
	}
	must.Do(t, os.WriteFile(d.path(k), []byte(`{"parts": 7`), 0o600))
	if got, err := d.Load(k); err != nil || !got.Empty() {
		t.Errorf("a corrupt one: %+v, %v", got, err)
	}
}

// If a draft cannot be written, the previous one is unchanged.
func TestDraftsKeepTheOneBefore(t *testing.T) {
	dir := t.TempDir()
	d := NewDrafts(dir, "/p")
	must.Do(t, d.Save(Key{}, Draft{Queued: []string{"kept"}}))
	if err := d.Save(Key{}, Draft{Queued: []string{strings.Repeat("x", maxDraft)}}); err == nil {
		t.Error("a draft without bounds was kept")
	}
	if got, _ := d.Load(Key{}); len(got.Queued) != 1 || got.Queued[0] != "kept" {
		t.Errorf("got %.40v", got)
	}
	must.Do(t, os.RemoveAll(dir))
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // nothing can be created there
		t.Fatal(err)
	}
	if err := d.Save(Key{}, Draft{Queued: []string{"x"}}); err == nil {
		t.Error("no error for what was not stored")
	}
}

func TestOldDraftsGo(t *testing.T) {
	d := NewDrafts(t.TempDir(), "/p")
	for i := range maxDrafts + 3 {
		k := Key{Agent: "a", Session: fmt.Sprint(i)}
		must.Do(t, d.Save(k, Draft{Queued: []string{"x"}}))
		at := time.Now().Add(-time.Duration(2*maxDrafts-i) * time.Minute)
		if i == maxDrafts-1 {
			at = time.Now().Add(-draftLife - time.Hour)
		}
		must.Do(t, os.Chtimes(d.path(k), at, at))
	}
	for i, want := range map[int]bool{0: false, maxDrafts - 1: false, 5: true, maxDrafts + 2: true} {
		if got, _ := d.Load(Key{Agent: "a", Session: fmt.Sprint(i)}); got.Empty() == want {
			t.Errorf("draft %d: kept %v", i, !got.Empty())
		}
	}
}
