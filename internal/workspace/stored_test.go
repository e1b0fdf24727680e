package workspace_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// Case 210: an archived session is off the list, and on the one that includes those that are archived.
func TestArchive(t *testing.T) {
	each(t, func(r *rig) {
		offering(r, `"archive":{},"delete":{}`, "")
		archived := false
		r.fake().On("session/archive", func(*fakeagent.Call) (string, error) { archived = true; return "{}", nil })
		r.fake().On("session/unarchive", func(*fakeagent.Call) (string, error) { archived = false; return "{}", nil })
		r.fake().On("session/list", func(c *fakeagent.Call) (string, error) {
			switch all := strings.Contains(c.Params, `"archived":"include"`); {
			case archived && !all:
				return `{"sessions":[]}`, nil
			case archived:
				return `{"sessions":[{"sessionId":"kept","cwd":"/","archived":true}]}`, nil
			}
			return `{"sessions":[{"sessionId":"kept","cwd":"/"}]}`, nil
		})
	}, func(r *rig) {
		a := r.started(local).Agent
		a.Archive("kept", true)
		r.wants("Said Archived", "SessionsListed")
		if len(a.StoredSessions()) != 0 {
			t.Errorf("listed: %v", a.StoredSessions())
		}
		r.w.ListArchived(true)
		r.wants("SessionsListed")
		if got := a.StoredSessions(); len(got) != 1 || !got[0].Archived || !r.w.Archived() {
			t.Errorf("with the archive: %v", got)
		}
		a.Archive("kept", false)
		r.wants("Said No longer archived", "SessionsListed")
		if got := a.StoredSessions(); len(got) != 1 || got[0].Archived {
			t.Errorf("out of the archive: %v", got)
		}
		r.fake().Fail("session/archive", -32002, "never heard of it")
		a.Archive("other", true)
		r.wants("Said Archive the session: the agent answered: never heard of it (-32002)", "SessionsListed")
	})
}

// Case 210: an agent that does not know the filter lists the others, and says so in one line.
func TestUnknownFilter(t *testing.T) {
	each(t, func(r *rig) {
		offering(r, `"archive":{}`, "")
		r.fake().On("session/list", func(c *fakeagent.Call) (string, error) {
			if strings.Contains(c.Params, "archived") {
				return "", fakeagent.Errorf(-32602, "unknown filter")
			}
			return `{"sessions":[{"sessionId":"kept","cwd":"/"}]}`, nil
		})
	}, func(r *rig) {
		a := r.started(local).Agent
		r.w.ListArchived(true)
		r.wants("SessionsListed: list archived sessions: the agent does not list archived sessions")
		if len(a.StoredSessions()) != 1 {
			t.Errorf("listed: %v", a.StoredSessions())
		}
		a.ListSessions(true, func(_ []event.StoredSession, err error) {
			if !errors.Is(err, acpclient.ErrNoArchive) {
				t.Error(err)
			}
		})
		r.settle()
	})
}

// Case 211: the list and the session that is opened say whether a turn runs there. What the agent does
// not say, or says too late, counts as saved.
func TestStatusOfStoredSessions(t *testing.T) {
	each(t, func(r *rig) {
		offering(r, `"status":{}`, "")
		for _, method := range []string{"session/load", "session/resume"} {
			r.fake().Answer(method, "{}")
		}
		r.fake().Answer("session/list", `{"sessions":[{"sessionId":"works","cwd":"/"},{"sessionId":"idle","cwd":"/"},{"sessionId":"odd","cwd":"/"},{"sessionId":"slow","cwd":"/"}]}`)
		r.fake().On("session/status", func(c *fakeagent.Call) (string, error) {
			switch c.ID {
			case "works":
				return `{"status":"open","state":{"state":"running"}}`, nil
			case "idle":
				return `{"status":"open","state":{"state":"idle"}}`, nil
			case "odd":
				return `{"status":"_elsewhere","state":{"state":"running"}}`, nil
			}
			c.Wait(time.Hour)
			return `{"status":"open","state":{"state":"running"}}`, nil
		})
	}, func(r *rig) {
		a := r.started(local).Agent
		r.w.List()
		r.pass(2 * time.Second)
		r.wants("SessionsListed")
		var running []string
		for _, s := range a.StoredSessions() {
			if s.Running {
				running = append(running, s.ID)
			}
		}
		if !slices.Equal(running, []string{"works"}) {
			t.Errorf("running: %q", running)
		}
		for _, id := range []string{"works", "idle", "odd", "slow"} {
			a.OpenStored(event.StoredSession{ID: id}, nil)
			s := r.w.Front()
			r.pass(2 * time.Second)
			said := slices.ContainsFunc(s.Thread.Items, func(it *thread.Item) bool { return string(it.Text) == workspace.TurnRan })
			if s.Thread.Session != id || !s.IsOpen() || said != (id == "works") {
				t.Errorf("%s: open %v, said %v", id, s.IsOpen(), said)
			}
		}
	})
}
