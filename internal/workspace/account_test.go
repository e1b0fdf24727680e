package workspace_test

import (
	"testing"
	"time"

	"parley/internal/fakeagent"
)

// offering makes the agents of both versions offer session methods and authentication methods.
func offering(r *rig, session, auth string) {
	r.fake().On("initialize", func(*fakeagent.Call) (string, error) {
		if r.fake().Protocol == "2" {
			return `{"protocolVersion":2,"info":{"name":"fake"},"capabilities":{"auth":{` + auth + `},"session":{"prompt":{},` + session + `}}` + logins2 + `}`, nil
		}
		return `{"protocolVersion":1,"agentInfo":{"name":"fake"},"agentCapabilities":{"loadSession":true,"auth":{` + auth + `},"sessionCapabilities":{"list":{},"close":{},` + session + `}}` + logins + `}`, nil
	})
}

// Case 212: who has signed in is asked for and may be reported at any time; an unknown state is unknown.
func TestAccount(t *testing.T) {
	each(t, func(r *rig) {
		offering(r, `"list":{}`, `"status":{}`)
		r.fake().Answer("auth/status", `{"state":"authenticated","accounts":[{"label":"Old plan"},{"label":"Team","email":"ada@example.org","organization":"Analytical\u001b[2J","active":true}]}`)
	}, func(r *rig) {
		a := r.started(local).Agent
		is := func(want string) {
			t.Helper()
			r.settle()
			if got := a.Account(); got != want {
				t.Errorf("it is %q, want %q", got, want)
			}
		}
		is("Team (ada@example.org, Analytical)")
		for _, c := range []struct{ report, want string }{
			{`{"state":"authenticated"}`, "signed in"},
			{`{"state":"not_required"}`, "no login needed"},
			{`{"state":"_sleeping","accounts":[{"label":"x"}]}`, "unknown"},
			{`{"authStatus":{"kind":"api_key","label":"API key","detail":"KEY"}}`, "API key (KEY)"},
		} {
			r.Agent().Notify("auth/status_update", c.report)
			is(c.want)
			r.wants("AccountChanged")
			r.Agent().Notify("_auth/status_update", c.report) // nothing new
			is(c.want)
			r.wants()
		}
		r.fake().Fail("auth/status", -32603, "no idea")
		s := r.started(local) // another connection, of which nothing is known
		if got := s.Agent.Account(); got != "" {
			t.Errorf("after an error it is %q", got)
		}
	})
}

// A login is offered before the first prompt when the agent says that nobody has signed in: once, and
// not during a turn.
func TestSignedOut(t *testing.T) {
	each(t, func(r *rig) {
		offering(r, `"list":{}`, `"status":{},"logout":{}`)
		r.fake().Answer("auth/status", `{"state":"unauthenticated"}`)
		r.fake().Answer("auth/logout", `{}`)
		r.fake().Answer("logout", `{}`)
	}, func(r *rig) {
		a := r.w.Start(local)
		r.settle()
		if n := len(r.news); n == 0 || r.news[n-1] != "LoginWanted: it is signed out" || !a.SignedOut() {
			t.Errorf("%q", r.news)
		}
		r.news = nil
		r.Agent().Notify("auth/status_update", `{"state":"authenticated"}`)
		r.Agent().Notify("auth/status_update", `{"state":"unauthenticated"}`)
		r.wants("AccountChanged", "AccountChanged")

		r.fake().Answer("auth/status", `{"state":"authenticated"}`)
		s := r.started(local)
		r.fake().Turn(func(t *fakeagent.Turn) string {
			t.Agent.Notify("auth/status_update", `{"state":"unauthenticated"}`)
			t.Wait(time.Second)
			return "end_turn"
		})
		r.prompt(s, "hello")
		r.pass(2 * time.Second)
		r.wants("PromptSent hello", "AccountChanged")

		r.fake().Answer("auth/status", `{"state":"authenticated"}`)
		s = r.started(local)
		r.fake().Answer("auth/status", `{"state":"unauthenticated"}`)
		s.Agent.Login.LogOut(func(error) {})
		r.wants("AccountChanged")
	})
}
