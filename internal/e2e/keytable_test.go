//go:build unix

package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/intent"
)

// keyRows are the keys that the screen promises. Each row has its actions, named as in the
// configuration, and the test that presses them.
var keyRows = []struct {
	row     string
	actions []string
	test    func(d *desk)
}{
	{"enter sends, during a turn queues", []string{"chat.send"}, enterSends},
	{"enter during a turn of ACP 2: held", []string{"chat.send"}, enterIsHeld},
	{"shift+enter, alt+enter, ctrl+j, backslash enter: newline", []string{"draft.newline"}, newlines},
	{"esc closes a popup, else stops; draft and queue stay", []string{"chat.stop"}, escStops},
	{"esc esc, idle: the turns", []string{"chat.stop", "list.copy", "list.edit"}, escTwice},
	{"esc esc, going back: files, a fork", []string{"list.restore", "list.fork"}, goesBack},
	{"ctrl+c stops, clears, quits", []string{"chat.interrupt"}, ctrlC},
	{"ctrl+d quits, or deletes forward", []string{"chat.quit-if-empty"}, ctrlD},
	{"ctrl+z suspends", []string{"always.suspend"}, ctrlZ},
	{"ctrl+l draws again", []string{"always.redraw"}, ctrlL},
	{"up, down: history over runs", []string{"chat.history-back", "chat.history-forward"}, walksHistory},
	{"up, backspace: the queue", []string{"empty.edit-queued", "empty.drop-queued"}, takesQueued},
	{"alt+q, alt+up, alt+down, ctrl+x: any of the queue", []string{"chat.queue", "list.move-up", "list.move-down", "list.close"}, movesQueued},
	{"alt+s, ctrl+enter: into the turn", []string{"chat.steer"}, steers},
	{"f7: a side question", []string{"chat.btw", "reading.ask", "reading.quote"}, asksBeside},
	{"ctrl+r searches history over runs", []string{"chat.search-history"}, searchesHistory},
	{"ctrl+g opens the draft in the editor", []string{"chat.editor"}, opensEditor},
	{"ctrl+v: an image", []string{"chat.paste-image"}, pastesImage},
	{"ctrl+o: density", []string{"chat.density"}, densities},
	{"ctrl+t: the plan", []string{"chat.plan"}, showsPlan},
	{"ctrl+p: every action", []string{"chat.palette"}, showsPalette},
	{"ctrl+s: sessions", []string{"chat.sessions", "list.new-session", "list.another-agent", "list.worktree", "list.close", "list.delete", "list.archive", "list.archived"}, showsSessions},
	{"alt+w: the next session that waits", []string{"chat.next-waiting"}, nextWaiting},
	{"shift+tab: the next mode", []string{"chat.next-mode"}, nextMode},
	{"alt+m: what parley asks about", []string{"chat.approval"}, approvalMode},
	{"f2, f3, f4: log, work, options", []string{"chat.log", "chat.work", "chat.options"}, functionKeys},
	{"tab completes, else focuses the transcript", []string{"chat.complete", "empty.transcript", "transcript.composer"}, tabs},
	{"/ first: commands", nil, slashes},
	{"@ anywhere: files", nil, mentions},
	{"! first: shell", nil, bangs},
	{"? on an empty composer, f1: help", []string{"empty.help", "chat.help"}, helps},
	{"alt+a gives the keys to the question", []string{"chat.question"}, altA},
	{"pgup, pgdown, ends, rows", []string{"chat.page-up", "chat.page-down", "chat.scroll-up", "chat.scroll-down", "chat.home", "chat.end"}, scrolls},
	{"j k { } g G d u", []string{"transcript.next", "transcript.previous", "transcript.next-prompt", "transcript.previous-prompt", "transcript.first", "transcript.last",
		"transcript.half-down", "transcript.half-up"}, moves},
	{"/ n N: search", []string{"transcript.search", "transcript.search-next", "transcript.search-previous"}, searches},
	{"space, enter: open and close", []string{"transcript.open"}, opens},
	{"y: copy", []string{"transcript.copy"}, copies},
	{"o: open the file", []string{"transcript.open-file"}, opensFile},
	{"i: the messages of an item; reading", []string{"transcript.messages", "reading.up", "reading.down", "reading.close"}, readsMessages},
	{"x: stop the tool", []string{"transcript.stop-tool"}, stopsTool},
	{"esc: back to the composer", []string{"transcript.leave"}, leaves},
	{"keys of a question", []string{"question.reject", "question.details", "question.full-screen", "question.up", "question.down", "question.page-up", "question.page-down", "question.last",
		"question.next", "question.previous", "question.rule", "question.leave"}, questionKeys},
	{"keys of the hunks of a write", []string{"question.hunks", "question.edit", "hunks.next", "hunks.previous", "hunks.refuse", "hunks.allow", "hunks.as-asked", "hunks.leave"}, hunkKeys},
	{"notes: c, ., J K, C", []string{"question.reject-why", "review.note", "review.select-down", "review.select-up", "review.notes", "transcript.note"}, notes},
	{"t, ctrl+r: a command with the keyboard", []string{"question.keyboard", "list.take-over"}, lendsKeyboard},
	{"f5, esc, q, ?: the review", []string{"chat.review", "review.help", "review.leave"}, opensReview},
	{"moving in the review", []string{"review.next-hunk", "review.previous-hunk", "review.next-file", "review.previous-file", "review.down", "review.up", "review.page-down", "review.page-up",
		"review.first", "review.last", "review.tree", "review.fold", "review.open", "review.side-by-side", "review.whole-file"}, walksReview},
	{"a u r s in the review", []string{"review.keep", "review.keep-file", "review.undo", "review.undo-file", "review.redo", "review.stage", "review.stage-file"}, judgesChanges},
	{"turns of the review", []string{"review.earlier", "review.later", "review.all-turns"}, reviewsTurns},
	{"/ n N o y in the review", []string{"review.search", "review.search-next", "review.search-previous", "review.open-file", "review.copy"}, searchesReview},
	{"f6, tab: agents side by side", []string{"chat.next-column", "list.tick"}, compares},
	{"readline's keys", []string{"draft.left", "draft.right", "draft.up", "draft.down", "draft.line-start", "draft.line-end", "draft.word-left", "draft.word-right",
		"draft.start", "draft.end", "draft.delete-back", "draft.delete-forward", "draft.kill-to-blank", "draft.kill-word-left", "draft.kill-word-right",
		"draft.kill-to-start", "draft.kill-to-end", "draft.yank", "draft.undo"}, edits},
	{"wheel", nil, wheels},
	{"click", nil, clicks},
	{"drag copies", nil, drags},
	{"drag, then ctrl+c", []string{"chat.interrupt"}, dragsAndCopies},
	{"mouse off", nil, mouseOff},
	{"alt+i: what npx would start is installed", []string{"list.install"}, installsNpx},
}

