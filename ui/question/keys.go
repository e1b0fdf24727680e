package question

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/notes"
	"parley/permissions"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/widget/text"
)

// Armed reports whether the question takes a key pressed now.
func (q *Question) Armed() bool { return q.armed(q.env.Now()) }

func (q *Question) armed(now time.Time) bool {
	around := q.host.PageState()
	return q.Appeared() && !around.Beside && (q.grabbed || q.full || q.waited(now, around))
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
	q.note = ""
	pressed := q.pressed
	q.pressed = unreadChoice{} // only the very next key can repeat an answer
	if q.tooEarly(now) || w != nil && w.editing {
		return nil, true
	}
	if o, ok := optionFor(cur.Options, p.Name); ok {
		if (q.read || harmless(o)) && q.tooFast(now) {
			return q.host.Say(tooFast), true
		}
		q.keepKeys(msg, now)
		q.pressed = pressed
		return q.answer(cur, o), true
	}
	if w.picking() {
		if cmd, ok := q.hunkKey(cur, w, msg); ok {
			return cmd, true
		}
	}
	want := q.env.Keys.Of(intent.Question, p.Name)
	if why := unfit(cur, want); why != "" {
		if q.grabbed || q.full {
			return q.host.Say(why), true
		}
		want = intent.None
	}
	switch {
	case q.full && want == intent.Reject: // leave the full view first
		q.full, q.reading = false, false
		return nil, true
	case !q.full && q.scrollsTranscript(p.Want, want):
		return nil, false
	}
	if want == intent.Leave && q.leave(p.Want) {
		return nil, true
	}
	if q.sight.scroll(want) {
		q.keepKeys(msg, now)
		return nil, true
	}
	var cmd tea.Cmd
	switch want {
	case intent.TakeOver:
		return q.answerAttended(cur, msg), true
	case intent.PickHunks:
		cmd = q.pickHunks(cur)
	case intent.EditText:
		if q.tooFast(now) {
			return q.host.Say(tooFast), true
		}
		cmd = q.editText(cur)
	case intent.Reject:
		return q.Reject(), true
	case intent.RejectWhy:
		q.keepKeys(msg, now)
		what, quote, isDiff := notes.Request(cur, func(i int, p permissions.Part) string { return q.diffs.part(cur.Key, i, p).lines.Unified() })
		return q.host.RejectWhy(cur, what, quote, isDiff), true
	case intent.Details:
		q.details = !q.details
	case intent.FullScreen:
		q.full = !q.full
	case intent.MakeRule:
		return q.host.OfferRules(cur, q.read), true
	case intent.NextQuestion:
		q.turnTo(q.neighbour(1))
	case intent.PreviousQuestion:
		q.turnTo(q.neighbour(-1))
	case intent.Leave: // nothing to leave
	default:
		if !strings.Contains(answerKeys, p.Name) {
			return q.meaningless(p.Want)
		}
		q.note = p.Name + " is not an answer: press " + answersOf(cur.Options)
	}
	q.keepKeys(msg, now)
	return cmd, true
}

// meaningless handles a key without a meaning for the question.
func (q *Question) meaningless(chat intent.Intent) (tea.Cmd, bool) {
	if q.full { // the composer is hidden
		q.readAt = q.env.Now()
		return nil, !elsewhere(chat)
	}
	q.reading = false
	return nil, q.grabbed && !elsewhere(chat) // else dropped while the question has the keys
}

// leave gives the keys up. If they came by waiting and the key is also the one that gives
// them, leave keeps them instead. It returns false if there is nothing to leave.
func (q *Question) leave(chat intent.Intent) bool {
	switch {
	case q.full:
		q.full = false
		q.release()
	case q.reading && !q.grabbed && chat == intent.FocusQuestion:
		q.Grab()
	case q.grabbed || q.reading:
		q.release()
	default:
		return false
	}
	return true
}

