//go:build linux

package main

import (
	"fmt"
	"strings"
	"time"
)

// flood measures an answer sent as fast as it is read: the cost of a chunk against the bare
// loop, and the latency of a key against the bare program.
func flood(b *bench) error {
	text := fmt.Sprintf("flood n=%d c=20", b.n)
	const count = "flood: processor time of a chunk"
	var cpu, wall, quit float64
	var echoes, echoesBase []float64
	contender := func() error {
		s, err := b.chat()
		if err != nil {
			return err
		}
		defer s.close()
		before := s.usage().cpu
		began, end, err := s.prompt(text)
		if err != nil {
			return err
		}
		var at time.Time
		if echoes, at, err = s.typing(5*time.Millisecond, end); err != nil {
			return err
		}
		cpu, wall = micros(s.usage().cpu-before)/float64(b.n), millis(at.Sub(began))
		if err := s.all(strings.Count(strings.Join(answer(strings.Fields(text)), ""), waypoint)); err != nil {
			return err
		}
		took, err := s.quit()
		quit = millis(took)
		return err
	}
	var base split
	baseline := func() (err error) {
		if base, err = b.split(text + " t=1"); err != nil {
			return err
		}
		s, err := b.bare()
		if err != nil {
			return err
		}
		defer s.close()
		_, end, err := s.prompt(text)
		if err != nil {
			return err
		}
		echoesBase, _, err = s.typing(5*time.Millisecond, end)
		return err
	}
	if err := b.pair(contender, baseline); err != nil {
		return err
	}
	b.table.beside(count, "µs", cpu, "split", micros(base.CPU)/float64(base.Lines))
	b.table.beside(fmt.Sprintf("flood: %d chunks until all is there", b.n), "ms", wall, "split", millis(base.Wall))
	b.table.add("flood: keys typed meanwhile", "", float64(len(echoes)))
	b.table.beside("flood: key echo p50", "ms", quantile(echoes, .5), "tea", quantile(echoesBase, .5))
	b.table.beside("flood: key echo p99", "ms", quantile(echoes, .99), "tea", quantile(echoesBase, .99))
	b.table.add("flood: key echo max", "ms", quantile(echoes, 1))
	b.table.add("flood: from the key that quits to the end, all of it kept", "ms", quit)
	return nil
}

// streamed is the cost of a paced stream.
type streamed struct {
	cpu, wall time.Duration
	chunks    int
	echoes    []float64 // latencies of keys, ms
	shown     []float64 // from sending a mark to its appearing on the screen, ms
	text      int       // bytes of text
	bytes     int64     // bytes written to the terminal
}

// stream has the agent send 200 chunks of 20 bytes a second, and types meanwhile.
func (s *session) stream(seconds int) (r streamed, err error) {
	const rate = 200
	text := fmt.Sprintf("pace n=%d c=20 rate=%d", seconds*rate, rate)
	for _, chunk := range answer([]string{"pace", fmt.Sprintf("n=%d", seconds*rate)}) {
		r.text += len(chunk)
		r.chunks++
	}
	seen := map[string]<-chan time.Time{}
	for i := range seconds*4 + 4 {
		seen[streams.at(i)] = s.on(streams.at(i))
	}
	if err := s.quiet(300 * time.Millisecond); err != nil {
		return r, err
	}
	cpu := s.usage().cpu
	bytes, _ := s.written()
	began, end, err := s.prompt(text)
	if err != nil {
		return r, err
	}
	var at time.Time
	if r.echoes, at, err = s.typing(50*time.Millisecond, end); err != nil {
		return r, err
	}
	r.cpu, r.wall = s.usage().cpu-cpu, at.Sub(began)
	total, _ := s.written()
	r.bytes = total - bytes
	for len(s.b.reports.in) > 0 {
		if m := <-s.b.reports.in; m.what == "mark" {
			r.text += len(m.detail) + 1
			select {
			case at := <-seen[m.detail]:
				r.shown = append(r.shown, millis(at.Sub(m.at)))
			default: // scrolled away between two frames
			}
		}
	}
	if len(r.shown) < seconds {
		return r, fmt.Errorf("of the letters in a paced stream only %d came to the screen", len(r.shown))
	}
	return r, nil
}

// paced measures a stream at the speed of a model, against the bare program.
func paced(b *bench) error {
	var own, base streamed
	run := func(start func() (*session, error), r *streamed) func() error {
		return func() error {
			s, err := start()
			if err != nil {
				return err
			}
			defer s.close()
			*r, err = s.stream(b.seconds)
			return err
		}
	}
	if err := b.pair(run(func() (*session, error) { return b.chat() }, &own), run(b.bare, &base)); err != nil {
		return err
	}
	share := func(r streamed) float64 { return 100 * r.cpu.Seconds() / r.wall.Seconds() }
	b.table.beside("paced: processor time", "% of a core", share(own), "tea", share(base))
	b.table.beside("paced: key echo p50", "ms", quantile(own.echoes, .5), "tea", quantile(base.echoes, .5))
	b.table.beside("paced: key echo p99", "ms", quantile(own.echoes, .99), "tea", quantile(base.echoes, .99))
	b.table.beside("paced: chunk to screen p50", "ms", quantile(own.shown, .5), "tea", quantile(base.shown, .5))
	b.table.beside("paced: bytes to the terminal, a byte of text", "", float64(own.bytes)/float64(own.text), "tea", float64(base.bytes)/float64(base.text))
	return nil
}
