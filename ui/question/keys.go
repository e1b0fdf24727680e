package question

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/words"
	"parley/permissions"
	"parley/ui/layer"
)

// Armed reports whether the question takes a key pressed now. What allows may still be held.
func (q *Question) Armed() bool {
	around := q.state()
	return q.Appeared() && !around.Beside && (q.full || q.attends(q.env.Now(), around))
}

// WaitsSince implements layer.Waiter.
func (q *Question) WaitsSince() (time.Time, bool) { return q.shownAt, true }

// Paste drops what is pasted in the full view, where the composer is hidden.
func (q *Question) Paste(string) (tea.Cmd, bool) {
	if q.full {
		q.note = "not pasted · " + q.face().fullFoot()
	}
	return nil, q.full
}

// Key handles a key while the question is armed.
func (q *Question) Key(p layer.Press) (tea.Cmd, bool) {
	if !q.Armed() {
		return nil, false
	}
	now, msg, cur := q.env.Now(), p.KeyPressMsg, q.currentQuestion()
	w := q.edits[cur.Key]
	q.note, q.released = "", false
	q.rested = q.rested || q.quiet(now, q.state())
	pressed := q.pressed
	q.pressed = unreadChoice{} // only the very next key can repeat an answer
	switch {
	case w != nil && w.editing:
		return nil, true
	case q.tooEarly(now):
		return q.say(tooSoon(p.Name)), true
	}
	if o, ok := optionFor(cur.Options, p.Name); ok {
		if harmless(o) && now.Sub(q.shownAt) < underWay {
			return q.say(tooSoon(p.Name)), true
		}
		q.pressed = pressed
		return q.answer(cur, o, p.Name), true
	}
	if w.picking() {
		if cmd, ok := q.hunkKey(cur, w, p); ok {
			return cmd, true
		}
	}
	want := q.env.Keys.Of(intent.Question, p.Name)
	switch {
	case q.full && want == intent.Reject: // leave the full view first
		q.full = false
		return nil, true
	case !q.full && q.scrollsTranscript(p.Want, want):
		return nil, false
	}
	if why := q.unfit(cur, want, p.Name); why != "" {
		return q.say(why), true
	}
	if q.sight.scroll(want) {
		q.keep(msg)
		return nil, true
	}
	var cmd tea.Cmd
	switch want {
	case intent.TakeOver:
		return q.answerAttended(cur, p.Name), true
	case intent.PickHunks:
		cmd = q.pickHunks(cur)
	case intent.EditText:
		if !q.ready() {
			return q.say(tooSoon(p.Name)), true
		}
		cmd = q.editText(cur)
	case intent.Reject:
		return q.Reject(), true
	case intent.RejectWhy:
		return q.out.Add(RejectWhy{cur}), true
	case intent.Details:
		q.details = !q.details
	case intent.FullScreen:
		q.full = !q.full
	case intent.MakeRule:
		if !q.ready() {
			return q.say(tooSoon(p.Name)), true
		}
		return q.out.Add(OfferRules{cur, q.read}), true
	case intent.NextQuestion:
		q.turnTo(q.neighbour(1))
		return nil, true
	case intent.PreviousQuestion:
		q.turnTo(q.neighbour(-1))
		return nil, true
	case intent.Leave:
		q.leave()
		return nil, true
	default:
		return q.meaningless(p.Want)
	}
	q.keep(msg)
	return cmd, true
}

// ready reports whether a key pressed now may allow something.
func (q *Question) ready() bool { return q.hold.ready(q.env.Now(), q.state()) }

// keep lets a key that was handled give the question the keys.
func (q *Question) keep(msg tea.KeyPressMsg) { q.keepKeys(msg, q.env.Now(), q.state()) }

