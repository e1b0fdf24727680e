package ui

import (
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// Case 210: a session is archived and taken out of the archive with one key; another shows those that are.
func TestArchiveInTheList(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.offering(`"archive":{}`, "")
		archived := false
		d.fake.On("session/archive", func(*fakeagent.Call) (string, error) { archived = true; return "{}", nil })
		d.fake.On("session/unarchive", func(*fakeagent.Call) (string, error) { archived = false; return "{}", nil })
		d.fake.On("session/list", func(c *fakeagent.Call) (string, error) {
			other := `{"sessionId":"k2","cwd":"/","title":"Docs"}`
			switch all := strings.Contains(c.Params, `"archived":"include"`); {
			case archived && !all:
				return `{"sessions":[` + other + `]}`, nil
			case archived:
				return `{"sessions":[{"sessionId":"k1","cwd":"/","title":"Fix the lexer","archived":true},` + other + `]}`, nil
			}
			return `{"sessions":[{"sessionId":"k1","cwd":"/","title":"Fix the lexer"},` + other + `]}`, nil
		})
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("Saved by the agent", "Fix the lexer", "alt+a archive")
		d.press("alt+a")
		d.sees("Only closed sessions saved by the agent can be archived")
		d.press("down", "ctrl+d")
		d.sees("This agent cannot delete sessions · alt+a archives it")
		d.press("alt+a")
		d.soon()
		d.misses("Fix the lexer")
		d.called("session/archive", 1)
		d.press("alt+v")
		d.soon()
		d.sees("Archived by the agent", "Fix the lexer")
		d.press("end", "alt+a")
		d.soon()
		d.sees("Fix the lexer")
		d.misses("Archived by the agent")
		d.called("session/unarchive", 1)
		d.press("alt+v")
		d.soon()
		d.fake.Fail("session/list", -32602, "unknown filter")
		d.press("alt+v")
		d.soon()
		d.sees("List archived sessions: the agent does not list archived sessions")
	})
}

// Deleting says what it does with an agent that only archives.
func TestDeleteArchives(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.On("initialize", func(*fakeagent.Call) (string, error) {
			return `{"protocolVersion":1,"agentInfo":{"name":"@agentclientprotocol/codex-acp","title":"Codex"},"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"delete":{}}}}`, nil
		})
		d.fake.Answer("session/list", `{"sessions":[{"sessionId":"k1","cwd":"/","title":"Fix the lexer"}]}`)
		d.fake.Answer("session/delete", `{}`)
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.misses("archive")
		d.press("end", "alt+a", "alt+v", "ctrl+d")
		d.sees(`Delete "Fix the lexer"? fake only archives it. Press ctrl+d again`)
		d.press("ctrl+d")
		d.soon()
		d.called("session/delete", 1)
		d.press("esc", "esc")
		d.sees("Archived")
	})
}

// Case 211: the list, and the session once it is open, say that a turn runs there.
func TestRunningInTheList(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.offering(`"status":{}`, "")
		d.fake.Answer("session/list", `{"sessions":[{"sessionId":"k1","cwd":"/","title":"Fix the lexer","updatedAt":"2026-02-27T18:05:00Z"},{"sessionId":"k2","cwd":"/","title":"Docs"}]}`)
		d.fake.Answer("session/load", `{}`)
		d.fake.On("session/status", func(c *fakeagent.Call) (string, error) {
			if c.ID == "k1" {
				return `{"status":"open","state":{"state":"running"}}`, nil
			}
			return `{"status":"_frozen","state":{"state":"running"}}`, nil
		})
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("running · 2026-02-27")
		d.press("down", "enter")
		d.wait(2 * time.Second) // for a history
		d.sees(workspace.TurnRan)
		d.switchTo("docs")
		d.wait(2 * time.Second)
		d.misses(workspace.TurnRan)
	})
}
