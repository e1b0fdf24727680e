package toolserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/host"
	"parley/internal/toolserver"
	"parley/permissions"
)

func TestListedTools(t *testing.T) {
	r, client := bound(t)
	list, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		schema, _ := tool.InputSchema.(map[string]any)
		if schema["type"] != "object" || schema["additionalProperties"] != false || tool.Description == "" || tool.Title == "" {
			t.Errorf("%s: got %v", tool.Name, schema)
		}
		for name, p := range schema["properties"].(map[string]any) {
			if p.(map[string]any)["description"] == nil {
				t.Errorf("%s does not say what %s is", tool.Name, name)
			}
		}
		if read := tool.Name == "read_text_file"; tool.Annotations.ReadOnlyHint != read {
			t.Errorf("%s: got %+v", tool.Name, tool.Annotations)
		}
	}
	if slices.Sort(names); strings.Join(names, " ") != "read_text_file run_command write_text_file" {
		t.Error(names)
	}
	hello := client.InitializeResult()
	if hello.ServerInfo.Name != "parley" || !strings.Contains(hello.Instructions, r.dir) {
		t.Errorf("got %+v", hello)
	}
}

func TestToolsOfAvailableServices(t *testing.T) {
	r := newRig(t, func(o toolserver.Options) toolserver.Options { o.Terminals = nil; return o })
	list, err := r.connect(r.offered, nil).ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestStrictInput(t *testing.T) {
	r, client := bound(t)
	r.put("a", "text")
	for tool, bad := range map[string][]string{
		"read_text_file": {`{}`, `{"path":""}`, `{"path":5}`, `{"path":"a","line":0}`, `{"path":"a","line":1.5}`, `{"path":"a","limit":-1}`, `{"path":"a","limit":0}`,
			`{"path":"a","line":"2"}`, `{"path":"a","file":"b"}`, `{"Path":"a"}`, `{"path":"a","line":99999999999}`},
		"write_text_file": {`{"path":"a"}`, `{"content":"x"}`, `{"path":"a","content":null}`, `{"path":"a","content":"x","mode":"append"}`},
		"run_command": {`{}`, `{"command":""}`, `{"command":" \n"}`, `{"command":["ls"]}`, `{"command":"ls","args":"-l"}`, `{"command":"ls","args":[1]}`,
			`{"command":"ls","env":["A=b"]}`, `{"command":"ls","env":{"A":1}}`, `{"command":"ls","timeout_seconds":0}`, `{"command":"ls","timeout_seconds":1e9}`,
			`{"command":"ls","output_byte_limit":-1}`, `{"command":"ls","output_byte_limit":99999999}`, `{"command":"ls","shell":true}`},
	} {
		for _, args := range bad {
			if got := r.call(client, tool, json.RawMessage(args)); got.err != nil || !got.failed || !strings.Contains(got.texts[0], "validating") {
				t.Errorf("%s takes %s: %s", tool, args, got)
			}
		}
	}
	r.unasked()
	r.holds(filepath.Join(r.dir, "a"), "text")
	if got := r.call(client, "delete_everything", in{}); got.err == nil {
		t.Errorf("there is no such tool: %s", got)
	}
}

func TestReadTextFile(t *testing.T) {
	r, client := bound(t)
	path := r.put("notes.txt", "one\ntwo\r\nthree")
	r.put("empty", "")
	r.put("binary", "a\x00b")
	if err := os.Mkdir(filepath.Join(r.dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args in
		want string
	}{
		{in{"path": path}, "one\ntwo\r\nthree"},
		{in{"path": "notes.txt"}, "one\ntwo\r\nthree"},
		{in{"path": "./sub/../notes.txt", "line": 2, "limit": 1}, "two\r\n"},
		{in{"path": "notes.txt", "line": 3}, "three"},
		{in{"path": "notes.txt", "limit": 1}, "one\n"},
		{in{"path": "notes.txt", "line": 4}, "[There is no line 4.]"},
		{in{"path": "empty"}, "[The file is empty.]"},
	} {
		r.want(r.call(client, "read_text_file", tc.args), tc.want)
	}
	for _, tc := range []struct{ path, says string }{
		{"missing", "There is no such file: " + filepath.Join(r.dir, "missing")},
		{"sub", "not a regular file"},
		{"binary", "not a text file"},
		{"~/notes.txt", `"~" is not expanded`},
		{"a\x00b", "NUL byte"},
	} {
		got := r.call(client, "read_text_file", in{"path": tc.path})
		r.wantError(got, tc.says)
		if strings.Contains(fmt.Sprint(got), "invalid argument") {
			t.Errorf("%s", got)
		}
	}
	r.unasked()
}

// Reading is free inside the session's directories and asked about outside.
func TestReadOutside(t *testing.T) {
	r, client := bound(t)
	path := r.put(filepath.Join(r.outside, "secret.txt"), "secret")
	args := in{"path": path}
	for _, relative := range []string{path, filepath.Join("..", filepath.Base(filepath.Dir(path)))} {
		done := r.begin(t.Context(), client, "read_text_file", in{"path": relative})
		q := r.answer("reject")
		if !q.Outside || q.Kind != "read" {
			t.Errorf("got %+v", q)
		}
		r.wantError(r.ended(done), "The user did not allow it: reading ")
	}
	done := r.begin(t.Context(), client, "read_text_file", args)
	r.answer("once")
	r.want(r.ended(done), "secret")
	done = r.begin(t.Context(), client, "read_text_file", args)
	r.answer("session")
	r.want(r.ended(done), "secret")
	r.want(r.call(client, "read_text_file", args), "secret")
	r.unasked()
}

// A ".." after a link is judged when the file is opened, not cleaned away.
func TestDotsAfterLink(t *testing.T) {
	r, client := bound(t)
	if err := os.Symlink(r.outside, filepath.Join(r.dir, "link")); err != nil {
		t.Skip(err)
	}
	r.put("a", "inside")
	r.wantError(r.call(client, "read_text_file", in{"path": "link/../a"}), `".." after a symbolic link`)
}

func TestLongFile(t *testing.T) {
	r, client := bound(t)
	line := strings.Repeat("x", 99) + "\n"
	whole := strings.Repeat(line, 10_000)
	r.put("long", whole)
	r.put("one line", strings.Repeat("é", toolserver.MaxText))
	got := r.call(client, "read_text_file", in{"path": "long", "line": 11})
	kept := toolserver.MaxText / len(line)
	r.want(got, strings.Repeat(line, kept), fmt.Sprintf("[Cut off here. Continue with line %d.]", 11+kept))
	got = r.call(client, "read_text_file", in{"path": "one line"})
	r.want(got, strings.Repeat("é", toolserver.MaxText/2), "[Cut off within line 1, which is longer than what can be returned.]")
}

func TestWriteTextFile(t *testing.T) {
	r, client := bound(t)
	path := r.put("notes.txt", "old\n")

	done := r.begin(t.Context(), client, "write_text_file", in{"path": "notes.txt", "content": "new\n"})
	q := r.question()
	if i := slices.IndexFunc(q.Body, func(p permissions.Part) bool { return p.Kind == permissions.Diff }); i < 0 || q.Body[i].Old != "old\n" || q.Body[i].Text != "new\n" || q.Body[i].Path != path {
		t.Errorf("the question shows %+v", q.Body)
	}
	r.holds(path, "old\n")
	if err := r.host.Broker().Reject(q.Key); err != nil {
		t.Fatal(err)
	}
	r.wantError(r.ended(done), "The user did not allow it: writing "+path)
	r.holds(path, "old\n")

	done = r.begin(t.Context(), client, "write_text_file", in{"path": path, "content": "new\n"})
	r.answer("once")
	r.want(r.ended(done), "Wrote 4 bytes to "+path+".")
	r.holds(path, "new\n")

	done = r.begin(t.Context(), client, "write_text_file", in{"path": "deep/er/file", "content": ""})
	r.answer("session") // this file alone
	r.want(r.ended(done), "Wrote 0 bytes to "+filepath.Join(r.dir, "deep", "er", "file")+".")
	r.holds(filepath.Join(r.dir, "deep", "er", "file"), "")
	r.want(r.call(client, "write_text_file", in{"path": "deep/er/file", "content": "3"}), "Wrote 1 bytes to "+filepath.Join(r.dir, "deep", "er", "file")+".")
	r.unasked()
	done = r.begin(t.Context(), client, "write_text_file", in{"path": "third", "content": "3"}) // another file
	r.answer("once")
	r.want(r.ended(done), "Wrote 1 bytes to "+filepath.Join(r.dir, "third")+".")
}

// The file changed while the question was open.
func TestWriteOfChangedFile(t *testing.T) {
	r, client := bound(t)
	path := r.put("notes.txt", "old\n")
	done := r.begin(t.Context(), client, "write_text_file", in{"path": path, "content": "new\n"})
	q := r.question()
	r.put("notes.txt", "somebody else's\n")
	if err := r.host.Broker().Answer(q.Key, "once"); err != nil {
		t.Fatal(err)
	}
	r.wantError(r.ended(done), "the file changed while the question was open")
	r.holds(path, "somebody else's\n")
}

// walls is a sandbox that contains only the session's directories.
var walls = host.Sandbox{
	Confine:  func(*exec.Cmd, []string) error { return nil },
	Writable: func(string, []string) bool { return false },
}

// The tools write only where the sandbox lets the agent write, without a question.
func TestToolsKeepToTheSandbox(t *testing.T) {
	r := newRigIn(t, &walls)
	r.offer.Bind(theSession)
	client := r.connect(r.offered, nil)
	path := filepath.Join(r.outside, "f")
	r.wantError(r.call(client, "write_text_file", in{"path": path, "content": "x"}), "The sandbox of parley refuses writing "+path+". Stay within "+r.dir)
	r.wantError(r.call(client, "run_command", in{"command": "touch f", "cwd": r.outside}), "The sandbox of parley refuses to run a command in "+r.outside)
	r.unasked()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("written: %v", err)
	}
}
