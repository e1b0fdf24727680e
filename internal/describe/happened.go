package describe

import (
	"cmp"
	"fmt"

	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/undo"
	"parley/internal/words"
)

var stopReasons = map[string]string{
	"cancelled":         "stopped",
	"max_tokens":        "stopped: the answer reached the model's token limit",
	"max_turn_requests": "stopped: the turn reached the agent's request limit",
	"refusal":           "the agent refused; this prompt and what followed are no longer in the context",
}

// MaybeSent says that the connection was lost before the agent answered a prompt.
const MaybeSent = "The agent may not have got this prompt; parley does not send it again"

// TurnEnd says why a turn ended without an error, "" if it ended as it should. agent is the agent's name.
func TurnEnd(end *thread.End, agent string) string {
	switch {
	case end.Empty:
		return agent + " said nothing"
	case end.NoReason:
		return "the agent ended the turn without a stop reason"
	case end.StopReason == "end_turn", end.StopReason == "":
		return ""
	}
	return cmp.Or(stopReasons[end.StopReason], "stopped: "+end.StopReason)
}

// Changed says what happened to a file and how: "changed notes.txt on disk". path is how to name it.
func Changed(c undo.Change, path string) string {
	did, how := c.Kind.String(), [...]string{undo.ThroughParley: "via parley", undo.OnDisk: "on disk", undo.Both: "via parley and on disk"}[c.By]
	if c.Kind == undo.Mode {
		did = "changed the mode of"
	}
	return did + " " + path + " " + how
}

// Undone says in a few words which changes were undone or, if undone is false, redone, and
// returns a line for each that was refused. to says to where, unless that is "". short shortens a path.
func Undone(results []undo.Result, undone bool, to string, short func(path string) string) (said string, refused []string) {
	did := "Redid"
	if undone {
		did = "Restored"
	}
	files := map[string]bool{} // several changes may be of the same file
	created := map[string]bool{}
	for _, r := range results {
		files[r.Change.Path] = true
		if undone && r.Change.Kind == undo.Created {
			created[r.Change.Path] = true
		}
		if r.Err != nil {
			refused = append(refused, short(r.Change.Path)+": "+safetext.Line(r.Err.Error(), 200))
		}
	}
	n := len(files) - len(refused)
	if len(refused) > 0 {
		return fmt.Sprintf("%s %d of %s%s", did, n, words.Count(len(files), "file"), to), refused
	}
	name := words.Count(n, "file")
	if n == 1 && to == "" {
		name = short(results[0].Change.Path)
	}
	what := did + " " + name
	switch gone := len(created); {
	case gone == 0, to != "": // "to before …" says it
	case gone == n:
		what = "Removed " + name
	default:
		what = did + " " + words.Count(n-gone, "file") + " and removed " + words.Count(gone, "file")
	}
	return what + to + " (the agent was not told)", nil
}
