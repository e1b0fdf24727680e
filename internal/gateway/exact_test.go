package gateway

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// odd are params that a careless relay would change.
var odd = []string{
	`{"n":9007199254740993,"m":-0,"f":1.0,"e":1e21,"huge":123456789012345678901234567890.5e-400}`,
	`{"z":1,"a":2,"Z":3,"a":4}`,
	`{"s":"\u0041\/\ud800\udc00\ud800 <>&\u2028` + "\u2028" + `\b\f\n\r\t\u0000\\\""}`,
	`{"emoji":"👩‍👩‍👧","rtl":"` + "\u202e" + `x","nul":"\u0000","é":"é"}`,
	`{ "spaces" :  [ 1 ,	2 ] , "empty" : { } }`,
	`{"_meta":{"unknown":[null,true,false,{"":[[]]}]},"__proto__":{"x":1}}`,
	`{"data: ":"\n\ndata: x","event":"a: b"}`,
	`{"deep":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`,
}

// Messages pass unchanged and in order, in both directions.
func TestMessagesPassUnchanged(t *testing.T) {
	t.Parallel()
	var requests, answers []string
	for i, params := range odd {
		for _, id := range []string{fmt.Sprint(i), fmt.Sprintf(`"\u0061%d"`, i), fmt.Sprintf("%d.0", 100+i), fmt.Sprint(9007199254740993 + i)} {
			q := `{"params":` + params + `,"id":` + id + `,"x":{"y":1e5},"method":"_echo","jsonrpc":"2.0"}`
			requests, answers = append(requests, q), append(answers, result(id, q))
		}
	}
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		main := c.open("")
		for i, q := range requests {
			c.send("", q)
			main.want(answers[i])
		}
		c.send("", saying("", answers...))
		main.want(answers...)
	})
	sockets(t, func(t *testing.T, r *rig) {
		s := r.socket()
		for _, q := range requests {
			s.send(q)
		}
		s.want(answers...)
	})
}

// Line breaks between tokens do not end a message: they become spaces.
func TestLineBreaksBetweenTokens(t *testing.T) {
	t.Parallel()
	pretty := "\n{\r\n  \"jsonrpc\": \"2.0\",\n\t\"id\": 1,\n \"method\": \"_echo\"\r\n}\n"
	squeeze := strings.NewReplacer(" ", "", "\t", "")
	want := result("1", squeeze.Replace(strings.NewReplacer("\n", "", "\r", "").Replace(pretty)))
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		c.send("", pretty)
		if got := c.open("").next(); squeeze.Replace(got) != want {
			t.Errorf("got %q", got)
		}
	})
	r := newRig(t, "h1")
	s := r.socket()
	s.send(pretty)
	if got := s.next(); squeeze.Replace(got) != want {
		t.Errorf("got %q", got)
	}
}

// Lines of an agent that cannot be sent on unchanged are repaired.
func TestRepairedLines(t *testing.T) {
	t.Parallel()
	odd := []byte("{\"jsonrpc\":\r\"2.0\",\"method\":\"m\",\"params\":{\"s\":\"\xff\xfe \xed\xa0\x80\"}}")
	want := "{\"jsonrpc\": \"2.0\",\"method\":\"m\",\"params\":{\"s\":\"\uFFFD \uFFFD\"}}"
	says := faked(func(f *fake, msg []byte) {
		if bytes.Contains(msg, initializePart) {
			f.say(initializeDone)
			f.say(odd)
		}
	})
	each(t, func(t *testing.T, r *rig) { r.connect().open("").want(want) }, says)
	newRig(t, "h1", says).socket().want(want)
	if string(odd[11]) != "\r" {
		t.Error("the agent's own bytes were changed")
	}
}

func TestLargeMessages(t *testing.T) {
	t.Parallel()
	large := `{"sessionId":"s","text":"` + strings.Repeat("0123456789abcdef", 10<<16) + `"}` // 10 MiB
	q := request("1", "_echo", large)
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		s := c.open("s")
		c.send("s", q)
		if got := s.next(); got != result("1", q) {
			t.Errorf("%d bytes were returned of %d", len(got), len(q))
		}
	})
	sockets(t, func(t *testing.T, r *rig) {
		s := r.socket()
		s.send(q)
		if got := s.next(); got != result("1", q) {
			t.Errorf("%d bytes were returned of %d", len(got), len(q))
		}
	})
}

// Of many messages in a row none is lost or overtakes another.
func TestManyMessages(t *testing.T) {
	t.Parallel()
	const n = 5000
	flood := faked(func(f *fake, msg []byte) {
		if bytes.Contains(msg, initializePart) {
			f.say(initializeDone)
			return
		}
		for i := range n {
			f.say([]byte(update("s", fmt.Sprint(i))))
		}
	})
	note := `{"jsonrpc":"2.0","method":"go","params":{}}`
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		s := c.open("s")
		c.send("", note)
		for i := range n {
			s.want(update("s", fmt.Sprint(i)))
		}
	}, flood)
	sockets(t, func(t *testing.T, r *rig) {
		s := r.socket()
		s.send(note)
		for i := range n {
			s.want(update("s", fmt.Sprint(i)))
		}
	}, flood)
}
