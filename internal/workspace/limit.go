package workspace

import (
	"errors"
	"time"

	"parley/acpclient/event"
)

// limited says what happens to a prompt whose turn a limit has stopped.
type limited struct {
	prompt  Prompt    // first in the queue, as long as it is to be sent again
	resumes time.Time // when
	resent  Prompt    // the one that was sent again last: it is not sent a third time
}

// ResumesAt returns when a prompt whose turn a limit has stopped is sent again; zero if none is.
func (p *Prompts) ResumesAt() time.Time {
	if q := &p.Queue; !q.paused || len(q.prompts) == 0 || q.prompts[0] != p.limited.prompt {
		return time.Time{}
	}
	return p.limited.resumes
}

// CancelResume drops the prompt that was to be sent again; false if there is none.
func (p *Prompts) CancelResume() bool {
	if p.ResumesAt().IsZero() {
		return false
	}
	p.limited = limited{}
	p.Queue.dequeue()
	p.pause() // those after it
	return true
}

// stoppedByLimit reports a turn that a limit has stopped. If the limit resets soon enough, the prompt waits for
// that in the queue, once, and true is returned.
func (p *Prompts) stoppedByLimit(e event.TurnEnded) bool {
	now, resent := p.s.w.opts.Now(), p.limited.resent
	p.limited.resent = Prompt{}
	resets := limitReset(p.s.Thread.Usage.Limit, e, now)
	if resets.IsZero() {
		return false
	}
	again, prompted := p.turnPrompt()
	again.Text = ForAgent(again.Text)
	wait := resets.Sub(now)
	resumes := prompted && again.Text != "" && again != resent && p.s.Thread.Prompted() && wait <= p.s.w.opts.ResumeWithin && p.ResumesAt().IsZero()
	p.s.w.tell(LimitReached{OfSession{p.s}, resets, resumes})
	if !resumes {
		return false
	}
	p.Queue.PutBack(again)
	p.limited = limited{prompt: again, resumes: resets}
	p.s.w.begin(func() Result {
		return pause(p.s.w, wait, func() {
			if p.limited.resumes == resets && !p.ResumesAt().IsZero() && p.s.IsOpen() && p.s.w.has(p.s) {
				p.Resume()
				p.limited.resent = again
			}
		})
	})
	return true
}

// limitReset returns when the limit resets that has stopped a turn, as the agent has last reported it; zero if none
// has. What the agent says in words does not count.
func limitReset(l *event.RateLimit, e event.TurnEnded, now time.Time) time.Time {
	var answered *event.AgentError
	failed := errors.As(e.Err, &answered) && !answered.NoResponse || e.Err == nil && e.StopReason == "refusal"
	if failed && l != nil && !l.Allows() && l.ResetsAt.After(now) {
		return l.ResetsAt
	}
	return time.Time{}
}