// turnTo shows another question and gives it the keys.
func (q *Question) turnTo(i int) {
	q.current = i
	q.Restart()
	q.grab(q.env.Now())
	q.host.ClosePopup()
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

// unfit says why a key does not work in this question; "" if it works.
func unfit(cur permissions.Question, want intent.Intent) string {
	switch {
	case cur.Change == nil && (want == intent.PickHunks || want == intent.EditText):
		return "Only what parley writes itself can be changed"
	case !cur.Attendable && want == intent.TakeOver:
		return "Only a command that parley runs can have your keyboard"
	}
	return ""
}

// sent removes the question from the screen once its answer was sent, or says why it was
// not.
func (q *Question) sent(key uint64, err error) tea.Cmd {
	if err != nil {
		return q.host.Say(err.Error())
	}
	q.Remove(key)
	return nil
}

const readFirst = "Read to the end first: down, pgdn"

// answer answers with an option.
func (q *Question) answer(cur permissions.Question, o permissions.Option) tea.Cmd {
	if !harmless(o) {
		if ok, cmd := q.mayAllow(cur, o); !ok {
			return cmd
		}
	}
	if w := q.edits[cur.Key]; w.changed() && !harmless(o) {
		return q.answerChanged(cur, o, w)
	}
	return q.sent(cur.Key, q.host.Answers().Answer(cur.Key, o.ID))
}

// mayAllow reports whether an option that allows may be chosen now. If not, the command
// tells the user why.
func (q *Question) mayAllow(cur permissions.Question, o permissions.Option) (bool, tea.Cmd) {
	switch {
	case q.read:
		return true, nil
	case !q.offers(o):
		q.pressed = unreadChoice{}
		return false, q.host.Say(readFirst)
	case q.pressed.confirmed(o.ID, q.env.Now()):
		return true, nil
	}
	key := letterOf(cur.Options, o)
	if key == "" {
		key = "the same key"
	}
	return false, q.host.Say(fmt.Sprintf("%s not read: press %s again to allow anyway", text.RowsOf(q.unread()), key))
}

// answerChanged answers with the write as the user has changed it.
func (q *Question) answerChanged(cur permissions.Question, o permissions.Option, w *write) tea.Cmd {
	text, ok := w.remaining()
	switch {
	case o.Kind != permissions.AllowOnce:
		return q.host.Say("A changed write can only be allowed once")
	case !ok:
		return q.host.Say("These hunks cannot be separated")
	case text == cur.Change.Old:
		return q.Reject()
	}
	return q.sent(cur.Key, q.host.Answers().AnswerWith(cur.Key, o.ID, text))
}

// answerAttended allows a command once, with the user's keyboard.
func (q *Question) answerAttended(cur permissions.Question, msg tea.KeyPressMsg) tea.Cmd {
	now := q.env.Now()
	if q.tooFast(now) {
		return q.host.Say(tooFast)
	}
	q.keepKeys(msg, now)
	switch o, ok := onceOf(cur.Options); {
	case !ok:
		return nil
	case !q.read:
		return q.host.Say(readFirst)
	default:
		return q.sent(cur.Key, q.host.Answers().AnswerAttended(cur.Key, o.ID))
	}
}

// Reject answers with the agent's option to reject once, or cancels if it has none.
func (q *Question) Reject() tea.Cmd {
	key := q.currentQuestion().Key
	return q.sent(key, q.host.Answers().Reject(key))
}

// pickHunks starts or stops the selection of hunks.
func (q *Question) pickHunks(cur permissions.Question) tea.Cmd {
	if !q.edits.start(cur, &q.diffs).toggle(q.read) {
		return q.host.Say("No hunks to choose from")
	}
	q.redrawn()
	return nil
}

// hunkKey handles a key of the selection of hunks; false for any other key.
func (q *Question) hunkKey(cur permissions.Question, w *write, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	now, want := q.env.Now(), q.env.Keys.Of(intent.Hunks, msg.String())
	switch want {
	case intent.None:
		return nil, false
	case intent.RefuseHunk, intent.AllowHunks, intent.AsAsked:
		if q.tooFast(now) {
			return q.host.Say(tooFast), true
		}
	}
	q.keepKeys(msg, now) // before the answer: the next question must not have the keys
	switch want {
	case intent.Leave:
		return q.pickHunks(cur), true
	case intent.NextHunk, intent.PreviousHunk:
		step := map[intent.Intent]int{intent.NextHunk: 1, intent.PreviousHunk: -1}[want]
		if w.selectHunk(w.at+step, &q.sight) {
			q.drawn = body{}
		}
	case intent.RefuseHunk:
		w.refuse()
		q.drawn = body{}
	case intent.AllowHunks:
		if o, ok := onceOf(cur.Options); ok {
			return q.answer(cur, o), true
		}
	case intent.AsAsked:
		if w.asAsked() {
			q.read = false
		}
		q.redrawn()
	}
	return nil, true
}

// editText opens the text to be written in the user's editor.
func (q *Question) editText(cur permissions.Question) tea.Cmd {
	w := q.edits.start(cur, &q.diffs)
	before, ok := w.remaining()
	if !ok {
		return q.host.Say("These hunks cannot be separated")
	}
	cmd, ok := q.host.EditWrite(cur, before)
	w.editing = ok
	return cmd
}
