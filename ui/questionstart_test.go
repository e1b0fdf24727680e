package ui

import (
	"context"
	"slices"
	"testing"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// An agent may ask while the first session is being loaded, before there is a page: the
// question is shown and answered where the start is.
func TestQuestionWhileTheFirstSessionLoads(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		d.fake.Capabilities(`,"agentCapabilities":{"loadSession":true}`)
		d.fake.On("session/load", func(c *fakeagent.Call) (string, error) {
			c.Agent.Ask(context.Background(), "kept", push, usual)
			return "{}", nil
		})
		connect := o.Connect
		o.Connect = func(ctx context.Context, s workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			conn, err := connect(ctx, s, sink, log)
			if err == nil {
				conn.Session, err = conn.Client.LoadSession(ctx, "kept", conn.Template)
			}
			return conn, err
		}
	}, func(d *driver) {
		d.rest()
		d.sees("fake asks", "git push")
		d.press("n")
		d.rest()
		if got := d.Agent().Outcomes(); !slices.Equal(got, []string{"no"}) {
			t.Errorf("answered %q:\n%s", got, d.screen())
		}
		d.misses("fake asks", "Starting fake")
	})
}
