package linear

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"parley/acpclient/thread"
	"parley/internal/finder"
	"parley/internal/mention"
	"parley/internal/notes"
	"parley/internal/safetext"
	"parley/internal/undo"
	"parley/internal/words"
	"parley/internal/workspace"
)

// noting writes, lists and sends the notes of a session.
type noting struct {
	*workspace.Session
	out   *printer
	tasks *tasks
	read  finder.ReadFunc // nil: no file is read
	send  func(text string)
}

// write writes a note on lines, a file, or the agent's last message.
func (n noting) write(arg string) {
	if text, ok := strings.CutPrefix(arg, ". "); ok {
		n.onMessage(strings.TrimSpace(text))
		return
	}
	word := "@" + strings.TrimPrefix(arg, "@")
	found := mention.Find(word)
	if len(found) == 0 || found[0].Start > 0 {
		n.usage()
		return
	}
	at := found[0]
	text := strings.TrimSpace(strings.TrimLeft(word[at.End:], ",:;"))
	if text == "" {
		n.usage()
		return
	}
	n.onFile(notes.Note{Path: n.NameOf(at.Path), From: at.From, To: at.To, Text: text})
}

func (n noting) usage() {
	n.out.say("Usage: /note FILE TEXT, /note FILE:LINE TEXT, /note FILE:LINE-LINE TEXT, or /note . TEXT about the agent's last message.")
}

// onMessage keeps a note on the agent's last message.
func (n noting) onMessage(text string) {
	for _, it := range slices.Backward(n.Thread.Items) {
		if it.Kind == thread.AgentMessage && !it.Blank() {
			n.keep(notes.Note{Entry: "your message", Quote: notes.Bound(safetext.Source(string(it.Text))), Text: text})
			return
		}
	}
	n.out.say("Not noted: the agent has said nothing yet.")
}

// onFile keeps a note on a file once its lines were read. An agent that runs elsewhere gets none.
func (n noting) onFile(note notes.Note) {
	if spec := n.Agent.Spec; n.read == nil || spec.Remote && !spec.Shared {
		n.keep(note)
		return
	}
	journal, roots := n.Changes.Journal(), n.Roots()
	n.tasks.run(func(ctx context.Context) func() {
		f, err := n.read(ctx, roots, note.Path, note.From, note.To)
		var changes []undo.Change
		if errors.Is(err, finder.ErrNoFile) && journal != nil {
			changes = journal.Changes() // the agent may have deleted it
		}
		missing := f.NoTextReason
		switch {
		case err != nil:
			missing = err.Error()
		case f.Text != nil && note.From > 0:
			note.Quote = notes.Bound(safetext.Source(*f.Text))
		}
		return func() {
			changed := slices.ContainsFunc(changes, func(c undo.Change) bool { return n.NameOf(c.Path) == note.Path })
			if errors.Is(err, finder.ErrNoFile) && !changed {
				n.out.say("Not noted: no such file under the session's directories: %s.", safetext.Line(note.Path, 200))
				return
			}
			if note.From > 0 && missing != "" {
				n.out.say("%s is not quoted: %s.", note.Where(), safetext.Line(missing, 200))
			}
			n.keep(note)
		}
	})
}

func (n noting) keep(note notes.Note) {
	n.SetNotes(notes.Add(n.Notes(), note))
	said, _ := notes.Split(n.Notes())
	n.out.say("%s; /notes lists them, /notes send sends them as one prompt.", words.Count(len(said), "note"))
}

// command lists the notes, drops one, or sends them all.
func (n noting) command(arg string) {
	said, undone := notes.Split(n.Notes())
	all := append(said, undone...)
	verb, number, _ := strings.Cut(arg, " ")
	at, _ := strconv.Atoi(strings.TrimSpace(number))
	switch {
	case len(all) == 0:
		n.out.say("No notes yet: /note FILE:LINE TEXT writes one.")
	case arg == "":
		n.list(all)
	case arg == "send":
		n.SetNotes(nil)
		n.send(notes.Text(notes.Prompt(all)))
	case verb != "drop" || number == "":
		n.out.say("Usage: /notes, /notes send, or /notes drop and a number.")
	case at < 1 || at > len(all):
		n.out.say("No note has that number; /notes lists them.")
	default:
		n.SetNotes(notes.Drop(n.Notes(), all[at-1]))
		n.out.say("Dropped: %s", noteLine(all[at-1]))
	}
}

func (n noting) list(all []notes.Note) {
	n.out.say("Notes:")
	for i, note := range all {
		n.out.say("%d. %s", i+1, noteLine(note))
	}
	n.out.say("/notes send sends them as one prompt, /notes drop and a number drops one.")
}

// noteLine describes a note in one line.
func noteLine(n notes.Note) string {
	if n.Undone {
		return "Undone: " + n.Where()
	}
	return n.Where() + ": " + words.OneLine(n.Text)
}
