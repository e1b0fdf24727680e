package acptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
)

// connectionVerbs are the verbs that wait for the agent and need no session.
var connectionVerbs = map[string]func(u *engineUser, ctx context.Context, arg string){
	"new": func(u *engineUser, ctx context.Context, arg string) {
		s, err := u.client.NewSession(ctx, describe(arg))
		u.got("new", s, err)
	},
	"load":   (*engineUser).load,
	"resume": (*engineUser).resume,
	"fork":   (*engineUser).fork,
	"list":   (*engineUser).list,
	"delete": func(u *engineUser, ctx context.Context, id string) {
		u.report("delete", u.client.DeleteSession(ctx, id))
	},
	"login": func(u *engineUser, ctx context.Context, method string) {
		method, key, typed := strings.Cut(method, " ")
		if typed {
			u.report("login", u.client.AuthenticateKey(ctx, method, key))
			return
		}
		u.report("login", u.client.Authenticate(ctx, method))
	},
	"logout": func(u *engineUser, ctx context.Context, _ string) { u.report("logout", u.client.LogOut(ctx)) },
}

// sessionVerbs are the verbs that need a session.
var sessionVerbs = map[string]func(u *engineUser, ctx context.Context, s *acpclient.Session, arg string) error{
	"close": func(u *engineUser, ctx context.Context, s *acpclient.Session, _ string) error {
		return u.client.CloseSession(ctx, s)
	},
	"mode": func(_ *engineUser, ctx context.Context, s *acpclient.Session, id string) error {
		return s.SetMode(ctx, id)
	},
	"option": func(_ *engineUser, ctx context.Context, s *acpclient.Session, arg string) error {
		id, text, _ := strings.Cut(arg, " ")
		switch text {
		case "true", "false":
			return s.SetOption(ctx, id, text == "true")
		}
		return s.SetOption(ctx, id, text)
	},
}

// describe parses DIR +ROOT mcp:TYPE:NAME.
func describe(arg string) acpclient.NewSession {
	n := acpclient.NewSession{Cwd: "/project"}
	for word := range strings.FieldsSeq(arg) {
		switch {
		case word[0] == '+':
			n.Roots = append(n.Roots, word[1:])
		case strings.HasPrefix(word, "mcp:"):
			kind, name, _ := strings.Cut(word[4:], ":")
			m := acpclient.MCPServer{Type: kind, Name: name}
			if m.Command = "/bin/" + name; kind != "stdio" {
				m.Command, m.URL = "", "http://localhost/"+name
			}
			n.MCP = append(n.MCP, m)
		default:
			n.Cwd = word
		}
	}
	return n
}

func (u *engineUser) load(ctx context.Context, arg string) {
	id, rest, _ := strings.Cut(arg, " ")
	s, err := u.client.LoadSession(ctx, id, describe(rest))
	u.got("load", s, err)
}

func (u *engineUser) resume(ctx context.Context, arg string) {
	id, rest, _ := strings.Cut(arg, " ")
	s, err := u.client.ResumeSession(ctx, id, describe(rest))
	u.got("resume", s, err)
}

func (u *engineUser) fork(ctx context.Context, arg string) {
	id, rest, _ := strings.Cut(arg, " ")
	s, err := u.client.ForkSession(ctx, id, describe(rest))
	u.got("fork", s, err)
}

// list notes one line for each session.
func (u *engineUser) list(ctx context.Context, cwd string) {
	listed, err := u.client.ListSessions(ctx, cwd)
	var lines []string
	for _, l := range listed {
		line := "listed " + fields(l)
		if !l.Updated.IsZero() {
			line += " Updated=" + l.Updated.Format(time.RFC3339Nano)
		}
		lines = append(lines, line)
	}
	u.outcome(append(lines, result("list", err))...)
}

// got handles an opened session. A new session shows in its events; for the others it
// notes that the wait is over.
func (u *engineUser) got(verb string, s *acpclient.Session, err error) {
	if err != nil {
		u.report(verb, err)
		return
	}
	u.opened(s)
	if verb != "new" {
		u.outcome("done: " + verb + ": " + s.ID())
	}
}

// opened makes a session the current one.
func (u *engineUser) opened(s *acpclient.Session) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sessions = slices.DeleteFunc(u.sessions, func(o *acpclient.Session) bool { return o == s })
	u.sessions = append(u.sessions, s)
}

func (u *engineUser) report(verb string, err error) { u.outcome(result(verb, err)) }

// result describes the result of a call. For an error it adds what front ends
// distinguish it by.
func result(verb string, err error) string {
	hint := ""
	var refused *event.AgentError
	switch {
	case err == nil:
		return "done: " + verb
	case errors.As(err, &refused) && refused.AuthRequired():
		hint = " [login required]"
	case errors.Is(err, acpclient.ErrUnsupported):
		hint = " [unsupported]"
	}
	return fmt.Sprintf("! %s: %v%s", verb, err, hint)
}
