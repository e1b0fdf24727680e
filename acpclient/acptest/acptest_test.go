package acptest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		want, got string
		exact     bool
		complaint string // "" if the messages match
	}{
		{`{"a":1,"b":[1,{"c":"x"}]}`, `{"b":[1,{"c":"x","d":0}],"e":5,"a":1}`, false, ""},
		{`{"a":1}`, `{"a":1,"b":2}`, true, "b is there: 2"},
		{`{"a":{"x":1}}`, `{"a":{"x":1,"y":null}}`, true, "a.y is there: null"},
		{`{"a":"..."}`, `{"a":{"anything":[]}}`, true, ""},
		{`{"a":"..."}`, `{}`, false, `a is missing, want "..."`},
		{`{"a":[1,2]}`, `{"a":[1]}`, false, "a is [1], want 2 items"},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false, "a[0] is 2, want 1"},
		{`{"a":"A\u0042"}`, `{"a":"\u0041B"}`, false, ""},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, false, "a is 9007199254740992, want 9007199254740993"},
		{`{"a":1}`, `{"a":"1"}`, false, `a is "1", want 1`},
		{`{"a":{}}`, `{"a":null}`, false, "a is null, want an object"},
		{`{"a":"$x","b":"$x"}`, `{"a":[1],"b":[1]}`, false, ""},
		{`{"a":"$x","b":"$x"}`, `{"a":1,"b":2}`, false, "b is 2, want 1"},
		{`{}`, `5`, false, "the message is 5, want an object"},
		{`{}`, `{"a":`, false, "not JSON"},
	} {
		err := names{}.match([]byte(c.want), []byte(c.got), c.exact)
		switch {
		case c.complaint == "" && err != nil:
			t.Errorf("%s against %s: %v", c.got, c.want, err)
		case c.complaint != "" && (err == nil || !strings.HasPrefix(err.Error(), c.complaint)):
			t.Errorf("%s against %s: %v, want %q", c.got, c.want, err, c.complaint)
		}
	}
}

// TestScriptsComplain plays scripts against a client that sends fixed lines. A script
// that the client does not follow must fail.
func TestScriptsComplain(t *testing.T) {
	const one, two = `{"id":1,"method":"a"}`, `{"id":2,"method":"b"}`
	for _, c := range []struct {
		script, complaint string
		sent              []string
	}{
		{"> {\"method\":\"a\"}\n> {\"method\":\"b\"}", "", []string{one, two}},
		{"> {\"method\":\"b\"}", "script line 1: method is \"a\", want \"b\"", []string{one}},
		{"> {\"method\":\"a\"}\n> {\"method\":\"b\"}", "script line 2: the client sends nothing", []string{one}},
		{"> {\"method\":\"a\"}", "the client sent what no line asks for: " + two, []string{one, two}},
		{"quiet", "script line 1: the client sent what no line asks for", []string{one}},
		{"skip", "", []string{one, two}},
		{"gone", "script line 1: the client is still there", []string{one}},
		{">>\n> {\"id\":\"$b\",\"method\":\"b\"}\n> {\"id\":\"$a\",\"method\":\"a\"}\n\n< result $a {}\n< result $b {}", "", []string{one, two}},
		{">>\n> {\"method\":\"b\"}\n> {\"method\":\"b\"}\n", "script line 1: method is \"a\", want \"b\"", []string{one, two}},
		{"user dance", "script line 1: no", nil},
		{"what is this", `script line 1: unknown line "what is this"`, nil},
		{"> {", "script line 1: not JSON: {", nil},
		{"< hello", `script line 1: the agent cannot send "hello"`, nil},
		{"< update {", "script line 1: not JSON", nil},
		{"sleep long", "script line 1: time: invalid duration", nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			steps, err := parse([]byte(c.script))
			if err == nil {
				in := make(chan []byte, 10)
				for _, m := range c.sent {
					in <- []byte(m)
				}
				err = play(steps, stage{in: in, settle: synctest.Wait, act: func(step) error { return errors.New("no") },
					send: func([][]byte) error { return nil }})
			}
			if c.complaint == "" && err != nil || c.complaint != "" && (err == nil || !strings.Contains(err.Error(), c.complaint)) {
				t.Errorf("%q: got %v, want %q", c.script, err, c.complaint)
			}
		})
	}
}

func TestWhatTheAgentSends(t *testing.T) {
	script := `
# a comment
> {"id":"$1"}
< result $1 {"a":"$1"}
< error 5 {"code":1}
< call "x" m {"a":[]}
< note n {}
< update@s2 {"sessionUpdate":"plan"}
<raw $1 "text"
<"\x1b[1m\n"
<<
< {"a":1}
< {"a":2}

< {"a":3}
`
	steps, err := parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	in := make(chan []byte, 1)
	in <- []byte(`{"id":"abc"}`)
	var writes []string
	err = play(steps, stage{in: in, settle: func() {}, send: func(m [][]byte) error {
		writes = append(writes, string(bytes.Join(m, []byte(" + "))))
		return nil
	}})
	want := []string{`{"jsonrpc":"2.0","id":"abc","result":{"a":"abc"}}`, `{"jsonrpc":"2.0","id":5,"error":{"code":1}}`,
		`{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":[]}}`, `{"jsonrpc":"2.0","method":"n","params":{}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s2","update":{"sessionUpdate":"plan"}}}`,
		`raw $1 "text"`, "\x1b[1m\n", `{"a":1} + {"a":2}`, `{"a":3}`}
	if err != nil || strings.Join(writes, "\n") != strings.Join(want, "\n") {
		t.Errorf("%v: sent\n%s\nwant\n%s", err, strings.Join(writes, "\n"), strings.Join(want, "\n"))
	}
}

func TestPlayOverStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, agentIn := io.Pipe()
		var out bytes.Buffer
		done := make(chan error)
		go func() {
			done <- Play(client, &out, []byte("user connect\n> {\"id\":\"$i\"}\n<<\n< result $i {}\n< note n {}\n"))
		}()
		io.WriteString(agentIn, `{"id":7,"method":"initialize"}`+"\n")
		synctest.Wait()
		agentIn.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		want := `{"jsonrpc":"2.0","id":7,"result":{}}` + "\n" + `{"jsonrpc":"2.0","method":"n","params":{}}` + "\n"
		if out.String() != want {
			t.Errorf("wrote %q, want %q", out.String(), want)
		}
	})
	if err := Play(strings.NewReader(`{"id":1}`), io.Discard, []byte(`> {"id":2}`)); err == nil {
		t.Error("a script that is not kept does not say so")
	}
	if err := Play(strings.NewReader(""), io.Discard, []byte(`> {"id":2}`)); !errors.Is(err, errGone) {
		t.Errorf("a client that is gone: %v", err)
	}
}

func TestArchive(t *testing.T) {
	const text = "a comment\n-- one --\n1\n-- --\nstill one\n-- dir/two --\n-- three --\n3"
	a := ParseArchive([]byte(text))
	if len(a.Files) != 3 || string(a.Comment) != "a comment\n" || string(a.File("one")) != "1\n-- --\nstill one\n" || string(a.File("three")) != "3\n" || a.File("four") != nil {
		t.Errorf("parsed %q", a)
	}
	a.put("dir/two", "2\n")
	a.put("four", "4\n")
	if got, want := string(a.Format()), "a comment\n-- one --\n1\n-- --\nstill one\n-- dir/two --\n2\n-- three --\n3\n-- four --\n4\n"; got != want {
		t.Errorf("formatted %q", got)
	}
}
