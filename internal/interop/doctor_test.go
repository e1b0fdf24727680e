//go:build unix

package interop

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"parley/acpclient/transport"
	"parley/internal/doctor"
	"parley/internal/doctor/probe"
	"parley/internal/must"
)

// The probe of `parley doctor` finds no fault in agents of the SDKs.
func TestProbe(t *testing.T) {
	for _, p := range append(slices.Clone(peers), tsV2) {
		name := p.label()
		if p.v2 {
			name += "-v2"
		}
		t.Run(name, func(t *testing.T) {
			p.need(t)
			t.Parallel()
			dial := func(ctx context.Context) (transport.Conn, error) {
				command := slices.Concat(p.need(t), p.flags)
				return transport.StartStdio(transport.StdioOptions{Command: command[0], Args: command[1:], Dir: t.TempDir(), Grace: 10 * time.Second})
			}
			if p.scheme != "" {
				url := p.url(t)
				dial = func(ctx context.Context) (transport.Conn, error) {
					return transport.Dial(ctx, transport.Remote{URL: url})
				}
			}
			patience := probe.DefaultPatience
			patience.Quiet, patience.Answer = 500*time.Millisecond, 300*time.Millisecond
			all := must.Get(probe.Run(t.Context(), probe.Options{Dial: dial, Dir: must.Get(filepath.EvalSymlinks(t.TempDir()))(t), Version: "test",
				Prompt: "hello", CancelPrompt: "wait", PermissionPrompt: "ask", Large: true, Patience: patience, Grace: 10 * time.Second}))(t)
			if len(all) < 40 {
				t.Errorf("only %d checks", len(all))
			}
			for _, f := range all {
				t.Logf("%s %s: %s", f.State, f.Check, f.Text)
				if f.State == doctor.Fail {
					t.Errorf("%s: %s\n%.2000s", f.Check, f.Text, f.Message)
				}
			}
		})
	}
}
