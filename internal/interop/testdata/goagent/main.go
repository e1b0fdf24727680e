// Goagent is an ACP v1 agent on github.com/coder/acp-go-sdk. The first word of the prompt
// chooses what it does; see package interop. It reports unexpected input as "FAIL: …".
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"

	acp "github.com/coder/acp-go-sdk"
)

func main() {
	slog.SetLogLoggerLevel(slog.LevelWarn) // a closed connection needs no message
	a := &agent{sessions: map[acp.SessionId]*session{}}
	a.conn = acp.NewAgentSideConnection(a, os.Stdout, os.Stdin)
	<-a.conn.Done()
}

// agent serves one connection.
type agent struct {
	conn *acp.AgentSideConnection

	mu       sync.Mutex
	client   acp.InitializeRequest
	sessions map[acp.SessionId]*session
}

// session is one conversation.
type session struct {
	agent *agent
	id    acp.SessionId
	cwd   string
	mcp   []acp.McpServer

	mu     sync.Mutex
	mode   acp.SessionModeId
	cancel chan struct{} // closed by session/cancel; nil between turns
}

// earlier is a session that can be loaded.
const earlier = "earlier"

func modes(current acp.SessionModeId) *acp.SessionModeState {
	return &acp.SessionModeState{CurrentModeId: current, AvailableModes: []acp.SessionMode{
		{Id: "ask", Name: "Ask"}, {Id: "code", Name: "Code", Description: acp.Ptr("writes without asking")},
	}}
}

func (a *agent) Initialize(_ context.Context, r acp.InitializeRequest) (acp.InitializeResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.client = r
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "interop-go", Title: acp.Ptr("Interop (Go)"), Version: "1.0.0"},
		AuthMethods:     []acp.AuthMethod{},
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:         true,
			PromptCapabilities:  acp.PromptCapabilities{Image: true, EmbeddedContext: true},
			SessionCapabilities: acp.SessionCapabilities{List: &acp.SessionListCapabilities{}, Resume: &acp.SessionResumeCapabilities{}, Close: &acp.SessionCloseCapabilities{}},
		},
	}, nil
}

func (a *agent) NewSession(ctx context.Context, r acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	a.mu.Lock()
	id := acp.SessionId(fmt.Sprintf("go-%d", len(a.sessions)+1))
	a.mu.Unlock()
	a.open(id, r.Cwd, r.McpServers)
	// Before the answer: the client does not know this session yet.
	if err := a.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: id, Update: commands("early")}); err != nil {
		return acp.NewSessionResponse{}, err
	}
	return acp.NewSessionResponse{SessionId: id, Modes: modes("ask")}, nil
}

func (a *agent) open(id acp.SessionId, cwd string, mcp []acp.McpServer) *session {
	s := &session{agent: a, id: id, cwd: cwd, mcp: mcp, mode: "ask"}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions[id] = s
	return s
}

func (a *agent) session(id acp.SessionId) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[id]; s != nil {
		return s, nil
	}
	return nil, acp.NewInvalidParams(map[string]any{"sessionId": id})
}

func (a *agent) Prompt(_ context.Context, r acp.PromptRequest) (acp.PromptResponse, error) {
	s, err := a.session(r.SessionId)
	if err != nil {
		return acp.PromptResponse{}, err
	}
	s.mu.Lock()
	s.cancel = make(chan struct{})
	t := &turn{session: s, prompt: r.Prompt, cancelled: s.cancel}
	s.mu.Unlock()
	word, rest, _ := strings.Cut(t.text(), " ")
	act, ok := words[word]
	if !ok {
		t.fail("no such word: %q", word)
		act = func(*turn, string) {}
	}
	act(t, rest)
	if t.err != nil {
		return acp.PromptResponse{}, t.err
	}
	if t.stop == "" {
		t.stop = acp.StopReasonEndTurn
	}
	return acp.PromptResponse{StopReason: t.stop}, nil
}

func (a *agent) Cancel(_ context.Context, r acp.CancelNotification) error {
	s, err := a.session(r.SessionId)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel == nil {
		return errors.New("FAIL: session/cancel without a turn")
	}
	close(s.cancel)
	s.cancel = nil
	return nil
}

func (a *agent) LoadSession(ctx context.Context, r acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	if r.SessionId != earlier {
		return acp.LoadSessionResponse{}, &acp.RequestError{Code: -32002, Message: "Resource not found", Data: map[string]any{"uri": r.SessionId}}
	}
	a.open(r.SessionId, r.Cwd, r.McpServers)
	for _, u := range []acp.SessionUpdate{acp.UpdateUserMessageText("what was "), acp.UpdateUserMessageText("asked"), acp.UpdateAgentMessageText("what was answered")} {
		if err := a.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: r.SessionId, Update: u}); err != nil {
			return acp.LoadSessionResponse{}, err
		}
	}
	return acp.LoadSessionResponse{Modes: modes("code")}, nil
}

func (a *agent) ResumeSession(_ context.Context, r acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	if r.SessionId != earlier {
		return acp.ResumeSessionResponse{}, acp.NewInvalidParams(map[string]any{"sessionId": r.SessionId})
	}
	a.open(r.SessionId, r.Cwd, r.McpServers)
	return acp.ResumeSessionResponse{Modes: modes("code")}, nil
}

// ListSessions has two pages.
func (a *agent) ListSessions(_ context.Context, r acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	switch {
	case r.Cursor == nil:
		return acp.ListSessionsResponse{NextCursor: acp.Ptr("page two"), Sessions: []acp.SessionInfo{
			{SessionId: earlier, Cwd: "/tmp", Title: acp.Ptr("An earlier one"), UpdatedAt: acp.Ptr("2026-01-02T03:04:05Z")}}}, nil
	case *r.Cursor == "page two":
		return acp.ListSessionsResponse{Sessions: []acp.SessionInfo{{SessionId: "oldest", Cwd: "/tmp"}}}, nil
	}
	return acp.ListSessionsResponse{}, acp.NewInvalidParams(map[string]any{"cursor": *r.Cursor})
}

func (a *agent) SetSessionMode(ctx context.Context, r acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	s, err := a.session(r.SessionId)
	if err != nil {
		return acp.SetSessionModeResponse{}, err
	}
	if r.ModeId != "ask" && r.ModeId != "code" {
		return acp.SetSessionModeResponse{}, acp.NewInvalidParams(map[string]any{"modeId": r.ModeId})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = r.ModeId
	return acp.SetSessionModeResponse{}, nil
}

func (a *agent) CloseSession(_ context.Context, r acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, r.SessionId)
	return acp.CloseSessionResponse{}, nil
}

func (a *agent) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionSetConfigOption)
}

func (a *agent) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, acp.NewMethodNotFound(acp.AgentMethodAuthenticate)
}

func (a *agent) Logout(context.Context, acp.LogoutRequest) (acp.LogoutResponse, error) {
	return acp.LogoutResponse{}, acp.NewMethodNotFound(acp.AgentMethodLogout)
}
