package linear

import (
	"slices"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/safetext"
	"parley/internal/words"
)

// restart forgets what was printed: the thread was replaced.
func (n *narrator) restart() {
	front := n.front
	*n = *newNarrator(n.Session, n.out, n.tasks, n.stderr)
	n.front = front
}

// skip leaves the current items unprinted: they are an earlier conversation.
func (n *narrator) skip() {
	n.mute, n.open, n.slow, n.plan = len(n.Thread.Items), nil, nil, ""
}

// lastExchange prints the end of the conversation: the last prompt and what follows it, or notices if
// there is none.
func (n *narrator) lastExchange() {
	all := n.Thread.Prompts()
	if len(all) > 1 {
		n.out.say("Notice: %s; /transcript shows everything. The last one:", words.Count(len(all)-1, "earlier prompt"))
	}
	n.write(n.Thread, lastPrompt(n.Thread))
}

// lastPrompt returns the index of the last prompt of a conversation, 0 without one.
func lastPrompt(t *thread.Thread) int {
	if all := t.Prompts(); len(all) > 0 {
		return all[len(all)-1].Index
	}
	return 0
}

// write prints a conversation, that of the session or of a sub-agent, starting at an item.
func (n *narrator) write(t *thread.Thread, from int) {
	again := newNarrator(n.Session, n.out, n.tasks, n.stderr)
	again.calls = &calls{thread: t}
	for _, it := range t.Items[from:] {
		again.finish(it.Index)
		again.tell(it)
	}
	again.finishAll()
}

// leave ends open messages before the user switches to another session.
func (n *narrator) leave() {
	n.finishAll()
	n.mute, n.front = len(n.Thread.Items), false
}

// introduce says which session is in front. It prints the end of the conversation if the
// session was not in front before or the agent has said something since.
func (n *narrator) introduce() {
	n.out.say("Now in session: %s.", title(n.Session))
	from := n.mute
	n.skip()
	if from == 0 || slices.ContainsFunc(n.Thread.Items[min(from, len(n.Thread.Items)):], func(it *thread.Item) bool { return it.Kind == thread.AgentMessage }) {
		n.lastExchange()
	}
}

// sayOffers offers the prompts that may not have arrived.
func (n *narrator) sayOffers() {
	for _, p := range n.Prompts.Unconfirmed {
		n.out.say("Prompt %s; /resend sends it again: %s", p.Reason(), safetext.Line(p.Draft, 60))
	}
}

// sayPaused says that queued prompts wait for the user.
func (n *narrator) sayPaused() {
	if waiting := n.Prompts.Queue.Len(); waiting > 0 && n.Prompts.Queue.Paused() && n.front {
		n.out.say("Queued: %s. Press enter to send the first one, /drop drops the last one.", words.Count(waiting, "prompt"))
	}
}

// started prints only the end of the conversation, because it is an earlier one.
func (n *narrator) started() {
	n.loading = false
	if n.mute == 0 {
		n.skip()
		n.lastExchange()
	}
}

// reconnected handles a reopened session: it offers prompts that may not have arrived and
// resumes the queue. replaced means that the agent replayed the conversation into a new thread;
// if a turn was interrupted, its end is printed.
func (n *narrator) reconnected(replaced bool) {
	if replaced { // nothing of the new thread was printed
		n.restart()
		n.skip()
		if n.front && n.Lost.Interrupted.Exists() {
			n.lastExchange()
		}
	}
	n.sayOffers()
	if !n.Prompts.Queue.Paused() {
		n.Prompts.Resume()
	}
}

// startedOver begins with the session that replaces one that was gone.
func (n *narrator) startedOver() {
	n.out.say("Now in session: %s.", title(n.Session))
	n.settings()
	n.sayOffers()
	n.sayPaused()
}

// remarked prints the workspace's latest notice.
func (n *narrator) remarked() {
	if last := len(n.Thread.Items) - 1; last >= 0 && n.Thread.Items[last].Kind == thread.Notice {
		n.changed([]int{last})
	}
}

// transcript prints the whole conversation again.
func (n *narrator) transcript() {
	if len(n.Thread.Items) == 0 {
		n.out.say("The conversation is empty.")
		return
	}
	n.out.say("The whole conversation:")
	n.write(n.Thread, 0)
	n.out.say("End of the conversation.")
}

// subagents lets the user choose a sub-agent, whose conversation is printed.
func (n *narrator) subagents(ds *dialogs) {
	var choices []choice
	for _, s := range n.Thread.Subagents() {
		label := words.Sentence(s.Name()) + ": " + describe.Subagent(s, n.Session.Cwd())
		choices = append(choices, choice{label: label, do: func() {
			n.out.say("The conversation of %s:", s.Name())
			n.write(s.Thread, 0)
			n.out.say("End of the conversation.")
		}})
	}
	if len(choices) == 0 {
		n.out.say("No sub-agents in this session.")
		return
	}
	ds.menu("Sub-agents:", choices)
}
