package demo

import (
	"fmt"
	"strings"
)

// maxShown limits how much of a file a tool call shows, in characters.
const maxShown = 8000

const mark = "demo agent was here"

// read shows a file.
func (t *turn) read() error {
	name, path := t.errand.read, t.abs(t.errand.read)
	if !t.caps.FS.ReadTextFile {
		return t.say("I cannot show how a file is read: this client does not offer `fs/read_text_file`.")
	}
	if err := t.say("I read `%s` through the client.", name); err != nil {
		return err
	}
	call := t.startTool(update{Title: "Read " + name, Kind: "read", Status: "in_progress",
		Locations: []location{{Path: path, Line: 1}}, RawInput: map[string]string{"path": path}})
	var file readFileResult
	if err := t.call("fs/read_text_file", readFileParams{t.session.id, path}, &file); err != nil {
		return call.fail(fmt.Sprintf("I could not read `%s`: %s.", name, err))
	}
	call.change(update{Status: "completed", Content: toolTextOf(fenced(name, clip(file.Content, maxShown)))})
	return t.say("`%s` has %s.", name, count(lineCount(file.Content), "line"))
}

// edit appends a line to a file, with the user's permission.
func (t *turn) edit() error {
	_, err := t.write(t.errand.edit, true, func(old string) edition {
		return edition{changed(old), "I add a line to `%s`.", "`%s` has one more line now."}
	})
	return err
}

// hunks changes a list in three places. If there is none, it creates it first. It leaves the question to the client,
// which can then write a part of the change.
func (t *turn) hunks() error {
	created := false
	change := func(old string) edition {
		if created = old == ""; created {
			return edition{list, "I create `%s`, which I can then change.", "`%s` is there."}
		}
		return edition{changedThrice(old), "I change `%s` in three places. I leave the question to parley: `h` chooses which it writes.", "`%s` is changed."}
	}
	written, err := t.write(hunksFile, false, change)
	if written && created && err == nil {
		_, err = t.write(hunksFile, false, change)
	}
	return err
}

// edition is a new text of a file, and what is said before and after it is written.
type edition struct{ text, before, after string }

// write writes what change makes of a file, with the user's permission if it asks. written says that it did.
func (t *turn) write(name string, asks bool, change func(old string) edition) (written bool, err error) {
	path := t.abs(name)
	switch fs := t.caps.FS; {
	case !fs.ReadTextFile:
		return false, t.say("I cannot show how a file is edited: this client does not offer `fs/read_text_file`.")
	case !fs.WriteTextFile:
		return false, t.say("I cannot show how a file is edited: this client does not offer `fs/write_text_file`.")
	}
	about := update{Title: "Edit " + name, Kind: "edit", Status: "pending", Locations: []location{{Path: path}}}
	var file readFileResult
	var old *string
	err = t.call("fs/read_text_file", readFileParams{t.session.id, path}, &file)
	switch over := t.over(); {
	case over != nil:
		return false, over
	case err == nil:
		old = &file.Content
	case !isMissing(err):
		// Writing a file that could not be read would destroy its content.
		return false, t.startTool(about).fail(fmt.Sprintf("I could not read `%s`, so I left it alone: %s.", name, err))
	}
	new := change(file.Content)
	if err := t.say(new.before, name); err != nil {
		return false, err
	}
	diff := []any{toolDiff{Type: "diff", Path: path, OldText: old, NewText: new.text}}
	about.Content = diff
	call := t.startTool(about)
	denied := ""
	if asks {
		if denied, err = call.permitted(about, "Always allow edits in this session"); err != nil {
			return false, err
		}
	}
	if denied != "" {
		return false, call.refused(diff, fmt.Sprintf("%s I left `%s` alone.", denied, name))
	}
	call.change(update{Status: "in_progress"})
	if err := t.call("fs/write_text_file", writeFileParams{t.session.id, path, new.text}, nil); err != nil {
		var now readFileResult
		if old == nil || t.call("fs/read_text_file", readFileParams{t.session.id, path}, &now) != nil || now.Content == *old {
			return false, call.fail(fmt.Sprintf("I could not write `%s`: %s.", name, err))
		}
		diff = []any{toolDiff{Type: "diff", Path: path, OldText: old, NewText: now.Content}}
		new.after = "You had only a part of that written to `%s`."
	}
	call.change(update{Status: "completed", Content: diff})
	return true, t.say(new.after, name)
}

// refused ends a call that the user did not allow. The proposed change stays visible.
func (c *toolCall) refused(proposed []any, why string) error {
	c.change(update{Status: "failed", Content: append(proposed, toolTextOf(why)...)})
	return c.turn.say("%s", why)
}

// changed returns the text with one more line, using the text's line ending.
func changed(old string) string {
	if old == "" {
		return "- edited by the demo agent\n"
	}
	end := "\n"
	if strings.Contains(old, "\r\n") {
		end = "\r\n"
	}
	if !strings.HasSuffix(old, "\n") {
		old += end
	}
	return fmt.Sprintf("%s%s (%d)%s", old, mark, strings.Count(old, mark)+1, end)
}

// list is a file to change.
const list = `# Things to try

- read a question to its end, then press y
- reject with n, or with c and a reason
- h in a question: allow only some hunks
- e in a question: edit the text before it is written
- r in a question: make a rule
- @ and a few letters: attach a file
- ! and a command: run it yourself
- type while the agent works: the prompt is queued
- esc: stop the turn
- esc twice: go back to an earlier prompt
- tab: move in the transcript
- ctrl+o: show more, or less
- ctrl+p: all actions
- ctrl+s: all sessions
- f3: what is running
- f5: what has changed
- alt+m: what parley asks about
- /theme: other colours
`

// changedThrice returns the text with a mark near its beginning, in its middle and at its end. A short text gets
// one more line.
func changedThrice(old string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(old, "\n"), "\n")
	n := len(lines)
	if n < 20 {
		return changed(old)
	}
	for _, at := range []int{2, n / 2, n - 1} {
		text := strings.TrimRight(lines[at], "\r\n")
		lines[at] = text + " ✓" + lines[at][len(text):]
	}
	return strings.Join(lines, "") + old[len(strings.TrimSuffix(old, "\n")):]
}

// fenced returns text as a code block, with a fence longer than any in the text.
func fenced(name, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	lang := map[string]string{"go": "go", "md": "markdown", "sh": "bash", "py": "python", "json": "json", "js": "javascript",
		"ts": "typescript", "toml": "toml", "yaml": "yaml", "yml": "yaml", "rs": "rust"}[name[strings.LastIndexByte(name, '.')+1:]]
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + lang + "\n" + text + fence + "\n"
}

func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
