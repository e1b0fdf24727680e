package question

import (
	"slices"
	"time"

	"parley/permissions"
)

// queue holds the waiting questions in the order they came, and the index of the one on
// the screen.
type queue struct {
	waiting []asked
	current int
	changed bool // since the last call of Subjects
}

// asked is a waiting question and when it came.
type asked struct {
	permissions.Question
	at time.Time
}

// currentQuestion returns the question on the screen. It panics without one.
func (q *queue) currentQuestion() permissions.Question { return q.waiting[q.current].Question }

// Find returns the waiting question with this key.
func (q *queue) Find(key uint64) (permissions.Question, bool) {
	i := q.index(key)
	if i < 0 {
		return permissions.Question{}, false
	}
	return q.waiting[i].Question, true
}

func (q *queue) index(key uint64) int {
	return slices.IndexFunc(q.waiting, func(w asked) bool { return w.Key == key })
}

// drop removes a question. another reports whether a different one is on the screen now.
func (q *queue) drop(key uint64) (dropped, another bool) {
	i := q.index(key)
	if i < 0 {
		return false, false
	}
	if i == 0 { // thousands may end in order
		q.waiting = q.waiting[1:]
	} else {
		q.waiting = slices.Delete(slices.Clone(q.waiting), i, i+1)
	}
	if another = i == q.current; i < q.current || another && i > 0 && i == len(q.waiting) {
		q.current--
	}
	return true, another
}

// neighbour returns the index of the question step after the current one, wrapping around.
func (q *queue) neighbour(step int) int {
	n := len(q.waiting)
	return (q.current + step + n) % n
}

// Subjects returns what the questions show: the ids of tool calls, and the commands and
// paths that parley itself asks about. changed says that other questions wait than at the last call.
func (q *queue) Subjects() (tools, subjects []string, changed bool) {
	changed, q.changed = q.changed, false
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
	return tools, subjects, changed
}
