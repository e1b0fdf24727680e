package ui

import (
	"cmp"
	"math"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/permissions"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/widget"
)

// question shows the questions that wait, one at a time, and lets the user
// answer with a deliberate key. It has the keys only when the user gave them to
// it, or when nothing has been typed for a while and nothing is being typed; an
// option that allows something works only after all of the question has been on
// the screen.
type question struct {
	c       *chat
	waiting []permissions.Question
	current int

	shownAt   time.Time // when the current one was first drawn
	grabbed   bool      // the user gave it the keys
	grabbedAt time.Time
	reading   bool // it got them by waiting, and letters were pressed to read on
	readAt    time.Time
	offset    int  // rows of the body scrolled away
	read      bool // all of the body has been on the screen
	seen      seen
	details   bool
	full      bool   // it has the screen and the keys
	note      string // about the last key
	fits      bool   // all of the body is on the screen
	page      int    // rows of the body on the screen

	drawn      []string // the body as drawn last, for the question, width and theme below
	drawnKey   uint64
	drawnWidth int
	drawnTheme *theme.Theme
	drawnSides bool

	made map[uint64]*hunks // what the user makes of writes, by the question
	deaf time.Time         // keys are dropped until then: they were typed for the editor

	diffs    map[int]*questionDiff // by the part, of the question diffsKey
	diffsKey uint64
	wanted   []*questionDiff // drawn without the colours of their code
}

// dropAfterGrab is how long keys are dropped after the question was given the
// keys: what had been typed before must not answer it.
const dropAfterGrab = 80 * time.Millisecond

func newQuestion(c *chat) *question { return &question{c: c} }

func (q *question) add(n permissions.Question) {
	q.waiting = append(q.waiting, n)
	if len(q.waiting) == 1 {
		q.turn(0)
	}
	q.tell()
}

// tell has the transcript leave out what the questions show.
func (q *question) tell() {
	var ids, subjects []string
	for _, w := range q.waiting {
		if w.Tool != "" {
			ids = append(ids, w.Tool)
			continue
		}
		for _, p := range w.Body { // of parley's own
			switch p.Kind {
			case permissions.Command:
				subjects = append(subjects, p.Text)
			case permissions.Diff:
				subjects = append(subjects, p.Path)
			}
		}
	}
	c := q.c
	c.changed = append(c.changed, c.Thread.SetAsked(ids, subjects)...)
	c.applied()
}

// remove drops a question that was settled, by whomever.
func (q *question) remove(key uint64) {
	for i, w := range q.waiting {
		if w.Key != key {
			continue
		}
		q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
		delete(q.made, key)
		switch {
		case i < q.current:
			q.current--
		case i == q.current:
			q.turn(min(i, max(0, len(q.waiting)-1)))
		}
		q.tell()
		return
	}
}

func (q *question) clear() {
	q.waiting, q.made = nil, nil
	q.turn(0)
	q.tell()
}

// turn shows the i-th question afresh: it has to be read and given the keys.
func (q *question) turn(i int) {
	q.current, q.offset, q.read, q.details, q.full, q.grabbed, q.reading = i, 0, false, false, false, false, false
	q.shownAt, q.seen, q.note = time.Time{}, seen{}, ""
}

func (q *question) open() bool { return len(q.waiting) > 0 }

// grab gives the question the keys, if the user can see it.
func (q *question) grab(now time.Time) {
	if q.open() && !q.grabbed && !q.shownAt.IsZero() && q.c.panels.reading == nil && !q.c.listed() {
		q.grabbed, q.grabbedAt = true, now
		q.c.composer.ClosePopup() // it would lie over the question
	}
}

// armed tells whether a key that comes now is for the question.
func (q *question) Armed() bool {
	now := q.c.m.Now()
	if !q.open() || q.shownAt.IsZero() {
		return false
	}
	if q.grabbed || q.full {
		return true
	}
	return !q.c.focused && q.c.composer.Empty() && (q.reading || now.Sub(q.shownAt) >= layer.Quiet && now.Sub(q.c.m.input.Last()) >= layer.Quiet)
}

