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

// sweepRounds is how often Sweep looks again for what was started while it ended the rest.
const sweepRounds = 4

// leftover is a process that somebody has left who is gone.
type leftover struct {
	entry
	owners []owner
}

// Sweep ends what processes of our house (SetHouse) have left that were killed before they could: SIGTERM, and after the
// grace SIGKILL. It returns how many processes it has found, and how many of them are still there. It waits, at least for
// the end of what it has found, and gives up when ctx ends.
//
// It ends only what is certain: a process of the same user, whose environment has a mark that can be read to its end,
// and all who are named there are gone, by their pid and the time of their start in this very namespace. Whoever has
// left something with a terminal has left it to somebody who works there (a tmux, say): all of that lives on, and so
// does what we were started from ourselves. Off Linux nothing is known of anybody, and nothing is done.
func Sweep(ctx context.Context, grace time.Duration) (found, left int) {
	us, ok := ourselves()
	if !ok {
		return 0, 0
	}
	seen := map[int]uint64{} // by pid, when it was started
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

// waitEnd waits until all are gone, for a time at most.
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

// signal sends to this process and to none that has its pid after it: the handle is got first, and then it is looked at
// once more.
func (l leftover) signal(sig syscall.Signal) {
	p, err := os.FindProcess(l.pid)
	if err != nil {
		return
	}
	defer p.Release()
	if l.lives() {
		p.Signal(sig) // one that has ended meanwhile is no error
	}
}

// leftovers are the processes that somebody of our house has left.
func (o owner) leftovers() []leftover {
	table := readTable()
	spared := map[owner]bool{} // whose processes are to live
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
				spared[of] = spared[of] || of.house != o.house || of.pids != o.pids || of.time != o.time || !of.gone()
			}
			spared[of] = spared[of] || m.tty || m.started < of.started
		}
	}
	return slices.DeleteFunc(marked, func(m leftover) bool {
		return slices.ContainsFunc(m.owners, func(of owner) bool { return spared[of] })
	})
}

// sameUser tells whether a process is the user's. One that has taken on more rights is not.
func sameUser(pid int) bool {
	var info unix.Stat_t
	return unix.Stat("/proc/"+strconv.Itoa(pid), &info) == nil && int(info.Uid) == os.Geteuid() && os.Getuid() == os.Geteuid()
}

// marks are the owners that the environment of a process names, with which it was started; false where it names none,
// or not all can be read.
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
