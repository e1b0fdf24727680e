//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/fakeagent"
	"parley/internal/must"
)

// keptVar holds the stored sessions of the scripted agent as a JSON array.
const keptVar = "E2E_KEPT"

func capabilities() string {
	if os.Getenv(keptVar) == "" {
		return `{}`
	}
	return `{"loadSession":true,"sessionCapabilities":{"list":{},"close":{},"delete":{},"fork":{},"archive":{}}}`
}

// replay sends the conversation of a stored session.
func replay(c *fakeagent.Call) (string, error) {
	if os.Getenv(lostVar) != "" {
		return "", fakeagent.Errorf(-32002, "no such session")
	}
	for i := range 3 {
		c.Agent.Say(c.ID, "user", fmt.Sprintf("question %d of %s", i, c.ID))
		c.Agent.Say(c.ID, "agent", fmt.Sprintf("answer %d of %s", i, c.ID))
	}
	return "null", nil
}

// kept returns the stored sessions except the deleted ones.
func kept(c *fakeagent.Call) string {
	var all []map[string]any
	if json.Unmarshal([]byte(os.Getenv(keptVar)), &all) != nil {
		return os.Getenv(keptVar) // another test's value, unchanged
	}
	has := func(method string, s map[string]any) bool {
		return slices.ContainsFunc(c.Agent.Calls(method), func(params string) bool { return strings.Contains(params, fakeagent.Quote(s["sessionId"].(string))) })
	}
	all = slices.DeleteFunc(all, func(s map[string]any) bool {
		s["archived"] = has("session/archive", s)
		return has("session/delete", s) || s["archived"] == true && !strings.Contains(c.Params, `"archived":"include"`)
	})
	list, _ := json.Marshal(all)
	return string(list)
}

// keptIn returns a keptVar with three sessions: two of dir, of which the second is the newer, and
// one of its parent that is newer still; and more.
func keptIn(t *testing.T, dir string, more ...map[string]string) []string {
	t.Helper()
	list := must.Get(json.Marshal(append([]map[string]string{
		{"sessionId": "old-1", "cwd": dir, "title": "Fix the lexer", "updatedAt": "2026-02-27T18:05:00Z"},
		{"sessionId": "new-1", "cwd": dir, "title": "Write the docs", "updatedAt": "2026-02-28T18:05:00Z"},
		{"sessionId": "far-1", "cwd": strings.TrimSuffix(dir, "/work"), "title": "Somewhere else", "updatedAt": "2026-03-01T18:05:00Z"},
	}, more...)))(t)
	return []string{keptVar + "=" + string(list)}
}

// history checks that a conversation was replayed completely and in order.
func history(s *Screen, id string) {
	s.t.Helper()
	rows := s.WaitFor("answer 2 of " + id)
	last := -1
	for i := range 3 {
		for _, what := range []string{"question", "answer"} {
			row := rowOf(rows, fmt.Sprintf("%s %d of %s", what, i, id))
			if row <= last {
				s.t.Errorf("%s %d is in row %d, below row %d:\n%s", what, i, row, last, numbered(rows))
			}
			last = row
		}
	}
	s.WaitGone(" loading")
	s.WaitIdle()
}

func TestContinue(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := StartEnv(t, 100, 40, dir, keptIn(t, dir), append([]string{"--continue"}, scripted(t)...)...)
	history(s, "new-1")
	s.Prompt("and now")
	s.WaitFor("heard: and now")
	s.WaitIdle()
}

// --continue opens the session that was used last, whatever the agent's list says: here it dates a
// fork, in which nothing was said, before the session that it was made of.
func TestContinueUsedLast(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	agent := scripted(t)
	s := StartEnv(t, 100, 40, dir, keptIn(t, dir), append([]string{"--resume", "old-1"}, agent...)...)
	history(s, "old-1")
	s.Prompt("/fork")
	s.WaitFor("A fork: the agent has copied the session above")
	s.Press("ctrl+d")
	s.WaitFor("Resume: parley --resume old-1-fork")
	env := keptIn(t, dir, map[string]string{"sessionId": "old-1-fork", "cwd": dir, "updatedAt": "2025-01-01T00:00:00Z"})
	for _, flag := range []string{"--linear=false", "--linear"} {
		s = StartEnv(t, 100, 40, dir, env, append([]string{flag, "--continue"}, agent...)...)
		s.WaitFor("answer 2 of old-1-fork")
		s.Press("ctrl+d")
		s.ExitCode()
	}
	if r := runEnv(t, dir, env, append([]string{"run", "--continue", "which"}, agent...)...); !strings.Contains(r.stdout, "this is old-1-fork") {
		t.Errorf("got %+v", r)
	}
}