// key handles a key while the question is armed; false hands it on to the composer.
func (q *question) Key(p layer.Press) (tea.Cmd, bool) {
	if !q.Armed() {
		return nil, false
	}
	now, msg, name := q.c.m.Now(), p.KeyPressMsg, p.Name
	cur := q.waiting[q.current]
	h := q.made[cur.Key]
	q.note = ""
	pressed := q.seen.pressed
	q.seen.pressed = "" // an answer is given twice only by the key that comes next
	if q.grabbed && now.Sub(q.grabbedAt) < dropAfterGrab || now.Before(q.deaf) || h != nil && h.editing {
		return nil, true
	}
	if o, ok := optionFor(cur.Options, name); ok {
		if q.tooFast() && (q.read || harmless(o)) {
			return q.c.say(tooFast), true
		}
		q.keep(msg)
		q.seen.pressed = pressed
		return q.answer(cur, o), true
	}
	if h != nil && h.on {
		if cmd, ok := q.hunkKey(cur, h, msg); ok {
			return cmd, true
		}
	}
	want := q.c.m.Keys.Of(intent.Question, name)
	if why := unfit(cur, want); why != "" {
		if q.grabbed || q.full {
			return q.c.say(why), true
		}
		want = intent.None
	}
	switch {
	case q.full && want == intent.Reject: // the view is left first
		q.full, q.reading = false, false
		return nil, true
	case !q.full && q.scrollsTranscript(p.Want, want):
		return nil, false
	}
	var cmd tea.Cmd
	switch want {
	case intent.TakeOver:
		return q.answerAttended(cur, msg), true
	case intent.PickHunks:
		cmd = q.pickHunks(cur)
	case intent.EditText:
		if q.tooFast() {
			return q.c.say(tooFast), true
		}
		cmd = q.editText(cur)
	case intent.Reject:
		return q.reject(), true
	case intent.Details:
		q.details = !q.details
	case intent.FullScreen:
		q.full = !q.full
	case intent.MakeRule:
		return q.offerRules(), true
	case intent.ScrollUp:
		q.offset--
	case intent.ScrollDown:
		q.offset++
	case intent.PageUp:
		q.offset -= max(1, q.page)
	case intent.PageDown:
		q.offset += max(1, q.page)
	case intent.Last:
		q.offset = math.MaxInt / 2
	case intent.NextQuestion, intent.PreviousQuestion:
		step := 1
		if want == intent.PreviousQuestion {
			step = len(q.waiting) - 1
		}
		q.turn((q.current + step) % len(q.waiting))
		q.grabbed, q.grabbedAt = true, q.c.m.Now() // what was typed for the other one is dropped
		q.c.composer.ClosePopup()
	case intent.Leave:
		switch {
		case q.full:
			q.full, q.grabbed, q.reading = false, false, false
			return nil, true
		case q.reading && !q.grabbed && p.Want == intent.FocusQuestion:
			q.grab(q.c.m.Now())
			return nil, true
		case q.grabbed || q.reading:
			q.grabbed, q.reading = false, false
			return nil, true
		}
	default:
		if strings.Contains(answerKeys, name) {
			q.note = name + " is no answer: press " + answersOf(cur.Options)
			break
		}
		if q.full { // there is no composer to take it
			q.readAt = now
			return nil, !elsewhere(p.Want)
		}
		q.reading = false
		return nil, q.grabbed && !elsewhere(p.Want) // else nobody's while the question has the keys
	}
	q.keep(msg)
	return cmd, true
}

// paste drops what is pasted on the full view: nobody sees the composer.
func (q *question) Paste(string) (tea.Cmd, bool) {
	if q.full {
		q.note = "not pasted · " + q.fullFoot(q.waiting[q.current])
	}
	return nil, q.full
}

func (q *question) WaitsSince() (time.Time, bool) { return q.shownAt, true }

const tooFast = "too fast to be an answer: press it again in a moment, or alt+a first"

