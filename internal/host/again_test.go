package host

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/acpclient/wire"
	"parley/permissions"
)

// overMCP is an agent's question about a call of parley's own tool.
func overMCP(name, path, content string) wire.ToolCall {
	t := tool("other", name, fmt.Sprintf(`{"path":%q,"content":%q}`, path, content))
	t.Name = new(name)
	return t
}

const byClaude = "mcp__parley__write_text_file"

// If the agent's question about parley's tool showed a write, the call needs no question in the same turn: the
// same file, the same bytes.
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
			c.Name = new(byClaude)
			return c
		}, nil, "new\n", false},
		"a member twice": {func(p string) wire.ToolCall {
			c := tool("other", "w", fmt.Sprintf(`{"path":%q,"content":"harmless\n","content":"new\n"}`, p))
			c.Name = new(byClaude)
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

// runShapes are the two ways in which agents show a call over MCP: under a name that contains the server's, or
// as server, tool and arguments.
var runShapes = map[string]func(input string) wire.ToolCall{
	"by its name": func(input string) wire.ToolCall {
		t := tool("other", byClaude, input)
		t.Name = new("mcp__parley__run_command")
		return t
	},
	"as it is called": func(input string) wire.ToolCall {
		return tool("execute", "mcp.parley.run_command", `{"server":"parley","tool":"run_command","arguments":`+input+`}`)
	},
}

// If the agent's question about parley's tool showed a command, the call needs no question: the same words, in
// the same directory, with the same variables.
func TestCommandShownOverMCP(t *testing.T) {
	env := func(v ...string) (out []wire.EnvVar) {
		for i := 0; i < len(v); i += 2 {
			out = append(out, wire.EnvVar{Name: v[i], Value: v[i+1]})
		}
		return out
	}
	words := func(w ...string) wire.CreateTerminalRequest {
		return wire.CreateTerminalRequest{Command: w[0], Args: w[1:]}
	}
	with := func(r wire.CreateTerminalRequest, e []wire.EnvVar) wire.CreateTerminalRequest { r.Env = e; return r }
	in := func(r wire.CreateTerminalRequest, dir string) wire.CreateTerminalRequest { r.Cwd = dir; return r }
	for name, tc := range map[string]struct {
		input string // %r is the session's directory, %o one outside
		shown string // the line; "" if it is not shown as the command
		req   wire.CreateTerminalRequest
		free  bool
	}{
		"words":                {`{"command":"true","args":["a b","*"]}`, "true 'a b' '*'", words("true", "a b", "*"), true},
		"words as a line":      {`{"command":"true","args":["a","b"]}`, "true a b", words("true a b"), true},
		"a line":               {`{"command":"true && true"}`, "true && true", words("true && true"), true},
		"a line as words":      {`{"command":"true a b"}`, "true a b", words("true", "a", "b"), true},
		"variables":            {`{"command":"true","env":{"B":"2","A":"1"}}`, "A=1 B=2 true", with(words("true"), env("A", "1", "B", "2")), true},
		"a directory":          {`{"command":"true","cwd":"sub"}`, "true", in(words("true"), "%r/sub"), true},
		"a full one":           {`{"command":"true","cwd":"%r/sub/"}`, "true", in(words("true"), "%r/sub"), true},
		"for how long":         {`{"command":"true","timeout_seconds":5,"output_byte_limit":10}`, "true", words("true"), true},
		"no arguments":         {`{"command":"true a","args":[],"env":{}}`, "true a", words("true a"), true},
		"other words":          {`{"command":"true","args":["a b"]}`, "true 'a b'", words("true", "a", "b"), false},
		"a word more":          {`{"command":"true","args":["a"]}`, "true a", words("true", "a", "b"), false},
		"a pattern as a word":  {`{"command":"true","args":["*"]}`, "true '*'", words("true *"), false},
		"a word as a pattern":  {`{"command":"true *"}`, "true *", words("true", "*"), false},
		"a word as a command":  {`{"command":"true","args":["a;","false"]}`, "true 'a;' false", words("true a; false"), false},
		"a variable more":      {`{"command":"true"}`, "true", with(words("true"), env("LD_PRELOAD", "/x.so")), false},
		"a variable less":      {`{"command":"true","env":{"A":"1"}}`, "A=1 true", words("true"), false},
		"another value":        {`{"command":"true","env":{"A":"1"}}`, "A=1 true", with(words("true"), env("A", "2")), false},
		"a variable of a part": {`{"command":"A=1 true && true"}`, "A=1 true && true", with(words("true && true"), env("A", "1")), false},
		"a variable of all":    {`{"command":"true && true","env":{"A":"1"}}`, "A=1 true && true", words("A=1 true && true"), false},
		"a shell's variable":   {`{"command":"true","args":["a"],"env":{"BASH_ENV":"x"}}`, "BASH_ENV=x true a", with(words("true a"), env("BASH_ENV", "x")), false},
		"another directory":    {`{"command":"true","cwd":"sub"}`, "true", words("true"), false},
		"one that was hidden":  {`{"command":"true"}`, "true", in(words("true"), "%r/sub"), false},
		"out of it":            {`{"command":"true","cwd":"sub/.."}`, "true", in(words("true"), "%o"), false},
		"a member more":        {`{"command":"true","stdin":"x"}`, "true", words("true"), false},
		"a member twice":       {`{"command":"true","args":["a"],"args":["b"]}`, "", words("true", "b"), false},
		"a command twice":      {`{"command":"false","command":"true"}`, "", words("true"), false},
		"a variable twice":     {`{"command":"true","env":{"A":"1","A":"2"}}`, "", with(words("true"), env("A", "2")), false},
		"args of no text":      {`{"command":"true","args":["a",1]}`, "", words("true", "a"), false},
		"args that are text":   {`{"command":"true","args":"a b"}`, "", words("true", "a b"), false},
	} {
		for how, shape := range runShapes {
			t.Run(name+" "+how, func(t *testing.T) {
				r := newRig(t)
				r.put(r.path("sub/f"), "")
				at := strings.NewReplacer("%r", r.root, "%o", r.outside)
				req := in(tc.req, at.Replace(tc.req.Cwd))
				q := r.permit(shape(at.Replace(tc.input)), permissions.AllowOnce)
				if got := parts(q, permissions.Command); tc.shown != "" && (len(got) != 1 || got[0] != tc.shown) && name != "a member more" {
					t.Errorf("shown as %q", got)
				}
				if tc.free {
					r.free(r.create(req))
				}
				q = r.refused(r.create(req)) // used up, or a different command
				near := slices.Contains([]string{"a variable more", "a variable less", "another value", "another directory", "one that was hidden", "out of it",
					"a shell's variable"}, name)
				if (q.RepeatReason != "") != near {
					t.Errorf("asked %q", q.RepeatReason)
				}
			})
		}
	}
}

// A call is not hidden by the command it is shown as, and rules judge the call.
func TestQuestionOverMCP(t *testing.T) {
	for how, shape := range runShapes {
		r := newRig(t)
		q := r.show(shape(`{"command":"go","args":["test","a b"],"cwd":"sub","env":{"A":"1"},"timeout_seconds":7}`))
		if got := screen(q); q.Kind != "execute" || q.Heading != "Run in sub/" || !strings.Contains(got, "A=1 go test 'a b'") || !strings.Contains(got, "7") {
			t.Errorf("%s: %s", how, got)
		}
		for _, p := range q.Body {
			if p.Kind == permissions.Field && (p.Label == "args" || p.Label == "env" || p.Label == "cwd" || p.Label == "command") {
				t.Errorf("%s: said twice: %+v", how, p)
			}
		}
		if c := q.Facts.Commands; len(c) != 1 || !slices.Equal(c[0].Words, []string{"go", "test", "a b"}) || c[0].Dir != r.path("sub") || !c[0].Env || q.Facts.Partial {
			t.Errorf("%s: got %+v", how, q.Facts)
		}
		if q := r.show(shape(`{"command":"go","args":["test"],"stdin":"rm"}`)); !q.Facts.Partial || !strings.Contains(screen(q), "rm") {
			t.Errorf("%s: got %+v", how, q.Facts)
		}
	}
}

// A directory whose name leads elsewhere by now is a different one.
func TestCommandOverMCPAfterLinkMoved(t *testing.T) {
	r := newRig(t)
	r.put(r.path("a/x"), "")
	symlink(t, r.path("a"), r.path("l"))
	r.permit(runShapes["by its name"](`{"command":"true","cwd":"l"}`), permissions.AllowOnce)
	symlink(t, r.outside, r.path("l"))
	r.refused(r.create(wire.CreateTerminalRequest{Command: "true", Cwd: r.path("l")}))
}

// Writing the same bytes again in the same turn needs no question, wherever the file is.
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

// opencode asks about a directory outside, then about the file with its change, and then sends the text. That
// is two questions if the user answered the second and it showed both texts completely.
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
			if q := r.refused(r.write(path, tc.write)); q.RepeatReason == "" {
				t.Error("it says that the agent did not ask")
			}
			r.holds(path, tc.before)
		})
	}
}

// A link that leads elsewhere by now is a different file.
func TestOutsideWriteOverAMovedLink(t *testing.T) {
	r := newRig(t)
	link, other := filepath.Join(r.outside, "link"), r.put(filepath.Join(r.outside, "other"), "a\n")
	symlink(t, r.put(filepath.Join(r.outside, "one"), "a\n"), link)
	r.permit(diff(link, "b\n", "a\n"), permissions.AllowOnce)
	symlink(t, other, link)
	r.refused(r.write(link, "b\n"))
	r.holds(other, "a\n")
}

// A rule that asks gets its own question, even about what the agent's question showed; one that denies cannot
// be bypassed.
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
		if q := r.refused(r.write(path, "new\n")); (q.RepeatReason != "") != asked {
			t.Errorf("%s: got %q", effect, q.RepeatReason)
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
