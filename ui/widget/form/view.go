package form

import (
	"strconv"
	"strings"

	"parley/internal/text"
	"parley/ui/theme"
	"parley/ui/widget/editor"
)

const (
	fieldInset  = 4 // cells before the rows below a field's label
	minFormRoom = 8 // cells that must follow the inset; with fewer there is none
	maxHelpRows = 3 // of an unfocused field
)

// formRows collects the rows of all fields, and what the window must show.
type formRows struct {
	th     *theme.Theme
	width  int
	inset  string
	rows   []string
	starts []int // first row of each field
	x, y   int   // the typing cursor, -1 for none
	active int   // the row with the cursor or the selected option
}

// Rows draws the form: at most height rows of at most width cells, the buttons last. The focused field is among them. The
// cursor is -1, -1 if nothing is typed there. Rows changes nothing.
func (f *Form) Rows(width, height int, th *theme.Theme) (rows []string, cursorX, cursorY int) {
	return f.frame().draw(width, height, th)
}

// Shown notes that the form was on the screen as Rows draws it. Scrolling continues from there, and the shown fields may be
// sent.
func (f *Form) Shown(width, height int, th *theme.Theme) { f.draw(width, height, th) }

// frame returns a copy of the form to draw, because drawing scrolls it.
func (f *Form) frame() *Form {
	c := *f
	c.fields = make([]*formField, len(f.fields))
	for i, ff := range f.fields {
		field, text := *ff, *ff.text
		if field.text = &text; ff.list != nil {
			list := *ff.list
			field.list = &list
		}
		c.fields[i] = &field
	}
	return &c
}

func (f *Form) draw(width, height int, th *theme.Theme) (rows []string, cursorX, cursorY int) {
	if width <= 0 || height <= 0 {
		return nil, -1, -1
	}
	r := &formRows{th: th, width: width, inset: strings.Repeat(" ", fieldInset), x: -1, y: -1}
	if width < fieldInset+minFormRoom {
		r.inset = ""
	}
	for i, ff := range f.fields {
		if i > 0 {
			r.rows = append(r.rows, "")
		}
		r.starts = append(r.starts, len(r.rows))
		ff.draw(r, i == f.focus)
	}
	f.scroll(r, height-1)
	end := min(f.top+height-1, len(r.rows))
	for i, start := range r.starts {
		f.fields[i].seen = f.fields[i].seen || start >= f.top && start < end
	}
	for _, row := range r.rows[f.top:end] {
		rows = append(rows, text.Truncate(row, width, "…"))
	}
	if len(rows) < height-1 && len(r.rows) > 0 {
		rows = append(rows, "")
	}
	rows = append(rows, f.buttons(r, f.top > 0, end < len(r.rows)))
	if r.y < f.top || r.y >= end {
		return rows, -1, -1
	}
	return rows, min(r.x, width-1), r.y - f.top
}

// scroll moves the window of that height to the focused field, or to the end for the buttons.
func (f *Form) scroll(r *formRows, height int) {
	f.page = height
	total := len(r.rows)
	if f.focus < len(f.fields) {
		start, end := r.starts[f.focus], total
		if f.focus+1 < len(f.fields) {
			end = r.starts[f.focus+1] - 1
		}
		if end > f.top+height {
			f.top = end - height
		}
		f.top = min(f.top, start)
		if r.active >= f.top+height {
			f.top = r.active - height + 1
		}
		f.nudge = max(min(f.nudge, end-height-f.top), min(start-f.top, 0))
		f.top += f.nudge
	} else {
		f.top = total
	}
	f.top = max(min(f.top, total-height), 0)
}

// add appends a row that belongs to a field.
func (r *formRows) add(row string) { r.rows = append(r.rows, r.inset+row) }

// room is how many cells such a row has.
func (r *formRows) room() int { return max(r.width-len(r.inset), 1) }

