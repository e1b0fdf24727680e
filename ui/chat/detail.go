package chat

// Density says how much of tool calls and thoughts is shown.
type Density int

// The densities, in the order in which one cycles through them.
const (
	Normal Density = iota
	Everything
	Quiet
)

func (d Density) String() string { return [...]string{"normal", "everything", "quiet"}[d] }

// detail says how much is shown of each item.
type detail struct {
	density Density
	choices map[int]bool // items opened (true) and closed one by one
	peek    int          // the item that a search has opened, plus one; 0: none
}

// shown is how much is shown of an item.
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
	chosen, choice bool // the item was opened (choice) or closed by itself
	peeked         bool // it is open for as long as a match in it is shown
}

// open tells whether everything of the item is to be shown.
func (x extent) open() bool {
	return x.peeked || x.chosen && x.choice || !x.chosen && x.density == Everything
}

// opened tells whether the item was opened by itself.
func (x extent) opened() bool { return x.peeked || x.choice }

// closed tells whether the item was closed by itself.
func (x extent) closed() bool { return x.chosen && !x.choice && !x.peeked }

// quiet tells whether as little as possible of the item is to be shown.
func (x extent) quiet() bool {
	return !x.peeked && (x.chosen && !x.choice || !x.chosen && x.density == Quiet)
}
