package acpclient

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// ErrNoTurn is returned by Steer when no turn is running, or when it ended before the prompt
// could be put into it: the prompt was not sent then.
var ErrNoTurn = errors.New("no turn is running")

// Steer puts a prompt into the running turn (_session/steering), which claude and codex offer; see
// event.AgentInfo.Steering. It returns when the agent has answered: nil means that the prompt is in the
// conversation, at the place of event.PromptSteered. If the agent began another turn with it, that is one it
// has begun by itself.
func (s *Session) Steer(ctx context.Context, blocks ...event.Block) error {
	const doing = "put the prompt into the turn"
	if !s.client.agent.Steering {
		return s.client.callFailed(doing, ErrUnsupported)
	}
	if !s.Running() {
		return ErrNoTurn
	}
	prompt, shown := s.promptRequest(blocks)
	req := wire.SteerRequest{PromptRequest: prompt}
	req.Meta.Steering.IdleBehavior = "promptRequired"
	at := s.client.clock()
	return s.set(ctx, "_session/steering", req, doing, func(raw json.RawMessage) error { return s.steered(shown, at, raw) })
}

// steered handles the answer. Reader goroutine only.
func (s *Session) steered(shown string, at time.Time, raw json.RawMessage) error {
	var r wire.Steered
	if err := jsonrpc.Decode("_session/steering", raw, &r); err != nil {
		return err
	}
	switch r.Outcome {
	case "injected", "startedNewTurn":
		s.post(event.PromptSteered{For: s.wireContext(), Text: shown, At: at})
		return nil
	case "promptRequired":
		return ErrNoTurn
	}
	return errors.New("the agent has not taken it: " + safetext.Line(r.Outcome, 80))
}
