package host

import (
	"os"
	"path/filepath"
	"testing"

	"parley/acpclient/event"
	"parley/internal/must"
)

// Tools exist if configured, and are closed with the host.
func TestTools(t *testing.T) {
	if s := newRig(t).services; s.Tools != nil {
		t.Error("unasked")
	}
	t.Setenv("XDG_RUNTIME_DIR", "")
	log := event.NewLog()
	h := New(Options{Sink: newSink(), Agent: "test", Tools: []string{"/bin/parley", "mcp"}, Version: "1", Log: log})
	m, offer, err := h.Services().Tools("/")
	if err != nil {
		t.Fatal(err)
	}
	if m.Command != "/bin/parley" || len(m.Args) != 1 || m.Args[0] != "mcp" || offer == nil {
		t.Errorf("got %+v", m)
	}
	socket := m.Env[0].Value
	must.Get(os.Lstat(socket))(t)
	h.Close()
	if _, err := os.Stat(filepath.Dir(socket)); !os.IsNotExist(err) {
		t.Errorf("not removed: %v", err)
	}
}
