package main

import (
	"context"
	"errors"
	"strings"

	acp "github.com/coder/acp-go-sdk"
)

// askFor asks for permission to change a file; it returns "" if there is no answer.
func (t *turn) askFor(ctx context.Context, id acp.ToolCallId, path, before, after string) (string, error) {
	t.update(acp.StartToolCall(id, "Change "+path, acp.WithStartKind(acp.ToolKindEdit), acp.WithStartStatus(acp.ToolCallStatusPending)))
	diff := acp.ToolDiffContent(path, after)
	if before != "" {
		diff = acp.ToolDiffContent(path, after, before)
	}
	r, err := t.agent.conn.RequestPermission(ctx, acp.RequestPermissionRequest{
		SessionId: t.id,
		ToolCall:  acp.ToolCallUpdate{ToolCallId: id, Content: []acp.ToolCallContent{diff}},
		Options: []acp.PermissionOption{
			{OptionId: "yes", Name: "Yes", Kind: acp.PermissionOptionKindAllowOnce},
			{OptionId: "always", Name: "Always", Kind: acp.PermissionOptionKindAllowAlways},
			{OptionId: "no", Name: "No", Kind: acp.PermissionOptionKindRejectOnce},
		},
	})
	switch {
	case err != nil:
		return "", err
	case r.Outcome.Cancelled != nil && r.Outcome.Selected == nil:
		return "cancelled", nil
	case r.Outcome.Selected != nil && r.Outcome.Cancelled == nil:
		return string(r.Outcome.Selected.OptionId), nil
	}
	return "", errors.New("neither selected nor cancelled")
}

func (t *turn) done(id acp.ToolCallId, s acp.ToolCallStatus) {
	t.update(acp.UpdateToolCall(id, acp.WithUpdateStatus(s)))
}

func ask(t *turn, _ string) {
	outcome, err := t.askFor(context.Background(), "ask-1", t.path("asked.txt"), "", "asked\n")
	if !t.check("ask", err) {
		return
	}
	status := acp.ToolCallStatusFailed
	if outcome == "yes" || outcome == "always" {
		status = acp.ToolCallStatusCompleted
	}
	t.done("ask-1", status)
	t.say("outcome: " + outcome)
}

// edit writes what was allowed.
func edit(t *turn, _ string) {
	path, text := t.path("notes.txt"), "one\ntwo\nTHREE\n"
	outcome, err := t.askFor(context.Background(), "edit-2", path, "one\ntwo\nthree\n", text)
	if !t.check("ask", err) {
		return
	}
	if outcome != "yes" {
		t.done("edit-2", acp.ToolCallStatusFailed)
		t.say("left alone: " + outcome)
		return
	}
	ctx := context.Background()
	if _, err = t.agent.conn.WriteTextFile(ctx, acp.WriteTextFileRequest{SessionId: t.id, Path: path, Content: text}); !t.check("write", err) {
		return
	}
	r, err := t.agent.conn.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: t.id, Path: path})
	t.check("read again", err)
	checkEqual(t, "what was written", r.Content, text)
	t.done("edit-2", acp.ToolCallStatusCompleted)
	t.say("written")
}

// read expects notes.txt with three lines.
func read(t *turn, _ string) {
	ctx := context.Background()
	at := func(path string, line, limit *int) (string, error) {
		r, err := t.agent.conn.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: t.id, Path: path, Line: line, Limit: limit})
		return r.Content, err
	}
	path := t.path("notes.txt")
	for _, c := range []struct {
		what        string
		line, limit *int
		want        string
	}{
		{"the whole file", nil, nil, "one\ntwo\nthree\n"}, {"from line 2", acp.Ptr(2), nil, "two\nthree\n"},
		{"line 2", acp.Ptr(2), acp.Ptr(1), "two\n"}, {"behind the end", acp.Ptr(9), acp.Ptr(1), ""},
	} {
		got, err := at(path, c.line, c.limit)
		t.check(c.what, err)
		checkEqual(t, c.what, got, c.want)
	}
	_, err := at(t.path("missing.txt"), nil, nil)
	t.checkCode("a file that does not exist", err, -32002)
	_, err = at("notes.txt", nil, nil)
	t.checkCode("a relative path", err, -32602)
	t.say("read")
}

func write(t *turn, _ string) {
	ctx, path, text := context.Background(), t.path("made/by.txt"), "grüße\u2028and 🎉\r\nno end"
	_, err := t.agent.conn.WriteTextFile(ctx, acp.WriteTextFileRequest{SessionId: t.id, Path: path, Content: text})
	if err != nil {
		t.checkCode("write", err, -32603)
		t.say("refused")
		return
	}
	r, err := t.agent.conn.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: t.id, Path: path})
	t.check("read again", err)
	checkEqual(t, "what was written", r.Content, text)
	t.say("written")
}

func outside(t *turn, path string) {
	r, err := t.agent.conn.ReadTextFile(context.Background(), acp.ReadTextFileRequest{SessionId: t.id, Path: path})
	if err != nil {
		t.checkCode("read", err, -32603)
		t.say("refused")
		return
	}
	t.say("outside: " + r.Content)
}

