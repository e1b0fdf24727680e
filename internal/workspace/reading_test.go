package workspace_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/finder"
	"parley/internal/workspace"
)

// slowly takes a second to read a file; one called long is read until it is cancelled.
func slowly(ctx context.Context, _ []string, path string, _, _ int) (finder.Mentioned, error) {
	wait := time.Second
	if path == "long" {
		wait = time.Hour
	}
	select {
	case <-time.After(wait):
		return finder.Mentioned{URI: "file:///p/" + path, Name: path}, nil
	case <-ctx.Done():
		return finder.Mentioned{}, context.Cause(ctx)
	}
}

// reads makes the files available that prompts mention.
func reads(r *rig) { r.opts.ReadFile = slowly }

// eachReading runs a test with agents of both versions and prompts that read files.
func eachReading(t *testing.T, f func(*rig, *workspace.Session)) {
	each(t, func(r *rig) { reads(r); r.fake().Turn(brief) }, func(r *rig) { f(r, r.started(local)) })
}

// Prompts wait while the files of an earlier one are read, so that they keep their order.
func TestReading(t *testing.T) {
	eachReading(t, func(r *rig, s *workspace.Session) {
		s.Prompts.Carried.Add("$ ls\n")
		r.prompt(s, "@first")
		if text, ok := s.Prompts.Reading(); !ok || text != "@first" || s.Prompts.Ready() || !s.Waiting() {
			r.Errorf("reading %q, %v", text, ok)
		}
		if err := s.Prompts.Send("too soon"); err != workspace.ErrReading {
			r.Error(err)
		}
		r.prompt(s, "second", "@third", "fourth")
		r.waits(s, "second", "@third", "fourth")
		r.pass(time.Minute)
		r.got("$ ls\n", "second", "@third", "fourth")
		if _, ok := s.Prompts.Reading(); ok || len(s.Prompts.Carried) > 0 {
			r.Error("still reading")
		}
	})
}

// The time for reading is bounded. Files that were not read are reported.
func TestReadingLong(t *testing.T) {
	eachReading(t, func(r *rig, s *workspace.Session) {
		r.prompt(s, "@long")
		r.pass(11 * time.Second)
		r.wants("PromptSent @long, @long is sent as text: it took longer than 10 s")
	})
}

// A prompt can be taken back while its files are read. The queue after it is paused, since the
// user may want to send the first one in another form.
func TestStopReading(t *testing.T) {
	eachReading(t, func(r *rig, s *workspace.Session) {
		s.Prompts.Carried.Add("$ ls\n")
		r.prompt(s, "@long", "second")
		text, ok := s.Prompts.StopSending()
		if !ok || text != "@long" || !slices.Equal(s.Prompts.Carried, []string{"$ ls\n"}) {
			r.Errorf("%q, %v, carried %q", text, ok, s.Prompts.Carried)
		}
		if _, ok := s.Prompts.StopSending(); ok {
			r.Error("it is given up twice")
		}
		s.Prompts.Carried.Drop()
		r.pass(time.Minute)
		r.wants("QueuePaused")
		r.got()
		r.prompt(s, "second again")
		s.Prompts.Resume()
		r.pass(time.Minute)
		r.got("second", "second again")
	})
}

// A turn may end while the files of the next prompt are read.
func TestReadingWhileTurnEnds(t *testing.T) {
	for _, how := range []string{"ends", "fails", "is stopped", "ends, given up"} {
		t.Run(how, func(t *testing.T) {
			with(t, func(r *rig) {
				r.fake().Protocol = "2"
				reads(r)
				r.fake().Turn(brief)
			}, func(r *rig) {
				s := r.started(local)
				if how == "fails" {
					r.fake().Turn(func(t *fakeagent.Turn) string { t.Wait(time.Second); return "" })
				}
				r.prompt(s, "first")
				r.pass(500 * time.Millisecond)
				r.fake().Turn(brief)
				r.prompt(s, "@second", "third")
				r.wants("PromptSent first")
				switch how {
				case "is stopped":
					s.Stop()
				case "ends, given up":
					r.pass(900 * time.Millisecond)
					s.Prompts.StopSending()
				}
				r.pass(time.Minute)
				if how == "ends, given up" {
					r.wants("QueuePaused")
					s.Prompts.Resume()
					r.pass(time.Minute)
					r.got("first", "third")
				} else {
					r.got("first", "@second", "third")
				}
				r.waits(s)
			})
		})
	}
}

// If the connection ends while a prompt's files are read, the prompt is not sent but returned.
func TestReadingThenLost(t *testing.T) {
	for _, spec := range []workspace.Spec{local, shared} {
		each(t, func(r *rig) {
			if r.fake().Protocol == "1" {
				ways["load"](r)
			}
			r.fake().Answer("session/resume", "{}")
			reads(r)
		}, func(r *rig) {
			s := r.started(spec)
			s.Prompts.Carried.Add("$ ls\n")
			r.prompt(s, "@first", "second")
			r.lose()
			r.pass(time.Minute)
			if !slices.Equal(r.returned, []string{"@first"}) || !slices.Equal(s.Prompts.Carried, []string{"$ ls\n"}) {
				r.Errorf("came back: %q, carried %q", r.returned, s.Prompts.Carried)
			}
			if spec.Remote {
				s.Prompts.Resume()
				r.pass(time.Minute)
				r.got("$ ls\n")
			} else {
				r.waits(s, "second")
			}
		})
	}
}

// If the agent is restarted while a prompt's files are read, the prompt goes to the new agent
// before prompts typed later. If its session is closed, it is returned.
func TestReadingThenGone(t *testing.T) {
	eachReading(t, func(r *rig, s *workspace.Session) {
		r.prompt(s, "@long", "second")
		s.Agent.Restart()
		if !slices.Equal(s.Prompts.Queue.Texts(), []string{"@long", "second"}) || s.Prompts.Queue.Paused() {
			r.Errorf("%q wait, paused %v", s.Prompts.Queue.Texts(), s.Prompts.Queue.Paused())
		}
		r.waits(s, "second")
		if text, ok := s.Prompts.Reading(); !ok || text != "@long" {
			r.Errorf("reading %q, %v", text, ok)
		}
		s.Prompts.StopSending()
		s.Prompts.Resume()
		r.pass(time.Minute)
		r.got("second")
		s.Agent.NewSession()
		r.pass(time.Second)
		third := r.w.Front()
		r.prompt(third, "@long", "later")
		third.Close()
		r.pass(time.Minute)
		if !slices.Equal(r.returned, []string{"@long", "later"}) {
			r.Errorf("came back: %q", r.returned)
		}
	})
}

// A prompt with files that was refused for want of a login is sent once after the login.
func TestReadingWantsLogin(t *testing.T) {
	each(t, func(r *rig) { reads(r); (&guard{}).set(r) }, func(r *rig) {
		s := r.started(local)
		s.Prompts.Carried.Add("$ ls\n")
		r.prompt(s, "@first", "second")
		r.pass(time.Minute)
		s.Agent.Login.Authenticate(method(s.Agent, "own"), "")
		r.pass(time.Minute)
		if got := r.Agent().Prompts(); len(got) < 3 || got[len(got)-1] != "second" {
			r.Errorf("sent: %q", got)
		}
		r.waits(s)
	})
}
