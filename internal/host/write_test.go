package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/must"
	"parley/permissions"
)

func TestWriteIsAsked(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("a.txt"), "old\n")
	w := r.write(path, "new\n")
	q := r.question()
	r.holds(path, "old\n")
	if q.Heading != "Change a.txt" || q.Kind != "edit" || q.Origin != permissions.FromParley || q.Outside || q.Secret {
		t.Errorf("got %+v", q)
	}
	if d := q.Body[len(q.Body)-1]; len(q.Body) != 1 || d.Kind != permissions.Diff || d.Path != path || d.Old != "old\n" || d.Text != "new\n" || d.NewFile {
		t.Errorf("got %+v", d)
	}
	must.Do(t, r.host.Broker().Answer(q.Key, "once"))
	r.free(w)
	r.holds(path, "new\n")
	e := find(t, r.sink, "FileWritten", func(event.FileWritten) bool { return true })
	if e.Path != path || e.Added != 1 || e.Removed != 1 || e.Session != theSession {
		t.Errorf("got %+v", e)
	}
	s := find(t, r.sink, "PermissionAnswered", func(event.PermissionAnswered) bool { return true })
	if !s.Allowed || s.By != "you" || s.Key != q.Key || s.Subject != path {
		t.Errorf("got %+v", s)
	}
	r.refused(r.write(path, "newer\n"))
	r.holds(path, "new\n")
}

func TestWriteCreates(t *testing.T) {
	r := newRig(t)
	path := r.path("deep/down/new.txt")
	w := r.write(path, "x")
	if q := r.answer("once"); !q.Body[len(q.Body)-1].NewFile {
		t.Errorf("not shown as new: %+v", q.Body)
	}
	r.free(w)
	r.holds(path, "x")
}

// What the user approved for the agent passes once, if it is exactly that.
func TestWriteGranted(t *testing.T) {
	for name, tc := range map[string]struct {
		before string // "" for no file
		shown  func(path string) wire.ToolCall
		write  string
		free   bool
	}{
		"whole text":                {"a\nb\n", func(p string) wire.ToolCall { return diff(p, "a\nc\n", "a\nb\n") }, "a\nc\n", true},
		"fragment":                  {"a\nb\nd\n", func(p string) wire.ToolCall { return diff(p, "c", "b") }, "a\nc\nd\n", true},
		"fragment everywhere":       {"b b b", func(p string) wire.ToolCall { return diff(p, "c", "b") }, "c c c", true},
		"new file":                  {"", func(p string) wire.ToolCall { return diff(p, "hello") }, "hello", true},
		"new file, old text empty":  {"", func(p string) wire.ToolCall { return diff(p, "hello", "") }, "hello", true},
		"emptied":                   {"gone", func(p string) wire.ToolCall { return diff(p, "", "gone") }, "", true},
		"one byte more":             {"a\nb\n", func(p string) wire.ToolCall { return diff(p, "a\nc\n", "a\nb\n") }, "a\nc\n\n", false},
		"other text":                {"a", func(p string) wire.ToolCall { return diff(p, "b", "a") }, "c", false},
		"other file":                {"a", func(p string) wire.ToolCall { return diff(p+"x", "b", "a") }, "b", false},
		"fragment as the file":      {"a\nb\nd\n", func(p string) wire.ToolCall { return diff(p, "c", "b") }, "c", false},
		"fragment that is not here": {"a\n", func(p string) wire.ToolCall { return diff(p, "c", "b") }, "c", false},
		"fragment and more":         {"a\nb\n", func(p string) wire.ToolCall { return diff(p, "c", "b") }, "a\nc\nextra\n", false},
		"no old text":               {"precious", func(p string) wire.ToolCall { return diff(p, "hello") }, "hello", true},
		"shown as new, but is not":  {strings.Repeat("p", maxLocated+1), func(p string) wire.ToolCall { return diff(p, "hello") }, "hello", false},
		"no diff":                   {"a", func(p string) wire.ToolCall { return tool("edit", "b", `{"path":"`+p+`","content":"b"}`) }, "b", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			path := r.path("f.txt")
			if tc.before != "" {
				r.put(path, tc.before)
			}
			r.permit(tc.shown(path), permissions.AllowOnce)
			if !tc.free {
				r.refused(r.write(path, tc.write))
				r.holds(path, tc.before)
				return
			}
			r.free(r.write(path, tc.write))
			r.holds(path, tc.write)
			// Used up: the same write again is asked.
			if tc.before != "" {
				r.put(path, tc.before)
			} else {
				os.Remove(path)
			}
			r.refused(r.write(path, tc.write))
		})
	}
}

