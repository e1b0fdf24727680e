package acpclient_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
)

// case 208: a prompt goes into the running turn, and is shown where it was put; whatever else the agent
// answers is said, and nothing is sent while no turn runs.
func TestSteering(t *testing.T) {
	for outcome, want := range map[string]error{"injected": nil, "startedNewTurn": nil, "promptRequired": acpclient.ErrNoTurn, "failed": errors.ErrUnsupported} {
		answers := map[string]string{"session/prompt": "", "_session/steering": `{"outcome":"` + outcome + `"}`}
		withRestless(t, "claude-agent-acp", answers, func(r *restless) {
			if err := r.session.Steer(r.t.Context(), event.Block{Text: "early"}); !errors.Is(err, acpclient.ErrNoTurn) || strings.Contains(r.last(), "steering") {
				t.Errorf("without a turn: %v, sent %s", err, r.last())
			}
			r.prompt()
			r.says(hello)
			err := r.session.Steer(r.t.Context(), event.Block{Text: "faster"})
			switch {
			case want == errors.ErrUnsupported:
				if err == nil || !strings.Contains(err.Error(), "failed") {
					t.Errorf("%s: %v", outcome, err)
				}
			case !errors.Is(err, want):
				t.Errorf("%s: %v", outcome, err)
			}
			if got := r.last(); !strings.Contains(got, `"text":"faster"`) || !strings.Contains(got, `"idleBehavior":"promptRequired"`) {
				t.Errorf("sent %s", got)
			}
			if shown := slices.Contains(r.shown(), "faster"); shown != (err == nil) {
				t.Errorf("%s: it shows %q", outcome, r.shown())
			}
		})
	}
}

// An agent that does not offer it gets nothing.
func TestSteeringNotOffered(t *testing.T) {
	answers := map[string]string{"session/prompt": "", "initialize": `{"protocolVersion":1,"agentCapabilities":{}}`}
	withRestless(t, "", answers, func(r *restless) {
		r.prompt()
		if err := r.session.Steer(r.t.Context(), event.Block{Text: "faster"}); !errors.Is(err, acpclient.ErrUnsupported) || strings.Contains(r.last(), "steering") {
			t.Errorf("%v, sent %s", err, r.last())
		}
	})
}

// case 210: the agent's title counts; what is archived is found with the filter.
func TestStoredSessions(t *testing.T) {
	answers := map[string]string{"session/set_title": `{"title":"Parser"}`, "session/list": `{"sessions":[{"sessionId":"a","cwd":"/","archived":true}]}`}
	withRestless(t, "", answers, func(r *restless) {
		title, err := r.client.SetTitle(r.t.Context(), "s", "  parser ")
		if err != nil || title != "Parser" || !strings.Contains(r.last(), `"title":"  parser "`) {
			t.Errorf("renamed to %q, %v: %s", title, err, r.last())
		}
		if err := r.client.Archive(r.t.Context(), "s", true); err != nil || !strings.Contains(r.last(), `"session/archive"`) {
			t.Errorf("%v: %s", err, r.last())
		}
		if err := r.client.Archive(r.t.Context(), "s", false); err != nil || !strings.Contains(r.last(), `"session/unarchive"`) {
			t.Errorf("%v: %s", err, r.last())
		}
		all, err := r.client.ListAllSessions(r.t.Context(), "/")
		if err != nil || len(all) != 1 || !all[0].Archived || !strings.Contains(r.last(), `"archived":"include"`) {
			t.Errorf("%+v, %v: %s", all, err, r.last())
		}
		if _, err := r.client.ListSessions(r.t.Context(), "/"); err != nil || strings.Contains(r.last(), "archived") {
			t.Errorf("%v: %s", err, r.last())
		}
	})
	withRestless(t, "", map[string]string{"session/list": `"error":{"code":-32602,"message":"what filter?"}`}, func(r *restless) {
		if _, err := r.client.ListAllSessions(r.t.Context(), ""); !errors.Is(err, acpclient.ErrNoArchive) {
			t.Errorf("an unknown filter: %v", err)
		}
	})
}

// case 211: the status of a stored session; an unknown one is saved.
func TestSessionStatus(t *testing.T) {
	for answer, want := range map[string][2]bool{
		`{"status":"open","state":{"state":"running"}}`: {true, true}, `{"status":"open","state":{"state":"idle"}}`: {true, false},
		`{"status":"open"}`: {true, false}, `{"status":"saved"}`: {}, `{"status":"frozen","state":{"state":"running"}}`: {},
	} {
		withRestless(t, "", map[string]string{"session/status": answer}, func(r *restless) {
			open, running, err := r.client.SessionStatus(r.t.Context(), "s")
			if err != nil || [2]bool{open, running} != want {
				t.Errorf("%s: open %v, running %v, %v", answer, open, running, err)
			}
		})
	}
}

