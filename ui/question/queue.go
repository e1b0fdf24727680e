package question

import (
	"slices"

	"parley/permissions"
)

// queue is the questions that wait, in the order they came, and which of them is on the
// screen.
type queue struct {
	waiting []permissions.Question
	current int
}

// now is the question on the screen; there has to be one.
func (q *queue) now() permissions.Question { return q.waiting[q.current] }

// find returns the question that waits with this key.
func (q *queue) find(key uint64) (permissions.Question, bool) {
	i := q.index(key)
	if i < 0 {
		return permissions.Question{}, false
	}
	return q.waiting[i], true
}

func (q *queue) index(key uint64) int {
	return slices.IndexFunc(q.waiting, func(w permissions.Question) bool { return w.Key == key })
}

// drop takes a question away; another tells whether that was the one on the screen.
func (q *queue) drop(key uint64) (dropped, another bool) {
	i := q.index(key)
	if i < 0 {
		return false, false
	}
	q.waiting = slices.Delete(slices.Clone(q.waiting), i, i+1)
	if another = i == q.current; i < q.current || another && i > 0 && i == len(q.waiting) {
		q.current--
	}
	return true, another
}

// beside is the place of the question so many after the one on the screen, round at the ends.
func (q *queue) beside(step int) int {
	n := len(q.waiting)
	return (q.current + step + n) % n
}

// subjects are what the questions show: tool calls by their ids, and what parley itself
// asks about by the command or the path.
func (q *queue) subjects() (tools, subjects []string) {
	for _, w := range q.waiting {
		if w.Tool != "" {
			tools = append(tools, w.Tool)
			continue
		}
		for _, p := range w.Body {
			switch p.Kind {
			case permissions.Command:
				subjects = append(subjects, p.Text)
			case permissions.Diff:
				subjects = append(subjects, p.Path)
			}
		}
	}
	return tools, subjects
}
