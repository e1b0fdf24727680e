//go:build unix

package transport

import (
	"path/filepath"
	"testing"

	"parley/internal/must"
)

func TestMapPaths(t *testing.T) {
	dir := t.TempDir()
	here, deep := filepath.ToSlash(dir), filepath.ToSlash(filepath.Join(dir, "deep", "er"))
	ours, theirs := Pipe()
	defer ours.Close()
	defer theirs.Close()
	conn := MapPaths(ours, []PathMap{{"/box", dir}, {"/other/place", filepath.Join(dir, "deep", "er")}})
	for there, want := range map[string]string{
		`{"params":{"path":"/box/a.go","id":12345678901234567890}}`:                                                                                 `{"params":{"id":12345678901234567890,"path":"` + here + `/a.go"}}`,
		`{"params":{"update":{"locations":[{"line":1,"path":"/box"},{"path":"/boxes/x"}]}}}`:                                                        `{"params":{"update":{"locations":[{"line":1,"path":"` + here + `"},{"path":"/boxes/x"}]}}}`,
		`{"rawInput":{"command":"/box/x /box","file_path":"/box/y"}}`:                                                                               `{"rawInput":{"command":"/box/x /box","file_path":"` + here + `/y"}}`,
		`{"rawInput":{"absolute_path":"/box/y","file_text":"/box","notebookPath":"/box/n","files":["/box/f"],"changes":{"/box/c":{"type":"add"}}}}`: `{"rawInput":{"absolute_path":"` + here + `/y","changes":{"` + here + `/c":{"type":"add"}},"file_text":"/box","files":["` + here + `/f"],"notebookPath":"` + here + `/n"}}`,
		`{"cwd":"/other/place/x"}`:                               `{"cwd":"` + deep + `/x"}`,
		`{"uri":"file:///box/a%20b","name":"/box"}`:              `{"name":"/box","uri":"file://` + here + `/a%20b"}`,
		`{"additionalDirectories":["/box/b","/elsewhere"]}`:      `{"additionalDirectories":["` + here + `/b","/elsewhere"]}`,
		`[{"path":"/box/<&>"},{"_meta":{"path":"/box"}}]`:        `[{"path":"` + here + `/<&>"},{"_meta":{"path":"/box"}}]`,
		`{"content":[{"diff":{"path":"/box/x"}}],"text":"/box"}`: `{"content":[{"diff":{"path":"` + here + `/x"}}],"text":"/box"}`,
	} {
		must.Do(t, theirs.Send(Message{Data: []byte(there)}))
		if got := must.Get(conn.Recv())(t); string(got) != want {
			t.Errorf("%s becomes %s, want %s", there, got, want)
		}
		back := want
		must.Do(t, conn.Send(Message{Data: []byte(back)}))
		got := must.Get(theirs.Recv())(t)
		must.Do(t, theirs.Send(Message{Data: got}))
		if again := must.Get(conn.Recv())(t); string(again) != want || string(got) == want {
			t.Errorf("%s goes there as %s and comes back as %s", want, got, again)
		}
	}
	for _, same := range []string{`{"path": "/elsewhere/x" , "b":1}`, `{"path":7}`, `{"path":null}`, `{`, `x`, `{"path":"work"}`} {
		must.Do(t, theirs.Send(Message{Data: []byte(same)}))
		if got := must.Get(conn.Recv())(t); string(got) != same {
			t.Errorf("%s becomes %s", same, got)
		}
	}
	// A path that leaves a directory by dots is none of it.
	must.Do(t, theirs.Send(Message{Data: []byte(`{"path":"/box/../secret"}`)}))
	if got := must.Get(conn.Recv())(t); string(got) != `{"path":"/box/../secret"}` {
		t.Errorf("got %s", got)
	}
}
