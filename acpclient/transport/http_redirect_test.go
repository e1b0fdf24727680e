package transport

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

// Redirects are followed within the origin if they keep the method; credentials go nowhere
// else.
func TestRedirects(t *testing.T) {
	for _, tc := range []struct {
		status   int
		location string
		followed bool
	}{
		{307, "/other?token=t0ken", true},
		{308, "http://127.0.0.1:4242/other?token=t0ken", true},
		{307, "http://127.0.0.1:4243/other", false},
		{307, "http://localhost:4242/other", false},
		{308, "https://127.0.0.1:4242/other", false},
		{307, "//elsewhere/other", false},
		{307, "http://eve:x@127.0.0.1:4242/other", false},
		{301, "/other", false},
		{302, "/other", false},
		{303, "/other", false},
		{307, "/acp", false}, // in a circle
	} {
		inBubble(t, func(r *rig) {
			r.redial(Remote{URL: "http://127.0.0.1:4242/acp?q=secret", Header: http.Header{"X-Key": {"k"}}})
			redirect := func(w http.ResponseWriter, q *acpRequest) bool {
				if q.URL.Path != "/acp" {
					if q.Header.Get("Referer") != "" || q.Header.Get("X-Key") != "k" {
						t.Errorf("%s with %v", q, q.Header)
					}
					return false
				}
				w.Header().Set("Location", tc.location)
				w.WriteHeader(tc.status)
				return true
			}
			r.server.onPost, r.server.onGet = redirect, redirect
			r.request(0, "initialize", "")
			if tc.followed {
				r.want(result0)
				r.request(1, "session/prompt", "s1")
				r.server.say("s1", result(1))
				r.want(result(1))
				return
			}
			var status *StatusError
			if err := r.wantEnd(nil); !errors.As(err, &status) || status.Status != tc.status || !strings.Contains(err.Error(), "redirect") {
				t.Errorf("%d to %s: %v", tc.status, tc.location, err)
			}
			if n := len(r.server.seen()); n > 4 {
				t.Errorf("%d to %s: %d requests", tc.status, tc.location, n)
			}
		})
	}
}
