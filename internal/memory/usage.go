package memory

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/acpclient/event"
	"parley/internal/atomicfile"
	"parley/internal/safetext"
	"parley/internal/words"
)

// Limits of what is kept of the usage.
const (
	maxDays      = 30
	maxAgents    = 200 // of a day; the turns of others are counted together
	maxAgentName = 80
	maxDayFile   = 1 << 20 // bytes
)

// Usage counts what the turns of all sessions took: a small file for each day, replaced as a whole.
type Usage struct {
	dir string
	now func() time.Time
	mu  sync.Mutex
}

// AgentUsage is what the turns of an agent took on a day, as far as the agent has reported it.
type AgentUsage struct {
	Agent  string          `json:"agent"`
	Turns  int             `json:"turns"`
	Tokens event.TurnUsage `json:"tokens"`
}

func (a AgentUsage) String() string {
	return words.Thousands(a.Tokens.Total) + " tokens in " + words.Count(a.Turns, "turn")
}

// DayUsage is what the agents took on a day, the one that took most first.
type DayUsage struct {
	Date   string       `json:"date"` // 2026-02-27
	Agents []AgentUsage `json:"agents"`
}

// NewUsage returns the usage below dir. It reads nothing yet.
func NewUsage(dir string) *Usage { return &Usage{dir: filepath.Join(dir, "usage"), now: time.Now} }

// Add counts a turn of an agent.
func (u *Usage) Add(agent string, took event.TurnUsage) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.add(safetext.Line(agent, maxAgentName), took); err != nil {
		return fmt.Errorf("keep the usage: %w", err)
	}
	return nil
}

func (u *Usage) add(agent string, took event.TurnUsage) error {
	path := filepath.Join(u.dir, u.today()+".json")
	if err := makeDirs(path); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(u.dir, "lock"))
	if err != nil {
		return err
	}
	defer unlock()
	day, err := readDay(path) // another process may have added to it
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return err
	}
	if _, known := day[agent]; !known && len(day) >= maxAgents {
		agent = ""
	}
	sum := day[agent]
	sum.Agent = agent
	sum.Turns++
	sum.Tokens.Add(took)
	day[agent] = sum
	data, err := json.Marshal(slices.Collect(maps.Values(day)))
	if err == nil {
		err = atomicfile.Write(path, append(data, '\n'))
	}
	if fresh {
		u.prune()
	}
	return err
}

func (u *Usage) today() string { return u.now().Local().Format(time.DateOnly) }

// readDay reads the file of a day: a missing or damaged one has nothing, since it is only counts.
func readDay(path string) (map[string]AgentUsage, error) {
	day := map[string]AgentUsage{}
	f, err := os.Open(path)
	if err != nil {
		return day, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDayFile))
	if err != nil {
		return day, err
	}
	var all []AgentUsage
	if json.Unmarshal(data, &all) == nil {
		for _, a := range all {
			a.Agent = safetext.Line(a.Agent, maxAgentName)
			day[a.Agent] = a
		}
	}
	return day, nil
}

// files returns the names of the files of days, the oldest first.
func (u *Usage) files() (names []string, err error) {
	all, err := os.ReadDir(u.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, f := range all {
		if _, err := time.Parse(time.DateOnly+".json", f.Name()); err == nil {
			names = append(names, f.Name())
		}
	}
	return names, err
}

// prune removes the files of days that are too long ago.
func (u *Usage) prune() {
	names, _ := u.files()
	for _, name := range names[:max(0, len(names)-maxDays)] {
		os.Remove(filepath.Join(u.dir, name))
	}
}

// Today returns what the agents took today.
func (u *Usage) Today() ([]AgentUsage, error) {
	day, err := readDay(filepath.Join(u.dir, u.today()+".json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the usage: %w", err)
	}
	return sorted(day), nil
}

// Days returns all days with usage, the latest first.
func (u *Usage) Days() (days []DayUsage, err error) {
	names, err := u.files()
	for _, name := range slices.Backward(names) {
		day, failed := readDay(filepath.Join(u.dir, name))
		if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = cmp.Or(err, failed)
		}
		days = append(days, DayUsage{strings.TrimSuffix(name, ".json"), sorted(day)})
	}
	if err != nil {
		err = fmt.Errorf("read the usage: %w", err)
	}
	return days, err
}

func sorted(day map[string]AgentUsage) []AgentUsage {
	return slices.SortedFunc(maps.Values(day), func(a, b AgentUsage) int {
		return cmp.Or(cmp.Compare(b.Tokens.Total, a.Tokens.Total), cmp.Compare(a.Agent, b.Agent))
	})
}
