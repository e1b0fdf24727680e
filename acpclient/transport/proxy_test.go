package transport

import (
	"strings"
	"testing"
)

// A proxy of the environment that cannot be one is an error that names the variable and not its
// value, instead of a connection without a proxy. It does not matter for agents that need no proxy.
func TestMalformedProxy(t *testing.T) {
	for _, tc := range []struct{ variable, value, url, want string }{
		{"HTTP_PROXY", "http://%zz", "http://far.example/acp", "HTTP_PROXY is not"},
		{"http_proxy", "::bad", "ws://far.example", "http_proxy is not"},
		{"HTTPS_PROXY", "http://user:hunter2@bad host:1", "wss://far.example", "HTTPS_PROXY is not"},
		{"HTTPS_PROXY", "proxy:99999", "https://far.example", "HTTPS_PROXY is not"},
		{"HTTPS_PROXY", "ftp://proxy:21", "https://far.example", "HTTPS_PROXY is not"},
		{"HTTPS_PROXY", "http://%zz", "http://far.example", ""},
		{"HTTP_PROXY", "http://%zz", "http://localhost:8765", ""},
		{"HTTP_PROXY", "http://%zz", "http://near.example", ""},
		{"HTTP_PROXY", "proxy:3128", "http://far.example", ""},
		{"HTTP_PROXY", "socks5://user:hunter2@[::1]:1080", "http://far.example", ""},
	} {
		t.Run(tc.variable+"="+tc.value+" "+tc.url, func(t *testing.T) {
			for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "no_proxy"} {
				t.Setenv(name, "")
			}
			t.Setenv("NO_PROXY", "near.example")
			t.Setenv(tc.variable, tc.value)
			_, err := Remote{URL: tc.url}.prepare()
			if tc.want == "" && err == nil {
				return
			}
			if err == nil || tc.want == "" || !strings.HasPrefix(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
