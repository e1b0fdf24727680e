package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/acpclient/wire"
	"parley/internal/must"
	"parley/permissions"
)

// slowDisk is a host and an agent at the two ends of a connection. Nothing that may wait for the disk
// returns before release.
type slowDisk struct {
	*rig
	agent   *jsonrpc.Peer
	client  *acpclient.Client
	session *acpclient.Session
	release func()
}

func newSlowDisk(t *testing.T, protocol string) *slowDisk {
	r := &rig{t: t, sink: newSink(), root: realDir(t), keys: map[uint64]bool{}}
	disk := make(chan struct{})
	s := &slowDisk{rig: r, release: sync.OnceFunc(func() { close(disk) })}
	r.host = New(Options{Sink: r.sink, Agent: "test", Policy: func(permissions.Question) (permissions.Answer, bool) {
		<-disk
		return permissions.Answer{}, false
	}})
	t.Cleanup(r.host.Close)
	r.services = r.host.Services()
	slow := r.services
	slow.Forbids = func(session string, t wire.ToolCall) bool { <-disk; return r.services.Forbids(session, t) }
	slow.Locate = func(session, path, before, after string) *event.DiffContext {
		<-disk
		return r.services.Locate(session, path, before, after)
	}
	slow.OldTexts = func(session string, content []wire.ToolContent) []wire.ToolContent {
		<-disk
		return r.services.OldTexts(session, content)
	}
	ours, theirs := transport.Pipe()
	s.agent = jsonrpc.NewPeer(theirs, promptedAgent(protocol), jsonrpc.Options{})
	s.agent.Start()
	t.Cleanup(func() { s.agent.Close(nil) })
	s.client = must.Get(acpclient.Connect(t.Context(), ours, acpclient.Options{Name: "parley", Sink: r.sink, Services: slow, Protocol: protocol}))(t)
	t.Cleanup(func() { s.client.Close() })
	t.Cleanup(s.release)
	s.session = must.Get(s.client.NewSession(t.Context(), acpclient.NewSession{Cwd: r.root}))(t)
	must.Do(t, s.session.Prompt(event.Block{Text: "go"}))
	return s
}

// promptedAgent is an agent of a version whose turns do not end. The fakeagent would not show the ids of
// its questions, by which they are withdrawn.
type promptedAgent string

func (promptedAgent) Notification(string, []byte) {}

