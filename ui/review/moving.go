package review

// show shows a file from its beginning.
func (r *Review) show(i int) {
	if i == r.at {
		return
	}
	r.at, r.change, r.top, r.absent = i, 0, 0, ""
	r.search.found = nil
	if !r.inTree {
		r.tree.seek(r.files, r.at)
	}
}

// showRow moves through the tree and shows the file that it comes to.
func (r *Review) showRow(by int) {
	if i := r.tree.move(by); i >= 0 {
		r.show(i)
	}
}

// fits returns how many lines of the diff are visible from one on.
func (r *Review) fits(from int) int {
	s, f := r.sheet(), r.current()
	_, width := r.columns(r.width)
	if s == nil || width == 0 {
		return 1
	}
	height := r.bodyHeight(r.height) - len(r.head(f, width))
	l, n, rows := r.layout(f, s, width), 0, 0
	for line := from; line < s.Len(); line++ {
		rows += len(l.draw(line, none))
		if rows > height {
			break
		}
		n++
	}
	return max(1, n)
}

func none(int) string { return "" }

// last returns the first visible line when the last one is visible, too.
func (r *Review) last() int {
	s, f := r.sheet(), r.current()
	_, width := r.columns(r.width)
	if s == nil || width == 0 {
		return 0
	}
	height := r.bodyHeight(r.height) - len(r.head(f, width))
	l, rows := r.layout(f, s, width), 0
	for line := s.Len() - 1; line >= 0; line-- {
		if rows += len(l.draw(line, none)); rows > height {
			return min(line+1, s.Len()-1)
		}
	}
	return 0
}

// scroll moves the diff by lines. The first hunk that is visible becomes the selected one, unless
// that still is.
func (r *Review) scroll(by int) {
	s := r.sheet()
	if s == nil {
		return
	}
	r.top = max(0, min(r.top+by, r.last()))
	r.follow()
}

// follow selects a hunk that is visible.
func (r *Review) follow() {
	s := r.sheet()
	if s == nil || s.Changes() == 0 {
		return
	}
	end := r.top + r.fits(r.top)
	if begin := s.Begin(min(r.change, s.Changes()-1)); begin >= r.top && begin < end {
		return
	}
	at := max(0, s.Change(r.top))
	if at+1 < s.Changes() && s.Begin(at) < r.top && s.Begin(at+1) < end {
		at++
	}
	r.change = at
}

// keepPlace keeps the reader at a line of the diff after that has changed.
func (r *Review) keepPlace() {
	s := r.sheet()
	if s == nil {
		return
	}
	r.change = max(0, min(r.change, s.Changes()-1))
	r.top = max(0, min(r.top, r.last()))
	if s.Changes() > 0 && (s.Head(r.change) < r.top || s.Head(r.change) >= r.top+r.fits(r.top)) {
		r.reveal()
	}
}

// reveal scrolls to the selected hunk, with a line before it.
func (r *Review) reveal() {
	const before = 1
	if s := r.sheet(); s != nil && r.change < s.Changes() {
		r.top = max(0, min(s.Head(r.change)-before, r.last()))
	}
}

// nextHunk selects the next hunk, or the first of the next file; or the previous ones.
func (r *Review) nextHunk(step int) {
	s := r.sheet()
	if s != nil && r.change+step >= 0 && r.change+step < s.Changes() {
		r.change += step
		r.reveal()
		return
	}
	if !r.nextFile(step) || step > 0 {
		return
	}
	if s := r.sheet(); s != nil {
		r.change = max(0, s.Changes()-1)
		r.reveal()
	} else {
		r.change = int(^uint(0) >> 1) // the last, once it is read
	}
}

// nextFile shows the next file or the previous one.
func (r *Review) nextFile(step int) bool {
	i := r.at + step
	if i < 0 || i >= len(r.files) {
		return false
	}
	r.show(i)
	r.tree.seek(r.files, r.at)
	return true
}
