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
	name, path := t.errand.edit, t.abs(t.errand.edit)
	switch fs := t.caps.FS; {
	case !fs.ReadTextFile:
		return t.say("I cannot show how a file is edited: this client does not offer `fs/read_text_file`.")
	case !fs.WriteTextFile:
		return t.say("I cannot show how a file is edited: this client does not offer `fs/write_text_file`.")
	}
	if err := t.say("I add a line to `%s`.", name); err != nil {
		return err
	}
	about := update{Title: "Edit " + name, Kind: "edit", Status: "pending", Locations: []location{{Path: path}}}
	var file readFileResult
	var old *string
	err := t.call("fs/read_text_file", readFileParams{t.session.id, path}, &file)
	switch over := t.over(); {
	case over != nil:
		return over
	case err == nil:
		old = &file.Content
	case !isMissing(err):
		// Writing a file that could not be read would destroy its content.
		return t.startTool(about).fail(fmt.Sprintf("I could not read `%s`, so I left it alone: %s.", name, err))
	}
	text := changed(file.Content)
	diff := []any{toolDiff{Type: "diff", Path: path, OldText: old, NewText: text}}
	about.Content = diff
	call := t.startTool(about)
	denied, err := call.permitted(about, "Always allow edits in this session")
	switch {
	case err != nil:
		return err
	case denied != "":
		return call.refused(diff, fmt.Sprintf("%s I left `%s` alone.", denied, name))
	}
	call.change(update{Status: "in_progress"})
	if err := t.call("fs/write_text_file", writeFileParams{t.session.id, path, text}, nil); err != nil {
		return call.fail(fmt.Sprintf("I could not write `%s`: %s.", name, err))
	}
	call.change(update{Status: "completed", Content: diff})
	return t.say("`%s` has one more line now.", name)
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
