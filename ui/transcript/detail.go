package transcript

// Density says how much of tool calls and thoughts is shown.
type Density int

// The densities, in the order in which one cycles through them.
const (
	Normal Density = iota
	Everything
	Quiet
)

func (d Density) String() string { return [...]string{"normal", "everything", "quiet"}[d] }

// detail holds how much is shown of each item.
type detail struct {
	density Density
	choices map[int]bool // items opened (true) and closed one by one
	unfold  map[int]bool // items whose group was opened
	peek    int          // the item in which a search shows a match, plus one; 0: none
}

// shown returns how much is shown of an item.
func (d *detail) shown(i int) extent {
	open, chosen := d.choices[i]
	return extent{density: d.density, chosen: chosen, choice: open, peeked: d.peek == i+1}
}

// choose opens or closes one item.
func (d *detail) choose(i int, open bool) {
	if d.choices == nil {
		d.choices = map[int]bool{}
	}
	d.choices[i] = open
}

// extent is how much is shown of one item.
type extent struct {
	density        Density
	chosen, choice bool // the user opened (choice) or closed this item
	peeked         bool // a search shows a match in it
}

// open reports whether all of the item is shown.
func (x extent) open() bool {
	return x.peeked || x.chosen && x.choice || !x.chosen && x.density == Everything
}

// opened reports whether this item in particular was opened.
func (x extent) opened() bool { return x.peeked || x.choice }

// closed reports whether this item in particular was closed.
func (x extent) closed() bool { return x.chosen && !x.choice && !x.peeked }

// muted reports whether nothing of the item has to be shown.
func (x extent) muted() bool { return x.density == Quiet && !x.chosen && !x.peeked }

// quiet reports whether as little as possible of the item is shown.
func (x extent) quiet() bool {
	return !x.peeked && (x.chosen && !x.choice || !x.chosen && x.density == Quiet)
}
