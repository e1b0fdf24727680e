//go:build unix

package e2e

import (
	"context"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/internal/host"
	"parley/internal/must"
	"parley/internal/testclient"
	"parley/permissions"
)

// visitor is parley without a screen, connected to an agent at a URL, with one session. It allows
// every question once.
type visitor struct {
	*testclient.Client
	t      *testing.T
	chunks int // number of text updates received
}

// visit connects and shares the directory with the agent.
func visit(t *testing.T, remote transport.Remote, dir string) *visitor {
	t.Helper()
	v := &visitor{Client: testclient.New(t, host.Options{Agent: "demo", Remote: &host.Remote{Files: true, Roots: []string{dir}}}), t: t}
	v.Choose = func(permissions.Question) string { return permissions.AllowOnce }
	v.Seen = func(e event.Event) {
		if _, ok := e.(event.TextArrived); ok {
			v.chunks++
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	v.Conn = must.Get(acpclient.Dial(ctx, remote, v.Options()))(t)
	t.Cleanup(func() { v.Conn.Close() })
	v.Session = must.Get(v.Conn.NewSession(ctx, acpclient.NewSession{Cwd: dir}))(t)
	return v
}
