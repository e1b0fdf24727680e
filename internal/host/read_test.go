package host

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/acpclient/wire"
	"parley/internal/must"
	"parley/permissions"
)

func TestRead(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("f"), "a\r\nb")
	if got := r.free(r.read(path)); got != "a\r\nb" {
		t.Errorf("got %q", got)
	}
	line, limit := 1, 1
	work := r.services.FS.ReadTextFile(wire.ReadTextFileRequest{SessionID: theSession, Path: path, Line: &line, Limit: &limit})
	if got, err := work(t.Context()); got != "a\r\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if o := r.read(r.path("missing")).wait(); !errors.Is(o.err, fs.ErrNotExist) {
		t.Errorf("missing: %v", o.err)
	}
	if o := r.read(r.path(".env")).wait(); !errors.Is(o.err, fs.ErrNotExist) {
		t.Errorf("missing secret: %v", o.err)
	}
	if o := r.read("f").wait(); !errors.Is(o.err, fs.ErrInvalid) {
		t.Errorf("relative: %v", o.err)
	}
	if n := count[permissions.Asked](r.sink); n != 0 {
		t.Errorf("%d questions", n)
	}
}

func TestReadIsAsked(t *testing.T) {
	r := newRig(t)
	secret := r.put(r.path(".env"), "TOKEN=1")
	out := r.put(filepath.Join(r.outside, "f"), "theirs")
	if q := r.refused(r.read(secret)); !q.Secret || q.Outside || q.Kind != "read" || q.Heading != "Read .env" {
		t.Errorf("got %+v", q)
	}
	if q := r.refused(r.read(out)); !q.Outside || q.Heading != "Read outside the project: "+out {
		t.Errorf("got %+v", q)
	}
	// Whether a file exists is not disclosed.
	r.refused(r.read(filepath.Join(r.outside, "missing")))
	if got := r.passes(r.read(out), "once"); got != "theirs" {
		t.Errorf("got %q", got)
	}
	if got := r.passes(r.read(out), "session"); got != "theirs" {
		t.Errorf("got %q", got)
	}
	r.free(r.read(out))
	r.refused(r.read(r.put(filepath.Join(r.outside, "g"), "")))
	r.refused(r.read(secret))
}

func TestReadThroughLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	r := newRig(t)
	out := r.put(filepath.Join(r.outside, "f"), "theirs")
	link := r.path("notes.txt")
	must.Do(t, os.Symlink(out, link))
	if q := r.refused(r.read(link)); !q.Outside || !strings.Contains(screen(q), "really "+out) {
		t.Errorf("got %+v", q)
	}
	// What was shown is allowed, not the later target of the link.
	read := r.read(link)
	q := r.question()
	os.Remove(link)
	os.Symlink(r.put(filepath.Join(r.outside, "other"), "not this"), link)
	r.host.Broker().Answer(q.Key, "once")
	if o := read.wait(); o.text != "theirs" || o.err != nil {
		t.Errorf("got %+v", o)
	}
}

// The same for a file inside that a rule asks about.
func TestReadOfAFileThatBecomesALink(t *testing.T) {
	r := ruled(t, "[[ask]]\npath = \"notes.txt\"\n")
	r.put(r.path(".env"), "TOKEN=1")
	notes := r.put(r.path("notes.txt"), "notes")
	read := r.read(notes)
	q := r.question()
	os.Remove(notes)
	r.link(r.path(".env"), "notes.txt")
	r.host.Broker().Answer(q.Key, "once")
	if o := read.wait(); o.err == nil || o.text != "" || !strings.Contains(o.err.Error(), "changed while the question was open") {
		t.Errorf("got %+v", o)
	}
}

// Operations on one path run in order.
func TestReadWaitsForTheWriteBefore(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("f"), "old")
	other := r.put(r.path("g"), "free")
	w := r.write(path, "new")
	read, elsewhere := r.read(path), r.read(other)
	q := r.question()
	if o := elsewhere.wait(); o.text != "free" {
		t.Errorf("another file had to wait: %+v", o)
	}
	select {
	case o := <-read.done:
		t.Fatalf("read while the write before it waits: %+v", o)
	default:
	}
	r.host.Broker().Answer(q.Key, "once")
	if o := read.wait(); o.text != "new" || o.err != nil {
		t.Errorf("got %+v", o)
	}
	r.free(w)
	// A rejected write lets the next operation run.
	w, read = r.write(path, "newer"), r.read(path)
	r.refused(w)
	if o := read.wait(); o.text != "new" {
		t.Errorf("got %+v", o)
	}
}

// The second write of a path is asked when the first is done, and shows its result.
func TestWritesKeepTheirOrder(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("f"), "0")
	first, second := r.write(path, "1"), r.write(path, "2")
	q := r.question()
	if d := q.Body[len(q.Body)-1]; d.Old != "0" || d.Text != "1" {
		t.Fatalf("got %+v", d)
	}
	r.host.Broker().Answer(q.Key, "once")
	if o := first.wait(); o.err != nil {
		t.Fatal(o.err)
	}
	if q = r.answer("once"); q.Body[len(q.Body)-1].Old != "1" {
		t.Errorf("got %+v", q.Body)
	}
	r.free(second)
	r.holds(path, "2")
}

func TestRequestIsWithdrawn(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("f"), "old")
	ctx, cancel := context.WithCancel(t.Context())
	work := r.services.FS.WriteTextFile(wire.WriteTextFileRequest{SessionID: theSession, Path: path, Content: "new"})
	w := r.begin(func() (string, error) { return "", work(ctx) })
	q := r.question()
	cancel()
	if o := w.wait(); o.err == nil {
		t.Error("written after it was withdrawn")
	}
	if err := r.host.Broker().Answer(q.Key, "once"); !errors.Is(err, permissions.ErrSettled) {
		t.Errorf("got %v", err)
	}
	find(t, r.sink, "end of the question", func(s permissions.Settled) bool { return s.Key == q.Key && s.Answer.Cancelled })
	r.holds(path, "old")
	if got := r.free(r.read(path)); got != "old" {
		t.Errorf("got %q", got)
	}
}
