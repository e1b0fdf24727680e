//go:build unix

package interop

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/must"
)

// speaksV2 enables the tests that need version 2 of the protocol in parley.
const speaksV2 = true

// offerV2 makes parley start with version 2.
func offerV2(o *acpclient.Options) { o.Protocol = "2" }

// withV2 runs a test with the agent that speaks only v2.
func withV2(t *testing.T, test func(*testing.T, peer)) {
	t.Helper()
	if !speaksV2 {
		t.Skip("parley does not speak v2 yet")
	}
	t.Parallel()
	test(t, tsV2)
}

// The agent works with the client of its own SDK.
func TestV2AgentAlone(t *testing.T) {
	t.Parallel()
	command := tsSDK.need(t) // node, the agent, the directory of the SDK
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, command[0], filepath.Join(filepath.Dir(command[1]), "selftest.mjs"), command[2], command[1]).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Errorf("%v: %s", err, out)
	}
}

func TestV2Thought(t *testing.T)       { withV2(t, checkThought) }
func TestV2Plan(t *testing.T)          { withV2(t, checkPlan) }
func TestV2Commands(t *testing.T)      { withV2(t, checkCommands) }
func TestV2Info(t *testing.T)          { withV2(t, checkInfo) }
func TestV2Content(t *testing.T)       { withV2(t, checkContent) }
func TestV2Cancel(t *testing.T)        { withV2(t, checkCancel) }
func TestV2TurnGoesWrong(t *testing.T) { withV2(t, checkTurnGoesWrong) }
func TestV2SessionsAtOnce(t *testing.T) {
	withV2(t, checkSessionsAtOnce)
}
func TestV2List(t *testing.T)           { withV2(t, checkList) }
func TestV2Load(t *testing.T)           { withV2(t, checkLoad) }
func TestV2ResumeAndClose(t *testing.T) { withV2(t, checkResumeAndClose) }
func TestV2CancelQuestion(t *testing.T) {
	withV2(t, func(t *testing.T, p peer) { checkCancelQuestion(t, p, "linger") })
}
func TestV2Ask(t *testing.T) {
	withV2(t, func(t *testing.T, p peer) { checkAsk(t, p, false) })
}

func TestV2Handshake(t *testing.T) {
	withV2(t, func(t *testing.T, p peer) {
		r := open(t, p)
		got := r.Conn.Agent()
		if got.Name != "interop-ts" || got.Title != "Interop (TypeScript)" || got.ProtocolVersion != 2 || !got.Image || !got.EmbeddedContext || got.Audio {
			t.Errorf("agent %+v", got)
		}
		r.says("session", fmt.Sprintf("client=parley 1.2.3 version=2 mode=ask cwd=%s mcp=probe:/bin/true:a b,c:KEY=v=1", r.dir))
	})
}

func TestV2Messages(t *testing.T) {
	withV2(t, func(t *testing.T, p peer) {
		r := open(t, p)
		r.says("hello", "hello from ts")
		r.says("echo "+odd, odd)
	})
}

func TestV2Modes(t *testing.T) {
	withV2(t, func(t *testing.T, p peer) {
		r := open(t, p)
		o, ok := r.Thread.Option("mode")
		if d := cmp.Diff(modes, o.Choices); !ok || d != "" || o.Current != "ask" {
			t.Errorf("option %+v, %s", o, d)
		}
		r.says("mode", "switched")
		if o, _ = r.Thread.Option("mode"); o.Current != "code" {
			t.Errorf("option %+v", o)
		}
		must.Do(t, r.Session.SetOption(r.ctx(), "mode", "code"))
		if r.prompt("session"); !strings.Contains(r.Said(), " mode=code ") {
			t.Errorf("the agent says %q", r.Said())
		}
	})
}

func TestV2Tool(t *testing.T) {
	withV2(t, func(t *testing.T, p peer) {
		r := open(t, p)
		r.says("tool", "edited")
		edit := r.tool("edit-1")
		if edit.Title != "Edit notes.txt" || edit.Kind != "edit" || edit.Status != "completed" || !sameJSON(edit.RawOutput, `{"ok":true}`) || len(edit.Content) != 2 {
			t.Errorf("tool call %+v", edit)
		}
		if made := r.tool("new-1"); made.Title != "Could not make it" || made.Status != "failed" {
			t.Errorf("tool call %+v", made)
		}
	})
}

// In v2 the agent runs commands itself; parley only shows them.
func TestV2Terminal(t *testing.T) {
	withV2(t, func(t *testing.T, p peer) {
		r := open(t, p)
		r.says("terminal", "ran")
		term := r.shown("run-1")
		if string(term.Output) != "half a line\n" || !term.Exited || term.Code == nil || *term.Code != 3 || !term.Foreign || term.Command != "make" {
			t.Errorf("terminal %+v, %q", term, term.Output)
		}
	})
}
