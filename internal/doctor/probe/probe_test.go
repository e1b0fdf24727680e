package probe

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/transport"
	"parley/internal/doctor"
	"parley/internal/must"
)

// examine runs the probe on this test binary as an agent.
func examine(t *testing.T, fault string, adjust func(*Options)) []doctor.Finding {
	t.Helper()
	self := must.Get(os.Executable())(t)
	store, dir := t.TempDir(), must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	must.Do(t, os.WriteFile(filepath.Join(store, "old"), nil, 0o600))
	grace := 10 * time.Second
	if fault == "stdin" || fault == "sigterm" {
		grace = 3 * time.Second
	}
	o := Options{Dir: dir, Prompt: "Reply with the word ready.", CancelPrompt: "wait", PermissionPrompt: "ask", Grace: grace, Patience: DefaultPatience}
	o.Patience.Quiet, o.Patience.Answer = 60*time.Millisecond, 150*time.Millisecond
	if fault == "two-endless" {
		o.Patience.Turn = 300 * time.Millisecond
	}
	if fault == "cancel-never" || fault == "two-cancel" {
		o.Patience.Cancel = 300 * time.Millisecond
	}
	if fault == "garbage" {
		o.Patience.Start = 300 * time.Millisecond
	}
	if slices.Contains([]string{"ids", "unknown-silent", "mute", "busy", "unread"}, fault) {
		o.Patience.Call = 3 * time.Second
	}
	o.Dial = func(context.Context) (transport.Conn, error) {
		return transport.StartStdio(transport.StdioOptions{Command: self, Dir: dir, Grace: grace,
			Env: append(os.Environ(), agentVar+"="+fault, "PROBE_TEST_STORE="+store)})
	}
	if adjust != nil {
		adjust(&o)
	}
	return must.Get(Run(context.Background(), o))(t)
}

// failures returns the checks that do not pass.
func failures(all []doctor.Finding) (names []string) {
	for _, f := range all {
		if f.State == doctor.Warn || f.State == doctor.Fail {
			names = append(names, string(f.State)+" "+f.Check+": "+f.Text)
		}
	}
	return names
}