// case 212: who is signed in, asked for or told at any time.
func TestAuthStatus(t *testing.T) {
	answers := map[string]string{"auth/status": `{"state":"authenticated","accounts":[{"label":"Claude Max","email":"a@example.org","active":true},{"name":"no label"}]}`}
	withRestless(t, "", answers, func(r *restless) {
		got, err := r.client.AuthStatus(r.t.Context())
		if err != nil || got.State != event.SignedIn || !slices.Equal(got.Accounts, []event.Account{{Label: "Claude Max", Email: "a@example.org", Active: true}}) {
			t.Errorf("%+v, %v", got, err)
		}
		for _, method := range []string{"auth/status_update", "_auth/status_update"} {
			r.say(`{"jsonrpc":"2.0","method":"` + method + `","params":{"state":"dreaming","accounts":[{"label":"a\u001b[31mb"}]}}`)
			events := r.settle()
			if e, ok := events[len(events)-1].(event.AuthStatusChanged); !ok || e.State != event.AuthUnknown || e.Accounts[0].Label != "ab" {
				t.Errorf("%s: %+v", method, events)
			}
		}
		for params, want := range map[string]event.AuthStatusChanged{
			`{"authStatus":{"kind":"none","label":"Not logged in"}}`:                                     {State: event.SignedOut},
			`{"authStatus":{"kind":"api_key","label":"Anthropic API key","detail":"ANTHROPIC_API_KEY"}}`: {State: event.SignedIn, Accounts: []event.Account{{Label: "Anthropic API key", Name: "ANTHROPIC_API_KEY", Active: true}}},
			`{"authStatus":{}}`: {State: event.AuthUnknown},
		} {
			r.say(`{"jsonrpc":"2.0","method":"_auth/status_update","params":` + params + `}`)
			if events := r.settle(); len(events) != 1 || fmt.Sprint(events[0]) != fmt.Sprint(want) {
				t.Errorf("%s: %+v", params, events)
			}
		}
	})
}

// case 213: limits and tokens are reported where the agent does, and never made up.
func TestLimits(t *testing.T) {
	answers := map[string]string{"session/prompt": `{"stopReason":"end_turn","usage":{"totalTokens":12,"inputTokens":7,"outputTokens":5}}`}
	withRestless(t, "", answers, func(r *restless) {
		r.prompt()
		if u := r.ends[0].Usage; u == nil || *u != (event.TurnUsage{Total: 12, Input: 7, Output: 5}) {
			t.Errorf("the turn used %+v", u)
		}
		r.says(`{"sessionUpdate":"usage_update","used":5,"size":10,"_meta":{"_claude/rateLimit":{"status":"rejected","rateLimitType":"five_hour","resetsAt":1790000000,"utilization":1}}}`)
		if l := r.thread.Usage.Limit; l == nil || l.Status != "rejected" || l.Type != "five_hour" || l.ResetsAt.Unix() != 1790000000 || l.Utilization != 1 {
			t.Errorf("the limit is %+v", l)
		}
		r.says(`{"sessionUpdate":"usage_update","used":6,"size":10}`)
		if l := r.thread.Usage.Limit; l == nil || l.Allows() {
			t.Errorf("an update that does not tell the limit made it %+v", l)
		}
		r.says(`{"sessionUpdate":"usage_update","used":5,"size":10,"_meta":{"_claude/rateLimit":{"status":"allowed","resetsAt":1790000000000}}}`)
		if l := r.thread.Usage.Limit; l == nil || !l.ResetsAt.IsZero() {
			t.Errorf("a time in milliseconds is %+v", l)
		}
		r.prompt()
		if u, sum := r.thread.LastTurn, r.thread.Spent; u == nil || u.Total != 12 || sum.Total != 24 || sum.Input != 14 || sum.Output != 10 {
			t.Errorf("the last turn took %+v, all took %+v", u, sum)
		}
	})
}

// case 214: instructions go only to agents that take them, in a mode that they know.
func TestSystemPrompt(t *testing.T) {
	withRestless(t, "", map[string]string{"session/new": `{"sessionId":"other"}`}, func(r *restless) {
		n := acpclient.NewSession{Cwd: "/", System: acpclient.SystemPrompt{Text: "Be brief."}}
		if _, err := r.client.LoadSession(r.t.Context(), "old", n); err != nil || !strings.Contains(r.last(), `"systemPrompt":{"mode":"append","content":[{"type":"text","text":"Be brief."}]}`) {
			t.Errorf("%v: %s", err, r.last())
		}
		n.System.Override = true
		before := r.last()
		if _, err := r.client.NewSession(r.t.Context(), n); !errors.Is(err, acpclient.ErrUnsupported) || r.last() != before {
			t.Errorf("a mode that the agent does not know: %v", err)
		}
	})
}