// TestKeys runs the rows. Each must press every key of its actions.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, r := range keyRows {
		t.Run(r.row, func(t *testing.T) {
			t.Parallel()
			d := &desk{T: t, dir: workDir(t), pressed: map[string]bool{}}
			r.test(d)
			for _, name := range r.actions {
				a, ok := actionCalled(name)
				if !ok {
					t.Errorf("there is no action %s", name)
				}
				for _, key := range a.Keys {
					if !d.pressed[key] && !t.Failed() {
						t.Errorf("%s of %s was not pressed, only %q", key, name, slices.Sorted(maps.Keys(d.pressed)))
					}
				}
			}
		})
	}
}

// Every action that has a key is in the table.
func TestEveryKeyIsInTheTable(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	for _, r := range keyRows {
		for _, name := range r.actions {
			tested[name] = true
		}
	}
	for _, a := range intent.Actions {
		if name := a.In.String() + "." + a.Name; len(a.Keys) > 0 && !tested[name] {
			t.Errorf("no test presses %s of %s", strings.Join(a.Keys, ", "), name)
		}
	}
}

func actionCalled(name string) (intent.Action, bool) {
	i := slices.IndexFunc(intent.Actions, func(a intent.Action) bool { return a.In.String()+"."+a.Name == name })
	if i < 0 {
		return intent.Action{}, false
	}
	return intent.Actions[i], true
}

// desk is the environment of one row: a directory, and the keys pressed so far.
type desk struct {
	*testing.T
	dir     string
	env     []string // in addition to the environment of every test
	pressed map[string]bool
}

// hand is a screen that belongs to a desk.
type hand struct {
	*Screen
	desk *desk
}

// start runs parley and waits until it accepts typing.
func (d *desk) start(cols, rows int, args ...string) *hand {
	d.Helper()
	env := append([]string{"PARLEY_STATE=" + d.path("state"), heardVar + "=" + d.path("heard")}, d.env...)
	h := &hand{StartEnv(d.T, cols, rows, d.dir, env, args...), d}
	h.WaitFor(placeholder)
	return h
}

// keyed runs parley with the agent that gives every key something to act on.
func (d *desk) keyed(cols, rows int, flags ...string) *hand {
	d.Helper()
	return d.plays("keyed", cols, rows, flags...)
}

// plays runs parley with the agent of that role.
func (d *desk) plays(role string, cols, rows int, flags ...string) *hand {
	d.Helper()
	self, err := os.Executable()
	if err != nil {
		d.Fatal(err)
	}
	return d.start(cols, rows, append(flags, "--", self, role)...)
}

// path returns the path of a name next to the working directory.
func (d *desk) path(name string) string { return filepath.Join(filepath.Dir(d.dir), name) }

// script writes a shell script and returns its path.
func (d *desk) script(name, text string) string {
	d.Helper()
	bin := d.path("bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		d.Fatal(err)
	}
	path := filepath.Join(bin, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		d.Fatal(err)
	}
	return path
}

// got checks what the agent has received.
func (d *desk) got(want string) {
	d.Helper()
	if text := read(d, d.path("heard")); text != want {
		d.Errorf("the agent got %q, want %q", text, want)
	}
}

// Press presses keys in order.
func (h *hand) Press(keys ...string) {
	h.t.Helper()
	for _, k := range keys {
		h.desk.pressed[k] = true
	}
	h.Screen.Press(keys...)
}

// PressUntil presses a key repeatedly until the text is on the screen.
func (h *hand) PressUntil(key, text string) {
	h.t.Helper()
	h.desk.pressed[key] = true
	h.Screen.PressUntil(key, text)
}

// quit ends parley. The composer must be empty.
func (h *hand) quit() {
	h.t.Helper()
	h.Press("ctrl+d")
	if code := h.ExitCode(); code != 0 {
		h.t.Errorf("exit code %d", code)
	}
}

// WaitSelected waits until the first row of the selected entry contains the text.
func (h *hand) WaitSelected(text string) []string {
	h.t.Helper()
	return h.WaitFunc("the selection of \""+text+"\"", func(rows []string) bool { return strings.Contains(selected(rows), text) })
}

// selected returns the first row of the entry that keys act on.
func selected(rows []string) string {
	for _, r := range rows {
		if strings.HasPrefix(r, "┃") {
			return r
		}
	}
	return ""
}