func (version promptedAgent) Request(r jsonrpc.Request) jsonrpc.Work {
	return func(ctx context.Context) (any, error) {
		switch {
		case r.Method == "initialize":
			return json.RawMessage(`{"protocolVersion":` + string(version) + `,"info":{"name":"test","version":"0"},"capabilities":{"session":{"prompt":{}}}}`), nil
		case r.Method == "session/new":
			return json.RawMessage(`{"sessionId":"s1"}`), nil
		case version == "2":
			return json.RawMessage(`{"messageId":"m"}`), nil
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}
}

func (s *slowDisk) update(session, update string) {
	s.agent.Notify("session/update", json.RawMessage(`{"sessionId":"`+session+`","update":`+update+`}`))
}

// say sends chunks of text, of which the last is last.
func (s *slowDisk) say(last string) {
	for i := range 1000 {
		s.update(theSession, fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"a","content":{"type":"text","text":"%d "}}`, i))
	}
	s.update(theSession, `{"sessionUpdate":"agent_message_chunk","messageId":"a","content":{"type":"text","text":"`+last+`"}}`)
}

// read waits until the last chunk was read.
func (s *slowDisk) read(last string) {
	s.t.Helper()
	find(s.t, s.sink, "text "+last, func(e event.TextArrived) bool { return strings.Contains(e.Text, last) })
}

// asks requests permission for a tool call.
func (s *slowDisk) asks(session, call string) *jsonrpc.Call {
	const options = `"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`
	subject := `"toolCall":` + call
	if s.client.Agent().ProtocolVersion == 2 {
		subject = `"title":"May I?","subject":{"type":"tool_call",` + subject + `}`
	}
	return s.agent.Begin("session/request_permission", json.RawMessage(`{"sessionId":"`+session+`",`+subject+`,`+options+`}`))
}

// outcome waits for the answer to a request.
func (s *slowDisk) outcome(call *jsonrpc.Call) string {
	s.t.Helper()
	var result struct {
		Outcome struct{ Outcome, OptionID string }
	}
	ctx, stop := context.WithTimeout(s.t.Context(), patience)
	defer stop()
	must.Do(s.t, call.Wait(ctx, &result))
	return strings.TrimSpace(result.Outcome.Outcome + " " + result.Outcome.OptionID)
}

// indexOf returns where the first matching event is among those posted; -1 if it is not.
func indexOf[E event.Event](s *sink, want func(E) bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.IndexFunc(s.events, func(e event.Event) bool {
		typed, ok := e.(E)
		return ok && want(typed)
	})
}

func anyOf[E event.Event](E) bool { return true }

// While the disk does not answer, everything that an agent sends is read, and a question keeps its place
// among the updates.
func TestReaderDoesNotWaitForTheDisk(t *testing.T) {
	for _, protocol := range []string{"1", "2"} {
		t.Run("v"+protocol, func(t *testing.T) {
			s := newSlowDisk(t, protocol)
			path := s.put(s.path("f"), "1\n2\nold\n")
			content := `"kind":"edit","content":[{"type":"diff","path":"` + path + `","oldText":"old\n","newText":"new\n"}]`
			if protocol == "2" {
				content = `"kind":"edit","content":[{"type":"content","content":{"type":"text","text":"x"}}]`
			}
			done := `{"sessionUpdate":"tool_call_update","toolCallId":"done","title":"Done","status":"completed",` + content + `}`
			s.update(theSession, done)
			edit := s.asks(theSession, `{"toolCallId":"edit","title":"Edit",`+content+`}`)
			run := s.asks(theSession, `{"toolCallId":"run","title":"Run","kind":"execute","rawInput":{"command":"ls"}}`)
			s.say("the end")
			s.read("the end")
			if count[permissions.Asked](s.sink) > 0 {
				t.Fatal("asked before the disk has answered")
			}
			text := indexOf(s.sink, anyOf[event.TextArrived])
			for i, id := range []string{"edit", "run"} {
				if at := indexOf(s.sink, func(e event.PermissionRequested) bool { return e.ToolID == id && e.Key == uint64(i+1) }); at < 0 || at > text {
					t.Errorf("the question about %s is at %d, the text at %d", id, at, text)
				}
			}
			s.release()
			for _, want := range []string{"edit", "run"} {
				if q := s.answer("y"); q.Tool != want {
					t.Errorf("asked about %s, want %s", q.Tool, want)
				}
			}
			if a, b := s.outcome(edit), s.outcome(run); a != "selected y" || b != "selected y" {
				t.Errorf("the outcomes are %s and %s", a, b)
			}
			if protocol == "1" {
				e := find(t, s.sink, "ToolExamined", func(e event.ToolExamined) bool { return e.ID == "done" })
				if len(e.Diffs) != 1 || e.Diffs[0].Context == nil || e.Diffs[0].Context.Before != "1\n2\n" {
					t.Errorf("found %+v", e.Diffs)
				}
			}
		})
	}
}

// A question that waits for the disk can be cancelled by the user and withdrawn by the agent, and the mode
// that the user has chosen since decides it. That of a sub-agent waits in the same place.
func TestQuestionsThatWaitForTheDisk(t *testing.T) {
	const run = `{"toolCallId":"run","title":"Run","kind":"execute","rawInput":{"command":"ls"}}`
	for _, protocol := range []string{"1", "2"} {
		for name, test := range map[string]func(s *slowDisk) (call *jsonrpc.Call, want string){
			"cancelled": func(s *slowDisk) (*jsonrpc.Call, string) {
				call := s.asks(theSession, run)
				find(s.t, s.sink, "question", anyOf[event.PermissionRequested])
				s.session.Cancel()
				return call, "cancelled"
			},
			"withdrawn": func(s *slowDisk) (*jsonrpc.Call, string) {
				call := s.asks(theSession, run)
				s.agent.Notify("$/cancel_request", map[string]int64{"requestId": call.ID})
				return call, "cancelled"
			},
			"of a sub-agent": func(s *slowDisk) (*jsonrpc.Call, string) {
				s.update(theSession, `{"sessionUpdate":"subagent_update","sessionId":"child","title":"Helper"}`)
				call := s.asks("child", run)
				find(s.t, s.sink, "question", anyOf[event.PermissionRequested])
				s.session.Cancel()
				return call, "cancelled"
			},
			"decided by a new mode": func(s *slowDisk) (*jsonrpc.Call, string) {
				s.update(theSession, `{"sessionUpdate":"tool_call_update","toolCallId":"before","status":"completed"}`)
				call := s.asks(theSession, run)
				find(s.t, s.sink, "question", anyOf[event.PermissionRequested])
				s.host.broker.SetMode(theSession, permissions.AllMode)
				s.host.broker.Reconsider(theSession)
				s.release()
				find(s.t, s.sink, "answer", func(e event.PermissionAnswered) bool { return e.By == "mode: all" })
				return call, "selected y"
			},
		} {
			t.Run("v"+protocol+" "+name, func(t *testing.T) {
				s := newSlowDisk(t, protocol)
				if protocol == "2" {
					s.update(theSession, `{"sessionUpdate":"state_update","state":"running"}`)
				}
				call, want := test(s)
				if got := s.outcome(call); got != want {
					t.Errorf("the outcome is %s, want %s", got, want)
				}
				asked := count[permissions.Asked](s.sink)
				s.release()
				<-s.client.Examined()
				if now := count[permissions.Asked](s.sink); now != asked {
					t.Error("asked although it was over")
				}
			})
		}
	}
}

// However many questions an agent asks and withdraws, only so many wait for the disk. The others are
// refused.
func TestTooManyQuestionsWaitForTheDisk(t *testing.T) {
	s := newSlowDisk(t, "1")
	const run = `{"toolCallId":"run","title":"Run","kind":"execute","rawInput":{"command":"ls"}}`
	var refused *jsonrpc.Error
	for n := 0; refused == nil; n++ {
		if n == 20_000 {
			t.Fatal("no question was refused")
		}
		call := s.asks(theSession, run)
		s.agent.Notify("$/cancel_request", map[string]int64{"requestId": call.ID})
		var result json.RawMessage
		if err := call.Wait(t.Context(), &result); err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
	}
	if refused.Code != jsonrpc.CodeInternalError || !strings.Contains(refused.Message, "Too many questions at once") {
		t.Errorf("refused with %v", refused)
	}
	s.update(theSession, `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"T","status":"completed","kind":"execute"}`)
	find(t, s.sink, "notice", func(e event.NoticeArrived) bool { return e.Title == "Too many tool calls at once" })
	s.release()
	<-s.client.Examined()
	call := s.asks(theSession, run)
	s.answer("y")
	if got := s.outcome(call); got != "selected y" {
		t.Errorf("the outcome is %s", got)
	}
}