func (ff *formField) draw(r *formRows, focused bool) {
	r.rows = append(r.rows, ff.heading(r, focused))
	if focused {
		r.active = len(r.rows) - 1
	}
	switch {
	case ff.Kind == FormSecret:
		ff.drawSecret(r, focused)
	case ff.typed():
		ff.drawText(r, focused)
	case ff.list != nil:
		ff.drawList(r)
	case ff.offers():
		ff.drawOptions(r, focused)
	}
	if ff.err != nil {
		for _, row := range text.Wrap(text.OneLine("✗ "+ff.err.Error()), r.room()) {
			r.add(r.th.Bad.Paint(row))
		}
	}
	if ff.Warning != "" {
		for _, row := range text.Wrap("! "+text.OneLine(ff.Warning), r.room()) {
			r.add(r.th.Warn.Paint(row))
		}
	}
	ff.drawHelp(r, focused)
}

// heading draws "▸ Label  required"; of a FormBool "▸ [x] Label".
func (ff *formField) heading(r *formRows, focused bool) string {
	mark, ink := "  ", r.th.Text
	if focused {
		mark, ink = r.th.Prompt.Paint("▸ "), r.th.Title
	}
	label := text.OneLine(ff.Label)
	if ff.Kind == FormBool {
		return mark + ink.Paint(tick(ff.on)+label)
	}
	note := ""
	if ff.Required {
		note = "  required"
	}
	if ff.Kind == FormMulti {
		note += "  " + strconv.Itoa(len(ff.value().Chosen)) + " of " + strconv.Itoa(len(ff.Options)) + " selected"
	}
	if room := r.width - 2 - len(note); text.Width(label) > room && room >= minFormRoom {
		label = text.Truncate(label, room, "…")
	}
	return mark + ink.Paint(label) + r.th.Dim.Paint(note)
}

func tick(on bool) string {
	if on {
		return "[x] "
	}
	return "[ ] "
}

func dot(on bool) string {
	if on {
		return "(•) "
	}
	return "( ) "
}

func (ff *formField) drawText(r *formRows, focused bool) {
	ff.text.SetWidth(r.room())
	if focused {
		x, y := ff.text.Cursor()
		r.x, r.y = len(r.inset)+x, len(r.rows)+y
		r.active = r.y
	}
	for _, row := range ff.text.Rows(editor.EditorLook{Theme: r.th}) {
		r.add(row)
	}
}

// bullet is shown for each character of a secret.
const bullet = "•"

// drawSecret draws a bullet for each character, on one row around the cursor.
func (ff *formField) drawSecret(r *formRows, focused bool) {
	before, all := ff.text.Count()
	room := max(r.room()-editor.PromptWidth-1, 1)
	first := max(before-room, 0)
	if focused {
		r.x, r.y = len(r.inset)+editor.PromptWidth+before-first, len(r.rows)
		r.active = r.y
	}
	r.add(r.th.Prompt.Paint("› ") + r.th.Text.Paint(strings.Repeat(bullet, min(all-first, room))))
}

// drawList draws the open list of a FormSelect: the filter, and the options that pass it.
func (ff *formField) drawList(r *formRows) {
	r.x, r.y = len(r.inset)+ff.list.FilterCursor(r.room()), len(r.rows)
	r.add(ff.list.FilterRow(r.room(), "Type to filter", r.th))
	list := ff.list.Rows(r.room(), maxFieldRows, r.th)
	r.active = len(r.rows) + max(ff.list.Cursor-ff.list.Top, 0)
	for _, row := range list {
		r.add(row)
	}
}