func TestFaultless(t *testing.T) {
	t.Parallel()
	all := examine(t, "two", func(o *Options) { o.Large = true })
	if wrong := failures(all); len(wrong) > 0 {
		t.Errorf("got %q", wrong)
	}
	for _, f := range all {
		if f.State == doctor.Skip {
			t.Errorf("skipped: %s, %s", f.Check, f.Text)
		}
	}
	if len(all) != len(checks) {
		t.Errorf("%d findings of %d checks", len(all), len(checks))
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	all := examine(t, "demo", func(o *Options) { o.CancelPrompt, o.PermissionPrompt, o.Large = "long", "edit notes.txt", true })
	if wrong := failures(all); len(wrong) > 0 {
		t.Errorf("got %q", wrong)
	}
	for _, name := range []string{"session/cancel", "permissions", "prompt of 1 MB", "SIGTERM"} {
		if i := slices.IndexFunc(all, func(f doctor.Finding) bool { return f.Check == name }); runtime.GOOS != "windows" && all[i].State != doctor.Pass {
			t.Errorf("%s: %+v", name, all[i])
		}
	}
}

// Every violation is found by the check of its rule, and by no other.
func TestFaults(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"stdout":          "fail stdout: 4 of ",
		"version":         "fail offer of version 99: answers version 99, which does not exist",
		"version-two":     "fail offer of version 2: answers version 99, which does not exist",
		"version-one":     "fail initialize: answers version 99 to an offer of 1",
		"start":           "fail initialize: the agent ended: exit code 3; its stderr ends: no key is set",
		"capabilities":    "warn capabilities: of another type than the protocol says: sessionCapabilities.close",
		"auth":            "fail auth methods: a method has no id or no name",
		"unknown":         "fail unknown method: want error -32601, got a result",
		"unknown-silent":  "fail unknown method: want error -32601, got no answer in time",
		"mute":            "fail unknown method: want error -32601, got no answer in time",
		"busy":            "fail unknown method: want error -32601, got no answer in time",
		"garbage":         "fail initialize: no answer in time to an offer of version 1; fail stdout: 1 of 1 lines are no JSON-RPC message",
		"unread":          "fail message of 1 MB: the agent was ended: it does not read its input",
		"flood":           "fail session/prompt: the agent was ended: it sent more than 128 MB",
		"flood-requests":  "fail session/prompt: the agent was ended: it waits for more than 1000 answers",
		"extension":       "warn unknown method: an unknown extension: want error -32601, got a result",
		"notification":    "fail unknown notification: it was answered; notifications must not be",
		"cancel-unknown":  "fail unknown $/cancel_request: it was answered; notifications must not be",
		"params":          "warn bad parameters: want error -32602, got error -32603, no",
		"unknown-session": "fail unknown session: a session that does not exist was accepted",
		"ids":             `fail ids: a request with the id "doctor-\u00e9 1" got no answer in time`,
		"rounds":          "warn ids: 9007199254740993 comes back as 9007199254740992: numbers beyond 2^53 are rounded",
		"size":            "fail message of 1 MB: the agent ended: exit code 1",
		"list":            "fail session/list: nextCursor is the cursor of the request: the list never ends",
		"login":           "warn session/new: a login is required: no",
		"session":         "fail session/new: the result has no sessionId",
		"modes":           "warn session/set_mode: a mode that does not exist was accepted",
		"options":         "fail session/set_config_option: the result has no configOptions",
		"error":           "fail session/prompt: error -32603, no",
		"crash":           "fail session/prompt: the agent ended: exit code 2; its stderr ends: panic: nil map",
		"reason":          `fail session/prompt: the stop reason "done" is none of the protocol`,
		"silent":          "warn session/prompt: the turn ends without any text, as it does where errors of the model are swallowed",
		"content":         "fail kinds of content: a prompt with a link, image, audio, embeddedContext: error -32602, no",
		"cancel-error":    "fail session/cancel: want the stop reason cancelled, got error -32800, no",
		"cancel-never":    "fail session/cancel: the turn had not ended 300 ms after session/cancel",
		"options-empty":   "fail permissions: a request has no options",
		"impatient":       "fail permissions: the tool call was completed before it was answered",
		"disobedient":     "fail permissions: the tool call was completed although it was rejected",
		"writes":          "fail permissions: files were changed although it was rejected: rejected.txt (0 bytes",
		"unannounced":     "warn order of updates: a tool_call_update without a tool_call before it: only the question announced it",
		"late":            "fail order of updates: an update after the answer of its turn",
		"tools":           "fail order of updates: a tool_call_update without a tool_call before it",
		"shape":           "fail shape of updates: an update has no sessionId or no sessionUpdate",
		"stranger":        "fail shape of updates: an update of a session that was not opened",
		"stdin":           "fail end of stdin: it still ran 3 s later, and had to be killed",
		"children":        "warn end of stdin: what the agent has started outlives it; warn SIGTERM: what the agent has started outlives it",
		"sigterm":         "fail SIGTERM: it still ran 3 s later, and had to be killed",
		"load":            "warn session/load: the session that has just had a prompt: error -32002, no; another one can be loaded",
		"load-silent":     "fail session/load: what the user had said was not told before the answer",
		"load-half":       "fail session/load: what was said is told after the answer",
		"load-late":       "fail session/load: what was said is told after the answer",
		"load-unknown":    "fail session/load, unknown: a session that does not exist was accepted",
		"resume":          "fail session/resume: what was said is told again, as only session/load does",
		"fork":            "fail session/fork: the result has no new sessionId",
		"close":           "fail session/close: error -32601, no",
		"delete":          "fail session/delete: a deleted session is still listed",
		"parse":           "warn parse error: text that is not JSON gets no answer; want error -32700",
		"batch":           "warn batch: want an array, or error -32600",
		"batch-silent":    "warn batch: no answer; want an array, or error -32600",
		"batch-dies":      "warn batch: a request after it got the end of the connection",
		"two-alone":       "warn initialize: speaks version 2 alone, of which little is examined",
		"two-result":      "warn session/prompt, version 2: the result has no messageId",
		"two-v1":          "fail session/prompt, version 2: tool_call is an update of version 1",
		"two-ids":         "fail session/prompt, version 2: agent_message_chunk has no messageId",
		"two-silent":      "warn session/prompt, version 2: the turn ends without any text, as it does where errors of the model are swallowed",
		"two-reason":      `fail session/prompt, version 2: the stop reason "done" is none of the protocol`,
		"two-error":       "fail session/prompt, version 2: the turn fails: no model",
		"two-endless":     "fail session/prompt, version 2: no state_update says that the turn has ended",
		"two-cancel":      "fail session/cancel, version 2: no state_update says that the turn has ended 300 ms after session/cancel",
		"offered":         "fail requests of the agent: terminal/create was not offered",
		"methods":         "warn requests of the agent: craft/thing is no method of the protocol; extensions begin with an underscore",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			got := failures(examine(t, fault, nil))
			if len(got) != 1+strings.Count(want, "; warn ")+strings.Count(want, "; fail ") || !strings.HasPrefix(strings.Join(got, "; "), want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// An agent that does not answer is given up.
func TestDeaf(t *testing.T) {
	t.Parallel()
	o := Options{Dir: t.TempDir(), Patience: Patience{Start: 50 * time.Millisecond}}
	o.Dial = func(context.Context) (transport.Conn, error) {
		ours, theirs := transport.Pipe()
		go func() {
			for {
				if _, err := theirs.Recv(); err == io.EOF {
					return
				}
			}
		}()
		return ours, nil
	}
	all := must.Get(Run(context.Background(), o))(t)
	if all[0].State != doctor.Fail || all[0].Text != "no answer in time to an offer of version 1" {
		t.Errorf("got %+v", all)
	}
}

// Without prompts, nothing that needs one is sent.
func TestNoPrompt(t *testing.T) {
	t.Parallel()
	all := examine(t, "error", func(o *Options) { o.Prompt = "" })
	if wrong := failures(all); len(wrong) > 0 {
		t.Errorf("got %q", wrong)
	}
}
