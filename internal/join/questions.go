package join

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/permissions"
)

// A question of an agent's goes to the clients with the role approve that follow its session, besides the screen.
// The first answer counts: the others are withdrawn, and the thread says who gave it. A client cannot promise that
// its user has read all of a question, so it may reject, and allow only if the user's configuration says so.

// question is an open question.
type question struct {
	session *workspace.Session
	feed    *feed
	key     uint64
	asked   map[*client]int64 // the id of the request
	of      permissions.Asked
}

// ask asks the clients.
func (h *Hub) ask(f *feed, e permissions.Asked) {
	q := &question{session: f.session, feed: f, key: e.Question.Key, asked: map[*client]int64{}, of: e}
	h.questions = append(h.questions, q)
	for _, c := range h.clients {
		h.askClient(c, q)
	}
}

// askLate asks a client that has just joined a session what is open in it.
func (h *Hub) askLate(c *client, f *feed) {
	for _, q := range h.questions {
		if q.feed == f {
			h.askClient(c, q)
		}
	}
}

func (h *Hub) askClient(c *client, q *question) {
	if _, asked := q.asked[c]; asked || !c.role.Approves() {
		return
	}
	if _, live := q.feed.has(c); !live {
		return
	}
	params := permission(q.feed, q.of.Question, c.dialect)
	if params == nil {
		return
	}
	call := c.peer.Reserve("session/request_permission", func(result json.RawMessage, err error) {
		h.inbox.add(func() { h.answered(c, q, result, err) })
	})
	q.asked[c] = call.ID
	call.Queue(params)
}

// answered takes the answer of a client.
func (h *Hub) answered(c *client, q *question, result json.RawMessage, err error) {
	if _, asked := q.asked[c]; !asked || !slices.Contains(h.questions, q) {
		return
	}
	delete(q.asked, c)
	var r struct {
		Outcome struct{ Outcome, OptionID string }
	}
	if err != nil || json.Unmarshal(result, &r) != nil || r.Outcome.Outcome != "selected" {
		return // it does not decide
	}
	i := slices.IndexFunc(q.of.Question.Options, func(o permissions.Option) bool { return o.ID == r.Outcome.OptionID })
	if i < 0 {
		return
	}
	o := q.of.Question.Options[i]
	rejects := o.Kind == permissions.RejectOnce || o.Kind == permissions.RejectAlways
	switch {
	case !rejects && !h.opts.ApproveFromClients:
		if c.dialect.notices {
			c.send(encode(q.feed.id, notice("warning", "Not allowed from here", "Allow it on parley's screen")))
		}
		q.session.Say(c.label() + " wants to allow it: answer the question here")
	case q.of.Broker != nil:
		q.of.Broker.AnswerFrom(c.name, q.key, o.ID)
	}
}

// withdraw ends questions: clients no longer need to answer them.
func (h *Hub) withdraw(which func(*question) bool) {
	h.questions = slices.DeleteFunc(h.questions, func(q *question) bool {
		if !which(q) {
			return false
		}
		for c, id := range q.asked {
			c.peer.Notify("$/cancel_request", map[string]int64{"requestId": id})
		}
		q.asked = map[*client]int64{}
		return true
	})
}

// unask withdraws the questions of a session from a client that no longer follows it.
func (h *Hub) unask(c *client, f *feed) {
	for _, q := range h.questions {
		if id, asked := q.asked[c]; asked && q.feed == f {
			c.peer.Notify("$/cancel_request", map[string]int64{"requestId": id})
			delete(q.asked, c)
		}
	}
}

// permission returns the parameters of session/request_permission for a question, nil if it cannot be asked.
func permission(f *feed, q permissions.Question, d dialect) object {
	var all []object
	for _, o := range q.Options {
		kind := o.Kind
		if d.version < 2 { // whose kinds are closed; what does not reject counts as allowing
			kind = known(kind, permissions.AllowOnce, permissions.AllowAlways, permissions.RejectOnce, permissions.RejectAlways)
		}
		all = append(all, object{"optionId": o.ID, "name": o.Name, "kind": kind})
	}
	if len(all) == 0 {
		return nil
	}
	f.learn()
	tool := object{"toolCallId": f.toolID(q.Tool)}
	if tool["toolCallId"] == "" {
		tool["toolCallId"] = fmt.Sprintf("question-%d", q.Key)
	}
	content := []object{textContent(q.Title(f.session.Agent.Name()))}
	if q.Description != "" {
		content = append(content, textContent(q.Description))
	}
	for _, p := range q.Body {
		content = append(content, part(p, d)...)
	}
	if d.version < 2 {
		tool["title"], tool["content"] = q.Heading, content
		tool["kind"] = kindOf(q.Kind, d)
		return object{"sessionId": f.id, "toolCall": tool, "options": all}
	}
	if f.toolID(q.Tool) == "" { // no call of the agent's shows it
		tool["title"], tool["content"] = q.Heading, content
	}
	return object{"sessionId": f.id, "title": q.Heading, "description": text(q, f.session.Agent.Name()), "options": all, "subject": object{"type": "tool_call", "toolCall": tool}}
}

// text is a question in words: who asks, and what about.
func text(q permissions.Question, agent string) string {
	lines := []string{q.Title(agent)}
	if q.Description != "" {
		lines = append(lines, q.Description)
	}
	for _, p := range q.Body {
		switch p.Kind {
		case permissions.Field:
			lines = append(lines, p.Label+": "+p.Text)
		case permissions.Text, permissions.Command, permissions.Warning, permissions.Patch:
			lines = append(lines, p.Text)
		case permissions.Diff:
			lines = append(lines, gitPatch(diffOf(p), "modify"))
		}
	}
	return strings.Join(lines, "\n")
}

func diffOf(p permissions.Part) *event.Diff {
	return &event.Diff{Path: p.Path, Old: p.Old, New: p.Text, OldMissing: p.NewFile}
}

// part is a part of a question as content of a tool call.
func part(p permissions.Part, d dialect) []object {
	switch p.Kind {
	case permissions.Field:
		return []object{textContent(p.Label + ": " + p.Text)}
	case permissions.Diff:
		return change(diffOf(p), d)
	}
	return []object{textContent(p.Text)}
}
