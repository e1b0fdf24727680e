package transport

import (
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// ProxyError means that a variable of the environment names a proxy that cannot be one. The value may
// have a password, and is left out.
type ProxyError struct{ Variable string }

func (e *ProxyError) Error() string { return e.Variable + " is not the address of a proxy" }

// Retryable reports that a retry without the user makes no sense.
func (e *ProxyError) Retryable() bool { return false }

// checkProxy returns a *ProxyError if the environment names a proxy for the agent that cannot be one. net/http
// would ignore it and connect without a proxy, or look up a part of it.
func (r *remote) checkProxy() error {
	names := []string{"HTTP_PROXY", "http_proxy"}
	if r.url.Scheme == "https" {
		names = []string{"HTTPS_PROXY", "https_proxy"}
	}
	i := slices.IndexFunc(names, func(name string) bool { return os.Getenv(name) != "" })
	if i < 0 || ValidProxy(os.Getenv(names[i])) {
		return nil
	}
	const any = "http://proxy" // whether there would be one
	used := httpproxy.Config{HTTPProxy: any, HTTPSProxy: any, NoProxy: httpproxy.FromEnvironment().NoProxy}
	if u, _ := used.ProxyFunc()(r.url); u == nil {
		return nil
	}
	return &ProxyError{names[i]}
}

// ValidProxy reports whether the value of a variable such as HTTPS_PROXY is the address of a proxy.
func ValidProxy(value string) bool {
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	u, err := url.Parse(value)
	if err != nil {
		return false
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Hostname() != "" && (u.Port() == "" || err == nil && port > 0) && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme)
}

// proxied reports whether a proxy is used.
func (r *remote) proxied() bool {
	u, err := http.ProxyFromEnvironment(&http.Request{URL: r.url})
	return u != nil || err != nil
}
