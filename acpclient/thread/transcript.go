package thread

import (
	"maps"
	"time"
)

// transcript holds the items of a conversation, and knows which of them an event has changed.
type transcript struct {
	Items []*Item
	Turn  int
	// Shells counts the user's commands that run or are going to.
	Shells int

	changed []int
}

func (t *transcript) add(it *Item) *Item {
	it.Index, it.Turn = len(t.Items), t.Turn
	t.Items = append(t.Items, it)
	t.changed = append(t.changed, it.Index)
	return it
}

func (t *transcript) touch(it *Item) {
	it.Version++
	t.changed = append(t.changed, it.Index)
}

// AddNotice adds a quiet line from the client and returns its index. detail is what opening
// it shows.
func (t *transcript) AddNotice(text, detail string) int {
	return t.add(&Item{Kind: Notice, Text: []byte(text), Detail: detail}).Index
}

// AddMissingPrompt adds a prompt that is missing from the agent's history and returns its index.
func (t *transcript) AddMissingPrompt(text string, at time.Time) int {
	return t.add(&Item{Kind: UserMessage, Text: []byte(text), At: at, MissingFromHistory: true}).Index
}

// Prompts returns the prompts of the conversation, in order.
func (t *transcript) Prompts() (all []*Item) {
	for _, it := range t.Items {
		if it.IsPrompt() {
			all = append(all, it)
		}
	}
	return all
}

// Prompted reports whether the turn has a prompt: an agent may also begin one by itself.
func (t *transcript) Prompted() bool {
	for i := len(t.Items) - 1; i >= 0 && t.Items[i].Turn == t.Turn; i-- {
		if t.Items[i].Kind == UserMessage {
			return true
		}
	}
	return false
}

// exclude marks the refused prompt and everything after it.
func (t *transcript) exclude() {
	for i := len(t.Items) - 1; i >= 0 && t.Items[i].Turn == t.Turn; i-- {
		t.Items[i].Excluded = true
		t.touch(t.Items[i])
	}
}

// said reports whether the item is of the conversation itself.
func (it *Item) said() bool {
	return it.Kind != Notice && it.Kind != TurnEnd && it.Kind != ShellCommand
}

// Unshown returns the calls of the last turn that have changed a file without showing how, by the path of the
// file. If several calls of the turn name a file, nobody knows which of them changed what, and it is not returned.
func (t *transcript) Unshown() map[string]string {
	calls, named := map[string]string{}, map[string]int{}
	for i := len(t.Items) - 1; i >= 0 && t.Items[i].Turn == t.Turn; i-- {
		tool := t.Items[i].Tool
		if tool == nil || tool.replayed || tool.Kind == "read" || tool.Kind == "search" {
			continue
		}
		paths := tool.Paths()
		for _, path := range paths {
			named[path]++
		}
		if tool.Kind == "edit" && tool.State() == ToolDone && len(paths) == 1 && !tool.showsChanges() {
			calls[paths[0]] = tool.ID
		}
	}
	maps.DeleteFunc(calls, func(path, _ string) bool { return named[path] > 1 })
	return calls
}
