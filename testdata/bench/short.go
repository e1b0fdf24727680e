//go:build linux

package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// start measures ten starts, and the initialisation of packages before main.
func start(b *bench) error {
	var own, base []float64
	run := func(begin func() (*session, error), times *[]float64) func() error {
		return func() error {
			s, err := begin()
			if err != nil {
				return err
			}
			s.close()
			*times = append(*times, millis(s.first))
			return nil
		}
	}
	for range 10 {
		if err := b.pair(run(func() (*session, error) { return b.chat() }, &own), run(b.bare, &base)); err != nil {
			return err
		}
	}
	b.table.beside("start: exec to the first echoed key, median of 10", "ms", median(own), "tea", median(base))
	inits, err := b.inits(b.parley, "--version")
	if err != nil {
		return err
	}
	bare, err := b.inits(b.self, "-agent")
	if err != nil {
		return err
	}
	b.table.beside("start: inits of all packages", "ms", sum(inits), "tea", sum(bare))
	maps.DeleteFunc(inits, func(_ string, ms float64) bool { return ms <= 1 })
	b.table.add("start: inits over 1 ms", "ms", sum(inits))
	for _, owner := range slices.Sorted(maps.Keys(inits)) {
		b.table.add("start: init of "+owner, "ms", inits[owner])
	}
	return b.peerStarts(median(own))
}

func sum(m map[string]float64) (total float64) {
	for _, x := range m {
		total += x
	}
	return total
}

// inits returns how long each package of a program takes to initialise, in milliseconds.
func (b *bench) inits(argv ...string) (map[string]float64, error) {
	dir, env, err := b.place()
	if err != nil {
		return nil, err
	}
	var log bytes.Buffer
	defer os.RemoveAll(filepath.Dir(dir))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(env, "GODEBUG=inittrace=1"), &log
	cmd.Run()
	out := map[string]float64{}
	for line := range strings.Lines(log.String()) {
		// init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs
		f := strings.Fields(line)
		if len(f) < 6 || f[0] != "init" || f[5] != "ms" && f[5] != "clock," {
			continue
		}
		ms, err := strconv.ParseFloat(f[4], 64)
		if err != nil {
			return nil, fmt.Errorf("read the trace of inits: %q: %w", line, err)
		}
		out[f[1]] += ms
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no trace of inits from %s", argv[0])
	}
	return out, nil
}

// idle measures five idle seconds after an answer.
func idle(b *bench) error {
	const window = 5 * time.Second
	rest := func(begin func() (*session, error)) (written, share float64, err error) {
		s, err := begin()
		if err != nil {
			return 0, 0, err
		}
		defer s.close()
		if _, err := s.ask("hello"); err != nil {
			return 0, 0, err
		}
		cpu := s.usage().cpu
		before, _ := s.written()
		time.Sleep(window)
		after, _ := s.written()
		return float64(after - before), 100 * (s.usage().cpu - cpu).Seconds() / window.Seconds(), nil
	}
	var own, ownCPU, base, baseCPU float64
	contender := func() (err error) {
		own, ownCPU, err = rest(func() (*session, error) { return b.chat() })
		return err
	}
	baseline := func() (err error) {
		base, baseCPU, err = rest(b.bare)
		return err
	}
	if err := b.pair(contender, baseline); err != nil {
		return err
	}
	b.table.beside("idle: bytes in 5 s", "", own, "tea", base)
	b.table.beside("idle: processor time", "% of a core", ownCPU, "tea", baseCPU)
	return nil
}

// ran is the cost of a `parley run`.
type ran struct {
	wall   time.Duration // from exec to the end of its output
	stream time.Duration // from the agent's first byte to the end of the output
	cpu    time.Duration // without the agent
}

// ask runs a program that prints the answer to a prompt.
func (b *bench) ask(argv ...string) (r ran, answer string, err error) {
	dir, env, err := b.place()
	if err != nil {
		return r, "", err
	}
	b.reports.forget()
	defer os.RemoveAll(filepath.Dir(dir))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return r, "", err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return r, "", err
	}
	said, last := []byte(nil), began
	for buf := make([]byte, 1<<18); ; {
		n, err := out.Read(buf)
		if n > 0 {
			said, last = append(said, buf[:n]...), time.Now()
		}
		if err != nil {
			break
		}
	}
	r.wall, r.cpu = time.Since(began), usageOf(cmd.Process.Pid).cpu // it has exited but was not reaped, so /proc still has it
	if err := cmd.Wait(); err != nil {
		return r, "", fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	begin, err := b.reports.wait("begin")
	r.stream = last.Sub(begin.at)
	return r, string(said), err
}

// run sends a prompt through `parley run` to our agent and checks that the answer is printed
// byte for byte.
func (b *bench) run(text string, flags ...string) (ran, error) {
	argv := append([]string{b.parley, "run"}, flags...)
	argv = append(argv, text)
	if !slices.Contains(flags, "--agent") {
		argv = append(append(argv, "--"), b.agent()...)
	}
	r, said, err := b.ask(argv...)
	want := strings.TrimSpace(strings.Join(answer(strings.Fields(text)), ""))
	if got := strings.TrimSpace(said); err == nil && got != want {
		err = fmt.Errorf("%s: the answer has %d bytes in the place of %d, or others", strings.Join(argv, " "), len(got), len(want))
	}
	return r, err
}

// headless measures `parley run` against the bare loop: one prompt, and many messages.
func headless(b *bench) error {
	n := min(b.n, 100_000)
	many := fmt.Sprintf("flood n=%d c=20 t=1", n)
	var one, all ran
	var oneBase, allBase split
	contender := func() (err error) {
		if one, err = b.run("hello t=1"); err == nil {
			all, err = b.run(many)
		}
		return err
	}
	baseline := func() (err error) {
		if oneBase, err = b.split("hello t=1"); err == nil {
			allBase, err = b.split(many)
		}
		return err
	}
	if err := b.pair(contender, baseline); err != nil {
		return err
	}
	b.table.beside("run: one prompt, exec to end", "ms", millis(one.wall), "split", millis(oneBase.Whole))
	b.table.add("run: of it above the agent's own", "ms", millis(one.wall-oneBase.Whole))
	b.table.beside(fmt.Sprintf("run: processor time of one of %d messages", n), "µs", micros(all.cpu-one.cpu)/float64(n), "split", micros(allBase.CPU)/math.Max(1, float64(allBase.Lines)))
	return b.peerRun(one.wall)
}