// start runs a shell line; it returns "" if that is not allowed.
func (t *turn) start(line string, r acp.CreateTerminalRequest) string {
	r.SessionId, r.Command, r.Args = t.id, "sh", []string{"-c", line}
	c, err := t.agent.conn.CreateTerminal(context.Background(), r)
	if err != nil {
		t.checkCode("terminal/create", err, -32603)
		t.say("refused")
		return ""
	}
	t.update(acp.StartToolCall("run-1", line, acp.WithStartKind(acp.ToolKindExecute), acp.WithStartStatus(acp.ToolCallStatusInProgress),
		acp.WithStartContent([]acp.ToolCallContent{acp.ToolTerminalRef(c.TerminalId)})))
	return c.TerminalId
}

// ended waits for the command and returns its output.
func (t *turn) ended(id string) (acp.WaitForTerminalExitResponse, acp.TerminalOutputResponse) {
	ctx := context.Background()
	exit, err := t.agent.conn.WaitForTerminalExit(ctx, acp.WaitForTerminalExitRequest{SessionId: t.id, TerminalId: id})
	t.check("terminal/wait_for_exit", err)
	out, err := t.agent.conn.TerminalOutput(ctx, acp.TerminalOutputRequest{SessionId: t.id, TerminalId: id})
	t.check("terminal/output", err)
	if out.ExitStatus == nil {
		t.fail("no exit status in the output of a command that has ended")
	}
	return exit, out
}

// release releases the terminal and checks that it is gone.
func (t *turn) release(id string) {
	ctx := context.Background()
	_, err := t.agent.conn.ReleaseTerminal(ctx, acp.ReleaseTerminalRequest{SessionId: t.id, TerminalId: id})
	t.check("terminal/release", err)
	_, err = t.agent.conn.TerminalOutput(ctx, acp.TerminalOutputRequest{SessionId: t.id, TerminalId: id})
	t.checkCode("output after the release", err, -32002, -32602)
	t.done("run-1", acp.ToolCallStatusCompleted)
}

func terminal(t *turn, _ string) {
	id := t.start(`printf '%s|%s\n' "$GREETING" "$PWD"; printf 'bad\n' >&2; exit 3`, acp.CreateTerminalRequest{
		Cwd: acp.Ptr(t.path("sub")), Env: []acp.EnvVariable{{Name: "GREETING", Value: "hi there"}}})
	if id == "" {
		return
	}
	exit, out := t.ended(id)
	if exit.ExitCode == nil || *exit.ExitCode != 3 || exit.Signal != nil {
		t.fail("exit %+v, want code 3", exit)
	}
	if s := out.ExitStatus; s != nil && (s.ExitCode == nil || *s.ExitCode != 3) {
		t.fail("exit status %+v, want code 3", s)
	}
	checkEqual(t, "output", out.Output, "hi there|"+t.path("sub")+"\nbad\n")
	checkEqual(t, "truncated", out.Truncated, false)
	t.release(id)
	t.say("ran")
}

// limit checks that only the end of a long output is kept.
func limit(t *turn, _ string) {
	id := t.start(`printf '0123456789ABCDE'`, acp.CreateTerminalRequest{OutputByteLimit: acp.Ptr(5)})
	if id == "" {
		return
	}
	_, out := t.ended(id)
	checkEqual(t, "output", out.Output, "ABCDE")
	checkEqual(t, "truncated", out.Truncated, true)
	t.release(id)
	t.say("ran")
}

func kill(t *turn, _ string) {
	id := t.start(`printf 'begun\n'; exec sleep 300`, acp.CreateTerminalRequest{})
	if id == "" {
		return
	}
	ctx := context.Background()
	for shown := ""; !strings.Contains(shown, "begun"); {
		out, err := t.agent.conn.TerminalOutput(ctx, acp.TerminalOutputRequest{SessionId: t.id, TerminalId: id})
		if !t.check("output while it runs", err) {
			return
		}
		if out.ExitStatus != nil {
			t.fail("an exit status while it runs: %+v", out.ExitStatus)
			return
		}
		shown = out.Output
	}
	_, err := t.agent.conn.KillTerminal(ctx, acp.KillTerminalRequest{SessionId: t.id, TerminalId: id})
	t.check("terminal/kill", err)
	exit, out := t.ended(id)
	if exit.Signal == nil || exit.ExitCode != nil {
		t.fail("exit %+v, want a signal", exit)
	}
	checkEqual(t, "output", out.Output, "begun\n")
	t.release(id)
	t.say("killed")
}

// linger asks a question that is still open when the user cancels.
func linger(t *turn, _ string) {
	outcome, err := t.askFor(context.Background(), "ask-1", t.path("asked.txt"), "", "asked\n")
	t.check("ask", err)
	checkEqual(t, "outcome", outcome, "cancelled")
	<-t.cancelled
	t.stop = acp.StopReasonCancelled
}

// abandon withdraws its question: the SDK sends $/cancel_request.
func abandon(t *turn, _ string) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-t.cancelled
		cancel()
	}()
	outcome, err := t.askFor(ctx, "ask-1", t.path("asked.txt"), "", "asked\n")
	if err == nil {
		checkEqual(t, "outcome", outcome, "cancelled")
	} else if ctx.Err() == nil {
		t.fail("ask: %v", err)
	}
	t.stop = acp.StopReasonCancelled
}
