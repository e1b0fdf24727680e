package panel

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/widget/box"
)

// Reading is a text to read. It passes on the keys that it does not use.
type Reading struct {
	base
	OpenedBy intent.Intent // the action that opens and closes it
	Title    string
	Body     func(width int, th *theme.Theme) []string
	Tail     bool                             // start at the end, where the newest line is
	Does     map[intent.Intent]func() tea.Cmd // further keys
	Hints    []intent.Hint                    // of these keys

	offset int // rows scrolled from the start; negative with Tail
}

// edge is how many rows less than the height a page scrolls: the frame and two rows of the
// previous page.
const edge = 4

// Key takes all keys.
func (r *Reading) Key(p layer.Press) (tea.Cmd, bool) {
	page := max(1, r.height-edge)
	if do := r.Does[r.env.Keys.Of(intent.Reading, p.Name)]; do != nil {
		return do(), true
	}
	switch cmp.Or(r.env.Keys.Of(intent.Reading, p.Name), p.Want) {
	case intent.Close, intent.Stop, intent.Interrupt:
		r.host.Back(r)
	case intent.ScrollUp:
		r.Wheel(-1)
	case intent.ScrollDown:
		r.Wheel(1)
	case intent.PageUp:
		r.Wheel(-page)
	case intent.PageDown:
		r.Wheel(page)
	case intent.Home, intent.End:
	default:
		return r.out.Add(layer.Do(p.Want)), true
	}
	return nil, true
}

// Wheel implements layer.Wheeler. It scrolls from the position of the last frame.
func (r *Reading) Wheel(rows int) {
	last := r.last(r.Body(box.InnerWidth(r.width), r.env.Theme), r.height)
	r.offset = r.within(r.within(r.offset, last)+rows, last)
}

// last returns how many rows of the body do not fit.
func (r *Reading) last(body []string, height int) int {
	return max(0, len(body)-max(1, height-2))
}

// within limits an offset to the rows of the body.
func (r *Reading) within(offset, last int) int {
	if r.Tail {
		return max(-last, min(0, offset))
	}
	return max(0, min(offset, last))
}

// Rows implements layer.Overlayer.
func (r *Reading) Rows(width, height int) ([]string, *tea.Cursor) {
	body, keys := r.Body(box.InnerWidth(width), r.env.Theme), r.env.Keys
	last := r.last(body, height)
	first := r.within(r.offset, last)
	if r.Tail {
		first += last
	}
	body = body[first:min(len(body), first+max(1, height-2))]
	foot := keys.Label(intent.Reading, intent.Close) + " close"
	for _, h := range r.Hints {
		foot += " · " + keys.Label(intent.Reading, h.Key) + " " + h.Action
	}
	foot += " · " + keys.ChatKey(intent.PageUp) + " and " + keys.ChatKey(intent.PageDown) + " scroll"
	return box.Box{Title: r.Title, Foot: foot, Body: body, Focused: true}.Rows(width, r.env.Theme), nil
}
