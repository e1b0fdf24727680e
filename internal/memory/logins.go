package memory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Logins are the agents that required a login when they were started last: an empty file for each.
type Logins struct{ dir string }

// NewLogins returns the logins below dir. It reads nothing yet.
func NewLogins(dir string) *Logins { return &Logins{filepath.Join(dir, "logins")} }

// Needed reports whether an agent required a login when it was started last.
func (l *Logins) Needed(agent string) bool {
	_, err := os.Stat(l.file(agent))
	return err == nil
}

// Set notes whether an agent requires a login.
func (l *Logins) Set(agent string, needed bool) error {
	file := l.file(agent)
	if !needed {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := makeDirs(file); err != nil {
		return err
	}
	return os.WriteFile(file, nil, 0o600)
}

func (l *Logins) file(agent string) string { return filepath.Join(l.dir, fileName(agent, agent)) }
