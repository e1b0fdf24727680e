//go:build unix

package interop

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

func TestHandshake(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		r := open(t, p)
		got := r.Conn.Agent()
		title := map[string]string{"go": "Interop (Go)", "ts": "Interop (TypeScript)", "py": "Interop (Python)"}[p.tag]
		if got.Name != "interop-"+p.tag || got.Title != title || got.Version != "1.0.0" || got.ProtocolVersion != 1 {
			t.Errorf("agent %+v", got)
		}
		if !got.LoadSession || !got.List || !got.Image || !got.EmbeddedContext || got.Audio || got.Fork || len(got.AuthMethods) != 0 {
			t.Errorf("capabilities %+v", got)
		}
		r.says("session", fmt.Sprintf("client=parley 1.2.3 version=1 fs=true,true terminal=true mode=ask cwd=%s mcp=probe:/bin/true:a b,c:KEY=v=1", r.dir))
	})
}

// odd is text that an encoder could garble.
const odd = "tabs\tand \"quotes\", grüße, 日本語, 👩‍👩‍👧 and\nlines\n\n\\u0041 </script> \\"

func TestMessages(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		r := open(t, p)
		r.says("hello", "hello from "+p.tag)
		if n := len(r.Items(thread.AgentMessage)); n != 1 {
			t.Errorf("%d messages", n)
		}
		r.says("echo "+odd, odd)
		// In a terminal, Unicode's line and paragraph separators are line breaks.
		r.says("echo a\u2028b", "a\nb")
		long := strings.Repeat("0123456789 äöü\n", 100_000)
		r.says("echo "+long, long)
	})
}

func TestBurst(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		const n = 2000
		var want strings.Builder
		for i := range n {
			fmt.Fprintf(&want, "%d ", i)
		}
		open(t, p).says(fmt.Sprint("burst ", n), want.String())
	})
}

func TestBlocks(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		link := event.Block{URI: "file:///a%20b.txt", Name: "a b.txt"}
		open(t, p).says("blocks", "text|link a b.txt file:///a%20b.txt|text", link, event.Block{Text: "and more"})
	})
}

func TestThought(t *testing.T) { each(t, checkThought) }

func checkThought(t *testing.T, p peer) {
	r := open(t, p)
	r.says("think", "thought")
	if got := r.Text(thread.ThoughtMessage); got != "let me think" || len(r.Items(thread.ThoughtMessage)) != 1 {
		t.Errorf("thought %q", got)
	}
}

func TestPlan(t *testing.T) { each(t, checkPlan) }

func checkPlan(t *testing.T, p peer) {
	r := open(t, p)
	r.says("plan", "planned")
	want := []event.PlanEntry{{Content: "look", Priority: "high", Status: "completed"}, {Content: "leap", Priority: "high", Status: "in_progress"}}
	if d := cmp.Diff(want, r.Thread.Plan); d != "" {
		t.Error(d)
	}
}

func TestCommands(t *testing.T) { each(t, checkCommands) }

// checkCommands checks the agent's commands, including those announced before the session was
// known.
func checkCommands(t *testing.T, p peer) {
	r := open(t, p)
	r.Until("the early commands", func() bool { return len(r.Thread.Commands) > 0 }) // over HTTP they arrive on another stream
	if d := cmp.Diff([]event.Command{{Name: "early", Description: "does early", Hint: "what to early"}}, r.Thread.Commands); d != "" {
		t.Error(d)
	}
	r.says("commands", "listed")
	want := []event.Command{{Name: "test", Description: "does test", Hint: "what to test"}, {Name: "plain", Description: "does plain"}}
	if d := cmp.Diff(want, r.Thread.Commands); d != "" {
		t.Error(d)
	}
}

func TestInfo(t *testing.T) { each(t, checkInfo) }

func checkInfo(t *testing.T, p peer) {
	r := open(t, p)
	r.says("info", "told")
	u := r.Thread.Usage
	if r.Thread.Title != "A title" || u.Used != 1200 || u.Size != 8000 || u.Cost != 0.5 || u.Currency != "EUR" {
		t.Errorf("title %q, usage %+v", r.Thread.Title, u)
	}
}

var modes = []event.Choice{{ID: "ask", Name: "Ask"}, {ID: "code", Name: "Code", Description: "writes without asking"}}

func TestModes(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		r := open(t, p)
		if d := cmp.Diff(modes, r.Thread.Modes); d != "" || r.Thread.Mode != "ask" {
			t.Errorf("mode %q, %s", r.Thread.Mode, d)
		}
		r.says("mode", "switched") // by the agent
		if r.Thread.Mode != "code" {
			t.Errorf("mode %q", r.Thread.Mode)
		}
		if err := r.Session.SetMode(r.ctx(), "code"); err != nil { // by the user
			t.Fatal(err)
		}
		if r.prompt("session"); !strings.Contains(r.Said(), " mode=code ") {
			t.Errorf("the agent says %q", r.Said())
		}
		if err := r.Session.SetMode(r.ctx(), "no such mode"); err == nil || !strings.Contains(err.Error(), "Invalid params") {
			t.Errorf("a mode that does not exist: %v", err)
		}
		if r.Apply(); r.Thread.Mode != "code" {
			t.Errorf("mode %q", r.Thread.Mode)
		}
	})
}

func TestTool(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		r := open(t, p)
		r.says("tool", "edited")
		path := filepath.Join(r.dir, "notes.txt")
		edit := r.tool("edit-1")
		if edit.Title != "Edit notes.txt" || edit.Kind != "edit" || edit.Status != "completed" || !sameJSON(edit.RawOutput, `{"ok":true}`) || !sameJSON(edit.RawInput, fmt.Sprintf(`{"path":%q}`, path)) {
			t.Errorf("tool call %+v", edit)
		}
		if d := cmp.Diff([]event.Location{{Path: path, Line: 2}}, edit.Locations); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]event.ToolContent{{Diff: &event.Diff{Path: path, Old: "old\n", New: "new\n"}}}, edit.Content); d != "" {
			t.Error(d)
		}
		made := r.tool("new-1")
		if made.Title != "Could not make it" || made.Status != "failed" {
			t.Errorf("tool call %+v", made)
		}
		want := []event.ToolContent{{Content: &event.Content{Text: "a new file"}},
			{Diff: &event.Diff{Path: filepath.Join(r.dir, "new.txt"), New: "first\n", OldMissing: true}}}
		if d := cmp.Diff(want, made.Content); d != "" {
			t.Error(d)
		}
	})
}

func TestContent(t *testing.T) { each(t, checkContent) }

func checkContent(t *testing.T, p peer) {
	r := open(t, p)
	r.says("content", "shown")
	var got []event.Content
	for _, it := range r.Items(thread.Attachment) {
		c := *it.Attachment
		if c.Kind == event.ImageContent && (c.Bytes < 8 || c.Bytes > 9) { // 8 bytes; the size of padded base64 may be one more
			t.Errorf("%d bytes", c.Bytes)
		}
		c.Bytes = 0
		got = append(got, c)
	}
	want := []event.Content{
		{Kind: event.ImageContent, MimeType: "image/png"},
		{Kind: event.LinkContent, Name: "notes", URI: "file:///notes.txt"},
		{Kind: event.ResourceContent, URI: "file:///embedded.txt", MimeType: "text/plain", Text: "inside"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
