package linear

import (
	"cmp"
	"strings"

	"parley/acpclient/thread"
	"parley/internal/workspace"
)

// prompts sends what the user types to the session in front, or queues it.
type prompts struct {
	w       *workspace.Workspace
	dialogs *dialogs
	save    func(text string) // adds a prompt to the history
	stderr  *stderr
	front   func() *narrator
	draft   []string // lines of an unfinished prompt

	asked    *workspace.Session       // a side question was asked there, whose answer is to be printed
	doubt    func(line string) string // why a line should not be sent, or ""
	doubtful string                   // the line last refused for that
}

// send sends a prompt, or queues it until it can be sent. A line that looks like a command and is none is
// only sent if it comes again.
func (p *prompts) send(text string) {
	s, out := p.w.Front(), p.dialogs.out
	gone := s.Thread.State == thread.Ended && !dialing(s.Agent) && s.Lost.State != workspace.StateReopening
	waiting := s.Prompts.Queue.Len()
	text, why := p.resolve(text)
	if why != "" && !s.Agent.Opening() { // its commands are not known yet
		out.say("%s. Enter the same line again to send it as text.", why)
		return
	}
	preview, used, err := s.Prompts.UseTemplate(workspace.Line{Text: text, Hold: waiting > 0}, func() {})
	switch {
	case preview != "":
		out.lines(preview)
		out.say("Enter the same line again to send it.")
		return
	case err != nil && used:
		out.line("Not sent: " + err.Error() + ".")
		return
	case used && s.Prompts.Queue.Len() == waiting:
		return
	case !used:
		err = s.Prompts.Submit(text, waiting > 0) // keeps the order in which prompts were typed
	}
	n := s.Prompts.Queue.Len()
	switch {
	case err != nil:
		p.requeue(s, workspace.Prompt{Text: text}, "Not sent: "+err.Error(), "")
	case n == waiting && out.terminal:
		p.front().echoed = text
	case n == waiting:
	case retrying(s.Agent):
		out.say("Queued as prompt %d: there is no connection.", n)
	case gone:
		out.say("Queued as prompt %d: the agent has ended. Press enter to restart it and send the prompt.", n)
	case s.Lost.State == workspace.StateGone:
		out.say("Queued as prompt %d: the session is gone. Press enter to start a new one.", n)
		s.Prompts.Queue.Pause()
	case s.Lost.State == workspace.StateUnopened:
		out.say("Queued as prompt %d: the session is not open. Press enter to try again.", n)
	case !s.IsOpen() && s.Lost.State == workspace.StateLive && !s.Waiting() && p.dialogs.current == nil:
		out.say("Queued as prompt %d. No agent is running: /agent starts one.", n)
	case s.Prompts.Queue.Paused():
		out.say("Queued as prompt %d. Press enter to send the first one.", n)
	default:
		out.say("Queued as prompt %d.", n)
	}
}

// resolve returns the line to send, and why it should not be sent, "" if it should. The second time the
// line is text for the agent.
func (p *prompts) resolve(line string) (send, why string) {
	again := p.doubtful == line
	p.doubtful = ""
	if again {
		return workspace.ForAgent(line), ""
	}
	if why = p.doubt(line); why != "" {
		p.doubtful = line
	}
	return line, why
}

// ask asks a side question. Without one it prints the last answer.
func (p *prompts) ask(question string) {
	s := p.w.Front()
	switch {
	case question != "":
		if err := s.SideQuestions.Ask(question); err != nil {
			p.dialogs.out.say("Not asked: %s.", err)
			return
		}
		p.asked = s
		p.dialogs.out.say("Asked beside the session.")
	case s.SideQuestions.Thread == nil:
		p.dialogs.out.say("No question: /btw and a text.")
	default:
		p.front().write(s.SideQuestions.Thread, lastPrompt(s.SideQuestions.Thread))
	}
}

// answered prints the answer to a side question when it is complete.
func (p *prompts) answered(s *workspace.Session) {
	if p.asked != s || s.SideQuestions.Busy() || s.SideQuestions.Thread.State != thread.Idle {
		return
	}
	p.asked = nil
	p.dialogs.out.say("The answer to your side question:")
	p.front().write(s.SideQuestions.Thread, lastPrompt(s.SideQuestions.Thread))
	p.dialogs.out.say("End of the answer.")
}

// steer puts a prompt, or the first queued one, into the running turn.
func (p *prompts) steer(text string) {
	s := p.w.Front()
	queue := s.Prompts.Queue.Texts()
	queued := text == "" && len(queue) > 0
	if queued {
		text = queue[0]
	}
	switch {
	case text == "":
		p.dialogs.out.say("No prompt: /steer and a text, or queue one first.")
		return
	case !s.Running():
		p.dialogs.out.say("No turn is running: type the prompt without /steer.")
		return
	case !s.Prompts.Steers():
		p.dialogs.out.say("%s takes no prompt in a turn. /stop stops it, then the prompt can be sent.", called(s.Agent))
		return
	case workspace.IsCommand(text):
		p.dialogs.out.say("Only a prompt can be put into the running turn.")
		return
	}
	prompt := workspace.Prompt{Text: text}
	if queued {
		prompt = s.Prompts.Queue.Drop(0)
	}
	if err := s.Prompts.Steer(prompt); err != nil {
		p.requeue(s, prompt, "Not sent: "+err.Error(), "")
	}
}