// Several edits of one permission are used up one by one.
func TestWriteGrantedEdits(t *testing.T) {
	r := newRig(t)
	a, b := r.put(r.path("a"), "1"), r.put(r.path("b"), "1")
	both := diff(a, "2", "1")
	*both.Content = append(*both.Content, (*diff(b, "2", "1").Content)...)
	r.permit(both, permissions.AllowOnce)
	r.free(r.write(b, "2"))
	r.free(r.write(a, "2"))
	r.refused(r.write(a, "1"))
}

func TestRejectedIsNotGranted(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("f"), "a")
	r.permit(diff(path, "b", "a"), permissions.RejectOnce)
	r.refused(r.write(path, "b"))
	r.holds(path, "a")
}

// An agent gains nothing by giving a yes and a no the same id.
func TestOneIDForYesAndNo(t *testing.T) {
	for name, kinds := range map[string][]string{
		"yes first": {permissions.AllowAlways, permissions.AllowOnce, permissions.RejectOnce},
		"no first":  {permissions.RejectOnce, permissions.AllowOnce},
		"odd kind":  {permissions.AllowOnce, "reject"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			path := r.put(r.path("f"), "a")
			var options []wire.PermissionOption
			for _, k := range kinds {
				options = append(options, wire.PermissionOption{ID: "x", Name: k, Kind: k})
			}
			asked := ask(r.services, acpclient.Question{Session: theSession, Tool: diff(path, "b", "a"), Options: options})
			r.answer("x")
			asked.Wait(t.Context())
			r.refused(r.write(path, "b"))
			r.holds(path, "a")
		})
	}
}

// The agent's own "always" covers the files that its question showed; parley's wider option says what it
// covers.
func TestAlwaysForWrites(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("f"), "a")
	r.permit(diff(r.path("other"), "b"), permissions.AllowAlways)
	r.free(r.write(r.path("other"), "b"))
	r.free(r.write(r.path("other"), "c"))
	q := r.refused(r.write(path, "b"))
	if wide := q.Options[len(q.Options)-1]; !wide.Wide || !strings.Contains(wide.Name, "all edits in "+r.root+" until this session ends") {
		t.Errorf("got %+v", q.Options)
	}
	r.passes(r.write(path, "b"), "edits")
	r.free(r.write(path, "c"))
	r.free(r.write(path, "b"))
	r.free(r.write(r.path("new/file"), "c"))
	r.holds(path, "b")

	out := r.put(filepath.Join(r.outside, "f"), "a")
	if q := r.refused(r.write(out, "b")); !q.Outside {
		t.Errorf("got %+v", q)
	}
	r.holds(out, "a")
	if q := r.refused(r.write(r.path(".git/hooks/pre-commit"), "#!/bin/sh\n")); !q.Secret || !strings.Contains(screen(q), ".git/hooks") {
		t.Errorf("got %+v", q)
	}
	if q := r.refused(r.write(r.path(".env"), "A=1\n")); !q.Secret {
		t.Errorf("got %+v", q)
	}
	// It is forgotten with the session.
	r.services.Sessions.CloseSession(theSession)
	must.Do(t, r.services.Sessions.OpenSession(theSession, []string{r.root}, false))
	r.refused(r.write(path, "c"))
}

// An "always" for something else does not cover writes.
func TestAlwaysForOtherThings(t *testing.T) {
	r := newRig(t)
	r.permit(tool("execute", "ls", `{"command":"ls"}`), permissions.AllowAlways)
	r.refused(r.write(r.path("f"), "x"))
}

