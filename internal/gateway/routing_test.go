package gateway

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// each runs a test for every variant of HTTP.
func each(t *testing.T, f func(t *testing.T, r *rig), change ...func(*Options)) {
	for _, profile := range profiles {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			f(t, newRig(t, profile, change...))
		})
	}
}

// A POST of initialize without a connection makes one; the response is JSON.
func TestInitializeMakesAConnection(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		got := r.do("POST", request(`"a1"`, "initialize", `{"protocolVersion":1}`), "Content-Type: application/json; charset=utf-8")
		id := got.header.Get("Acp-Connection-Id")
		if got.status != 200 || got.header.Get("Content-Type") != "application/json" || !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(id) {
			t.Fatalf("got %+v", got)
		}
		if want := result(`"a1"`, fmt.Sprintf(`{"protocolVersion":1,"pid":%d}`, pidIn(t, got.body))); got.body != want {
			t.Errorf("got %s, want %s", got.body, want)
		}
		if got.header.Get("Set-Cookie") != "" {
			t.Error("a cookie is set without the option")
		}
		want := map[bool]string{true: "HTTP/1.1", false: "HTTP/2.0"}[strings.Contains(t.Name(), "h1")]
		if got.proto != want {
			t.Errorf("spoke %s", got.proto)
		}
		if again := r.connect(); again.id == id {
			t.Error("two connections with one id")
		}
	})
}

// An agent that writes "error":null beside the result has not refused.
func TestInitializedWithAnErrorOfNull(t *testing.T) {
	t.Parallel()
	answer := `{"jsonrpc":"2.0","id":0,"result":{"pid":1},"error":null}`
	r := newRig(t, "h1", faked(func(f *fake, msg []byte) {
		if bytes.Contains(msg, initializePart) {
			msg = []byte(answer)
		}
		f.say(msg)
	}))
	c := r.connect()
	if got := c.post("", `{"jsonrpc":"2.0","method":"m"}`); got.status != 202 {
		t.Errorf("a message after it: %d %s", got.status, got.body)
	}
}

// GET with a connection returns its stream; with a session too, the stream of the session.
func TestStreams(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		main := c.open("")
		for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no",
			"Connection": "", "Acp-Connection-Id": c.id, "Acp-Session-Id": ""} {
			if got := main.header.Get(name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
		if first := <-main.events; first != ":" {
			t.Errorf("the stream started with %q", first)
		}
		c.send("", request("1", "session/new", `{}`))
		main.want(result("1", `{"sessionId":"sess-1"}`))
		one := c.open("sess-1")
		if got := one.header.Get("Acp-Session-Id"); got != "sess-1" {
			t.Errorf("the stream is that of %q", got)
		}
		c.send("sess-1", request("2", "session/prompt", `{"sessionId":"sess-1","lines":`+list([]string{update("sess-1", "hello")})+`}`))
		one.want(update("sess-1", "hello"), result("2", `{"to":"session/prompt"}`))
	})
}

// Each answer goes to its stream: PROTOCOL 5.4 and 5.8.
func TestAnswersFindTheirStream(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		main, one := c.open(""), c.open("s")
		id := 1
		for _, method := range []string{"session/list", "authenticate", "logout", "_mine/global"} {
			c.send("", request(fmt.Sprint(id), method, `{}`))
			main.want(result(fmt.Sprint(id), `{"to":"`+method+`"}`))
			id++
		}
		for _, method := range []string{"session/prompt", "session/resume", "session/close", "session/delete", "session/fork", "session/set_mode",
			"session/set_config_option", "_mine/thing"} {
			c.send("s", request(fmt.Sprint(id), method, `{"sessionId":"s"}`))
			one.want(result(fmt.Sprint(id), `{"to":"`+method+`"}`))
			id++
		}
		c.send("s", request(`"only the header"`, "_mine/other", `{}`))
		one.want(result(`"only the header"`, `{"to":"_mine/other"}`))
	})
}

// The answer to session/load goes to the connection, after the replay in the session's
// stream.
func TestLoad(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		main := c.open("")
		c.send("old", request("1", "session/load", `{"sessionId":"old"}`))
		main.want(result("1", `{}`))
		one := c.open("old") // late: everything has waited
		one.want(update("old", "replay 0"), update("old", "replay 1"), update("old", "replay 2"))
	})
}

