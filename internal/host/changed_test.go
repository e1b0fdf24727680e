package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/fsops"
	"parley/internal/must"
	"parley/permissions"
)

// change waits for the question about a write and answers with another text.
func (r *rig) change(text string) permissions.Question {
	r.t.Helper()
	q := r.question()
	must.Do(r.t, r.host.Broker().AnswerWith(q.Key, "once", text))
	return q
}

// told returns the error that the agent gets.
func (r *rig) told(g going) string {
	r.t.Helper()
	var e *jsonrpc.Error
	if o := g.wait(); !errors.As(o.err, &e) || e.Code != jsonrpc.CodeInternalError {
		r.t.Fatalf("it ended with %+v", o)
	}
	return e.Message
}

// The user's text is written, counted and kept for undo, and the agent learns what the file contains.
func TestWriteChangedByTheUser(t *testing.T) {
	r := newRig(t)
	var kept []string
	r.host.opts.OnWrite = func(_ string, w fsops.Written, text string) { kept = append(kept, w.Old+" -> "+text) }
	path := r.put(r.path("f.txt"), "a\nb\nc\n")
	g := r.write(path, "A\nb\nC\nd\n")
	q := r.change("A\nb\nc\n")
	if q.Change == nil || q.Change.Old != "a\nb\nc\n" || q.Change.New != "A\nb\nC\nd\n" || q.Change.Path != path {
		t.Errorf("the change is %+v", q.Change)
	}
	says := r.told(g)
	for _, want := range []string{"The user changed this", path, "--- wanted\n+++ written\n@@ -1,4 +1,3 @@\n A\n b\n-C\n-d\n+c\n"} {
		if !strings.Contains(says, want) {
			t.Errorf("the agent did not get %q:\n%s", want, says)
		}
	}
	r.holds(path, "A\nb\nc\n")
	if len(kept) != 1 || kept[0] != "a\nb\nc\n -> A\nb\nc\n" {
		t.Errorf("for undoing: %q", kept)
	}
	e := find(t, r.sink, "write", func(event.FileWritten) bool { return true })
	if e.Added != 1 || e.Removed != 1 || e.Path != path {
		t.Errorf("got %+v", e)
	}
	s := find(t, r.sink, "answer", func(event.PermissionAnswered) bool { return true })
	if !s.Allowed || s.Decision != "Allow once, with changes" {
		t.Errorf("got %+v", s)
	}
	// It was allowed once: neither text is allowed again.
	r.refused(r.write(path, "A\nb\nC\nd\n"))
	r.refused(r.write(path, "A\nb\nc\n"))
}

// Answering with the very text that was asked is a plain approval.
func TestWriteNotChangedAfterAll(t *testing.T) {
	r := newRig(t)
	g := r.write(r.path("f"), "b")
	r.change("b")
	if o := g.wait(); o.err != nil {
		t.Error(o.err)
	}
	r.holds(r.path("f"), "b")
}

// If no change is left, nothing is written, and the agent is refused.
func TestWriteOfNothing(t *testing.T) {
	r := newRig(t)
	r.host.opts.OnWrite = func(string, fsops.Written, string) { t.Error("something was written") }
	path := r.put(r.path("f"), "a\n")
	for p, old := range map[string]string{path: "a\n", r.path("new"): ""} {
		g := r.write(p, "b\n")
		r.change(old)
		if says := r.told(g); !strings.Contains(says, "did not allow it: writing "+p) {
			t.Errorf("the agent got %q", says)
		}
	}
	r.holds(path, "a\n")
	if _, err := os.Stat(r.path("new")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the new file exists", err)
	}
	find(t, r.sink, "answer", func(e event.PermissionAnswered) bool { return !e.Allowed && strings.Contains(e.Decision, "nothing") })
	if n := count[event.FileWritten](r.sink); n != 0 {
		t.Errorf("%d writes", n)
	}
}

func TestChangedWriteOverWhatChangedMeanwhile(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("f"), "a\n")
	g := r.write(path, "b\n")
	q := r.question()
	r.put(path, "the user's own\n")
	must.Do(t, r.host.Broker().AnswerWith(q.Key, "once", "c\n"))
	if o := g.wait(); !errors.Is(o.err, errChanged) {
		t.Errorf("got %v", o.err)
	}
	r.holds(path, "the user's own\n")
}

// Other approvals for the file were for another text.
func TestGrantsEndWhereTheUserChanged(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("f"), "1\n2\n3\n")
	before := must.Get(os.Stat(path))(t)
	r.permit(diff(path, "II", "2"), permissions.AllowOnce)
	g := r.write(path, "1\n2\n3\n4\n")
	r.change("0\n2\n3\n")
	r.told(g)
	must.Do(t, os.Chtimes(path, time.Time{}, before.ModTime())) // as if both were written in one tick of the clock
	r.refused(r.write(path, "0\nII\n3\n"))
	r.holds(path, "0\n2\n3\n")
}

// Questions about what is not text, and about anything but a write, accept no text; nor does an answer for more
// than once.
func TestWhatTakesNoText(t *testing.T) {
	r := newRig(t)
	picture := r.put(r.path("picture"), "\x89PNG\x00\xff")
	path := r.put(r.path("f"), "a")
	b := r.host.Broker()
	for name, g := range map[string]func() going{
		"no text": func() going { return r.write(picture, "x") },
		"a read":  func() going { return r.read(r.put(filepath.Join(r.outside, "f"), "x")) },
	} {
		g := g()
		q := r.question()
		if err := b.AnswerWith(q.Key, "once", "y"); q.Change != nil || !errors.Is(err, permissions.ErrNoChange) {
			t.Errorf("%s: %v, %+v", name, err, q.Change)
		}
		b.Reject(q.Key)
		g.wait()
	}
	g := r.write(path, "b")
	q := r.question()
	for _, option := range []string{"session", "reject"} {
		if err := b.AnswerWith(q.Key, option, "y"); !errors.Is(err, permissions.ErrNoChange) {
			t.Errorf("%s: got %v", option, err)
		}
	}
	b.Reject(q.Key)
	g.wait()
	r.holds(path, "a")
}

// What the agent is told of the difference is bounded.
func TestDifferenceIsBounded(t *testing.T) {
	long := strings.Repeat("a line of the text\n", 5000)
	says := difference(long, strings.ReplaceAll(long, "line", "row"))
	if len(says) > maxDifference+200 || !strings.Contains(says, "more lines of it. Read the file") {
		t.Errorf("%d bytes: %s", len(says), says[max(0, len(says)-200):])
	}
	if says := difference(strings.Repeat("x", maxCompared), "y"); !strings.Contains(says, "Read the file") || len(says) > 100 {
		t.Errorf("%d bytes", len(says))
	}
	if says := difference("one", strings.Repeat("é", maxDifference)); len(says) > maxDifference+200 {
		t.Errorf("%d bytes", len(says))
	}
}
