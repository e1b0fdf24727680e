package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/wire"
	"parley/internal/must"
	"parley/permissions"
)

// A remote agent gets nothing of this machine, and its paths are not resolved here.
func TestRemoteGetsNothing(t *testing.T) {
	s := newSink()
	h := New(Options{Sink: s, Agent: "far", Remote: &Remote{Roots: []string{t.TempDir()}}})
	defer h.Close()
	services := h.Services()
	if services.FS != nil || services.Terminals != nil || services.Tools != nil || services.Permissions == nil {
		t.Errorf("got %+v", services)
	}
	must.Do(t, services.Sessions.OpenSession(theSession, []string{"/not/on/this/machine"}, false))
	defer services.Sessions.CloseSession(theSession)
	secret := filepath.Join(t.TempDir(), ".env")
	must.Do(t, os.WriteFile(secret, []byte("x"), 0o600))
	ask(services, acpclient.Question{Session: theSession, Tool: wire.ToolCall{ID: "t", Locations: &[]wire.Location{{Path: secret}}},
		Options: []wire.PermissionOption{{ID: "y", Name: "Yes", Kind: "allow_once"}}})
	q := find(t, s, "question", func(permissions.Asked) bool { return true }).Question
	for _, p := range q.Body {
		if p.Kind == permissions.Warning {
			t.Errorf("it warns of %q", p.Text)
		}
	}
	if !q.Outside {
		t.Error("a flag for what is inside the directories would let it pass")
	}
}

// Shared directories are those of this machine, wherever the session is.
func TestRemoteSharesWhatIsHere(t *testing.T) {
	root := realDir(t)
	h := New(Options{Sink: newSink(), Agent: "far", Remote: &Remote{Files: true, Roots: []string{root}}})
	defer h.Close()
	services := h.Services()
	if services.FS == nil || services.Terminals != nil {
		t.Fatalf("got %+v", services)
	}
	must.Do(t, services.Sessions.OpenSession(theSession, []string{"/not/on/this/machine"}, false))
	file := filepath.Join(root, "a.txt")
	must.Do(t, os.WriteFile(file, []byte("hello"), 0o600))
	text, err := services.FS.ReadTextFile(wire.ReadTextFileRequest{SessionID: theSession, Path: file})(t.Context())
	if err != nil || !strings.Contains(text, "hello") {
		t.Errorf("%q, %v", text, err)
	}
}
