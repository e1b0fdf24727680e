package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	acp "github.com/coder/acp-go-sdk"
)

// turn is one prompt being answered.
type turn struct {
	*session
	prompt    []acp.ContentBlock
	cancelled <-chan struct{}

	stop acp.StopReason
	err  error
}

// words are the commands that a prompt can give.
var words = map[string]func(*turn, string){
	"hello":    func(t *turn, _ string) { t.say("hello ", "from ", "go") },
	"echo":     func(t *turn, rest string) { t.say(rest) },
	"burst":    burst,
	"session":  func(t *turn, _ string) { t.say(t.report()) },
	"blocks":   blocks,
	"think":    think,
	"tool":     tool,
	"plan":     plan,
	"commands": func(t *turn, _ string) { t.update(commands("test", "plain")); t.say("listed") },
	"mode":     mode,
	"info":     info,
	"content":  content,
	"ask":      ask,
	"edit":     edit,
	"read":     read,
	"write":    write,
	"outside":  outside,
	"terminal": terminal,
	"limit":    limit,
	"kill":     kill,
	"wait":     wait,
	"linger":   linger,
	"abandon":  abandon,
	"fail":     func(t *turn, _ string) { t.err = &acp.RequestError{Code: -32603, Message: "the agent says no"} },
	"refuse":   func(t *turn, _ string) { t.stop = acp.StopReasonRefusal },
}

func (t *turn) update(u acp.SessionUpdate) {
	if err := t.agent.conn.SessionUpdate(context.Background(), acp.SessionNotification{SessionId: t.id, Update: u}); err != nil && t.err == nil {
		t.err = err
	}
}

func (t *turn) say(chunks ...string) {
	for _, c := range chunks {
		t.update(acp.UpdateAgentMessageText(c))
	}
}

// fail reports a failed expectation.
func (t *turn) fail(format string, args ...any) {
	t.say("FAIL: " + fmt.Sprintf(format, args...) + "\n")
}

// check reports an error.
func (t *turn) check(what string, err error) bool {
	if err != nil {
		t.fail("%s: %v", what, err)
	}
	return err == nil
}

// checkCode checks for an error with one of these codes.
func (t *turn) checkCode(what string, err error, codes ...int) {
	var e *acp.RequestError
	if errors.As(err, &e) {
		for _, c := range codes {
			if e.Code == c {
				return
			}
		}
	}
	t.fail("%s: %v, want an error of code %v", what, err, codes)
}

func checkEqual[T comparable](t *turn, what string, got, want T) {
	if got != want {
		t.fail("%s: got %#v, want %#v", what, got, want)
	}
}

func (t *turn) path(name string) string { return filepath.Join(t.cwd, name) }

func (t *turn) text() string {
	if len(t.prompt) == 0 || t.prompt[0].Text == nil {
		t.fail("the prompt does not begin with text")
		return ""
	}
	return t.prompt[0].Text.Text
}

// report returns what the agent was told.
func (t *turn) report() string {
	t.agent.mu.Lock()
	c := t.agent.client
	t.agent.mu.Unlock()
	name := "nobody"
	if c.ClientInfo != nil {
		name = c.ClientInfo.Name + " " + c.ClientInfo.Version
	}
	t.session.mu.Lock()
	mode := t.session.mode
	t.session.mu.Unlock()
	out := fmt.Sprintf("client=%s version=%d fs=%v,%v terminal=%v mode=%s cwd=%s", name, int(c.ProtocolVersion),
		c.ClientCapabilities.Fs.ReadTextFile, c.ClientCapabilities.Fs.WriteTextFile, c.ClientCapabilities.Terminal, mode, t.cwd)
	for _, m := range t.mcp {
		if m.Stdio == nil {
			t.fail("an MCP server that is not stdio")
			continue
		}
		out += fmt.Sprintf(" mcp=%s:%s:%s", m.Stdio.Name, m.Stdio.Command, strings.Join(m.Stdio.Args, ","))
		for _, e := range m.Stdio.Env {
			out += ":" + e.Name + "=" + e.Value
		}
	}
	return out
}

func blocks(t *turn, _ string) {
	var out []string
	for _, b := range t.prompt {
		switch {
		case b.Text != nil:
			out = append(out, "text")
		case b.ResourceLink != nil:
			out = append(out, "link "+b.ResourceLink.Name+" "+b.ResourceLink.Uri)
		default:
			t.fail("an unexpected block: %+v", b)
		}
	}
	t.say(strings.Join(out, "|"))
}

