package hello

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestALineArrives(t *testing.T) {
	var b bytes.Buffer
	if err := Send(&b, "ada's phone", Approve); err != nil {
		t.Fatal(err)
	}
	b.WriteString("rest")
	r := bufio.NewReader(&b)
	got, err := Receive(r)
	if want := (Hello{Version, "ada's phone", Approve}); err != nil || got != want {
		t.Fatalf("%+v, %v", got, err)
	}
	if rest, _ := io.ReadAll(r); string(rest) != "rest" {
		t.Errorf("the rest is %q", rest)
	}
}

func TestBadLinesAreRefused(t *testing.T) {
	for line, want := range map[string]string{
		"":                                      "EOF",
		"{\"parley\":1":                         "EOF",
		"GET / HTTP/1.1\r\n":                    "not a greeting",
		"{}\n":                                  "version 1",
		"{\"parley\":2,\"role\":\"watch\"}\n":   "version 1",
		"{\"parley\":1,\"role\":\"\"}\n":        "unknown role",
		"{\"parley\":1,\"role\":\"root\"}\n":    "unknown role",
		"{\"parley\":1,\"role\":[\"watch\"]}\n": "not a greeting",
		strings.Repeat("x", maxLine+1) + "\n":   "too long",
	} {
		if _, err := Receive(bufio.NewReader(strings.NewReader(line))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", line, err, want)
		}
	}
}

func TestNamesAreSafe(t *testing.T) {
	for name, want := range map[string]string{"": "a client", "  ": "a client", "you": "client you", "Your rule: x": "client Your rule: x", "a\x1b]52;c;x\x07b\nc": "", strings.Repeat("x", 500): ""} {
		var b bytes.Buffer
		if err := Send(&b, name, Watch); err != nil {
			t.Fatal(err)
		}
		got, err := Receive(bufio.NewReader(&b))
		if err != nil || want != "" && got.Client != want || strings.ContainsAny(got.Client, "\x1b\x07\n") || len(got.Client) > maxName+len("…") {
			t.Errorf("%q: %q, %v", name, got.Client, err)
		}
	}
}

func TestRolesIncludeEachOther(t *testing.T) {
	if Watch.Talks() || !Talk.Talks() || Talk.Approves() || !Approve.Talks() || !Approve.Approves() {
		t.Error("wrong")
	}
}
