package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/must"
)

// Several parleys count the turns of a day, and the days of a month are kept.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 3, 4, 23, 59, 0, 0, time.Local)
	open := func() *Usage {
		u := NewUsage(dir)
		u.now = func() time.Time { return now }
		return u
	}
	if today := must.Get(open().Today())(t); len(today) != 0 {
		t.Errorf("before the first turn: %+v", today)
	}
	if days := must.Get(open().Days())(t); len(days) != 0 {
		t.Errorf("before the first turn: %+v", days)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			u := open()
			for range 5 {
				if err := u.Add("claude", event.TurnUsage{Total: 12, Input: 7, Output: 5}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	must.Do(t, open().Add("opencode\n", event.TurnUsage{Total: 2000}))
	want := []AgentUsage{{"opencode", 1, event.TurnUsage{Total: 2000}}, {"claude", 20, event.TurnUsage{Total: 240, Input: 140, Output: 100}}}
	if today := must.Get(open().Today())(t); !reflect.DeepEqual(today, want) || today[0].String() != "2,000 tokens in 1 turn" {
		t.Errorf("got %+v", today)
	}
	for range 40 {
		now = now.AddDate(0, 0, 1)
		must.Do(t, open().Add("claude", event.TurnUsage{Total: 1}))
	}
	days := must.Get(open().Days())(t)
	if len(days) != maxDays || days[0].Date != "2026-04-13" || days[0].Agents[0].Turns != 1 {
		t.Errorf("%d days, %+v", len(days), days[0])
	}
}

// The number of agents is bounded, and a damaged file does not stop the counting.
func TestUsageIsBounded(t *testing.T) {
	u := NewUsage(t.TempDir())
	must.Do(t, u.Add("a", event.TurnUsage{Total: 1}))
	must.Do(t, os.WriteFile(filepath.Join(u.dir, u.today()+".json"), []byte("[{"), 0o600))
	for i := range maxAgents + 5 {
		must.Do(t, u.Add(fmt.Sprint("agent ", i), event.TurnUsage{Total: 1}))
	}
	if today := must.Get(u.Today())(t); len(today) != maxAgents+1 || today[0].Agent != "" || today[0].Turns != 5 {
		t.Errorf("%d agents, %+v", len(today), today[0])
	}
}
