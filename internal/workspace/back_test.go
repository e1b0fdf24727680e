package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/thread"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// journal is a connection that records a change of one file in each turn.
type journal struct {
	turn    int
	since   []int // what was asked for
	files   []workspace.FileChange
	refuses map[string]error // by path
	undone  []string
}

func (j *journal) keep(c *workspace.Connection) {
	j.turn = 0
	c.Turn = func(_ string, begins bool) int {
		if begins {
			j.turn++
		}
		return j.turn
	}
	c.Changes = func(string) []workspace.FileChange { return j.files }
	c.Since = func(_ string, first int) (out []workspace.FileChange) {
		j.since = append(j.since, first)
		for _, f := range j.files {
			if f.Turn >= first {
				out = append(out, f)
			}
		}
		return out
	}
	c.Undo = func(_ context.Context, _ string, changes []workspace.FileChange, try bool) (out []workspace.UndoResult) {
		for _, f := range changes {
			out = append(out, workspace.UndoResult{Change: f, Err: j.refuses[f.Path]})
			if !try {
				j.undone = append(j.undone, fmt.Sprint(f.Path, " of turn ", f.Turn))
			}
		}
		return out
	}
}

// turns sends prompts, each after the end of the turn before.
func (r *rig) turns(s *workspace.Session, texts ...string) {
	r.Helper()
	for _, text := range texts {
		r.prompt(s, text)
		r.pass(time.Second)
	}
}

// prompts returns the indexes of the prompts of a session.
func prompts(s *workspace.Session) (at []int) {
	for _, it := range s.Thread.Items {
		if it.Kind == thread.UserMessage {
			at = append(at, it.Index)
		}
	}
	return at
}

// paths returns the paths of changes.
func paths(changes []workspace.FileChange) (out []string) {
	for _, f := range changes {
		out = append(out, f.Path)
	}
	return out
}

// Files are restored to before the turn of a prompt. A file that cannot be is left alone as a whole and
// named.
func TestRestoreToBeforeAPrompt(t *testing.T) {
	j := &journal{refuses: map[string]error{"/src/mine.go": errors.New("it was changed since")}, files: []workspace.FileChange{
		{Path: "/src/first.go", Turn: 1},
		{Path: "/src/second.go", Turn: 2},
		{Path: "/src/mine.go", Turn: 2},
		{Path: "/src/mine.go", Turn: 3},
		{Path: "/src/big.bin", Turn: 3, NoUndoReason: "it is too large"},
		{Path: "/src/restored.go", Turn: 3, Undone: true},
	}}
	each(t, func(r *rig) { r.change = j.keep }, func(r *rig) {
		j.since, j.undone = nil, nil
		s := r.started(local)
		r.turns(s, "one", "two", "three")
		at := prompts(s)
		var got workspace.Restorable
		if err := s.CanRestore(at[1], func(w workspace.Restorable) { got = w }); err != nil {
			r.Fatal(err)
		}
		r.settle()
		if got.Turn != 2 || !slices.Equal(paths(got.Files), []string{"/src/second.go"}) || j.undone != nil {
			r.Fatalf("turn %d, %q; undone %q", got.Turn, paths(got.Files), j.undone)
		}
		if len(got.Refused) != 2 || got.Refused[0].Change.Path != "/src/mine.go" || got.Refused[1].Err.Error() != "it is too large" {
			r.Errorf("refused %+v", got.Refused)
		}
		var results []workspace.UndoResult
		if err := s.Restore(got, func(of []workspace.UndoResult) { results = of }); err != nil {
			r.Fatal(err)
		}
		r.settle()
		if !slices.Equal(j.undone, []string{"/src/second.go of turn 2"}) || len(results) != 3 {
			r.Errorf("undone %q, %d results", j.undone, len(results))
		}
	})
}

// Nothing can be restored during a turn, for a prompt that is older than the connection, without a
// record of changes, and once the agent has ended.
func TestNoRestore(t *testing.T) {
	j := &journal{}
	each(t, func(r *rig) { r.change = j.keep }, func(r *rig) {
		s := r.started(local)
		refused := func(item int, why string) {
			r.Helper()
			err := s.CanRestore(item, func(workspace.Restorable) { r.Error("something can be restored") })
			r.settle()
			if err == nil || !strings.Contains(err.Error(), why) {
				r.Errorf("got %v, want %q", err, why)
			}
		}
		r.turns(s, "one")
		r.fake().Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		r.prompt(s, "two")
		r.pass(time.Second)
		refused(prompts(s)[0], "a turn is running")
		if err := s.Restore(workspace.Restorable{}, func([]workspace.UndoResult) {}); err == nil {
			r.Error("files are restored during a turn")
		}
		r.pass(2 * time.Minute)
		turn := s.Agent.Conn().Changes
		s.Agent.Conn().Changes = nil
		refused(prompts(s)[0], "not recorded")
		s.Agent.Conn().Changes = turn
		r.lose()
		refused(prompts(s)[0], "the agent has ended")
		s.Agent.Restart()
		r.settle()
		refused(prompts(s)[0], "older than the record")
	})
}