// meaningless handles a key without a meaning for the question: the composer gets it, unless that is
// hidden or the user gave the question the keys.
func (q *Question) meaningless(chat intent.Intent) (tea.Cmd, bool) {
	handled := (q.full || q.grabbed) && !elsewhere(chat)
	if !handled {
		q.rested = false
	}
	return nil, handled
}

// leave gives the keys up, or keeps them if nobody has given them to the question.
func (q *Question) leave() {
	if !q.full && !q.grabbed {
		q.Grab()
		return
	}
	q.full = false
	q.Release()
}

// turnTo shows another question, and gives it the keys if the key that did so was meant for it.
func (q *Question) turnTo(i int) {
	ready := q.ready()
	q.current = i
	q.Restart()
	if ready {
		q.grab(q.env.Now())
	}
	q.out.Add(Uncover{})
}

// elsewhere reports whether a key of the page works while a question has the keys.
func elsewhere(chat intent.Intent) bool {
	switch chat {
	case intent.Sessions, intent.ToggleLog, intent.TogglePlan, intent.ToggleHelp, intent.CycleDensity, intent.Background:
		return true
	}
	return false
}

// scrollsTranscript reports whether a key scrolls the transcript, given what it means to
// the page and to the question. The page keys do so if the whole question is on the
// screen.
func (q *Question) scrollsTranscript(chat, want intent.Intent) bool {
	if want != intent.None && (!q.fits || want != intent.PageUp && want != intent.PageDown) {
		return false
	}
	switch chat {
	case intent.PageUp, intent.PageDown, intent.ScrollUp, intent.ScrollDown, intent.Home, intent.End:
		return true
	}
	return false
}

// unfit says why a key that questions know does nothing in this one; "" if it works, or if none
// knows it.
func (q *Question) unfit(cur permissions.Question, want intent.Intent, key string) string {
	switch want {
	case intent.PickHunks:
		if cur.Change == nil {
			return noHunks
		}
	case intent.EditText:
		if cur.Change == nil {
			return "This question has no text to edit"
		}
	case intent.TakeOver:
		switch {
		case cur.Attendable:
		case slices.ContainsFunc(cur.Body, func(p permissions.Part) bool { return p.Kind == permissions.Command }):
			return "This command is run by the agent; it cannot take your keyboard"
		default:
			return "This question has no command to take over"
		}
	case intent.NextQuestion, intent.PreviousQuestion:
		if len(q.waiting) == 1 {
			return "No other question is waiting"
		}
	case intent.None:
		if strings.Contains(answerKeys, key) {
			return key + " is not an answer: press " + answersOf(cur.Options)
		}
		switch q.env.Keys.Of(intent.Hunks, key) {
		case intent.NextHunk, intent.PreviousHunk, intent.AsAsked:
			if cur.Change == nil {
				return noHunks
			}
			return q.env.Keys.Label(intent.Question, intent.PickHunks) + " chooses hunks"
		}
	}
	return ""
}

const noHunks = "This question has no hunks"

// sent removes the question from the screen once its answer was sent, or says why it was
// not.
func (q *Question) sent(key uint64, err error) tea.Cmd {
	if err != nil {
		return q.out.Say(words.Sentence(err.Error()))
	}
	q.Remove(key)
	return nil
}

// ReadFirst says how to read the rest of a question.
func ReadFirst(keys *intent.Keymap) string {
	return "Read to the end first: " + keys.Labels(intent.Question, intent.ScrollDown, intent.PageDown)
}

// say shows a line about the last key in the foot: it goes with the next key, and with the question.
func (q *Question) say(note string) tea.Cmd {
	q.note = note
	return nil
}

// tooSoon says that a key which allows may be the next letter of a word.
func tooSoon(key string) string { return "Too soon after another key: press " + key + " again" }

// answer answers with the option of a key.
func (q *Question) answer(cur permissions.Question, o permissions.Option, key string) tea.Cmd {
	if !harmless(o) && !q.mayAllow(o, key) {
		return nil
	}
	if w := q.edits[cur.Key]; w.changed() && !harmless(o) {
		return q.answerChanged(cur, o, w)
	}
	return q.sent(cur.Key, q.state().Broker.Answer(cur.Key, o.ID))
}

