package process

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sweepRounds is how often Sweep looks again for processes started while it ended others.
const sweepRounds = 4

// leftover is a process whose starter has ended.
type leftover struct {
	entry
	owners []owner
}

// Sweep ends what processes of our installation (SetInstallation) left running when they were killed: with
// SIGTERM, and after the grace with SIGKILL. It returns how many processes it found and how many
// still run. It waits at least until those it found have ended, and stops early when ctx ends.
//
// It ends only a process of the same user whose environment has a complete mark in which every
// named owner has ended, by pid and start time in this namespace. A process that has a terminal is
// in use (a tmux, for example): it stays with everything from the same owner, and so do the
// ancestors of this process. Off Linux nothing is known, and Sweep does nothing.
func Sweep(ctx context.Context, grace time.Duration) (found, left int) {
	us, ok := ourselves()
	if !ok {
		return 0, 0
	}
	seen := map[int]uint64{} // start time by pid
	var rest []leftover
	for range sweepRounds {
		rest = us.leftovers()
		for _, l := range rest {
			if seen[l.pid] != l.started {
				seen[l.pid] = l.started
				found++
			}
		}
		if len(rest) == 0 || ctx.Err() != nil {
			break
		}
		for _, l := range rest {
			l.signal(unix.SIGTERM)
		}
		if waitEnd(ctx, rest, grace) {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		for _, l := range rest {
			l.signal(unix.SIGKILL)
		}
		waitEnd(ctx, rest, grace)
	}
	return found, len(rest)
}

// waitEnd waits until all have ended, at most for a time.
func waitEnd(ctx context.Context, all []leftover, most time.Duration) bool {
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if !slices.ContainsFunc(all, leftover.lives) {
			return true
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

func (l leftover) lives() bool {
	e, ok := readEntry(l.pid, make([]byte, statSize))
	return ok && !e.dead && e.started == l.started
}

// signal signals this process and never another one that has reused its pid: it opens the handle
// first and then checks the start time again.
func (l leftover) signal(sig syscall.Signal) {
	p, err := os.FindProcess(l.pid)
	if err != nil {
		return
	}
	defer p.Release()
	if l.lives() {
		p.Signal(sig) // it may have ended meanwhile
	}
}

// leftovers returns the processes whose owners, all of our installation, have ended.
func (o owner) leftovers() []leftover {
	table := readTable()
	spared := map[owner]bool{} // owners whose processes stay
	for pid := o.pid; pid > 0; pid = table[pid].parent {
		all, _ := marks(pid)
		for _, outer := range all {
			spared[outer] = true
		}
	}
	var marked []leftover
	for pid, e := range table {
		if e.dead || e.kernel || pid == o.pid || !sameUser(pid) {
			continue
		}
		if all, ok := marks(pid); ok {
			marked = append(marked, leftover{e, all})
		}
	}
	known := map[owner]bool{}
	for _, m := range marked {
		for _, of := range m.owners {
			if !known[of] {
				known[of] = true
				spared[of] = spared[of] || of.installation != o.installation || of.pids != o.pids || of.time != o.time || !of.gone()
			}
			spared[of] = spared[of] || m.tty || m.started < of.started
		}
	}
	return slices.DeleteFunc(marked, func(m leftover) bool {
		return slices.ContainsFunc(m.owners, func(of owner) bool { return spared[of] })
	})
}

// sameUser reports whether a process has the user's ids. One that has gained privileges has not.
func sameUser(pid int) bool {
	var info unix.Stat_t
	return unix.Stat("/proc/"+strconv.Itoa(pid), &info) == nil && int(info.Uid) == os.Geteuid() && os.Getuid() == os.Geteuid()
}

// marks returns the owners named in the environment a process was started with; false if it names
// none or cannot be read completely.
func marks(pid int) ([]owner, bool) {
	env, err := environOf(pid)
	if err != nil {
		return nil, false
	}
	for variable := range bytes.SplitSeq(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(variable, []byte(TreeVar+"=")); ok {
			return parseMark(string(value))
		}
	}
	return nil, false
}
