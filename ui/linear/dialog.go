package linear

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/safetext"
)

// dialog is what takes the user's lines in the place of the chat.
type dialog struct {
	wants string // what is asked for, on a line of its own
	// take handles a line; false: it is no answer.
	take func(text string) bool
	// again writes everything again; nil for what need not be.
	again func()

	guarded bool      // it has opened by itself: a line that comes too early is no answer
	at      time.Time // when all of it had been written; zero: not yet
	free    bool      // any line is an answer, /cancel and the like aside
	secret  bool      // it is not to be seen
	twice   bool      // the first answer may be one to another question, which is gone
	key     *ask      // what it asks; nil for what the user began
}

// open shows a dialog.
func (c *chat) openDialog(d *dialog) { c.dialog = d }

// done ends the dialog; d is the one that is meant.
func (c *chat) closeDialog(d *dialog) {
	if c.dialog == d {
		c.dialog = nil
	}
}

// answers tells whether a line is an answer, or meant as one: a number, a letter.
func looksLikeAnswer(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= 3 && !strings.Contains(text, " ")
}

// toDialog handles a line that came while there is a dialog.
func (c *chat) toDialog(l typedLine) {
	d := c.dialog
	text := strings.TrimSpace(safetext.Clean(l.text))
	if l.secret != d.secret && l.secret {
		c.say("What you have typed unseen was dropped.") // for another field, which is gone
		return
	}
	if d.free && (d.secret || !slashWord(text)) {
		d.take(l.text)
		return
	}
	if strings.HasPrefix(text, "/") && c.own(text) {
		return
	}
	if early := c.tooEarly(d, l); early != "" {
		switch {
		case text == "":
		case looksLikeAnswer(text): // it would make no sense as a prompt later on
			c.say("%s Type it again if it is about this question: %s", early, text)
		default:
			c.Enqueue(l.text)
			c.say("%s Put aside as prompt %d: %s", early, len(c.Queued), cut(oneLine(text), 60))
		}
		return
	}
	if d.twice && looksLikeAnswer(text) {
		d.twice = false
		c.say("The question before this one is gone, so your line was not taken for an answer. Type it again if it is about this one.")
		if d.again != nil {
			d.again()
		}
		d.at = time.Time{}
		return
	}
	if d.take(text) {
		return
	}
	switch {
	case text == "":
	case looksLikeAnswer(text):
		c.say("%s is no answer here.", text)
	default:
		c.Enqueue(l.text)
		c.say("That is no answer. Put aside as prompt %d; /drop drops it.", len(c.Queued))
	}
}

// tooEarly says why a line cannot be an answer yet; "" where it can. A line that
// closely follows another one was typed without a look at what that one did.
func (c *chat) tooEarly(d *dialog, l typedLine) string {
	switch {
	case !d.guarded:
	case d.at.IsZero() || l.at.Sub(d.at) < guard:
		return "This line came before the question could be read and does not answer it."
	case l.at.Sub(c.lineAt) < guard:
		return "This line came right after another one and does not answer it."
	}
	return ""
}

// slashWord tells whether a line is a way out of a field rather than a value of
// it.
func slashWord(text string) bool {
	switch text {
	case "/cancel", "/decline", "/stop", "/quit", "/help":
		return true
	}
	return false
}

// choice is one of several; nothing happens to one that is not to be chosen.
type choice struct {
	label string
	why   string // it cannot be chosen; "" for one that can
	do    func()
}

// menu asks for one of several by its number, and writes them. 0 chooses nothing.
func (c *chat) menu(title string, choices []choice, guarded bool) *dialog {
	return c.menuOr(title, choices, guarded, "Nothing of this")
}

// menuOr is a menu where 0 has a name of its own.
func (c *chat) menuOr(title string, choices []choice, guarded bool, none string) *dialog {
	d := &dialog{guarded: guarded}
	d.again = func() {
		c.say("%s", title)
		for i, ch := range choices {
			c.say("%d. %s", i+1, ch.label)
		}
		c.say("0. %s", none)
	}
	d.again()
	d.wants = fmt.Sprintf("Answer 0 to %d:", len(choices))
	d.take = func(text string) bool {
		n, ok := number(text, len(choices))
		switch {
		case text == "0":
			c.closeDialog(d)
			return true
		case !ok:
			return false
		case choices[n-1].why != "":
			c.say("%s", choices[n-1].why)
			return true
		}
		c.closeDialog(d)
		choices[n-1].do()
		return true
	}
	c.openDialog(d)
	return d
}

// number reads a number from 1 to most.
func number(text string, most int) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= most && strconv.Itoa(n) == text
}