func burst(t *turn, rest string) {
	n, err := strconv.Atoi(rest)
	if !t.check("burst", err) {
		return
	}
	for i := range n {
		t.say(strconv.Itoa(i) + " ")
	}
}

func think(t *turn, _ string) {
	t.update(acp.UpdateAgentThoughtText("let me "))
	t.update(acp.UpdateAgentThoughtText("think"))
	t.say("thought")
}

func tool(t *turn, _ string) {
	path := t.path("notes.txt")
	t.update(acp.StartToolCall("edit-1", "Edit notes.txt", acp.WithStartKind(acp.ToolKindEdit), acp.WithStartStatus(acp.ToolCallStatusInProgress),
		acp.WithStartLocations([]acp.ToolCallLocation{{Path: path, Line: acp.Ptr(2)}}), acp.WithStartRawInput(map[string]any{"path": path}),
		acp.WithStartContent([]acp.ToolCallContent{acp.ToolDiffContent(path, "new\n", "old\n")})))
	t.update(acp.UpdateToolCall("edit-1", acp.WithUpdateStatus(acp.ToolCallStatusCompleted), acp.WithUpdateRawOutput(map[string]any{"ok": true})))
	t.update(acp.StartToolCall("new-1", "Make it", acp.WithStartKind(acp.ToolKindEdit), acp.WithStartContent([]acp.ToolCallContent{
		acp.ToolContent(acp.TextBlock("a new file")), acp.ToolDiffContent(t.path("new.txt"), "first\n")})))
	t.update(acp.UpdateToolCall("new-1", acp.WithUpdateStatus(acp.ToolCallStatusFailed), acp.WithUpdateTitle("Could not make it")))
	t.say("edited")
}

func plan(t *turn, _ string) {
	step := func(name string, s acp.PlanEntryStatus) acp.PlanEntry {
		return acp.PlanEntry{Content: name, Priority: acp.PlanEntryPriorityHigh, Status: s}
	}
	t.update(acp.UpdatePlan(step("look", acp.PlanEntryStatusInProgress), step("leap", acp.PlanEntryStatusPending), step("rest", acp.PlanEntryStatusPending)))
	t.update(acp.UpdatePlan(step("look", acp.PlanEntryStatusCompleted), step("leap", acp.PlanEntryStatusInProgress)))
	t.say("planned")
}

func commands(names ...string) acp.SessionUpdate {
	u := &acp.SessionAvailableCommandsUpdate{SessionUpdate: "available_commands_update"}
	for i, n := range names {
		c := acp.AvailableCommand{Name: n, Description: "does " + n}
		if i == 0 {
			c.Input = &acp.AvailableCommandInput{Unstructured: &acp.UnstructuredCommandInput{Hint: "what to " + n}}
		}
		u.AvailableCommands = append(u.AvailableCommands, c)
	}
	return acp.SessionUpdate{AvailableCommandsUpdate: u}
}

func mode(t *turn, _ string) {
	t.update(acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{SessionUpdate: "current_mode_update", CurrentModeId: "code"}})
	t.say("switched")
}

func info(t *turn, _ string) {
	t.update(acp.SessionUpdate{SessionInfoUpdate: &acp.SessionSessionInfoUpdate{SessionUpdate: "session_info_update", Title: acp.Ptr("A title")}})
	t.update(acp.SessionUpdate{UsageUpdate: &acp.SessionUsageUpdate{SessionUpdate: "usage_update", Used: 1200, Size: 8000, Cost: &acp.Cost{Amount: 0.5, Currency: "EUR"}}})
	t.say("told")
}

// picture is the start of a PNG, 8 bytes.
const picture = "iVBORw0KGgo="

func content(t *turn, _ string) {
	t.update(acp.UpdateAgentMessage(acp.ImageBlock(picture, "image/png")))
	t.update(acp.UpdateAgentMessage(acp.ResourceLinkBlock("notes", "file:///notes.txt")))
	t.update(acp.UpdateAgentMessage(acp.ResourceBlock(acp.EmbeddedResourceResource{
		TextResourceContents: &acp.TextResourceContents{Uri: "file:///embedded.txt", Text: "inside", MimeType: acp.Ptr("text/plain")}})))
	t.say("shown")
}

// wait returns when the user cancels.
func wait(t *turn, _ string) {
	t.say("waiting")
	<-t.cancelled
	t.say(" no more")
	t.stop = acp.StopReasonCancelled
}