// tooFast tells whether a key that does something may be the next letter of a word,
// and notes that it came.
func (q *question) tooFast() bool {
	now := q.c.m.Now()
	if !q.reading || q.grabbed || now.Sub(q.readAt) >= layer.Quiet {
		return false
	}
	q.readAt = now
	return true
}

// elsewhere tells whether a key keeps its meaning while a question has the keys.
func elsewhere(chat intent.Intent) bool {
	switch chat {
	case intent.Sessions, intent.ToggleLog, intent.TogglePlan, intent.ToggleHelp, intent.CycleDensity, intent.Background:
		return true
	}
	return false
}

// scrollsTranscript tells whether a key, by what it means on the page and to the
// question, scrolls the transcript above: a page key does where all of the question is
// on the screen.
func (q *question) scrollsTranscript(chat, want intent.Intent) bool {
	if want != intent.None && (!q.fits || want != intent.PageUp && want != intent.PageDown) {
		return false
	}
	switch chat {
	case intent.PageUp, intent.PageDown, intent.ScrollUp, intent.ScrollDown, intent.Home, intent.End:
		return true
	}
	return false
}

// keep holds on to keys that the question got by waiting. Letters may be the
// beginning of a word: one can read on with them, but the next is no answer.
func (q *question) keep(msg tea.KeyPressMsg) {
	if msg.Text == "" || msg.Text == " " {
		q.grabbed = true
		return
	}
	q.reading, q.readAt = !q.grabbed, q.c.m.Now()
}

// optionFor finds the option of a key: its place, or the letter of a kind that
// only one option has.
func optionFor(options []permissions.Option, key string) (permissions.Option, bool) {
	for i, o := range options {
		if place := placeKey(i); place == key && place != "" {
			return o, true
		}
	}
	for _, o := range options {
		if letter := letterOf(options, o); letter == key && letter != "" {
			return o, true
		}
	}
	return permissions.Option{}, false
}

// placeKey is the key of the i-th option, whatever its kind: a digit, and where
// those are used up a letter that means nothing else to a question.
func placeKey(i int) string {
	const places = "1234567890bceghilmopqrstuvwxz"
	if i >= len(places) {
		return ""
	}
	return places[i : i+1]
}

var letters = map[string]string{permissions.AllowOnce: "y", permissions.AllowAlways: "a", permissions.RejectOnce: "n", permissions.RejectAlways: "N"}

// letterOf is the key of an option's kind, "" where it has none of its own.
func letterOf(options []permissions.Option, o permissions.Option) string {
	n := 0
	for _, other := range options {
		if other.Kind == o.Kind {
			n++
		}
	}
	if n > 1 {
		return ""
	}
	return letters[o.Kind]
}

// answerKeys are those that answer most questions: where they do not, nobody means
// to type them.
const answerKeys = "yanN123456789"

// answersOf lists the keys of the options.
func answersOf(options []permissions.Option) string {
	var keys []string
	for i, o := range options {
		keys = append(keys, keyOf(options, i, o))
	}
	if n := len(keys); n > 1 {
		keys = append(keys[:n-2], keys[n-2]+" or "+keys[n-1])
	}
	return strings.Join(keys, ", ")
}

// keyOf is the key that is shown with the i-th option.
func keyOf(options []permissions.Option, i int, o permissions.Option) string {
	return cmp.Or(letterOf(options, o), placeKey(i))
}

// harmless tells whether an option can be chosen before all was read.
func harmless(o permissions.Option) bool {
	return o.Kind == permissions.RejectOnce || o.Kind == permissions.RejectAlways
}

func (q *question) answer(cur permissions.Question, o permissions.Option) tea.Cmd {
	if !harmless(o) {
		if ok, cmd := q.mayAllow(cur, o); !ok {
			return cmd
		}
	}
	if h := q.made[cur.Key]; h.changed() && !harmless(o) {
		return q.answerChanged(cur, o, h)
	}
	if err := q.c.Agent.Conn().Broker.Answer(cur.Key, o.ID); err != nil {
		return q.c.say(err.Error())
	}
	q.remove(cur.Key)
	return nil
}