// If the agent refuses the session, a new one is offered, and the end of parley names no session that
// cannot be resumed.
func TestContinueRefused(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	args := append([]string{"--continue", "-p", "for the old one"}, scripted(t)...)
	env := append(keptIn(t, dir), lostVar+"=1")
	resumes := func(s *Screen) bool {
		s.ExitCode()
		raw, _ := s.Raw(0)
		return bytes.Contains(raw, []byte("Resume:"))
	}
	for _, width := range []int{80, 120} {
		s := StartEnv(t, width, 30, dir, env, args...)
		s.WaitFor("no such session", "enter start a new one", "esc another agent")
		s.Press("enter")
		s.WaitFor("queued 1") // it was meant for another conversation
		s.Press("ctrl+d")
		if resumes(s) {
			t.Error("a session without a prompt is to be resumed")
		}
		s = StartEnv(t, width, 30, dir, env, args...)
		s.WaitFor("enter start a new one")
		s.Press("ctrl+c")
		if resumes(s) {
			t.Error("a session that was refused is to be resumed")
		}
	}
	s := StartEnv(t, 100, 30, dir, env, append([]string{"--linear"}, args...)...)
	s.WaitFor("no such session", "1. Start a new session", "2. Try again")
	answered(s, "1", "Connected: scripted")
	s.WaitFor("Queued: 1 prompt. Press enter to send the first one")
	s.Press("enter")
	s.WaitFor("heard: for the old one")
	s.Press("ctrl+d")
	s.WaitFor("Resume: parley --linear --resume s1")
}

func TestResumeByID(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := StartEnv(t, 100, 40, dir, keptIn(t, dir), append([]string{"--resume", "old-1"}, scripted(t)...)...)
	history(s, "old-1")
	s.Prompt("and now")
	s.WaitFor("heard: and now")
	s.WaitIdle()
}

// Of the sessions that parley run made, ctrl+s lists those of this directory, and all of them once
// something is typed.
func TestSessionsOfRuns(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	beside := filepath.Join(filepath.Dir(dir), "beside")
	run(t, dir, "", "run", "--agent", "demo", "say hello here")
	run(t, dir, "", "run", "--agent", "demo", "--cwd", beside, "say hello beside")
	s := Start(t, 80, 30, beside, "demo")
	s.WaitFor(placeholder)
	s.Prompt("chat beside")
	s.WaitIdle()
	s.Press("ctrl+d")
	s.ExitCode()
	s = Start(t, 80, 30, dir, "demo")
	s.WaitFor(placeholder)
	s.Press("ctrl+s")
	s.WaitOnly([]string{"Sessions · 1 more of parley run in other directories: type run", "say hello here", "chat beside"}, "say hello beside")
	s.Type("run")
	s.WaitFor("say hello here", "say hello beside")
}

// ctrl+s opens a stored session of the agent next to the open one.
func TestOverviewOpensKeptSession(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := StartEnv(t, 100, 40, dir, keptIn(t, dir), scripted(t)...)
	s.WaitFor(placeholder)
	s.Prompt("first things")
	s.WaitFor("heard: first things")
	s.WaitIdle()
	s.Type("a draft")
	s.WaitDraft("a draft")
	s.Press("ctrl+s")
	s.WaitFor("1 first things", "here", "Saved by the agent", "Fix the lexer", "Write the docs", "Somewhere else", "2026-02-27")
	s.Type("lexer")
	s.WaitGone("Write the docs")
	s.Press("enter")
	history(s, "old-1")
	s.WaitGone("first things")
	s.Prompt("and now")
	s.WaitFor("heard: and now")
	s.WaitIdle()
	s.Press("ctrl+s")
	s.WaitFor("2 Fix the lexer")
	s.Type("first things")
	s.WaitFor("1/4")
	s.Press("enter")
	s.WaitOnly([]string{"heard: first things"}, "of old-1")
	s.WaitDraft("a draft")
}