// option draws an option and its help. In full, help that does not fit is wrapped below the option.
func (r *formRows) option(row, help string, full bool) {
	if help == "" {
		r.add(text.Truncate(row, r.room(), "…"))
		return
	}
	if !full || text.Width(row)+2+text.Width(help) <= r.room() {
		r.add(text.Truncate(row+"  "+r.th.Dim.Paint(help), r.room(), "…"))
		return
	}
	r.add(text.Truncate(row, r.room(), "…"))
	for _, line := range text.Wrap(help, max(r.room()-fieldInset, 1)) {
		r.add(strings.Repeat(" ", fieldInset) + r.th.Dim.Paint(line))
	}
}

// drawOptions draws the options around the cursor, each "[x] label  help" or, of a FormSelect, "(•) label  help".
func (ff *formField) drawOptions(r *formRows, focused bool) {
	n := len(ff.Options)
	shown := min(maxFieldRows, n)
	ff.first = max(min(ff.first, ff.cursor), ff.cursor-shown+1)
	ff.first = max(min(ff.first, n-shown), 0)
	for i := ff.first; i < ff.first+shown; i++ {
		o := ff.Options[i]
		mark := tick(ff.chosen[i])
		if ff.Kind == FormSelect {
			mark = dot(ff.chosen[i])
		}
		row := mark + text.OneLine(o.Label)
		if focused && i == ff.cursor {
			r.active = len(r.rows)
			row = r.th.Selected.Paint("› " + text.Truncate(row, max(r.room()-2, 1), "…"))
		} else {
			row = "  " + r.th.Text.Paint(row)
		}
		r.option(row, text.OneLine(o.Help), focused && i == ff.cursor)
	}
	if shown < n {
		r.add(r.th.Faint.Paint("  " + strconv.Itoa(ff.first+1) + " to " + strconv.Itoa(ff.first+shown) + " of " + strconv.Itoa(n)))
	}
}

// drawHelp draws the help: all of it in the focused field, else its first rows.
func (ff *formField) drawHelp(r *formRows, focused bool) {
	if ff.Help == "" {
		return
	}
	if ff.helpWidth != r.room() {
		ff.helpWidth = r.room()
		lines := strings.Split(ff.Help, "\n")
		for i, l := range lines {
			lines[i] = text.Visible(l)
		}
		ff.help = text.Wrap(strings.Join(lines, "\n"), ff.helpWidth)
	}
	for i, row := range ff.help {
		if !focused && i == maxHelpRows-1 && len(ff.help) > maxHelpRows {
			r.add(r.th.Dim.Paint("…"))
			return
		}
		r.add(r.th.Dim.Paint(row))
	}
}

var buttonLabels = [...]string{FormSend: "Send", FormDecline: "Decline", FormCancel: "Cancel"}

// buttons draws "Send · Decline · Cancel" and, at the right, what enter does or where more fields are.
func (f *Form) buttons(r *formRows, above, below bool) string {
	on := f.focus == len(f.fields)
	row, hint := "  ", ""
	if on {
		row = r.th.Prompt.Paint("▸ ")
		hint = [...]string{FormSend: "enter send", FormDecline: "enter decline", FormCancel: "enter cancel"}[f.button]
	}
	for b := FormSend; b <= FormCancel; b++ {
		if f.noDecline && b == FormDecline {
			continue
		}
		if b > FormSend {
			row += r.th.Faint.Paint(" · ")
		}
		switch {
		case on && b == f.button:
			row += r.th.Selected.Paint(buttonLabels[b])
		case on:
			row += r.th.Text.Paint(buttonLabels[b])
		default:
			row += r.th.Dim.Paint(buttonLabels[b])
		}
	}
	if above || below {
		where := ""
		if above {
			where += "↑"
		}
		if below {
			where += "↓"
		}
		if !on {
			hint = strconv.Itoa(f.focus+1) + "/" + strconv.Itoa(len(f.fields))
		}
		hint += " " + where
	}
	if gap := r.width - text.Width(row) - text.Width(hint); hint != "" && gap >= 2 {
		row += strings.Repeat(" ", gap) + r.th.Faint.Paint(hint)
	}
	return text.Truncate(row, r.width, "…")
}
