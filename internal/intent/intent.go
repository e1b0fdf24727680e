// Package intent declares once what a user can do: the name of each action, its keys, help
// text and slash command. Dispatch, help, palette and the [keys] table of the configuration
// all use this.
package intent

import "strings"

// Context is where a key is pressed. A key can have a different meaning in each.
type Context int

// The contexts. If several apply, the narrower one comes first.
const (
	Always     Context = iota // on every page, whatever is open
	Chat                      // the chat page
	Empty                     // the composer, while nothing is typed
	Draft                     // editing in the composer
	Transcript                // the transcript, while it has the keys
	Question                  // a question that has the keys
	Hunks                     // a question about a write, while its hunks are chosen: before Question
	Review                    // the review of changed files
	Reading                   // a text over the transcript
	List                      // a list, besides typing, moving, enter and esc
)

var contextNames = []string{"always", "chat", "empty", "draft", "transcript", "question", "hunks", "review", "reading", "list"}

// String returns the name of the context in the configuration.
func (c Context) String() string { return contextNames[c] }

// Title returns the heading of its keys in the help.
func (c Context) Title() string {
	return map[Context]string{Always: "Everywhere", Empty: "Empty composer", Draft: "Composer", Transcript: "Transcript", Question: "Question", Hunks: "Hunks of a write", Review: "Review", Reading: "Reading", List: "Lists"}[c]
}

// Contexts are all contexts, in the order of the help.
var Contexts = []Context{Chat, Empty, Draft, Transcript, Question, Hunks, Review, Reading, List, Always}

// Action is one thing that can be done in one context.
type Action struct {
	Intent  Intent
	In      Context
	Name    string   // in the configuration: unique in its context
	Keys    []string // as Bubble Tea writes them; none if only the palette or a command does it
	Help    string
	Needs   Need
	Command string // its slash command, without the slash
	Also    string // another name of the command, as other programs call it
	Args    string // what the command takes on the screen, "" if nothing
	InLines string // what the command does in the chat in lines, "" if Help says that
}

// Parts splits Help: into what the action is called, and what it says about that after a colon or in parentheses.
func (a Action) Parts() (title, about string) {
	if title, about, ok := strings.Cut(a.Help, ": "); ok {
		return title, about
	}
	title, about, _ = strings.Cut(a.Help, " (")
	return title, strings.TrimSuffix(about, ")")
}

// Need is what a command needs to do anything. While an agent starts, it waits for that.
type Need int

// The needs. A session that is read from a log has no agent.
const (
	Nothing Need = iota
	AnySession
	LiveAgent
)
