//go:build unix

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

// Upper bounds, in bytes, for what is allocated before main: by parley's own packages, and by all
// packages together. Every command pays this. Most of it is chroma's lexers and styles.
const (
	ownInit = 250_000
	allInit = 7_500_000
)

// inited is the initialisation of one package.
type inited struct {
	name          string
	clock         time.Duration
	bytes, allocs int
}

var initLine = regexp.MustCompile(`(?m)^init (\S+) @[0-9.]+ ms, ([0-9.]+) ms clock, ([0-9]+) bytes, ([0-9]+) allocs$`)

// Every start pays for initialisation, whatever the command. The time is only logged; the
// allocations are the same on every machine and reveal a new dependency with an expensive init.
func TestInitialisation(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	cmd := exec.Command(parley, "--version")
	cmd.Dir, cmd.Env = dir, environ(dir, "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var all, own inited
	var slow []inited
	for _, m := range initLine.FindAllStringSubmatch(string(out), -1) {
		p := inited{name: m[1]}
		var ms float64
		fmt.Sscan(m[2], &ms)
		fmt.Sscan(m[3], &p.bytes)
		fmt.Sscan(m[4], &p.allocs)
		p.clock = time.Duration(ms * float64(time.Millisecond))
		sums := []*inited{&all}
		if strings.HasPrefix(p.name, "parley/") {
			sums = append(sums, &own)
		}
		for _, sum := range sums {
			sum.clock, sum.bytes, sum.allocs = sum.clock+p.clock, sum.bytes+p.bytes, sum.allocs+p.allocs
		}
		if p.clock >= time.Millisecond || p.bytes >= 200_000 {
			slow = append(slow, p)
		}
	}
	if all.bytes == 0 || own.bytes == 0 {
		t.Fatalf("no figures in:\n%s", out)
	}
	t.Logf("all packages: %v, %d bytes, %d allocations; our own: %v, %d bytes, %d allocations", all.clock, all.bytes, all.allocs, own.clock, own.bytes, own.allocs)
	ways := waysTo(t)
	slices.SortFunc(slow, func(a, b inited) int { return b.bytes - a.bytes })
	for _, p := range slow {
		t.Logf("%8v %8d bytes  %s, by way of %s", p.clock, p.bytes, p.name, strings.Join(ways(p.name), " → "))
	}
	if own.bytes > ownInit {
		t.Errorf("our own packages allocate %d bytes, at most %d were expected", own.bytes, ownInit)
	}
	if all.bytes > allInit {
		t.Errorf("all packages allocate %d bytes, at most %d were expected", all.bytes, allInit)
	}
}

// waysTo returns a function that finds a shortest import path from the program to a package.
func waysTo(t *testing.T) func(name string) []string {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`, ".")
	list.Dir = filepath.Join("..", "..")
	out := must.Get(list.Output())(t)
	imports := map[string][]string{}
	for l := range strings.Lines(string(out)) {
		words := strings.Fields(l)
		imports[words[0]] = words[1:]
	}
	from := map[string]string{"parley": ""}
	for next := []string{"parley"}; len(next) > 0; next = next[1:] {
		for _, p := range imports[next[0]] {
			if _, known := from[p]; !known {
				from[p] = next[0]
				next = append(next, p)
			}
		}
	}
	return func(name string) (way []string) {
		for name = from[name]; name != ""; name = from[name] {
			way = append([]string{name}, way...)
		}
		return way
	}
}
