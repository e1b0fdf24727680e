package permissions

import (
	"os"
	"slices"
)

// Mode decides the questions of a session that no rule answers.
type Mode int

// The modes.
const (
	AskMode      Mode = iota // ask the user
	AcceptEdits              // allow writes inside the session's directories
	ReadOnlyMode             // reject what writes or runs something
	AllMode                  // allow everything; never saved
	SideMode                 // of a side question: reject what writes or runs, whatever the rules allow, and what would be asked; not offered
)

var modeNames = [...]string{"ask", "accept edits", "read only", "all", "side question"}

func (m Mode) String() string { return modeNames[m] }

var modeWords = [...]string{
	AskMode:      "Ask about everything that no rule covers",
	AcceptEdits:  "Write files in the session's directories without asking",
	ReadOnlyMode: "Reject anything that writes or runs",
	AllMode:      "Allow everything in this session, until parley ends",
}

// Description describes the mode to the user.
func (m Mode) Description() string { return modeWords[m] }

// Modes lists all modes in the order to offer them.
var Modes = []Mode{AskMode, AcceptEdits, ReadOnlyMode, AllMode}

// decide returns what the mode makes of a question; None leaves it to the user. In every mode
// the user is asked about what a rule wants asked, and about a command line that could not be
// read if it may hold what a rule forbids.
func (m Mode) decide(q *Question) Effect {
	if q.Judgement.Effect == Confirm && m != SideMode {
		return None
	}
	switch m {
	case AllMode:
		if q.Judgement.MayHide != None {
			return None
		}
		return Allow
	case AcceptEdits:
		if q.Kind == "edit" && q.onlyFiles() {
			return Allow
		}
	case ReadOnlyMode:
		if q.changes() {
			return Deny
		}
	case SideMode:
		return Deny
	}
	return None
}

// changes reports whether the question is about something that writes or runs.
func (q *Question) changes() bool {
	switch q.Kind {
	case "edit", "delete", "move", "execute":
		return true
	}
	return len(q.Facts.Commands) > 0 || slices.ContainsFunc(q.Facts.Files, func(f FileFact) bool { return f.Write })
}

// Reads reports whether the mode rejects what writes or runs.
func (m Mode) Reads() bool { return m == ReadOnlyMode || m == SideMode }

// onlyFiles reports whether the question is completely known and is only about files inside the
// session's directories that are not sensitive.
func (q *Question) onlyFiles() bool {
	f := &q.Facts
	if q.Outside || q.Secret || f.Partial || f.OtherEffects || len(f.Files) == 0 || len(f.Commands) > 0 || len(f.Hosts) > 0 {
		return false
	}
	return !slices.ContainsFunc(f.Files, func(f FileFact) bool { return !f.Inside || f.Secret })
}

func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return "~"
	}
	return home
}
