package cli

import (
	"context"
	"sync"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/headless"
)

// offers collects the settings that sessions offer, from the events on their way to the sink.
type offers struct {
	*event.Queue
	mu       sync.Mutex
	sessions map[string]*thread.Thread
}

// Watch makes Open apply the settings. The events of the session must go through the returned sink.
func (o *Opening) Watch(sink event.Sink) event.Sink {
	queue, ok := sink.(*event.Queue)
	if !ok || len(o.Settings) == 0 {
		return sink
	}
	o.offers = &offers{Queue: queue, sessions: map[string]*thread.Thread{}}
	return o.offers
}

// Post implements event.Sink.
func (w *offers) Post(e event.Event) {
	switch e.(type) {
	case event.ConfigChanged, event.ModesOffered, event.ModeChanged:
		w.mu.Lock()
		t := w.sessions[e.EventSession()]
		if t == nil {
			t = thread.New(e.EventSession())
			w.sessions[e.EventSession()] = t
		}
		t.Apply(e)
		w.mu.Unlock()
	}
	w.Queue.Post(e)
}

// set applies the settings to a session that was just opened. A setting that fails is reported and
// the session stays open.
func (o Opening) set(ctx context.Context, s *acpclient.Session) {
	for _, setting := range o.Settings {
		if err := o.offers.set(ctx, s, setting); err != nil && o.Notify != nil {
			o.Notify("not set: " + err.Error())
		}
	}
}

func (w *offers) set(ctx context.Context, s *acpclient.Session, setting headless.Setting) error {
	w.mu.Lock()
	t := w.sessions[s.ID()]
	if t == nil {
		t = thread.New(s.ID())
	}
	change, err := headless.Choose(t, setting)
	w.mu.Unlock()
	if err != nil {
		return err
	}
	return change(ctx, s)
}
