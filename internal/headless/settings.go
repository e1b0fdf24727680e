package headless

import (
	"context"
	"fmt"
	"strings"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
)

// Setting is an option to set before the prompt. Key is "mode", "model", or the id or name
// of an option of the session.
type Setting struct{ Key, Value string }

// open opens the session. The replay of an earlier conversation is applied, for its
// options, and not printed.
func (r *run) open(ctx context.Context, client *acpclient.Client) (*acpclient.Session, error) {
	open := r.opts.Open
	if open == nil {
		open = func(ctx context.Context, c *acpclient.Client, n acpclient.NewSession) (*acpclient.Session, error) {
			return c.NewSession(ctx, n)
		}
	}
	session, err := open(ctx, client, r.opts.Session)
	if err != nil {
		return nil, err
	}
	r.absorb()
	for _, s := range r.opts.Settings {
		if err := r.set(ctx, session, s); err != nil {
			return nil, err
		}
		r.absorb()
	}
	return session, nil
}

// absorb applies queued events for what they say about the session, and drops the
// conversation in them. It keeps notices for the user for printing.
func (r *run) absorb() {
	for _, e := range r.queue.Drain() {
		switch e.(type) {
		case event.NoticeArrived, event.ElicitationAsked, deniedEvent:
			r.earlyEvents = append(r.earlyEvents, e)
		default:
			r.thread.Apply(e)
		}
	}
	old := r.thread
	r.thread = thread.New(old.Session)
	r.thread.Title, r.thread.Commands, r.thread.Usage = old.Title, old.Commands, old.Usage
	r.thread.Mode, r.thread.Modes, r.thread.Config = old.Mode, old.Modes, old.Config
}

// set changes one option.
func (r *run) set(ctx context.Context, session *acpclient.Session, s Setting) error {
	change, err := Choose(r.thread, s)
	if err != nil {
		return err
	}
	return change(ctx, session)
}

// Choose finds the option of the session that a setting means, by category, id or name, and
// returns a function that changes it.
func Choose(t *thread.Thread, s Setting) (change func(context.Context, *acpclient.Session) error, err error) {
	if o, ok := t.Option(s.Key); ok {
		var value any
		if o.Type == "boolean" {
			on, ok := booleans[strings.ToLower(s.Value)]
			if !ok {
				return nil, fmt.Errorf("%s %s: want true or false", s.Key, s.Value)
			}
			value = on
		} else if value, err = choice(s, o.Choices); err != nil {
			return nil, err
		}
		return func(ctx context.Context, session *acpclient.Session) error {
			return session.SetOption(ctx, o.ID, value)
		}, nil
	}
	if s.Key == "mode" && t.HasModes() {
		id, err := choice(s, t.Modes)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, session *acpclient.Session) error { return session.SetMode(ctx, id) }, nil
	}
	return nil, fmt.Errorf("the agent has no option %q", s.Key)
}

var booleans = map[string]bool{"true": true, "on": true, "yes": true, "false": false, "off": false, "no": false}

// choice finds a value by its id or name.
func choice(s Setting, choices []event.Choice) (string, error) {
	var names []string
	for _, c := range choices {
		if c.ID == s.Value || strings.EqualFold(c.Name, s.Value) {
			return c.ID, nil
		}
		if name := c.Name; len(names) < 20 {
			if name == "" {
				name = safetext.Line(c.ID, 60)
			}
			names = append(names, name)
		}
	}
	return "", fmt.Errorf("%s %s: the agent offers %s", s.Key, s.Value, strings.Join(names, ", "))
}
