package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/acpclient/wire"
	"parley/permissions"
)

// overMCP is the question of an agent about parley's own tool.
func overMCP(name, path, content string) wire.ToolCall {
	t := tool("other", name, fmt.Sprintf(`{"path":%q,"content":%q}`, path, content))
	t.Name = str(name)
	return t
}

const byClaude = "mcp__parley__write_text_file"

// What the agent's own question about parley's tool showed is not asked again when the
// call comes: the same file, the same bytes, in the same turn.
func TestWriteShownOverMCP(t *testing.T) {
	for name, tc := range map[string]struct {
		asks  func(path string) wire.ToolCall
		after func(r *rig, path string)
		write string
		free  bool
	}{
		"the same":             {func(p string) wire.ToolCall { return overMCP(byClaude, p, "new\n") }, nil, "new\n", true},
		"a relative path":      {func(p string) wire.ToolCall { return overMCP(byClaude, filepath.Base(p), "new\n") }, nil, "new\n", true},
		"another text":         {func(p string) wire.ToolCall { return overMCP(byClaude, p, "new\n") }, nil, "other\n", false},
		"another file":         {func(p string) wire.ToolCall { return overMCP(byClaude, p+"x", "new\n") }, nil, "new\n", false},
		"another tool":         {func(p string) wire.ToolCall { return overMCP("mcp__other__append", p, "new\n") }, nil, "new\n", false},
		"another server":       {func(p string) wire.ToolCall { return overMCP("mcp__other__write_text_file", p, "new\n") }, nil, "new\n", false},
		"a path that is not":   {func(p string) wire.ToolCall { return overMCP(byClaude, "x/../"+filepath.Base(p), "new\n") }, nil, "new\n", false},
		"the file has changed": {func(p string) wire.ToolCall { return overMCP(byClaude, p, "new\n") }, func(r *rig, p string) { r.put(p, "longer than it was\n") }, "new\n", false},
		"a later turn":         {func(p string) wire.ToolCall { return overMCP(byClaude, p, "new\n") }, func(r *rig, _ string) { r.services.Sessions.EndTurn(theSession) }, "new\n", false},
		"a member more": {func(p string) wire.ToolCall {
			c := tool("other", "w", fmt.Sprintf(`{"path":%q,"content":"new\n","mode":"append"}`, p))
			c.Name = str(byClaude)
			return c
		}, nil, "new\n", false},
		"a member twice": {func(p string) wire.ToolCall {
			c := tool("other", "w", fmt.Sprintf(`{"path":%q,"content":"harmless\n","content":"new\n"}`, p))
			c.Name = str(byClaude)
			return c
		}, nil, "new\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			path := r.put(r.path("f.txt"), "old\n")
			if q := r.permit(tc.asks(path), permissions.AllowOnce); !strings.Contains(screen(q), "f.txt") {
				t.Errorf("the question does not show the file:\n%s", screen(q))
			}
			if tc.after != nil {
				tc.after(r, path)
			}
			if tc.free {
				r.free(r.write(path, tc.write))
				r.holds(path, tc.write)
				return
			}
			r.refused(r.write(path, tc.write))
		})
	}
}

// The same bytes once more in the same turn are no question, wherever the file is.
func TestTheSameWriteAgain(t *testing.T) {
	for name, path := range map[string]func(r *rig) string{
		"inside":    func(r *rig) string { return r.path("f.txt") },
		"outside":   func(r *rig) string { return filepath.Join(r.outside, "f.txt") },
		"sensitive": func(r *rig) string { return r.path(".env") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			p := path(r)
			r.passes(r.write(p, "new\n"), "once")
			r.free(r.write(p, "new\n"))
			r.refused(r.write(p, "newer\n"))
			r.put(p, "mine\n")
			r.refused(r.write(p, "new\n"))
			r.put(p, "new\n")
			r.services.Sessions.EndTurn(theSession)
			r.refused(r.write(p, "new\n"))
		})
	}
}

// opencode asks about a directory outside, then about the file with its change, and then
// hands the text over: two questions, if the user has answered the second himself and it
// showed all of both texts.
func TestOutsideWriteIsNotAskedThrice(t *testing.T) {
	for name, tc := range map[string]struct {
		before, write string
		shown         func(path string) wire.ToolCall
		free          bool
	}{
		"whole":             {"a\nb\n", "a\nc\n", func(p string) wire.ToolCall { return diff(p, "a\nc\n", "a\nb\n") }, true},
		"a new file":        {"", "a\n", func(p string) wire.ToolCall { return diff(p, "a\n") }, true},
		"another text":      {"a\nb\n", "a\nd\n", func(p string) wire.ToolCall { return diff(p, "a\nc\n", "a\nb\n") }, false},
		"a fragment":        {"a\nb\n", "a\nc\n", func(p string) wire.ToolCall { return diff(p, "c", "b") }, false},
		"shown as new":      {"a\nb\n", "a\n", func(p string) wire.ToolCall { return diff(p, "a\n") }, false},
		"over parley's MCP": {"a\nb\n", "a\n", func(p string) wire.ToolCall { return overMCP(byClaude, p, "a\n") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			path := filepath.Join(r.outside, "f.txt")
			if tc.before != "" {
				r.put(path, tc.before)
			}
			r.permit(tool("other", "external_directory", fmt.Sprintf(`{"filepath":%q}`, r.outside)), permissions.AllowOnce)
			if q := r.permit(tc.shown(path), permissions.AllowOnce); !q.Outside {
				t.Error("the question does not say that it is outside")
			}
			if tc.free {
				r.free(r.write(path, tc.write))
				r.holds(path, tc.write)
				return
			}
			if q := r.refused(r.write(path, tc.write)); q.Why == "" {
				t.Error("it says that the agent did not ask")
			}
			r.holds(path, tc.before)
		})
	}
}

// A link that leads elsewhere by now is another file.
func TestOutsideWriteOverAMovedLink(t *testing.T) {
	r := newRig(t)
	link, other := filepath.Join(r.outside, "link"), r.put(filepath.Join(r.outside, "other"), "a\n")
	symlink(t, r.put(filepath.Join(r.outside, "one"), "a\n"), link)
	r.permit(diff(link, "b\n", "a\n"), permissions.AllowOnce)
	symlink(t, other, link)
	r.refused(r.write(link, "b\n"))
	r.holds(other, "a\n")
}

// A rule that wants a question gets its own, also about what the agent's question showed;
// one that denies is never asked around.
func TestRulesOfShownWrites(t *testing.T) {
	for effect, asked := range map[string]bool{"ask": true, "deny": false} {
		r := ruledRig(t, "[["+effect+"]]\npath = \"f.txt\"\n")
		path := r.put(r.path("f.txt"), "old\n")
		if effect == "deny" {
			if o := r.write(path, "new\n").waitUnasked(r); o.err == nil {
				t.Error("written against a rule")
			}
			continue
		}
		r.permit(overMCP(byClaude, path, "new\n"), permissions.AllowOnce)
		if q := r.refused(r.write(path, "new\n")); (q.Why != "") != asked {
			t.Errorf("%s: %q", effect, q.Why)
		}
		r.holds(path, "old\n")
	}
}

func symlink(t *testing.T, target, link string) {
	t.Helper()
	os.Remove(link)
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
}
