package permissions

import "os"

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

// Modes are all of them, in the order to offer them.
var Modes = []Mode{AskMode, AcceptEdits, ReadOnlyMode, AllMode}

// settle says what the mode makes of a question; None leaves it to the user. What
// a rule wants to be asked stays a question in every mode.
func (m Mode) settle(q *Question) Effect {
	if q.Judgement.Effect == Confirm {
		return None
	}
	switch m {
	case AllMode:
		return Allow
	case AcceptEdits:
		if q.Kind == "edit" && !q.Outside && !q.Secret && len(q.Facts.Commands) == 0 && len(q.Facts.Files) > 0 && allInside(q.Facts.Files) {
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

func allInside(files []FileFact) bool {
	for _, f := range files {
		if !f.Inside || f.Secret {
			return false
		}
	}
	return true
}

func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return "~"
	}
	return home
}
