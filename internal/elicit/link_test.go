package elicit

import (
	"slices"
	"strings"
	"testing"
)

// Case 137: the whole URL and its host, and warnings about odd ones.
func TestParseLink(t *testing.T) {
	for _, c := range []struct {
		raw, url, host string
		warnings       []string // part of each
	}{
		{"https://example.org/login?x=1#y", "https://example.org/login?x=1#y", "example.org", nil},
		{"HTTPS://Example.ORG", "https://example.org", "example.org", nil},
		{"https://example.org:443/", "https://example.org:443/", "example.org:443", nil},
		{"http://example.org:80/", "http://example.org:80/", "example.org:80", []string{"not https"}},
		{"https://example.org:8443/", "https://example.org:8443/", "example.org:8443", []string{"port 8443"}},
		{"https://xn--80ak6aa92e.com/", "https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com", []string{"Punycode"}},
		{"https://login.XN--80ak6aa92e.com/", "https://login.xn--80ak6aa92e.com/", "login.xn--80ak6aa92e.com", []string{"Punycode"}},
		{"https://p\u0430ypal.com/", "https://p\u0430ypal.com/", "p\u0430ypal.com", []string{"mixes scripts (Latin, Cyrillic)"}},
		{"https://bücher.example/", "https://bücher.example/", "bücher.example", []string{"not ASCII"}},
		{"https://b%C3%BCcher.example/", "https://bücher.example/", "bücher.example", []string{"not ASCII"}},
		{"https://example.org@evil.test/", "https://example.org@evil.test/", "evil.test", []string{"before the @"}},
		{"https://evil.test@evil.test/", "https://evil.test@evil.test/", "evil.test", []string{"before the @"}},
		{"https://192.0.2.1/", "https://192.0.2.1/", "192.0.2.1", []string{"IP address"}},
		{"https://[2001:db8::1]:444/", "https://[2001:db8::1]:444/", "[2001:db8::1]:444", []string{"IP address", "port 444"}},
		{"https://3221225985/", "https://3221225985/", "3221225985", []string{"IP address"}},
		{"https://0x7f.1/", "https://0x7f.1/", "0x7f.1", []string{"IP address"}},
		{"https://0x7f/", "https://0x7f/", "0x7f", []string{"IP address"}},
		{"https://example.org/ü?q=ü'\"`|", "https://example.org/%C3%BC?q=%C3%BC'%22%60%7C", "example.org", nil},
		{`https://example.org/\evil.test`, `https://example.org/%5Cevil.test`, "example.org", []string{"backslashes"}},
		{"http://a:b@127.0.0.1:22/", "http://a:b@127.0.0.1:22/", "127.0.0.1:22", []string{"not https", "before the @", "IP address", "port 22"}},
	} {
		l := ParseLink(c.raw)
		if !l.OK || l.URL != c.url || l.Host != c.host {
			t.Errorf("%s: got %+v", c.raw, l)
			continue
		}
		if l.URL[l.HostAt:l.HostAt+len(l.Host)] != l.Host || l.HostAt != len(l.URL)-len(l.Host)-len(afterHost(l.URL)) {
			t.Errorf("%s: the host is not at %d", c.raw, l.HostAt)
		}
		same := slices.EqualFunc(l.Warnings, c.warnings, strings.Contains)
		if !same {
			t.Errorf("%s: warnings %q, want %q", c.raw, l.Warnings, c.warnings)
		}
	}
}

func TestParseLinkRefuses(t *testing.T) {
	for raw, why := range map[string]string{
		"":                                  "only http",
		"example.org":                       "only http",
		"javascript:alert(1)":               "only http",
		"file:///elsewhere/x":               "only http",
		"mailto:ada@example.org":            "only http",
		"https:example.org":                 "no host",
		"https:///example.org":              "no host",
		`https:\\example.org`:               "no host",
		"https://:443/":                     "no host",
		"https://example.org:99999/":        "port",
		`https://example.org\@evil.test/`:   "not a valid",
		"https://example.org/\x1b]0;x\x07":  "control",
		" https://example.org":              "blanks",
		"https://example.org/a b":           "blanks",
		"https://example.org/\u202egro":     "invisible",
		"https://exam\u200bple.org/":        "invisible",
		"https://%E2%80%AEexample.org/":     "host",
		"https://[fe80::1%25%1b]/":          "valid",
		"https://a\"b/":                     "host",
		"https://a$(id);b/":                 "host",
		"https://example.org\u2044evil.com": "host",
		"https://example.org/" + strings.Repeat("x", maxLink): "too long",
		"https://example.org/\xff":                            "invisible",
	} {
		l := ParseLink(raw)
		if l.OK || l.Host != "" || len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], why) {
			t.Errorf("%.60q: got %+v", raw, l)
		}
		if unsafe(l.URL) {
			t.Errorf("%.60q is shown as %q", raw, l.URL)
		}
	}
}
