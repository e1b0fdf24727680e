//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// kept measures what a keeper between parley and the terminal costs, against parley at the terminal.
func kept(b *bench) error {
	type costs struct {
		echoes       []float64
		flood, lines time.Duration
	}
	measure := func(flags ...string) (c costs, err error) {
		for _, inline := range []bool{false, true} {
			if inline {
				flags = append(flags, "--inline")
			}
			s, err := b.chat(flags...)
			if err != nil {
				return c, err
			}
			defer s.stopKept()
			if inline {
				c.lines, err = s.ask(fmt.Sprintf("flood n=%d c=20", b.n/4))
				return c, err
			}
			for i := range 300 {
				time.Sleep(10 * time.Millisecond)
				echo, err := s.key(i == 0)
				if err != nil {
					return c, err
				}
				c.echoes = append(c.echoes, millis(echo))
			}
			s.send("\x7f")
			if c.flood, err = s.ask(fmt.Sprintf("flood n=%d c=20", b.n)); err != nil {
				return c, err
			}
			if len(flags) > 0 {
				err = s.keeperMemory()
			}
			if err != nil {
				return c, err
			}
		}
		return c, nil
	}
	var own, base costs
	contender := func() (err error) { own, err = measure("--keep"); return err }
	baseline := func() (err error) { base, err = measure(); return err }
	if err := b.pair(contender, baseline); err != nil {
		return err
	}
	for _, q := range []float64{.5, .9} {
		name := fmt.Sprintf("kept: key echo p%.0f", 100*q)
		b.table.beside(name, "ms", quantile(own.echoes, q), "not kept", quantile(base.echoes, q))
	}
	b.table.beside(fmt.Sprintf("kept: %d chunks until all is there", b.n), "ms", millis(own.flood), "not kept", millis(base.flood))
	b.table.beside(fmt.Sprintf("kept: %d chunks inline", b.n/4), "ms", millis(own.lines), "not kept", millis(base.lines))
	return nil
}

// parley runs a command of parley beside a session.
func (s *session) parley(args ...string) ([]byte, error) {
	cmd := exec.Command(s.b.parley, args...)
	cmd.Env = []string{"HOME=" + filepath.Join(s.root, "home"), "XDG_CONFIG_HOME=" + filepath.Join(s.root, "config")}
	return cmd.Output()
}

// stopKept is close for a session that may outlive its terminal.
func (s *session) stopKept() {
	_, _ = s.parley("stop", "work")
	s.close()
}

// keeperMemory adds the memory of the keeper to the table.
func (s *session) keeperMemory() error {
	out, err := s.parley("ps", "--json")
	if err != nil {
		return err
	}
	var all []struct{ PID int }
	if err := json.Unmarshal(out, &all); err != nil || len(all) != 1 {
		return errors.Join(err, fmt.Errorf("%d are kept", len(all)))
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", all[0].PID))
	for line := range strings.SplitSeq(string(status), "\n") {
		name, value, _ := strings.Cut(line, ":")
		var kib float64
		if _, err := fmt.Sscan(value, &kib); err == nil && (name == "VmRSS" || name == "RssAnon") {
			s.b.table.add("kept: memory of the keeper, "+name, "MB", kib/1024)
		}
	}
	return err
}
