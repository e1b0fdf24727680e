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
	if err := Send(&b, "ada-s-phone", Approve); err != nil {
		t.Fatal(err)
	}
	b.WriteString("rest")
	r := bufio.NewReader(&b)
	got, err := Receive(r)
	if want := (Hello{Version, "ada-s-phone", Approve}); err != nil || got != want {
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

// Whatever a client calls itself, its name is one plain word: it can be neither a sentence nor look like another.
func TestNamesAreOneWord(t *testing.T) {
	for name, want := range map[string]string{
		"Visual Studio Code 1.99": "Visual-Studio-Code-1.99", "ada's phone": "ada-s-phone", "": "unnamed", " - ": "unnamed", "你好": "unnamed", "\u200b\u2060": "unnamed",
		"\u03a5ou": "ou", "y\u043eu": "y-u", "you\u0301\u0301": "you", "\u202euoy": "uoy", "x, allowed by you": "x-allowed-by-you", "a\x1b]52;c;x\x07b\nc": "a-52-c-x-b-c",
		strings.Repeat("x", 500): strings.Repeat("x", maxName), strings.Repeat("x ", 500): strings.Repeat("x-", maxName/2-1) + "x",
	} {
		var b bytes.Buffer
		if err := Send(&b, name, Watch); err != nil {
			t.Fatal(err)
		}
		if got, err := Receive(bufio.NewReader(&b)); err != nil || got.Client != want {
			t.Errorf("%q: %q, %v, want %q", name, got.Client, err, want)
		}
	}
}

func TestRolesIncludeEachOther(t *testing.T) {
	if Watch.Talks() || !Talk.Talks() || Talk.Approves() || !Approve.Talks() || !Approve.Approves() {
		t.Error("wrong")
	}
}
