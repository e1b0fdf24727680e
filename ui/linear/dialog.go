package linear

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/safetext"
)

// dialog is what takes the user's lines in the place of the chat.
type dialog struct {
	intro   func()   // writes what is asked; may be nil
	choices []choice // what may be answered
	wants   string   // what is asked for, on a line of its own

	// take handles a line instead of the choices; its text is whatever was typed, but for
	// /stop, /quit and /help.
	take   func(text string)
	secret bool // it is not to be seen

	guarded bool      // it has opened by itself: a line that comes too early is no answer
	at      time.Time // when all of it had been written; zero: not yet
	twice   bool      // the first answer may be one to another question, which is gone

	about  asking // what it asks; nil for what the user began
	cancel func() // ctrl+c; nil where that means nothing to it
}

// choice is one answer to a dialog. Nothing happens to one that is not to be chosen.
type choice struct {
	word  string   // what chooses it; "" is its number
	also  []string // what else does
	label string   // "" for one that is not listed
	why   string   // it cannot be chosen; "" for one that can
	stays bool     // the dialog stays open
	do    func()   // may be nil
}

// write writes all of a dialog but what it wants.
func (d *dialog) write(out *printer) {
	if d.intro != nil {
		d.intro()
	}
	for _, ch := range d.choices {
		if ch.label != "" {
			out.say("%s. %s", ch.word, ch.label)
		}
	}
}

// answers is what a dialog with that many numbered choices wants.
func answers(n int) string {
	if n == 1 {
		return "Answer 1:"
	}
	return fmt.Sprintf("Answer 1 to %d:", n)
}

// guard is how long a question must have been readable, and how long no other line
// must have come, for a line to be its answer. It holds for every dialog that
// opens by itself.
const guard = 600 * time.Millisecond

// dialogs has one thing at a time asked of the user, and judges what a line means to it.
type dialogs struct {
	out      *printer
	now      *dialog // nil for none
	lineAt   time.Time
	stray    stray                      // what may be on its way for a question that is gone
	command  func(text string) bool     // carries out a command; false for what is none
	putAside func(text string) (at int) // has a prompt wait, as the one with that number
}

// stray is what may still be on its way for a question that is gone.
type stray int

const (
	noStray     stray = iota
	strayAnswer       // a number or a letter
	strayField        // anything
)

// open writes a dialog, which takes the lines from now on.
func (ds *dialogs) open(d *dialog) {
	for i := range d.choices {
		d.choices[i].word = cmp.Or(d.choices[i].word, strconv.Itoa(i+1))
	}
	d.write(ds.out)
	ds.now = d
}

// menu asks for one of several by its number. 0 chooses nothing.
func (ds *dialogs) menu(title string, choices []choice) {
	ds.menuOr(title, choices, choice{label: "None of these"}, false)
}

// menuOr is a menu where 0 has a meaning of its own.
func (ds *dialogs) menuOr(title string, choices []choice, none choice, guarded bool) {
	none.word = "0"
	ds.open(&dialog{guarded: guarded, intro: func() { ds.out.say("%s", title) }, choices: append(choices, none), wants: fmt.Sprintf("Answer 0 to %d:", len(choices))})
}

// confirm asks for a yes.
func (ds *dialogs) confirm(title, yes, no string, do func()) {
	ds.menuOr(title, []choice{{label: yes, do: do}}, choice{label: no}, false)
}

// close closes the dialog about something and returns it; nil where that is not open.
func (ds *dialogs) close(a asking) *dialog {
	d := ds.now
	if d == nil || d.about != a {
		return nil
	}
	ds.now = nil
	return d
}

// answer handles a line that came while there is a dialog.
func (ds *dialogs) answer(l typedLine) {
	d := ds.now
	text := strings.TrimSpace(safetext.Clean(l.text))
	switch {
	case l.secret && !d.secret:
		ds.out.say("What you typed without seeing it was dropped.") // for another field, which is gone
		return
	case d.take != nil && (d.secret || !slices.Contains([]string{"/stop", "/quit", "/help"}, text)):
		d.take(l.text)
		return
	case strings.HasPrefix(text, "/") && ds.command(text):
		return
	case d.take != nil:
		d.take(text)
		return
	}
	if early := ds.tooEarly(l); early != "" {
		switch {
		case text == "":
		case looksLikeAnswer(text): // it would make no sense as a prompt later on
			ds.out.say("%s Type it again to answer this question: %s", early, text)
		default:
			ds.out.say("%s Queued as prompt %d: %s", early, ds.putAside(l.text), safetext.Line(text, 60))
		}
		return
	}
	if d.twice && looksLikeAnswer(text) {
		d.twice = false
		ds.out.say("The previous question is gone, so your line was not taken as an answer. Type it again to answer this one.")
		d.write(ds.out)
		d.at = time.Time{}
		return
	}
	i := slices.IndexFunc(d.choices, func(ch choice) bool { return text == ch.word || slices.Contains(ch.also, text) })
	switch {
	case i >= 0:
		ds.choose(d.choices[i])
	case text == "":
	case looksLikeAnswer(text):
		ds.out.say("%s is not an answer here.", text)
	default:
		ds.out.say("That is not an answer. Queued as prompt %d; /drop drops it.", ds.putAside(l.text))
	}
}

func (ds *dialogs) choose(ch choice) {
	if ch.why != "" {
		ds.out.say("%s", ch.why)
		return
	}
	if !ch.stays {
		ds.now = nil
	}
	if ch.do != nil {
		ch.do()
	}
}

// tooEarly says why a line cannot be an answer yet; "" where it can. A line that
// closely follows another one was typed without a look at what that one did.
func (ds *dialogs) tooEarly(l typedLine) string {
	switch d := ds.now; {
	case !d.guarded:
	case d.at.IsZero() || l.at.Sub(d.at) < guard:
		return "This line came before you could read the question and does not answer it."
	case l.at.Sub(ds.lineAt) < guard:
		return "This line came right after another one and does not answer it."
	}
	return ""
}

// wasAnswer handles the line after a question that is gone: what looks like an answer to
// it is neither a prompt nor one to anything else.
func (ds *dialogs) wasAnswer(text string, send func(string)) bool {
	was := ds.stray
	ds.stray = noStray
	if was == noStray || was == strayAnswer && !looksLikeAnswer(strings.TrimSpace(text)) {
		return false
	}
	ds.menu(fmt.Sprintf("%q looks like an answer to the question that is gone.", strings.TrimSpace(text)), []choice{
		{label: "Send it as a prompt", do: func() { send(text) }},
		{label: "Drop it"},
	})
	return true
}

// looksLikeAnswer tells whether a line is meant as an answer: a number, a letter.
func looksLikeAnswer(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= 3 && !strings.Contains(text, " ")
}
