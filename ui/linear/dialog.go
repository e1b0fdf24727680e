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

// dialog receives the user's lines instead of the chat.
type dialog struct {
	intro   func()   // writes the question; may be nil
	choices []choice // the possible answers
	wants   string   // the request for input, on its own line

	// take, if set, handles lines instead of choices. It gets every line except /stop, /quit
	// and /help.
	take   func(text string)
	secret bool // the line is not echoed

	guarded bool      // the user did not open it: a line that comes too early is no answer
	at      time.Time // when it was completely written; zero: not yet
	twice   bool      // the first line may be an answer to an earlier question that has gone

	about  asking // the question that it asks; nil if the user opened it
	cancel func() // handles ctrl+c; nil: ctrl+c does not cancel it
}

// choice is one answer to a dialog.
type choice struct {
	word           string            // what selects it; "" for its number
	also           []string          // other words that select it
	label          string            // "" if it is not listed
	disabledReason string            // why it cannot be selected, "" if it can
	stays          bool              // the dialog stays open
	do             func()            // may be nil
	reason         func(text string) // handles the line after the word, which may be ""; instead of do
}

// matches reports whether a line selects the choice, and returns what it says after the word.
func (ch choice) matches(line string) (rest string, ok bool) {
	if line == ch.word || slices.Contains(ch.also, line) {
		return "", true
	}
	rest, ok = strings.CutPrefix(line, ch.word)
	if !ok || ch.reason == nil || !strings.ContainsAny(rest[:1], " ,:") {
		return "", false
	}
	return strings.TrimLeft(rest, " ,:"), true
}

// chosen returns the choice that a line selects, and what the line says after its word.
func (d *dialog) chosen(line string) (ch choice, rest string, ok bool) {
	for _, ch := range d.choices {
		if rest, ok := ch.matches(line); ok {
			return ch, rest, true
		}
	}
	return choice{}, "", false
}

// write writes the dialog without its request for input.
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

// answers returns the request for input of a dialog with n numbered choices.
func answers(n int) string {
	if n == 1 {
		return "Answer 1:"
	}
	return fmt.Sprintf("Answer 1 to %d:", n)
}

// guard is how long a dialog that opened by itself must have been readable, and how long no
// other line must have come, before a line counts as its answer.
const guard = 600 * time.Millisecond

// dialogs shows one dialog at a time and decides what a line means to it.
type dialogs struct {
	out      *printer
	current  *dialog // nil for none
	lineAt   time.Time
	stray    stray                      // a line that may still come for a question that has gone
	command  func(text string) bool     // runs a command; false if text is none
	putAside func(text string) (at int) // queues a prompt and returns its number
}

// stray is what the user may still type in answer to a question that has gone.
type stray int

const (
	noStray     stray = iota
	strayAnswer       // a number or a letter
	strayField        // anything
)

// open writes a dialog. From then on it receives the lines.
func (ds *dialogs) open(d *dialog) {
	for i := range d.choices {
		d.choices[i].word = cmp.Or(d.choices[i].word, strconv.Itoa(i+1))
	}
	d.write(ds.out)
	ds.current = d
}

// menu asks the user to choose by number; 0 chooses nothing.
func (ds *dialogs) menu(title string, choices []choice) {
	ds.menuOr(title, choices, choice{label: "None of these"}, false)
}

// menuOr is a menu in which 0 selects none.
func (ds *dialogs) menuOr(title string, choices []choice, none choice, guarded bool) {
	none.word = "0"
	ds.open(&dialog{guarded: guarded, intro: func() { ds.out.say("%s", title) }, choices: append(choices, none), wants: fmt.Sprintf("Answer 0 to %d:", len(choices))})
}

// confirm runs do if the user says yes.
func (ds *dialogs) confirm(title, yes, no string, do func()) {
	ds.menuOr(title, []choice{{label: yes, do: do}}, choice{label: no}, false)
}

// close closes the dialog that asks a and returns it, nil if it is not open.
func (ds *dialogs) close(a asking) *dialog {
	d := ds.current
	if d == nil || d.about != a {
		return nil
	}
	ds.current = nil
	return d
}

// drop closes a dialog, if it is open.
func (ds *dialogs) drop(d *dialog) {
	if d != nil && ds.current == d {
		ds.current = nil
	}
}

// answer handles a line while a dialog is open.
func (ds *dialogs) answer(l typedLine) {
	d := ds.current
	text := strings.TrimSpace(safetext.Clean(l.text))
	switch {
	case l.secret && !d.secret:
		ds.out.say("What you typed without seeing it was dropped.") // it was for another field, which has gone
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
	ch, rest, chosen := d.chosen(text)
	if early := ds.tooEarly(l); early != "" {
		switch {
		case text == "":
		case chosen || looksLikeAnswer(text): // it would make no sense as a prompt later
			ds.out.say("%s Type it again to answer this question: %s", early, text)
		default:
			ds.out.say("%s Queued as prompt %d: %s", early, ds.putAside(l.text), safetext.Line(text, 60))
		}
		return
	}
	if d.twice && (chosen || looksLikeAnswer(text)) {
		d.twice = false
		ds.out.say("The previous question is gone, so your line was not taken as an answer. Type it again to answer this one.")
		d.write(ds.out)
		d.at = time.Time{}
		return
	}
	switch {
	case chosen:
		ds.choose(ch, rest)
	case text == "":
	case looksLikeAnswer(text):
		ds.out.say("%s is not an answer here.", text)
	default:
		ds.out.say("That is not an answer. Queued as prompt %d; /drop drops it.", ds.putAside(l.text))
	}
}

func (ds *dialogs) choose(ch choice, rest string) {
	if ch.disabledReason != "" {
		ds.out.say("%s", ch.disabledReason)
		return
	}
	if !ch.stays {
		ds.current = nil
	}
	switch {
	case ch.reason != nil:
		ch.reason(rest)
	case ch.do != nil:
		ch.do()
	}
}

// tooEarly says why a line cannot be an answer yet, "" if it can. A line that closely follows
// another one was typed without reading what that one did.
func (ds *dialogs) tooEarly(l typedLine) string {
	switch d := ds.current; {
	case !d.guarded:
	case d.at.IsZero() || l.at.Sub(d.at) < guard:
		return "This line came before you could read the question and does not answer it."
	case l.at.Sub(ds.lineAt) < guard:
		return "This line came right after another one and does not answer it."
	}
	return ""
}

// wasAnswer handles the line after a question that has gone. If it looks like an answer to
// that question, it is not used as a prompt or as an answer to another one.
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

// looksLikeAnswer reports whether a line is a number or a letter.
func looksLikeAnswer(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= 3 && !strings.Contains(text, " ")
}