func TestAlwaysForParleysOwnQuestion(t *testing.T) {
	r := newRig(t)
	r.passes(r.write(r.path("f"), "1"), "session")
	r.free(r.write(r.path("f"), "2"))
	r.refused(r.write(r.path("g"), "2"))
	out := filepath.Join(r.outside, "f")
	r.passes(r.write(out, "1"), "session")
	r.free(r.write(out, "2")) // allowed for this file and session
	r.holds(out, "2")
	r.refused(r.write(filepath.Join(r.outside, "g"), "1"))
	r.refused(r.write(r.path(".env"), "1"))
}

// An approved diff allows a write outside, or of a sensitive file, only if it showed both texts completely.
func TestGrantsOutsideNeedAllOfTheText(t *testing.T) {
	r := newRig(t)
	out, env := r.put(filepath.Join(r.outside, "f"), "a\nb\n"), r.put(r.path(".env"), "A=1\nB=2\n")
	if q := r.permit(diff(out, "c", "b"), permissions.AllowOnce); !q.Outside || q.Heading != "Write outside the project: "+out {
		t.Errorf("got %+v", q)
	}
	r.refused(r.write(out, "a\nc\n"))
	if q := r.permit(diff(env, "A=2", "A=1"), permissions.AllowOnce); !q.Secret {
		t.Errorf("got %+v", q)
	}
	r.refused(r.write(env, "A=2\nB=2\n"))
	r.holds(out, "a\nb\n")
	r.holds(env, "A=1\nB=2\n")
}

func TestWriteThroughLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	r := newRig(t)
	out := r.put(filepath.Join(r.outside, "target"), "a")
	link := r.path("innocent.txt")
	must.Do(t, os.Symlink(out, link))
	dir := r.path("dir")
	must.Do(t, os.Symlink(r.outside, dir))
	for _, path := range []string{link, filepath.Join(dir, "target"), filepath.Join(dir, "new")} {
		q := r.refused(r.write(path, "b"))
		resolved := strings.Replace(strings.Replace(path, dir, r.outside, 1), link, out, 1)
		if !q.Outside || !strings.Contains(screen(q), resolved) || !strings.Contains(screen(q), path) {
			t.Errorf("%s: got %+v", path, q)
		}
	}
	r.holds(out, "a")
	r.passes(r.write(link, "b"), "once")
	r.holds(out, "b")
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", info, err)
	}
}

func TestWriteWhatChangedMeanwhile(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("f"), "a")
	w := r.write(path, "b")
	q := r.question()
	r.put(path, "the user's own") // for example in an editor
	r.host.Broker().Answer(q.Key, "once")
	if o := w.wait(); !errors.Is(o.err, errChanged) {
		t.Errorf("got %v", o.err)
	}
	r.holds(path, "the user's own")
	if runtime.GOOS == "windows" {
		return
	}
	w = r.write(r.path("g"), "b")
	q = r.question()
	os.MkdirAll(r.path(".git/hooks"), 0o755)
	os.Symlink(r.path(".git/hooks/post-checkout"), r.path("g"))
	r.host.Broker().Answer(q.Key, "once")
	if o := w.wait(); !errors.Is(o.err, errChanged) {
		t.Errorf("got %v", o.err)
	}
	r.holds(r.path(".git/hooks/post-checkout"), "")
}

func TestWriteOverWhatIsNoText(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("picture"), "\x89PNG\x00\xff")
	r.permit(diff(path, "x"), permissions.AllowAlways)
	q := r.refused(r.write(path, "x"))
	if warnings := strings.Join(parts(q, permissions.Warning), " "); !strings.Contains(warnings, "cannot be shown") || q.Body[len(q.Body)-1].NewFile {
		t.Errorf("got %+v", q.Body)
	}
	r.holds(path, "\x89PNG\x00\xff")
}

func TestWriteErrors(t *testing.T) {
	r := newRig(t)
	if o := r.write("relative.txt", "x").wait(); !errors.Is(o.err, fs.ErrInvalid) {
		t.Errorf("relative: %v", o.err)
	}
	work := r.services.FS.WriteTextFile(wire.WriteTextFileRequest{SessionID: "nobody's", Path: r.path("f"), Content: "x"})
	if err := work(t.Context()); err == nil {
		t.Error("written for a session that does not exist")
	}
	if n := count[permissions.Asked](r.sink); n != 0 {
		t.Errorf("%d questions about what cannot be", n)
	}
}
