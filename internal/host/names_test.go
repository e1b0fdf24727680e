package host

import (
	"context"
	"os"
	"slices"
	"testing"
	"testing/synctest"

	"parley/acpclient"
	"parley/acpclient/wire"
	"parley/internal/must"
)

// watching is a rig whose named files are recorded, on the goroutine that names them.
func watching(t *testing.T) (r *rig, named func(wire.ToolCall) []string) {
	r = newRig(t)
	var got []string
	r.host.opts.OnName = func(session string, paths func() []string) <-chan struct{} {
		if session != theSession {
			t.Errorf("session %q", session)
		}
		got = append(got, paths()...)
		looked := make(chan struct{})
		close(looked)
		return looked
	}
	return r, func(c wire.ToolCall) []string {
		got = nil
		r.services.Names(theSession, c)
		slices.Sort(got)
		return got
	}
}

// The files that a tool call names in its content, locations or input are reported once: those in the
// session's directories, sensitive ones only if they are written. Links are followed.
func TestNames(t *testing.T) {
	r, named := watching(t)
	r.put(r.path("a"), "")
	if err := os.Symlink("a", r.path("link")); err != nil {
		t.Skip(err)
	}
	must.Do(t, os.Symlink(r.outside, r.path("away")))
	places := func(kind string, paths ...string) wire.ToolCall {
		c := tool(kind, "", "")
		c.Locations = &[]wire.Location{}
		for _, p := range paths {
			*c.Locations = append(*c.Locations, wire.Location{Path: p})
		}
		return c
	}
	patch := tool("other", "", "")
	patch.Content = &[]wire.ToolContent{{Type: wire.ChangesContent, Changes: []wire.FileChange{{Operation: "modify", Path: r.path("v2"), OldPath: r.path("was")}}}}
	for _, c := range []struct {
		name string
		call wire.ToolCall
		want []string
	}{
		{"diff", diff(r.path("made"), "x"), []string{"made"}},
		{"again", diff(r.path("made"), "y"), nil},
		{"locations", places("read", r.path("a"), "relative/b", r.path("link"), r.path("away/x"), r.outside+"/x", "/", ""), []string{"a", "a", "relative/b"}},
		{"input", tool("edit", "", `{"file_path":"in","old_string":"x"}`), []string{"in"}},
		{"patch", tool("other", "", `{"input":"*** Begin Patch\n*** Update File: p\n*** End Patch"}`), []string{"p"}},
		{"changes of v2", patch, []string{"v2", "was"}},
		{"a secret that is read", places("read", r.path(".env")), nil},
		{"a secret that is written", diff(r.path(".env"), "x"), []string{".env"}},
		{"a command", tool("execute", "", `{"command":"make all"}`), nil},
	} {
		var want []string
		for _, name := range c.want {
			want = append(want, r.path(name))
		}
		if got := named(c.call); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", c.name, got, want)
		}
	}
}

// The agent gets its answer after the files of its question have been looked at, or when its request ends.
func TestAnswerWaitsForTheLook(t *testing.T) {
	for name, release := range map[string]func(looked chan struct{}, stop func()){
		"stopped": func(_ chan struct{}, stop func()) { stop() },
		"looked":  func(looked chan struct{}, _ func()) { close(looked) },
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			looked := make(chan struct{})
			r.host.opts.OnName = func(string, func() []string) <-chan struct{} { return looked }
			asked := ask(r.services, acpclient.Question{Session: theSession, Tool: diff(r.path("a"), "x"), Options: []wire.PermissionOption{{ID: "y", Name: "Yes", Kind: "allow_once"}}})
			r.answer("y")
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			answer := make(chan acpclient.Decision, 1)
			go func() { answer <- asked.Wait(ctx) }()
			synctest.Wait()
			if len(answer) > 0 {
				t.Errorf("%s: answered before the file was looked at", name)
			}
			release(looked, stop)
			if d := <-answer; d.OptionID != "y" {
				t.Errorf("%s: got %+v", name, d)
			}
		})
	}
}
