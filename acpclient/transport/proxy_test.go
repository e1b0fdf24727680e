package transport

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
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

// The reason of a failure has no addresses and no system calls. It says so if the proxy is the cause.
func TestReason(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: at, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for want, err := range map[string]error{
		"connection refused":            fmt.Errorf("open the stream: %w", refused),
		"the proxy: connection refused": &net.OpError{Op: "proxyconnect", Net: "tcp", Err: refused},
		"no such host":                  &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "a.example", Server: "10.0.0.1:53"}},
		"i/o timeout":                   &net.OpError{Op: "read", Net: "tcp", Source: at, Addr: at, Err: os.ErrDeadlineExceeded},
		"remote error: tls: bad record": &net.OpError{Op: "remote error", Err: errors.New("tls: bad record")},
		"anything else":                 errors.New("anything else"),
	} {
		if got := reason(err); got != want {
			t.Errorf("%v: got %q, want %q", err, got, want)
		}
	}
}
