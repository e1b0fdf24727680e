//go:build unix

package keeper

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"

	"parley/internal/must"
	"parley/terminal"
)

// flooded is how much the program of the benchmarks writes at once.
const flooded = 16 << 20

// runEcho writes what it reads, and a flood for an F.
func runEcho() int {
	k := Kept()
	go func() {
		for c := range k.Changes() {
			if !c.Attached {
				k.Left()
			}
		}
	}()
	if _, err := term.MakeRaw(0); err != nil {
		return 1
	}
	os.Stdout.WriteString("!")
	b := make([]byte, 4096)
	flood := bytes.Repeat([]byte("\x1b[38;5;10mThe quick brown fox\x1b[m jumps over the lazy dog.\r\n"), 64)
	for {
		n, err := os.Stdin.Read(b)
		if err != nil {
			return 0
		}
		if b[0] != 'F' {
			os.Stdout.Write(b[:n])
			continue
		}
		for left := flooded; left > 0; {
			n := min(left, len(flood))
			os.Stdout.Write(flood[:n])
			left -= n
		}
	}
}

// benchTerminal returns a terminal in which the program of the benchmarks runs, kept or not.
func benchTerminal(b *testing.B, kept bool) *os.File {
	ours, theirs, err := terminal.OpenPTY()
	must.Do(b, err)
	must.Do(b, terminal.SetSize(ours, 80, 24))
	args := []string{"echo"}
	if kept {
		runtime := must.Get(os.MkdirTemp("", "k"))(b)
		b.Cleanup(func() { os.RemoveAll(runtime) })
		b.Setenv("XDG_RUNTIME_DIR", runtime)
		b.Setenv("PARLEY_STATE", b.TempDir())
		name := must.Get(Start(Options{Args: args, Dir: b.TempDir()}))(b)
		b.Cleanup(func() { _ = Stop(forever, name) })
		args = []string{"attach", name}
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must.Do(b, cmd.Start())
	theirs.Close()
	b.Cleanup(func() { ours.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	must.Get(io.ReadFull(ours, make([]byte, 1)))(b)
	return ours
}

func benchBoth(b *testing.B, f func(b *testing.B, t *os.File)) {
	for _, kept := range []bool{false, true} {
		b.Run("kept="+strconv.FormatBool(kept), func(b *testing.B) { f(b, benchTerminal(b, kept)) })
	}
}

// BenchmarkEcho is a key until it is back.
func BenchmarkEcho(b *testing.B) {
	benchBoth(b, func(b *testing.B, t *os.File) {
		one := []byte("x")
		var times []time.Duration
		for b.Loop() {
			begun := time.Now()
			must.Get(t.Write(one))(b)
			must.Get(io.ReadFull(t, one))(b)
			times = append(times, time.Since(begun))
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Microseconds()), "us/median")
	})
}

// BenchmarkFlood is a program that writes as fast as it can.
func BenchmarkFlood(b *testing.B) {
	benchBoth(b, func(b *testing.B, t *os.File) {
		b.SetBytes(flooded)
		buffer := make([]byte, 1<<16)
		for b.Loop() {
			must.Get(t.WriteString("F"))(b)
			for left := flooded; left > 0; {
				left -= must.Get(t.Read(buffer))(b)
			}
		}
	})
}
