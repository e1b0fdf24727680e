//go:build linux

package main

import (
	"fmt"
	"math"
	"time"
)

// rowsOfKB is roughly how many rows a kilobyte of the corpus fills.
const rowsOfKB = 20

// opened opens a stored session. It returns the time from the first byte until the end of the
// session is on the screen, and the processor time.
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

// load measures opening a session, against the bare loop on the same lines.
func load(b *bench) error {
	const kept, updates = "turns,n=20000", 20_002 // and the end of the session
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

// growth measures a paced stream after transcripts of three lengths, and the memory that they
// need.
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

// turns measures the processor time of a turn after more and more turns of one session, in a
// repository, so that what each changes is recorded.
func turns(b *bench) error {
	const window = 50
	s, err := b.begin(append([]string{"sh", "-c", `for i in $(seq 0 199); do echo >file$i.txt; done; git init -q && exec "$@"`, "sh", b.parley, "--"}, b.agent()...))
	if err != nil {
		return err
	}
	defer s.close()
	var lengths, costs []float64
	turn := 0
	play := func(until int) error {
		for ; turn < until; turn++ {
			_, end, err := s.prompt("work")
			if err == nil {
				_, err = s.await("the end of a turn", end)
			}
			if err != nil {
				return fmt.Errorf("turn %d: %w", turn+1, err)
			}
		}
		return s.quiet(300 * time.Millisecond)
	}
	for _, after := range []int{10, 100, 1000, 3000} {
		if err := play(after); err != nil {
			return err
		}
		before := s.usage().cpu
		if err := play(after + window); err != nil {
			return err
		}
		lengths, costs = append(lengths, float64(after)), append(costs, millis(s.usage().cpu-before)/window)
		b.table.beside(fmt.Sprintf("turns: processor time of a turn after %d", after), "ms", costs[len(costs)-1], "after 10", costs[0])
	}
	b.table.add("turns: its exponent (0: does not grow)", "", slope(lengths, costs))
	return nil
}

// resized is the cost of a change of width.
type resized struct {
	settle []float64 // ms until the last byte of its output
	cpu    float64   // ms for each
}

// resizes makes the terminal narrower and wider in turn.
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

// pages pages up until the mark in the first prompt is on the screen, and returns how long
// each page took to draw, in milliseconds.
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
		if err := s.quiet(30 * time.Millisecond); err != nil { // syntax colours come in a later frame
			return nil, err
		}
		select {
		case <-found:
			return frames, nil
		default:
		}
	}
}

// resize measures resizing and paging with a short and a long transcript, against the bare
// program, which draws one screen.
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
