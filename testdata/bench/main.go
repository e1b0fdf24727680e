//go:build linux

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A scenario takes related measurements, once a round.
type scenario struct {
	name string
	what string
	run  func(*bench) error
}

var scenarios = []scenario{
	{"flood", "one answer, as fast as it is taken", flood},
	{"paced", "200 chunks of 20 bytes a second", paced},
	{"growth", "the same behind a long transcript", growth},
	{"turns", "a turn by its number in the session", turns},
	{"load", "opening a session that the agent keeps", load},
	{"resize", "another width, and paging to the start", resize},
	{"start", "from exec to the first key", start},
	{"idle", "nothing happens", idle},
	{"kept", "parley --keep", kept},
	{"run", "parley run", headless},
	{"remote", "parley serve, and parley run as its client", remote},
}

// bench is the state that the scenarios share.
type bench struct {
	parley  string // the binary to measure
	self    string // this program
	root    string // a temporary directory
	round   int
	n       int // chunks of a flood
	seconds int // length of a paced stream
	reports *reports
	table   table
}

func main() {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "-agent":
			runAgent(os.Stdin, os.Stdout)
			return
		case "-split":
			runSplit(os.Args[2])
			return
		case "-tea":
			runTea()
			return
		}
	}
	b := &bench{}
	rounds := flag.Int("rounds", 5, "how often everything is measured")
	only := flag.String("only", "", "measure only these, separated by commas: "+names())
	flag.IntVar(&b.n, "n", 1_000_000, "chunks of the flood")
	flag.IntVar(&b.seconds, "seconds", 8, "how long a paced stream takes")
	flag.StringVar(&b.parley, "parley", "", "a binary of parley; without one it is built")
	flag.Parse()
	if err := b.measure(*rounds, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func names() string {
	var out []string
	for _, s := range scenarios {
		out = append(out, s.name)
	}
	return strings.Join(out, ",")
}

// measure runs the scenarios, all of them in each round, and prints the table. A scenario that
// fails is reported and skipped in later rounds.
func (b *bench) measure(rounds int, only string) (err error) {
	chosen := scenarios
	if only != "" {
		wanted := strings.Split(only, ",")
		chosen = nil
		for _, s := range scenarios {
			if slices.Contains(wanted, s.name) {
				chosen = append(chosen, s)
			}
		}
		if len(chosen) != len(wanted) {
			return fmt.Errorf("-only %s: there are %s", only, names())
		}
	}
	if rounds < 1 || b.n < 1000 || b.seconds < 1 {
		return fmt.Errorf("-rounds and -seconds start at 1, -n at 1000")
	}
	if b.root, err = os.MkdirTemp("", "parley-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.root)
	if err := b.prepare(); err != nil {
		return err
	}
	defer b.reports.close()

	failed, before := map[string]error{}, loadAverage()
	for b.round = range rounds {
		for _, s := range chosen {
			if failed[s.name] != nil {
				continue
			}
			began := time.Now()
			if err := s.run(b); err != nil {
				failed[s.name] = err
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s, %s: %.1f s\n", b.round+1, rounds, s.name, s.what, time.Since(began).Seconds())
		}
	}
	fmt.Printf("\n120x40, medians of %d rounds; load of the machine %s before, %s after\n\n", rounds, before, loadAverage())
	b.table.print(os.Stdout)
	fmt.Println()
	b.peers(os.Stdout)
	for _, s := range chosen {
		if err := failed[s.name]; err != nil {
			fmt.Printf("%s failed: %v\n", s.name, err)
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d failed", len(failed), len(chosen))
	}
	return nil
}

// prepare builds parley and starts to collect the reports of agents.
func (b *bench) prepare() (err error) {
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.parley == "" {
		b.parley = filepath.Join(b.root, "parley")
		build := exec.Command("go", "build", "-o", b.parley, "parley")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build parley: %w", err)
		}
	} else if b.parley, err = filepath.Abs(b.parley); err != nil {
		return err
	}
	b.reports, err = listen(filepath.Join(b.root, "reports"))
	return err
}

// pair runs both halves of a round. Their order alternates from round to round.
func (b *bench) pair(contender, baseline func() error) error {
	halves := []func() error{contender, baseline}
	if b.round%2 == 1 {
		slices.Reverse(halves)
	}
	for _, half := range halves {
		if err := half(); err != nil {
			return err
		}
	}
	return nil
}

// agent returns the command line of the agent.
func (b *bench) agent() []string { return []string{b.self, "-agent"} }

// place makes directories for one process and returns the environment that names them.
func (b *bench) place() (dir string, env []string, err error) {
	root, err := os.MkdirTemp(b.root, "run-")
	if err != nil {
		return "", nil, err
	}
	for _, name := range []string{"home", "config", "work"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			return "", nil, err
		}
	}
	env = []string{"HOME=" + filepath.Join(root, "home"), "XDG_CONFIG_HOME=" + filepath.Join(root, "config"), "PATH=" + os.Getenv("PATH"),
		"TERM=xterm-256color", "LANG=C.UTF-8", "TZ=UTC", reportVar + "=" + b.reports.path}
	return filepath.Join(root, "work"), env, nil
}
