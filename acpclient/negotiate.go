package acpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
)

// Versions remembers which protocol version an agent supports. Its methods may be called
// from any goroutine and return at once. It is an interface because the engine writes no files.
type Versions interface {
	// Version returns the version remembered for an agent, 0 if there is none.
	Version(agent string) int
	Remember(agent string, version int)
}

// ReconnectError means that the agent can be used, but only on another connection.
// Launch and Dial make that connection themselves. The failed connection is closed
// without an event.Disconnected.
type ReconnectError struct {
	Version int   // to offer on the other connection
	Err     error // what the agent answered on this one
}

func (e *ReconnectError) Error() string {
	return fmt.Sprintf("the agent has to be connected to afresh, with version %d: %v", e.Version, e.Err)
}

func (e *ReconnectError) Unwrap() error { return e.Err }

// Options returns the options for the other connection.
func (e *ReconnectError) Options(opts Options) Options {
	opts.offer = e.Version
	return opts
}

// versionsOf returns the versions that a value of Options.Protocol allows, the latest
// first.
func versionsOf(protocol string) ([]int, error) {
	switch protocol {
	case "", "1":
		return []int{1}, nil
	case "2", "auto":
		return []int{2, 1}, nil
	}
	return nil, fmt.Errorf("%w: %q is no setting of the protocol", event.ErrVersion, safetext.Line(protocol, 40))
}

// negotiate agrees on a version: the one offered, or 1 after an offer of 2. Version 1 is
// then offered again, because an agent of v1 ignores what a v2 request says about this
// client.
func (c *Client) negotiate(ctx context.Context) error {
	allowed, err := versionsOf(c.opts.Protocol)
	if err != nil {
		return err
	}
	offer := allowed[0]
	if c.opts.Protocol == "auto" && c.opts.Versions != nil {
		if v := c.opts.Versions.Version(c.opts.Agent); v == 1 || v == 2 {
			offer = v
		}
	}
	if c.opts.offer != 0 {
		offer = c.opts.offer
	}
	answer, err := c.initialize(ctx, offer)
	if err != nil {
		return otherVersion(err, offer, allowed)
	}
	if answer < offer {
		if c.opts.InitializeOnce {
			return &ReconnectError{Version: answer, Err: fmt.Errorf("it speaks version %d", answer)}
		}
		if _, err := c.initialize(ctx, answer); err != nil {
			if ctx.Err() != nil || errors.Is(err, event.ErrVersion) {
				return err
			}
			return &ReconnectError{Version: answer, Err: err}
		}
	}
	if h, ok := c.in.Conn.(*transport.HTTP); ok {
		h.SetVersion(c.agent.ProtocolVersion)
	}
	if c.opts.Protocol == "auto" && c.opts.Versions != nil {
		c.opts.Versions.Remember(c.opts.Agent, c.agent.ProtocolVersion)
	}
	return nil
}

// initialize offers a version and returns the answered one, which is the offered one or,
// after 2, 1.
func (c *Client) initialize(ctx context.Context, offer int) (int, error) {
	var req any = c.opts.initializeRequestV1()
	if offer == 2 {
		req = c.opts.initializeRequestV2()
	}
	var answer int // not returned by the call: if ctx ends first the answer may still arrive
	var failed error
	call := c.peer.BeginThen("initialize", req, func(raw json.RawMessage, err error) {
		if err == nil {
			answer, failed = c.initialized(raw, offer)
		}
	})
	if err := call.Wait(ctx, nil); err != nil {
		return 0, c.explain("initialize", err)
	}
	return answer, failed
}

// initialized handles the result of initialize, on the reader goroutine, before any
// later message of the agent.
func (c *Client) initialized(raw []byte, offer int) (int, error) {
	answer := wire.DecodeVersion(raw)
	version, ok := jsonscan.Int(answer)
	if !ok || version < 1 || version > int64(offer) {
		answered := "nothing"
		if answer != nil {
			answered = string(answer)
		}
		return 0, fmt.Errorf("%w: the agent answered protocolVersion %s to an offer of %d", event.ErrVersion, safetext.Line(answered, 40), offer)
	}
	if int(version) < offer {
		return int(version), nil
	}
	return offer, c.introduced(offer, raw)
}

// introduced stores what the agent is, before any later message is handled.
func (c *Client) introduced(version int, raw []byte) error {
	r := wire.InitializeResponse{Version: version}
	if err := jsonrpc.Decode("initialize", raw, &r); err != nil {
		return err
	}
	c.surface = surfaceOf(version)
	c.agent = event.AgentInfo{
		Name: safetext.Line(r.Agent.Name, 80), Title: safetext.Line(r.Agent.Title, 80), Version: safetext.Line(r.Agent.Version, 40),
		ProtocolVersion: version, NoSessions: !r.Sessions, LoadSession: r.Load,
		Image: r.Image, Audio: r.Audio, EmbeddedContext: r.EmbeddedContext,
		Roots: r.Roots, NoMCPStdio: !r.MCPStdio, MCPHTTP: r.MCPHTTP, MCPSSE: r.MCPSSE,
		List: r.List, Delete: r.Delete, Resume: r.Resume, CloseSession: r.Close, Fork: r.Fork, Logout: r.Logout,
		SetTitle: r.Title, Archive: r.Archive, Status: r.Status, AuthStatus: r.AuthStatus,
		SystemPrompt: r.SystemPrompt, OverridePrompt: r.OverridePrompt, Steering: r.Steering,
		DeleteArchives: strings.Contains(strings.ToLower(r.Agent.Name), "codex-acp"),
	}
	for _, m := range r.AuthMethods {
		c.agent.AuthMethods = append(c.agent.AuthMethods, c.opts.authMethod(m))
	}
	if version == 1 {
		c.quirk = quirksOf(r.Agent.Name)
	}
	return nil
}

// otherVersion returns a version that the agent supports, if the error with which it
// refused another one says so (-32022).
func otherVersion(err error, offer int, allowed []int) error {
	var refused *event.AgentError
	if !errors.As(err, &refused) || refused.Code != jsonrpc.CodeUnsupportedVersion {
		return err
	}
	var data struct{ Supported []json.RawMessage }
	json.Unmarshal(refused.Data, &data)
	for _, v := range allowed {
		for _, s := range data.Supported {
			if n, ok := jsonscan.Int(s); ok && n == int64(v) && v != offer {
				return &ReconnectError{Version: v, Err: err}
			}
		}
	}
	return fmt.Errorf("%w: %w", event.ErrVersion, err)
}
