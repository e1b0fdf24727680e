//go:build linux

package main

import (
	"fmt"
	"math"
	"time"
)

// rowsOfKB is how many rows a kilobyte of the corpus makes, about.
const rowsOfKB = 20

// opened opens a session that the agent keeps, and returns how long it took from
// the first byte until its end stood on the screen, and what it took.
func (b *bench) opened(kept string) (s *session, took time.Duration, cpu time.Duration, err error) {
	s, err = b.launch(append([]string{b.parley, "--resume", kept + ",t=1,top=2", "--"}, b.agent()...))
	if err != nil {
		return nil, 0, 0, err
	}
	s.ended = 2
	end := s.on(ends.at(1))
	begin, err := b.reports.wait("begin")
	if err == nil {
		var at time.Time
		at, err = s.await("the end of a session that is loaded", end)
		took, cpu = at.Sub(begin.at), s.usage().cpu
	}
	if err == nil {
		err = s.ready()
	}
	if err == nil {
		err = s.quiet(500 * time.Millisecond)
	}
	if err != nil {
		s.close()
	}
	return s, took, cpu, err
}

// load measures opening a session, beside the bare loop on the same lines.
func load(b *bench) error {
	const kept, updates = "turns,n=20000", 20_002 // and an end
	var took, cpu time.Duration
	var base split
	contender := func() error {
		s, t, c, err := b.opened(kept)
		if err != nil {
			return err
		}
		s.close()
		took, cpu = t, c
		return nil
	}
	baseline := func() (err error) {
		base, err = b.split("kept:" + kept)
		if err == nil && base.Lines != updates {
			err = fmt.Errorf("%d updates in the place of %d", base.Lines, updates)
		}
		return err
	}
	if err := b.pair(contender, baseline); err != nil {
		return err
	}
	b.table.beside("load: 20,000 updates until all is there", "ms", millis(took), "split", millis(base.Wall))
	b.table.add("load: processor time, with the start", "ms", millis(cpu))
	return nil
}

// growth measures a paced stream behind transcripts of three lengths, and the
// memory that one takes.
func growth(b *bench) error {
	var lengths, costs []float64
	for _, kb := range []int{50, 500, 5000} {
		s, _, _, err := b.opened(fmt.Sprintf("text,kb=%d", kb))
		if err != nil {
			return err
		}
		r, err := s.stream(b.seconds)
		s.close()
		if err != nil {
			return err
		}
		lengths, costs = append(lengths, float64(kb*rowsOfKB)), append(costs, micros(r.cpu)/float64(r.chunks))
	}
	for i, rows := range lengths[1:] {
		b.table.beside(fmt.Sprintf("growth: processor time of a paced chunk, %.0f rows", rows), "µs", costs[i+1], "at 1,000 rows", costs[0])
	}
	b.table.add("growth: its exponent (0: does not grow)", "", slope(lengths, costs))

	s, err := b.chat()
	if err != nil {
		return err
	}
	defer s.close()
	time.Sleep(300 * time.Millisecond)
	before := s.usage().pss
	const chunks = 250_000
	text := 0
	for _, c := range answer([]string{"flood", fmt.Sprintf("n=%d", chunks)}) {
		text += len(c)
	}
	if _, err := s.ask(fmt.Sprintf("flood n=%d c=20", chunks)); err != nil {
		return err
	}
	time.Sleep(time.Second)
	const mb = 1 << 20
	b.table.beside("growth: memory of an answer of 5 MB", "MB", float64(s.usage().pss-before)/mb, "of text", float64(text)/mb)
	b.table.add("growth: memory at the start", "MB", float64(before)/mb)
	return nil
}

// resized is what another width takes.
type resized struct {
	settle []float64 // ms until the last byte of it
	cpu    float64   // ms of one
}

// resizes makes the terminal narrower and wider.
func (s *session) resizes(times int) (r resized, err error) {
	before := s.usage().cpu
	for i := range times {
		width := uint16(cols)
		if i%2 == 0 {
			width -= 17
		}
		at := time.Now()
		if err := s.terminal.resize(width); err != nil {
			return r, err
		}
		for {
			if _, last := s.written(); last.After(at) {
				break
			}
			if time.Since(at) > 5*time.Second {
				return r, fmt.Errorf("nothing is drawn after a resize")
			}
			time.Sleep(time.Millisecond)
		}
		if err := s.quiet(150 * time.Millisecond); err != nil {
			return r, err
		}
		_, last := s.written()
		r.settle = append(r.settle, millis(last.Sub(at)))
	}
	r.cpu = millis(s.usage().cpu-before) / float64(times)
	return r, nil
}

// pages goes up page by page until the letter in the first prompt is there, and
// returns how long each page took to be drawn, in milliseconds.
func (s *session) pages(top string) (frames []float64, err error) {
	found := s.on(top)
	for {
		drawn, at := s.on("\x1b[?2026l"), time.Now()
		s.send("\x1b[5~")
		end, err := s.await("a page up", drawn)
		if err != nil {
			return nil, fmt.Errorf("%w, after %d pages", err, len(frames))
		}
		frames = append(frames, millis(end.Sub(at)))
		if err := s.quiet(30 * time.Millisecond); err != nil { // colours of code come in a frame of their own
			return nil, err
		}
		select {
		case <-found:
			return frames, nil
		default:
		}
	}
}

// resize measures another width, and paging, behind a short and a long
// transcript, beside the same of the bare program, which draws one screen.
func resize(b *bench) error {
	const times = 20
	s, err := b.bare()
	if err != nil {
		return err
	}
	if _, err = s.ask("flood n=2500 c=20"); err != nil {
		return err
	}
	base, err := s.resizes(times)
	s.close()
	if err != nil {
		return err
	}
	short := math.NaN()
	for _, kb := range []int{50, 5000} {
		s, _, _, err := b.opened(fmt.Sprintf("text,kb=%d", kb))
		if err != nil {
			return err
		}
		defer s.close()
		r, err := s.resizes(times)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("resize: %d rows", kb*rowsOfKB)
		b.table.beside(name+", until settled p50", "ms", quantile(r.settle, .5), "tea", quantile(base.settle, .5))
		b.table.beside(name+", until settled p95", "ms", quantile(r.settle, .95), "tea", quantile(base.settle, .95))
		if math.IsNaN(short) {
			short = r.cpu
			b.table.beside(name+", processor time", "ms", r.cpu, "tea", base.cpu)
		} else {
			b.table.beside(name+", processor time", "ms", r.cpu, "at 1,000 rows", short)
		}
		frames, err := s.pages(ends.at(2))
		if err != nil {
			return err
		}
		b.table.add(fmt.Sprintf("page up: %d rows, pages", kb*rowsOfKB), "", float64(len(frames)))
		b.table.add(fmt.Sprintf("page up: %d rows, slowest frame", kb*rowsOfKB), "ms", quantile(frames, 1))
		b.table.add(fmt.Sprintf("page up: %d rows, p50", kb*rowsOfKB), "ms", quantile(frames, .5))
	}
	return nil
}