// mayAllow reports whether an option that allows may be chosen now, with a key. If not, the foot says why.
func (q *Question) mayAllow(o permissions.Option, key string) bool {
	switch {
	case !q.read && !q.offers(o):
		q.pressed = unreadChoice{}
		q.note = ReadFirst(q.env.Keys)
	case !q.ready() && (q.read || q.pressed.option != o.ID):
		q.note = tooSoon(key)
	case q.read, q.pressed.confirmed(o.ID, q.env.Now()) && q.ready():
		return true
	default:
		q.note = fmt.Sprintf("%s not read: press %s again to allow anyway", words.Count(q.unread(), "row"), key)
	}
	return false
}

// answerChanged answers with the write as the user has changed it.
func (q *Question) answerChanged(cur permissions.Question, o permissions.Option, w *write) tea.Cmd {
	text, ok := w.remaining()
	switch {
	case o.Kind != permissions.AllowOnce:
		return q.say("A changed write can only be allowed once")
	case !ok:
		return q.say("These hunks cannot be separated")
	case text == cur.Change.Old:
		return q.Reject()
	}
	return q.sent(cur.Key, q.state().Broker.AnswerWith(cur.Key, o.ID, text))
}

// answerAttended allows a command once, with the user's keyboard.
func (q *Question) answerAttended(cur permissions.Question, key string) tea.Cmd {
	switch o, ok := onceOf(cur.Options); {
	case !ok:
		return nil
	case !q.read:
		return q.say(ReadFirst(q.env.Keys))
	case !q.ready():
		return q.say(tooSoon(key))
	default:
		return q.sent(cur.Key, q.state().Broker.AnswerAttended(cur.Key, o.ID))
	}
}

// Reject answers with the agent's option to reject once, or cancels if it has none.
func (q *Question) Reject() tea.Cmd {
	key := q.currentQuestion().Key
	return q.sent(key, q.state().Broker.Reject(key))
}

// pickHunks starts or stops the selection of hunks.
func (q *Question) pickHunks(cur permissions.Question) tea.Cmd {
	if !q.edits.start(cur, &q.diffs).toggle(q.read) {
		return q.say("No hunks to choose from")
	}
	q.redrawn()
	return nil
}

// hunkKey handles a key of the selection of hunks; false for any other key.
func (q *Question) hunkKey(cur permissions.Question, w *write, p layer.Press) (tea.Cmd, bool) {
	switch q.env.Keys.Of(intent.Hunks, p.Name) {
	case intent.None:
		return nil, false
	case intent.Leave:
		q.pickHunks(cur)
	case intent.NextHunk:
		q.selectHunk(w, 1)
	case intent.PreviousHunk:
		q.selectHunk(w, -1)
	case intent.RefuseHunk:
		w.refuse()
		q.drawn = body{}
	case intent.AllowHunks:
		if o, ok := onceOf(cur.Options); ok {
			return q.answer(cur, o, p.Name), true
		}
	case intent.AsAsked:
		if w.asAsked() {
			q.read = false
		}
		q.redrawn()
	}
	q.keep(p.KeyPressMsg)
	return nil, true
}

// selectHunk selects another hunk, or scrolls towards it.
func (q *Question) selectHunk(w *write, step int) {
	if w.selectHunk(w.at+step, &q.sight) {
		q.drawn = body{}
	}
}

// editText opens the text to be written in the user's editor.
func (q *Question) editText(cur permissions.Question) tea.Cmd {
	w := q.edits.start(cur, &q.diffs)
	before, ok := w.remaining()
	if !ok {
		return q.say("These hunks cannot be separated")
	}
	w.editing = true
	return q.out.Add(EditWrite{cur, before})
}