// reject is esc: the agent's own "no" where it has one, else cancelled.
func (q *question) reject() tea.Cmd {
	cur := q.waiting[q.current]
	if err := q.c.Agent.Conn().Broker.Reject(cur.Key); err != nil {
		return q.c.say(err.Error())
	}
	q.remove(cur.Key)
	return nil
}

// body is all that has to be read. A large diff is not compared on every frame.
func (q *question) body(cur permissions.Question, width int) []string {
	th := q.c.m.Theme
	if q.drawn == nil || q.drawnKey != cur.Key || q.drawnWidth != width || q.drawnTheme != th || q.drawnSides != q.sides() {
		if q.drawnKey == cur.Key && (q.drawnWidth != width || q.drawnSides != q.sides()) {
			q.moved(cur)
		}
		q.drawn, q.drawnKey, q.drawnWidth, q.drawnTheme, q.drawnSides = q.draw(cur, width), cur.Key, width, th, q.sides()
	}
	return q.drawn[:len(q.drawn):len(q.drawn)] // what is appended to it does not stay
}

func (q *question) draw(cur permissions.Question, width int) []string {
	th := q.c.m.Theme
	rows := wrapInk(th.Strong.Paint, cur.Heading, "", width)
	judged := false // the verdicts stand below the first command or, without one, at the end
	for i, p := range cur.Body {
		switch p.Kind {
		case permissions.Command:
			rows = append(rows, wrapInk(th.Code.Paint, p.Text, "  ", width)...)
			if !judged {
				rows, judged = append(rows, q.verdictRows(cur, width)...), true
			}
		case permissions.Field:
			rows = append(rows, wrapInk(nil, p.Label+": "+p.Text, "  ", width)...)
		case permissions.Warning:
			rows = append(rows, wrapInk(th.Bad.Paint, "! "+p.Text, "  ", width)...)
		case permissions.Patch:
			rows = append(rows, q.patchRows(p, width)...)
		case permissions.Diff:
			rows = append(rows, wrapInk(th.Strong.Paint, p.Path, "  ", width)...)
			rows = append(rows, q.writeRows(cur, i, p, width, len(rows))...)
		default:
			rows = append(rows, wrapInk(nil, p.Text, "  ", width)...)
		}
	}
	if !judged {
		rows = append(rows, q.verdictRows(cur, width)...)
	}
	if cur.Words != "" {
		rows = append(rows, wrapInk(th.Dim.Paint, "agent's words: \""+cur.Words+"\"", "", width)...)
	}
	return rows
}

func (q *question) detailRows(cur permissions.Question, width int) []string {
	text := cur.Details
	if text == "" {
		text = "the agent sent nothing else about it"
	}
	return append([]string{""}, wrapInk(q.c.m.Theme.Dim.Paint, text, "  ", width)...)
}

func wrapInk(paint func(string) string, text, before string, width int) []string {
	var rows []string
	for _, r := range widget.Wrap(text, max(1, width-len(before))) {
		if paint != nil {
			r = paint(r)
		}
		rows = append(rows, before+r)
	}
	return rows
}

// optionRows lists the options in the agent's order, each with its key.
func (q *question) optionRows(cur permissions.Question, width int) []string {
	th := q.c.m.Theme
	var rows []string
	line := ""
	add := func(key, name string, off bool) {
		text := th.Key.Paint(key) + " " + name
		if off {
			text = th.Faint.Paint(key + " " + name + " (off)")
		}
		text = widget.Truncate(text, width, "…")
		switch {
		case line == "":
			line = text
		case widget.Width(line)+3+widget.Width(text) <= width:
			line += "   " + text
		default:
			rows = append(rows, line)
			line = text
		}
	}
	for i, o := range cur.Options {
		name, off := q.optionName(cur, o)
		add(keyOf(cur.Options, i, o), name, off)
	}
	if key := q.c.m.Keys.Label(intent.Question, intent.TakeOver); key != "" && cur.Attends {
		add(key, "Run it here, with my keyboard", !q.read)
	}
	return append(rows, line)
}
