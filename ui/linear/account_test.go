package linear

import (
	"testing"

	"parley/internal/fakeagent"
)

// offering makes the agent offer session methods, a way to log in and to ask who has.
func (r *rig) offering(session, auth string) {
	r.fake.Capabilities(`,"agentCapabilities":{"loadSession":true,"auth":{` + auth + `},"sessionCapabilities":{"list":{},` + session + `}},"authMethods":[{"id":"own","name":"Own login"}]`)
}

// Case 212: who has signed in is said as it is reported, and is one of the options. If nobody has, a login is
// offered before the first prompt.
func TestAccount(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.offering(`"close":{}`, `"status":{}`)
		r.fake.Answer("auth/status", `{"state":"unauthenticated"}`)
		r.fake.Answer("authenticate", `{}`)
	}, func(r *rig) {
		r.pause()
		r.sees("Account of fake: signed out.", "fake requires a login: it is signed out", "How do you want to log in to fake?", "1. Own login, by the agent")
		r.fake.Answer("auth/status", `{"state":"authenticated","accounts":[{"label":"Team plan","email":"ada@example.org"}]}`)
		r.types("1")
		r.wants("Logging in: Own login. The agent may open a browser.", "Logged in.", "Account of fake: Team plan (ada@example.org).")
		r.Agent().Notify("auth/status_update", `{"state":"dreaming"}`)
		r.pause()
		r.wants("Account of fake: unknown.")
		r.types("/options")
		r.sees("1. Account: unknown")
	})
}

// What an agent reports while it starts is said once it has.
func TestAccountReportedEarly(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
			c.Agent.Notify("_auth/status_update", `{"authStatus":{"kind":"api_key","label":"API key","detail":"KEY"}}`)
			return `{"sessionId":"s1"}`, nil
		})
	}, func(r *rig) { r.wants(append(r.started(), "Account of fake: API key (KEY).")...) })
}
