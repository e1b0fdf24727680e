package workspace

import (
	"context"
	"errors"
	"slices"

	"parley/acpclient"
	"parley/acpclient/event"
)

// Steers reports whether a prompt can be put into a running turn of the session's agent.
func (p *Prompts) Steers() bool {
	info := p.s.Agent.Info()
	return info != nil && info.Steering
}

// Steer puts a prompt into the running turn, with what is carried. The agent says where it is in the
// conversation. If the turn has ended in the meantime, the prompt is sent next, before those that are queued. If
// the agent does not take it, PromptNotSent returns it.
func (p *Prompts) Steer(prompt Prompt) error {
	open := p.s.acp
	switch {
	case open == nil:
		return ErrNotOpen
	case !open.Running():
		return p.submitNext(prompt)
	}
	blocks := []event.Block{{Text: prompt.sent()}}
	expand, took := p.expand(Prompt{blocks[0].Text, prompt.ID}), p.Carried
	p.Carried, p.Steering = nil, append(p.Steering, prompt)
	p.s.Agent.request(func(ctx context.Context) error {
		if expand != nil {
			blocks, _ = expand(ctx)
		}
		return open.Steer(ctx, append(textBlocks(took), blocks...)...)
	}, func(err error) {
		i := slices.Index(p.Steering, prompt)
		if i < 0 { // it was taken back
			return
		}
		p.Steering = slices.Delete(p.Steering, i, i+1)
		if err != nil {
			p.Carried.Return(took)
		}
		if errors.Is(err, acpclient.ErrNoTurn) {
			err = p.submitNext(prompt)
		}
		if err != nil {
			p.s.w.tell(PromptNotSent{OfSession{p.s}, prompt, err})
		}
	})
	return nil
}

// StopAndSend stops the running turn and sends a prompt then, before those that are queued.
func (p *Prompts) StopAndSend(prompt Prompt) {
	p.Queue.next(0, prompt)
	p.replaces = true
	p.s.Stop()
}
