package demo

import (
	"fmt"
	"strings"
)

// commands are the slash commands announced to the client. Their names are also the words that
// start each action.
var commands = []command{
	{Name: "about", Description: "Tell what the demo agent can do"},
	{Name: "edit", Description: "Add a line to a file, after asking", Input: &commandInput{Hint: "file, " + defaultEdit + " if none"}},
	{Name: "hunks", Description: "Change " + hunksFile + " in three places, after asking"},
	{Name: "unasked", Description: "Report a command that ran without asking"},
	{Name: "read", Description: "Read a file through the client", Input: &commandInput{Hint: "file, " + defaultRead + " if none"}},
	{Name: "run", Description: "Run a command in a terminal of the client", Input: &commandInput{Hint: "command, " + defaultCommand + " if none"}},
	{Name: "plan", Description: "Make a plan and follow it", Input: &commandInput{Hint: "what to do, in any of these words"}},
	{Name: "long", Description: "Stream several hundred lines of Markdown"},
	{Name: "think", Description: "Think aloud before answering", Input: &commandInput{Hint: "what to do, in any of these words"}},
}

// Tour is what to type first, in order, and what it shows.
var Tour = [][2]string{
	{"hunks", "Change a file in three places; in the question, h chooses which"},
	{"run ls", "Run a command, if you allow it"},
	{"unasked", "Report a command that ran without asking: parley marks it"},
	{"/review", "See all changes: keep, undo or stage each"},
}

// maxEchoed limits how much of a prompt is repeated, in characters.
const maxEchoed = 400

// think streams thoughts.
func (t *turn) think() error {
	return t.stream("agent_thought_chunk", thoughts(t.words, t.errand), 1)
}

func thoughts(w words, e errand) string {
	var found []string
	for _, a := range actions {
		if e.wants[a] {
			found = append(found, "**"+a+"**")
		}
	}
	return fmt.Sprintf("The prompt has %s. I know %d of them: %s.\n\nFirst I think, which is this. "+
		"Then I do the rest in my usual order, and say so when I am done.",
		count(len(w.tokens), "word"), len(found), strings.Join(found, ", "))
}

// greet says what the agent can do.
func (t *turn) greet() error {
	var b strings.Builder
	b.WriteString("# Hello from the demo agent\n\nI am **not** a model: I answer to a few words in your prompt, and show what a client can do.\n\n")
	b.WriteString("| word | what happens |\n|---|---|\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, c.Description)
	}
	b.WriteString("\nThe words can be combined, for example:\n\n```text\nthink, plan, edit notes.txt and run ls\n```\n")
	if echo := quoted(t.words.text); echo != "" {
		b.WriteString("\nYou wrote:\n\n" + echo)
	}
	return t.say("%s", b.String())
}

// quoted returns the prompt as a block quote.
func quoted(prompt string) string {
	if prompt = strings.TrimSpace(clip(prompt, maxEchoed)); prompt == "" {
		return ""
	}
	return "> " + strings.ReplaceAll(prompt, "\n", "\n> ") + "\n"
}

// close ends a turn that was not cancelled.
func (t *turn) close() error {
	return t.stream("agent_message_chunk", "That is all. Type `help` to see what else I can do.", 1)
}

// code returns s as inline code, even if it contains backquotes.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	return "`` " + strings.ReplaceAll(s, "``", "` `") + " ``"
}
