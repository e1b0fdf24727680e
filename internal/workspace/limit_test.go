package workspace_test

import (
	"fmt"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// limitedUntil is a turn that fails because of a limit, which resets at that time.
func limitedUntil(at time.Time, status string) func(*fakeagent.Turn) string {
	return func(t *fakeagent.Turn) string {
		t.Update(fmt.Sprintf(`{"sessionUpdate":"usage_update","used":5,"size":10,"_meta":{"_claude/rateLimit":{"status":"%s","resetsAt":%d}}}`, status, at.Unix()))
		t.Update(`{"sessionUpdate":"usage_update","used":6,"size":10}`) // says nothing about it
		return ""
	}
}

// A prompt whose turn a limit has stopped is sent again when the limit resets, once, if that is soon enough
// (case 213).
func TestResumeAfterLimit(t *testing.T) {
	for name, tc := range map[string]struct {
		within time.Duration
		status string
		then   func(*rig, *workspace.Session)
		sent   []string // after an hour
		waits  []string
		told   bool
	}{
		"waits for it":           {within: time.Hour, status: "rejected", sent: []string{"go", "go", "next"}, told: true},
		"without the setting":    {status: "rejected", sent: []string{"go"}, waits: []string{"next"}, told: true},
		"too late":               {within: 10 * time.Minute, status: "rejected", sent: []string{"go"}, waits: []string{"next"}, told: true},
		"another error":          {within: time.Hour, status: "allowed_warning", sent: []string{"go"}, waits: []string{"next"}},
		"a status of the future": {within: time.Hour, status: "blocked", sent: []string{"go", "go", "next"}, told: true},
		"cancelled": {within: time.Hour, status: "rejected", sent: []string{"go"}, waits: []string{"next"}, told: true, then: func(r *rig, s *workspace.Session) {
			if !s.Prompts.CancelResume() || s.Prompts.CancelResume() {
				r.Error("cancelled not once")
			}
		}},
		"sent by the user": {within: time.Hour, status: "rejected", sent: []string{"go", "go", "next"}, told: true, then: func(_ *rig, s *workspace.Session) { s.Prompts.Resume() }},
		"dropped":          {within: time.Hour, status: "rejected", sent: []string{"go"}, waits: []string{"next"}, told: true, then: func(_ *rig, s *workspace.Session) { s.Prompts.Queue.Drop(0) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(r *rig) { r.opts.ResumeWithin = tc.within }, func(r *rig) {
				s := r.started(local)
				told := 0
				r.hear = func(n workspace.News) {
					if _, ok := n.(workspace.LimitReached); ok {
						told++
					}
				}
				resets := time.Now().Add(30 * time.Minute).Truncate(time.Second)
				r.fake().Turn(func(t *fakeagent.Turn) string { t.Wait(time.Second); return limitedUntil(resets, tc.status)(t) })
				r.prompt(s, "go")
				s.Prompts.Queue.Add("next")
				r.pass(2 * time.Second)
				if at := s.Prompts.ResumesAt(); at.IsZero() == (tc.told && tc.within == time.Hour) || !at.IsZero() && !at.Equal(resets) {
					r.Errorf("resumes at %v, resets at %v", at, resets)
				}
				r.fake().Turn(brief)
				if tc.then != nil {
					tc.then(r, s)
				}
				r.pass(time.Hour)
				r.got(tc.sent...)
				r.waits(s, tc.waits...)
				if (told > 0) != tc.told || told > 1 {
					r.Errorf("told %d times", told)
				}
			})
		})
	}
}

// A prompt that was sent again and fails again waits for the user.
func TestResumeOnce(t *testing.T) {
	each(t, func(r *rig) { r.opts.ResumeWithin = time.Hour }, func(r *rig) {
		s := r.started(local)
		r.fake().Turn(func(t *fakeagent.Turn) string { return limitedUntil(time.Now().Add(10*time.Minute), "rejected")(t) })
		r.prompt(s, "go")
		r.pass(time.Hour)
		r.got("go", "go")
		r.waits(s)
	})
}

// A turn that the user has stopped is not resumed, whatever the agent says.
func TestNoResumeAfterStop(t *testing.T) {
	each(t, func(r *rig) { r.opts.ResumeWithin = time.Hour }, func(r *rig) {
		s := r.started(local)
		r.fake().Turn(func(t *fakeagent.Turn) string {
			t.Wait(time.Minute)
			return limitedUntil(time.Now().Add(10*time.Minute), "rejected")(t)
		})
		r.prompt(s, "go")
		s.Stop()
		r.pass(time.Hour)
		r.got("go")
		r.waits(s)
	})
}
