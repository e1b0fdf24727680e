package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

const keyBlock = `-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----`

func TestJSON(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", `{"b":1.50,"a":"x\u00e9 <&>","b":[true,null,-0e1]}`, `{"b":1.50,"a":"x\u00e9 <&>","b":[true,null,-0e1]}`},
		{"blanks", "{ \"a\" :\t1 ,\r\n\"b\": [ ] }", "{ \"a\" :\t1 ,  \"b\": [ ] }"},
		{"env of a server", `{"params":{"mcpServers":[{"name":"n","command":"c","args":["x"],"env":[{"name":"N","value":"v"},{"value":"w","name":"M"}]}]}}`,
			`{"params":{"mcpServers":[{"name":"n","command":"c","args":["x"],"env":[{"name":"N","value":"[redacted]"},{"value":"[redacted]","name":"M"}]}]}}`},
		{"headers of a server", `{"headers":[{"name":"X-Any","value":"v"}],"url":"https://h/p"}`, `{"headers":[{"name":"X-Any","value":"[redacted]"}],"url":"https://h/p"}`},
		{"env as an object", `{"env":{"name":"v","B":2,"C":""},"name":"n"}`, `{"env":{"name":"[redacted]","B":"[redacted]","C":""},"name":"n"}`},
		{"env as texts", `{"env":["A=b=c","PATH"]}`, `{"env":["A=[redacted]","PATH"]}`},
		{"value elsewhere", `{"configId":"model","value":"big"}`, `{"configId":"model","value":"big"}`},
		{"keys", `{"Authorization":"a","access_token":"b","apiKey":"c","API_KEY":"d","x-api-key":"e","userPassword":"f","client_secret":"g","Set-Cookie":"h","cookies":["i",{"n":"j"}]}`,
			`{"Authorization":"[redacted]","access_token":"[redacted]","apiKey":"[redacted]","API_KEY":"[redacted]","x-api-key":"[redacted]","userPassword":"[redacted]","client_secret":"[redacted]","Set-Cookie":"[redacted]","cookies":["[redacted]",{"n":"[redacted]"}]}`},
		{"a key with escapes", `{"to\u006ben":"a"}`, `{"to\u006ben":"[redacted]"}`},
		{"numbers", `{"token":12,"password":[3,"x"],"secret":true,"cookie":null}`, `{"token":"[redacted]","password":["[redacted]","[redacted]"],"secret":true,"cookie":null}`},
		{"counts", `{"inputTokens":12,"token_count":{"total":3,"n":[4]},"max_tokens":5,"stopReason":"max_tokens"}`, `{"inputTokens":12,"token_count":{"total":3,"n":[4]},"max_tokens":5,"stopReason":"max_tokens"}`},
		{"flags", `{"args":["--api-key","k","--token=t","-v","w","--max-tokens","9"]}`, `{"args":["--api-key","[redacted]","--token=[redacted]","-v","w","--max-tokens","9"]}`},
		{"userinfo", `["https://u:p@h/x@y","http:\/\/u@h","git@h:p","a://b c@d","ssh://u:p@q@h"]`, `["https://[redacted]@h/x@y","http://[redacted]@h","git@h:p","a://b c@d","ssh://[redacted]@h"]`},
		{"query", `["see (https://h/?a=1&token=t&b=2).","/p?KEY=k#x","h#access_token=t","a?b:c","if x && key==y?","?max_tokens=10&key="]`,
			`["see (https://h/?a=1&token=[redacted]&b=2).","/p?KEY=[redacted]#x","h#access_token=[redacted]","a?b:c","if x && key==y?","?max_tokens=10&key="]`},
		{"end of a sentence", `"(https://h?token=abc)."`, `"(https://h?token=[redacted])."`},
		{"PEM", `{"text":"a ` + keyBlock + ` b"}`, `{"text":"a [redacted] b"}`},
		{"PEM without an end", `"-----BEGIN PRIVATE KEY-----\nabc"`, `"[redacted]"`},
		{"a certificate", `"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----"`, `"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----"`},
		{"a batch", `[{"id":1},{"token":"t"}]`, `[{"id":1},{"token":"[redacted]"}]`},
		{"a scalar", `"x"`, `"x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(JSON(nil, []byte(c.in))); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestJSONMedia(t *testing.T) {
	long := base64.StdEncoding.EncodeToString(make([]byte, 4000))
	for in, want := range map[string]string{
		`{"type":"image","mimeType":"image/png","data":"` + long + `"}`:                        `{"type":"image","mimeType":"image/png","data":"[4000 bytes]"}`,
		`{"data":"` + long + `","type":"audio"}`:                                               `{"data":"[4000 bytes]","type":"audio"}`,
		`{"resource":{"blob":"` + long + `","mimeType":"image/gif"}}`:                          `{"resource":{"blob":"[4000 bytes]","mimeType":"image/gif"}}`,
		`{"type":"image","data":"c2hvcnQ="}`:                                                   `{"type":"image","data":"c2hvcnQ="}`,
		`{"type":"text","data":"` + long + `"}`:                                                `{"type":"text","data":"` + long + `"}`,
		`{"type":"text","data":"` + long + `","x":{"type":"image","y":1},"data":"?token=abc"}`: `{"type":"text","data":"` + long + `","x":{"type":"image","y":1},"data":"?token=[redacted]"}`,
	} {
		if got := string(JSON(nil, []byte(in))); got != want {
			t.Errorf("\n got %.200s\nwant %.200s", got, want)
		}
	}
}

func TestCommand(t *testing.T) {
	for in, want := range map[string]string{
		"plain words, no token here":             "plain words, no token here",
		"run --token abc --api-key=def -v x":     "run --token [redacted] --api-key=[redacted] -v x",
		"secret token=abc; next":                 "secret token=[redacted]; next",
		"Authorization: Basic dTpw\nHost: h":     "Authorization: [redacted]\nHost: h",
		`{"apiKey": "a\"b", "n": 1}`:             `{"apiKey": "[redacted]", "n": 1}`,
		`PASSWORD='a b'`:                         `PASSWORD='[redacted]'`,
		"used input_tokens=120":                  "used input_tokens=120",
		"sent bearer abcdefghij to https://a@b/": "sent bearer [redacted] to https://[redacted]@b/",
	} {
		if got := Command(in); got != want {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
}

// FuzzJSON checks that a secret in a known place is removed, whatever surrounds it, and
// that everything but texts remains, in order.
func FuzzJSON(f *testing.F) {
	f.Add("token", "abc", []byte(`{"a":[1,"x"]}`))
	f.Add("X-Api-Key", `a"\é`, []byte(`"https://u:p@h?key=1"`))
	f.Add("ENV", "-----BEGIN PRIVATE KEY-----", []byte(`{"env":[{"name":"a","value":3}],"headers":{}}`))
	f.Add("a", "&#;?", []byte(`{"type":"image","data":"`+strings.Repeat("A", 5000)+`","args":["--token","x"]}`))
	f.Fuzz(func(t *testing.T, key, secret string, around []byte) {
		if !json.Valid(around) {
			around, _ = json.Marshal(string(around))
		}
		mark := "SURVIVOR" + hexOf(secret)
		if bytes.Contains(around, []byte("SURVIVOR")) || strings.Contains(key, "SURVIVOR") {
			t.Skip()
		}
		name, _ := json.Marshal(key)
		secretText, _ := json.Marshal(mark + secret + mark)
		in := []byte(`{"around":` + string(around) + `,"params":{"mcpServers":[{"env":[{"name":` + string(name) + `,"value":` + string(secretText) +
			`}],"headers":{` + string(name) + `:` + string(secretText) + `}}],"api_key":[` + string(around) + `,{` + string(name) + `:` + string(secretText) + `}],"url":"https://u:` + mark +
			`@h/?a=b&token=` + mark + `&c=d","args":["--password",` + string(secretText) + `]}}`)
		out := JSON(nil, in)
		if !json.Valid(out) {
			t.Fatalf("not JSON: %s\nfrom %s", out, in)
		}
		if bytes.Contains(out, []byte("SURVIVOR")) {
			t.Fatalf("a secret survives in %s\nfrom %s", out, in)
		}
		if bytes.ContainsAny(out, "\n\r") {
			t.Fatalf("not one line: %q", out)
		}
		sameShape(t, in, out)
	})
}

func hexOf(s string) string { return strings.ToUpper(base64.RawURLEncoding.EncodeToString([]byte(s))) }

// sameShape compares both texts with encoding/json.
func sameShape(t *testing.T, a, b []byte) {
	t.Helper()
	da, db := json.NewDecoder(bytes.NewReader(a)), json.NewDecoder(bytes.NewReader(b))
	da.UseNumber()
	db.UseNumber()
	for {
		x, errA := da.Token()
		y, errB := db.Token()
		if errA == io.EOF && errB == io.EOF {
			return
		}
		if errA != nil || errB != nil {
			t.Fatalf("%v, %v", errA, errB)
		}
		if s, ok := y.(string); ok && x != y {
			if _, was := x.(json.Number); was && s != Mark {
				t.Fatalf("number %v became %q", x, s)
			}
			if !strings.Contains(s, Mark) && !strings.HasSuffix(s, " bytes]") {
				t.Fatalf("%v became %q", x, s)
			}
			continue
		}
		if x != y {
			t.Fatalf("%v became %v", x, y)
		}
	}
}