// due handles a queued line that looks like a command, whose turn has come, and then those after it.
func (p *prompts) due(s *workspace.Session, line string, run func(line string) bool) {
	front := s == p.w.Front()
	if front && run(line) {
		if p.dialogs.current != nil {
			s.Prompts.Queue.Pause()
		}
		if s.Prompts.Queue.Paused() {
			p.front().sayPaused()
		} else {
			s.Prompts.Resume()
		}
		return
	}
	typed := workspace.Prompt{Text: line}
	text, why := p.resolve(line)
	preview, used, err := "", false, error(nil)
	if why == "" && front {
		preview, used, err = s.Prompts.UseTemplate(workspace.Line{Text: text, Due: true}, func() {})
		if !used && err == nil {
			err = s.Prompts.Send(text)
		}
	}
	switch {
	case !front:
		s.Prompts.Queue.PutBack(typed)
	case why != "":
		p.requeue(s, typed, why, ". Press enter to send it as text, /drop drops it.")
	case preview != "":
		p.dialogs.out.lines(preview)
		p.requeue(s, typed, "Not sent yet", ". Press enter to send it.")
	case err != nil:
		p.requeue(s, typed, "Not sent: "+err.Error(), "")
	default:
		s.Prompts.Resume()
	}
}

// sendNotes sends a prompt that was made of notes: unlike a typed one, it is printed.
func (p *prompts) sendNotes(text string) {
	p.send(text)
	p.front().echoed = ""
}

// putAside queues a prompt and returns its number.
func (p *prompts) putAside(text string) int {
	s := p.w.Front()
	s.Prompts.Queue.Add(text)
	return s.Prompts.Queue.Len()
}

// putDraftAside queues the unfinished prompt and pauses the queue.
func (p *prompts) putDraftAside() {
	n := p.putAside(strings.Join(p.draft, "\n"))
	p.draft = nil
	p.w.Front().Prompts.Queue.Pause()
	p.dialogs.out.say("Queued as prompt %d. Press enter to send it, /drop drops it.", n)
}

// requeue puts a prompt that was not sent first in the queue, and pauses the queue. shown ends
// the line, for prompts that the user may not recognise otherwise.
func (p *prompts) requeue(s *workspace.Session, prompt workspace.Prompt, why, shown string) {
	s.Prompts.Queue.PutBack(prompt)
	p.dialogs.out.line(why + ". Queued as prompt 1" + cmp.Or(shown, "."))
}

// sent records a prompt that was sent.
func (p *prompts) sent(n workspace.PromptSent) {
	for _, note := range n.Notes {
		p.dialogs.out.say("Notice: %s.", note)
	}
	p.stderr.seen = n.Log // the rest is about earlier prompts
	if !n.OfClient() {
		p.save(n.Text)
	}
	if n.Held {
		p.dialogs.out.say("Sent; the agent reads it when it can.")
	}
}

// resend sends again the oldest prompt that may not have arrived.
func (p *prompts) resend() {
	switch s := p.w.Front(); {
	case len(s.Prompts.Unconfirmed) == 0:
		p.dialogs.out.say("Every prompt has arrived.")
	case !s.IsOpen():
		p.dialogs.out.say("Not sent: no session is open yet.")
	default:
		offer, _ := s.Prompts.Unconfirmed.Remove(false)
		if offer.ID == 0 {
			p.send(offer.Draft)
			return
		}
		prompt := workspace.Prompt{Text: workspace.ForAgent(offer.Draft), ID: offer.ID} // not the user's words
		if err := s.Prompts.SubmitOf(prompt); err != nil {
			p.requeue(s, prompt, "Not sent: "+err.Error(), "")
		}
	}
}

// unsent prints the queued prompts when parley ends, since they would be lost.
func (p *prompts) unsent() {
	if len(p.draft) > 0 {
		p.putAside(strings.Join(p.draft, "\n"))
	}
	for _, s := range p.w.Sessions() {
		for _, offer := range s.Prompts.Unconfirmed {
			p.dialogs.out.say("Prompt %s:", offer.Reason())
			p.dialogs.out.lines(offer.Draft)
		}
		for _, text := range s.Prompts.Queue.Texts() {
			p.dialogs.out.say("Not sent:")
			p.dialogs.out.lines(text)
		}
	}
}

// ready reports whether the user can type a prompt now.
func (p *prompts) ready() bool {
	s := p.w.Front()
	_, reading := s.Prompts.Reading()
	return s.IsOpen() && s.Thread.State == thread.Idle && !s.Running() && !reading && !dialing(s.Agent) && (s.Prompts.Queue.Len() == 0 || s.Prompts.Queue.Paused())
}
