package linear

import (
	"strings"
	"testing"

	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// Case 210: the agent's answer to a name is said, and sessions are archived and taken out of the archive.
func TestArchive(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.offering(`"archive":{},"title":{},"status":{}`, "")
		r.fake.Answer("session/set_title", `{"title":"Parser"}`)
		r.fake.On("session/status", func(c *fakeagent.Call) (string, error) {
			if c.ID == "k2" {
				return `{"status":"open","state":{"state":"running"}}`, nil
			}
			return `{"status":"saved"}`, nil
		})
		archived := false
		r.fake.On("session/archive", func(*fakeagent.Call) (string, error) { archived = true; return "{}", nil })
		r.fake.On("session/unarchive", func(*fakeagent.Call) (string, error) { archived = false; return "{}", nil })
		r.fake.On("session/list", func(c *fakeagent.Call) (string, error) {
			k1 := `{"sessionId":"k1","cwd":"/","title":"One","archived":true},`
			if !archived {
				k1 = `{"sessionId":"k1","cwd":"/","title":"One"},`
			} else if !strings.Contains(c.Params, `"archived":"include"`) {
				k1 = ""
			}
			return `{"sessions":[` + k1 + `{"sessionId":"k2","cwd":"/","title":"Two"}]}`, nil
		})
		r.fake.Answer("session/load", "{}")
	}, func(r *rig) {
		r.wants(r.started()...)
		r.types("/rename parser")
		r.wants("This session is called: parser.", "The agent named it: Parser.")
		const open = "To open one, type /sessions and its number."
		r.types("/sessions", "/sessions archive 2", "/sessions")
		r.wants("Sessions:", "1. Parser, open, idle, this one", "2. One, in /", "3. Two, in /, running", open, "Archived.",
			"Sessions:", "1. Parser, open, idle, this one", "2. Two, in /, running", open)
		r.types("/sessions archive 1", "/sessions unarchive 2", "/sessions archived", "/sessions archive", "/sessions archive x")
		const usage = "Usage: /sessions, /sessions all or archived, /sessions and a number, /sessions attach and a name, or /sessions archive or unarchive and a number."
		r.wants("Only closed sessions saved by the agent can be archived.", "It is not archived.",
			"Sessions:", "1. Parser, open, idle, this one", "2. Two, in /, running", "3. One, in /, archived", open, usage, usage)
		r.types("/sessions unarchive 3", "/sessions 3")
		r.pause()
		r.pause()
		r.sees("No longer archived.", "Opening Two, in /, running.", workspace.TurnRan)
	})
}

// Without the method there is no archive, and a filter that the agent does not know is one line.
func TestNoArchive(t *testing.T) {
	talkTo(t, func(r *rig) { r.offering(`"close":{}`, "") }, func(r *rig) {
		r.wants(r.started()...)
		r.types("/sessions archived", "/sessions archive 1")
		r.wants("fake does not archive sessions.", "fake does not archive sessions.")
	})
	talkTo(t, func(r *rig) {
		r.offering(`"archive":{}`, "")
		r.fake.On("session/list", func(c *fakeagent.Call) (string, error) {
			if strings.Contains(c.Params, "archived") {
				return "", fakeagent.Errorf(-32602, "unknown filter")
			}
			return `{"sessions":[]}`, nil
		})
	}, func(r *rig) {
		r.wants(r.started()...)
		r.types("/sessions archived")
		r.wants("The list is incomplete: list archived sessions: the agent does not list archived sessions.", "Sessions:", "1. new session, open, idle, this one", "To open one, type /sessions and its number.")
	})
}
