//go:build unix

package interop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/acpclient/thread"
	"parley/internal/must"
	"parley/permissions"
)

// A permission given for a tool call also covers the request that follows.
func TestEdit(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		r := open(t, p)
		r.Choose = func(permissions.Question) string { return permissions.AllowOnce }
		r.says("edit", "written")
		if got := r.read("notes.txt"); got != "one\ntwo\nTHREE\n" {
			t.Errorf("notes.txt %q", got)
		}
		if len(r.Questions) != 1 {
			t.Errorf("%d questions: %+v", len(r.Questions), r.Questions)
		}
		if len(r.written) != 1 || r.written[0].Added != 1 || r.written[0].Removed != 1 {
			t.Errorf("written %+v", r.written)
		}
		r = open(t, p)
		r.Choose = func(permissions.Question) string { return permissions.RejectOnce }
		r.says("edit", "left alone: no")
		if got := r.read("notes.txt"); got != notes || len(r.written) != 0 {
			t.Errorf("notes.txt %q, written %+v", got, r.written)
		}
		if tool := r.tool("edit-2"); tool.Status != "failed" {
			t.Errorf("tool call %+v", tool)
		}
	})
}

func TestRead(t *testing.T) {
	each(t, func(t *testing.T, p peer) { open(t, p).says("read", "read") })
}

// parley asks about a write for which the agent did not ask permission.
func TestWrite(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		r := open(t, p)
		r.Choose = func(permissions.Question) string { return permissions.AllowOnce }
		r.says("write", "written")
		if got := r.read("made/by.txt"); got != "grüße\u2028and 🎉\r\nno end" {
			t.Errorf("made/by.txt %q", got)
		}
		if len(r.Questions) != 1 || r.Questions[0].Origin != permissions.FromParley || r.Questions[0].Heading != "Create made/by.txt" {
			t.Errorf("questions %+v", r.Questions)
		}
		if len(r.written) != 1 {
			t.Errorf("written %+v", r.written)
		}
		r = open(t, p)
		r.Choose = func(permissions.Question) string { return permissions.RejectOnce }
		r.says("write", "refused")
		if _, err := os.Stat(filepath.Join(r.dir, "made")); err == nil || len(r.written) != 0 {
			t.Errorf("written although the user refused: %+v", r.written)
		}
	})
}

func TestReadOutside(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		path := filepath.Join(t.TempDir(), "outside.txt")
		must.Do(t, os.WriteFile(path, []byte("far away"), 0o644))
		for kind, want := range map[string]string{permissions.AllowOnce: "outside: far away", permissions.RejectOnce: "refused"} {
			r := open(t, p)
			r.Choose = func(permissions.Question) string { return kind }
			r.says("outside "+path, want)
			if len(r.Questions) != 1 || !r.Questions[0].Outside {
				t.Errorf("%s: questions %+v", kind, r.Questions)
			}
		}
	})
}

func TestTerminal(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		r := open(t, p)
		r.Choose = func(permissions.Question) string { return permissions.AllowOnce }
		r.says("terminal", "ran")
		term := r.shown("run-1")
		want := "hi there|" + filepath.Join(r.dir, "sub") + "\nbad\n"
		if got := strings.ReplaceAll(string(term.Output), "\r\n", "\n"); got != want {
			t.Errorf("shown %q, want %q", got, want)
		}
		if !term.Exited || term.Code == nil || *term.Code != 3 || term.Cwd != filepath.Join(r.dir, "sub") || term.Foreign {
			t.Errorf("terminal %+v", term)
		}
		if len(r.Questions) != 1 || !strings.Contains(r.Questions[0].Body[0].Text, "exit 3") {
			t.Errorf("questions %+v", r.Questions)
		}
		r = open(t, p)
		r.Choose = func(permissions.Question) string { return permissions.RejectOnce }
		r.says("terminal", "refused")
		if tools := r.Items(thread.ToolCall); len(tools) != 0 {
			t.Errorf("tool calls %+v", tools)
		}
	})
}

// shown returns the terminal shown in a tool call.
func (r *rig) shown(tool string) *thread.Terminal {
	r.t.Helper()
	for _, c := range r.tool(tool).Content {
		if term := r.Thread.Terminal(c.Terminal); c.Terminal != "" && term != nil {
			return term
		}
	}
	r.t.Fatalf("%s shows no terminal: %+v", tool, r.tool(tool))
	return nil
}

func TestTerminalLimit(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		r := open(t, p)
		r.Choose = func(permissions.Question) string { return permissions.AllowAlways }
		r.says("limit", "ran")
		r.says("limit", "ran")
		if len(r.Questions) != 1 {
			t.Errorf("%d questions, want one for the session", len(r.Questions))
		}
	})
}

func TestKill(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		r := open(t, p)
		r.Choose = func(permissions.Question) string { return permissions.AllowOnce }
		r.says("kill", "killed")
		if term := r.shown("run-1"); !term.Exited || term.Signal == "" || term.Code != nil {
			t.Errorf("terminal %+v", term)
		}
	})
}
