package host

import (
	"strings"

	"parley/acpclient/event"
)

// Bounds for locating a change: of the file, and of the lines and bytes of context on each side.
const (
	maxLocated  = 1 << 20
	linesAround = 3
	maxAround   = 4 << 10
)

// locate implements acpclient.Services.Locate. It only reads what an agent may read without a question.
func (h *Host) locate(session, path, before, after string) *event.DiffContext {
	if len(before) > maxLocated || len(after) > maxLocated {
		return nil
	}
	text, err := h.readable(session, h.find(session, path))
	if err != nil {
		return nil
	}
	return placeIn(text, before, after)
}

// placeIn finds where in a file a change is, whether or not it was written yet: by a text that occurs
// once.
func placeIn(file, before, after string) *event.DiffContext {
	if strings.Contains(file, "\r\n") && !strings.Contains(before+after, "\r\n") {
		file = strings.ReplaceAll(file, "\r\n", "\n") // as some agents read it
	}
	if before == file || after == file {
		return &event.DiffContext{}
	}
	old, oldCount := occurrence(file, before)
	now, nowCount := occurrence(file, after)
	switch written := strings.Contains(after, before); {
	case nowCount == 1 && (oldCount == 0 || written):
		return around(file, now, now+len(after))
	case oldCount == 1 && (nowCount != 1 || strings.Contains(before, after)):
		return around(file, old, old+len(before))
	case before == "": // a whole file, written or not yet
		return nil
	case oldCount+nowCount > 0:
		return &event.DiffContext{First: -1}
	}
	return nil
}

// occurrence returns where a text is in a file, and how often it occurs, up to twice; never for the
// empty text.
func occurrence(file, text string) (at, n int) {
	if text == "" {
		return -1, 0
	}
	if at = strings.Index(file, text); at < 0 {
		return -1, 0
	}
	if strings.Contains(file[at+1:], text) {
		return at, 2
	}
	return at, 1
}

// around returns the place of file[from:to], extended to whole lines and with a few lines of context.
func around(file string, from, to int) *event.DiffContext {
	start, end := strings.LastIndexByte(file[:from], '\n')+1, to
	for range linesAround {
		start = strings.LastIndexByte(file[:max(0, start-1)], '\n') + 1
	}
	lines := linesAround
	if file[to-1] != '\n' {
		lines++
	}
	for range lines {
		i := strings.IndexByte(file[end:], '\n')
		if i < 0 {
			end = len(file)
			break
		}
		end += i + 1
	}
	p := &event.DiffContext{Before: file[start:from], After: file[to:end]}
	if len(p.Before) > maxAround {
		start, p.Before = from, ""
	}
	if len(p.After) > maxAround { // cut overlong lines
		p.After = ""
		if file[to-1] != '\n' {
			p.After = "\n"
		}
	}
	p.First = strings.Count(file[:start], "\n")
	return p
}
