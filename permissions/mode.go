package permissions

import (
	"os"
	"slices"
)

// Mode is what becomes of questions of which no rule speaks, in a session.
type Mode int

// The modes.
const (
	AskMode      Mode = iota // the user is asked
	AcceptEdits              // files inside of the session's directories may be written
	ReadOnlyMode             // what writes or runs something is rejected
	AllMode                  // everything is allowed; for as long as parley runs, never remembered
)

var modeNames = [...]string{"ask", "accept edits", "read only", "all"}

func (m Mode) String() string { return modeNames[m] }

var modeWords = [...]string{"what no rule answers is asked", "files inside the session's directories are written without asking",
	"what writes or runs something is rejected", "everything is allowed, in this session, until parley ends"}

// Words say what a mode does.
func (m Mode) Words() string { return modeWords[m] }

// Modes are all of them, in the order to offer them.
var Modes = []Mode{AskMode, AcceptEdits, ReadOnlyMode, AllMode}

// settle says what the mode makes of a question; None leaves it to the user. What
// a rule wants to be asked stays a question in every mode, and so does a command line
// that could not be read where there is a rule that it might get around.
func (m Mode) settle(q *Question) Effect {
	if q.Judgement.Effect == Confirm {
		return None
	}
	switch m {
	case AllMode:
		if q.Judgement.Hides != None {
			return None
		}
		return Allow
	case AcceptEdits:
		if q.Kind == "edit" && q.onlyFiles() {
			return Allow
		}
	case ReadOnlyMode:
		switch q.Kind {
		case "edit", "delete", "move", "execute":
			return Deny
		}
		if len(q.Facts.Commands) > 0 {
			return Deny
		}
		for _, f := range q.Facts.Files {
			if f.Write {
				return Deny
			}
		}
	}
	return None
}

// onlyFiles tells whether all that a question is about is known, and is files inside
// of the session's directories, none of them sensitive.
func (q *Question) onlyFiles() bool {
	f := &q.Facts
	if q.Outside || q.Secret || f.Partial || f.Use || len(f.Files) == 0 || len(f.Commands) > 0 || len(f.Hosts) > 0 {
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