// Requests and notifications of the agent go to their stream.
func TestAgentMessagesFindTheirStream(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		main, a, b := c.open(""), c.open("a"), c.open("b")
		toA := []string{
			update("a", "1"),
			request("7", "session/request_permission", `{"sessionId":"a"}`),
			`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7.0}}`, // follows its request
			`{"params":{"x":1,"sessionId":"\u0061"},"id":8,"method":"fs/read_text_file"}`,
			`[` + update("a", "2") + `, ` + update("a", "3") + `]`,
		}
		toB := []string{update("b", "4"), `{"jsonrpc":"2.0","method":"m","params":{"sessionId":"a","sessionId":"b"}}`}
		toMain := []string{
			request("9", "elicitation/create", `{"requestId":3}`),
			`{"jsonrpc":"2.0","method":"_auth/status_update","params":{}}`,
			`{"jsonrpc":"2.0","method":"_auth/status_update"}`,
			`{"jsonrpc":"2.0","method":"m","params":["a"]}`,
			`{"jsonrpc":"2.0","method":"m","params":{"sessionId":5}}`,
			`{"jsonrpc":"2.0","method":"m","params":{"sessionId":""}}`,
			`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":12345}}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
			`{"jsonrpc":"2.0","error":{"code":-32600,"message":"x"}}`,
			result("404", `{}`),
			`[` + update("a", "5") + `,` + update("b", "6") + `]`,
			`{"jsonrpc":"2.0","method":"broken"`,
			update("not a header\n", "7"), // no one could ask for its stream
			update("é", "8"),
			update(strings.Repeat("x", 1025), "9"),
		}
		var all []string
		for i := range max(len(toA), len(toB), len(toMain)) {
			for _, l := range [][]string{toA, toB, toMain} {
				if i < len(l) {
					all = append(all, l[i])
				}
			}
		}
		c.send("", saying("", all...))
		a.want(toA...)
		b.want(toB...)
		main.want(toMain...)
	})
}

// Lines of the agent that are not messages are only logged.
func TestNoiseOfTheAgent(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1")
	c := r.connect()
	main := c.open("")
	c.send("", saying("", "npm warn \x1b[31mold", "  ", "null", `"text"`, `{"jsonrpc":"2.0","method":"real"}`))
	main.want(`{"jsonrpc":"2.0","method":"real"}`)
	if log := r.log.String(); strings.Count(log, "not JSON") != 3 || strings.Contains(log, "\x1b") {
		t.Errorf("the log:\n%s", log)
	}
}

// Answers of the client are accepted with the session's header and without.
func TestAnswersOfTheClient(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		main, s := c.open(""), c.open("s")
		ask := func(id string) {
			t.Helper()
			q := request(id, "session/request_permission", `{"sessionId":"s"}`)
			c.send("s", saying("s", q))
			s.want(q)
		}
		answered := func(id string) {
			t.Helper()
			main.want(`{"jsonrpc":"2.0","method":"_answered","params":` + result(id, `{"a":1}`) + `}`)
		}
		ask("1")
		c.send("s", result("1", `{"a":1}`))
		answered("1")
		ask(`"two"`)
		c.send("", result(`"two"`, `{"a":1}`))
		answered(`"two"`)
		ask("3")
		if got := c.post("other", result("3", `{"a":1}`)); got.status != 400 || !strings.Contains(got.body, "mismatched Acp-Session-Id") {
			t.Errorf("got %+v", got)
		}
		c.send("s", result("3", `{"a":1}`))
		answered("3")
		// Answers to nothing are for the agent to judge.
		c.send("other", result("99", `{"a":1}`))
		answered("99")
		// A request of the connection, answered with the header of some session.
		q := request("4", "elicitation/create", `{}`)
		c.send("", saying("", q))
		main.want(q)
		c.send("s", result("4", `{"a":1}`))
		answered("4")
	})
}

// A notification gets 202 and reaches the agent; $/cancel_request needs no session.
func TestNotifications(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		main, s := c.open(""), c.open("s")
		cancel := `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`
		c.send("s", cancel)
		s.want(`{"jsonrpc":"2.0","method":"_heard","params":{"sessionId":"s","line":` + cancel + `}}`)
		withdraw := `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`
		c.send("", withdraw)
		main.want(`{"jsonrpc":"2.0","method":"_heard","params":{"sessionId":"","line":` + withdraw + `}}`)
	})
}

// Messages that an agent sends before it has answered initialize wait for the stream.
func TestMessagesBeforeInitialized(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		r.connect().open("").want(`{"jsonrpc":"2.0","method":"_early","params":{}}`)
	}, mode("early"))
}

// Messages wait for a receiver, and the next one continues where the last one stopped.
func TestStreamsWaitForReceivers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		var a, main []string
		for i := range 100 {
			a = append(a, update("a", fmt.Sprint(i)))
			main = append(main, `{"jsonrpc":"2.0","method":"m","params":`+fmt.Sprint(i)+`}`)
		}
		c.send("", saying("", append(append([]string{}, a...), main...)...))
		stream := c.open("")
		stream.want(main...)
		first := c.open("a")
		first.want(a...)
		first.close()
		r.log.wait(t, "stream ends", 1)
		c.send("", saying("", a[:3]...))
		c.open("a").want(a[:3]...)
	})
}

func TestConnectionsDoNotMix(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		mainA, mainB, sA, sB := a.open(""), b.open(""), a.open("s"), b.open("s")
		for i := range 50 {
			id := fmt.Sprint(i)
			a.send("s", request(id, "_a", `{"sessionId":"s"}`))
			b.send("s", request(id, "_b", `{"sessionId":"s"}`))
			a.send("", request(`"`+id+`"`, "_a", `{}`))
			b.send("", request(`"`+id+`"`, "_b", `{}`))
			sA.want(result(id, `{"to":"_a"}`))
			sB.want(result(id, `{"to":"_b"}`))
			mainA.want(result(`"`+id+`"`, `{"to":"_a"}`))
			mainB.want(result(`"`+id+`"`, `{"to":"_b"}`))
		}
		if a.pid == b.pid {
			t.Error("one agent for two connections")
		}
	})
}
