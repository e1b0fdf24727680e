package process

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// entry is a line of the process table. A pid can be reused; with the start time it identifies one
// process.
type entry struct {
	pid, parent, group, session int
	started                     uint64
	dead                        bool // a zombie that its parent has not waited for
	busy                        bool // it runs, could run, or waits for a disk
	kernel                      bool // a thread of the kernel
	tty                         bool // it has a controlling terminal
}

// members remembers, by pid and start time, descendants that have left both group and session, and
// processes that have no environment to search for a mark.
type members struct {
	started       uint64 // of the program: nothing older can belong to it
	strays, blank map[int]uint64
	unsure        int // how many seemed to be in an exec, so that their marks were not seen
}

// adopt is called before the program can be reaped, so it is still in the table.
func (g *Group) adopt() error {
	e, _ := readEntry(g.pid, make([]byte, statSize))
	g.started = e.started
	return nil
}

func (g *Group) free()  { g.strays, g.blank = nil, nil }
func (g *Group) track() { g.survey() }

func (g *Group) anyLeft() bool {
	for _, e := range g.survey() {
		if !e.dead {
			return true
		}
	}
	return g.unsure > 0
}

// survey returns everything that belongs to the group: its members, those of its session (a shell
// with job control creates groups in it), processes with its mark, strays seen before, and all
// their descendants.
func (g *Group) survey() []entry {
	if g.pid <= 1 { // never started; in a container session 0 contains every process
		return nil
	}
	table := readTable()
	// If the id is in use again, the group and session are empty; strays do not keep it.
	_, taken := table[g.pid]
	taken = taken && g.reaped
	ours := make(map[int]bool)
	for pid, e := range table {
		if !taken && (e.group == g.pid || e.session == g.pid) || (g.strays[pid] != 0 && g.strays[pid] == e.started) {
			ours[pid] = true
		}
	}
	g.addMarked(table, ours)
	for grown := len(ours) > 0; grown; {
		grown = false
		for pid, e := range table {
			if !ours[pid] && ours[e.parent] {
				ours[pid], grown = true, true
			}
		}
	}
	found := make([]entry, 0, len(ours))
	strays := make(map[int]uint64)
	for pid := range ours {
		e := table[pid]
		found = append(found, e)
		if taken || e.group != g.pid && e.session != g.pid {
			strays[pid] = e.started
		}
	}
	g.strays = strays
	return found
}

func (g *Group) terminate() error {
	return g.signalFound(g.survey(), unix.SIGTERM)
}

// kill stops processes until a survey finds no new one, so that none is started between the last
// survey and SIGKILL.
func (g *Group) kill() error {
	seen := make(map[int]bool)
	var found []entry
	for range 8 {
		found = g.survey()
		grown := false
		for _, e := range found {
			if !seen[e.pid] {
				seen[e.pid], grown = true, true
				if !e.dead {
					unix.Kill(e.pid, unix.SIGSTOP)
				}
			}
		}
		if !grown && g.unsure == 0 {
			break
		}
	}
	return g.signalFound(found, unix.SIGKILL)
}

func (g *Group) signalFound(found []entry, sig unix.Signal) error {
	var err error
	if !g.reaped {
		err = g.signalGroup(sig)
	}
	for _, e := range found {
		switch {
		case e.dead:
		case e.group == g.pid && !g.reaped: // signalled with the group
		default:
			unix.Kill(e.pid, sig)
		}
	}
	return err
}

// kernelThread is PF_KTHREAD in the flags.
const kernelThread = 0x200000

// statSize is larger than any /proc/<pid>/stat.
const statSize = 1024

func readTable() map[int]entry {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	table := make(map[int]entry, len(names))
	buf := make([]byte, statSize)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if e, ok := readEntry(pid, buf); ok {
			table[pid] = e
		}
	}
	return table
}

// readEntry reads /proc/<pid>/stat. The name in it may contain spaces and parentheses, so fields
// are counted from the last closing parenthesis: state, ppid, pgrp, session, tty, ...; the seventh
// are flags, the twentieth is the start time.
func readEntry(pid int, buf []byte) (entry, bool) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return entry{}, false
	}
	n, err := unix.Read(fd, buf)
	unix.Close(fd)
	if err != nil {
		return entry{}, false
	}
	return parseStat(pid, buf[:n])
}

func parseStat(pid int, stat []byte) (entry, bool) {
	_, rest, ok := bytes.Cut(stat[max(bytes.LastIndexByte(stat, ')'), 0):], []byte(") "))
	fields := bytes.Fields(rest)
	if !ok || len(fields) < 20 {
		return entry{}, false
	}
	number := func(i int) int { n, _ := strconv.Atoi(string(fields[i])); return n }
	started, _ := strconv.ParseUint(string(fields[19]), 10, 64)
	flags, _ := strconv.ParseUint(string(fields[6]), 10, 64)
	state := fields[0][0]
	return entry{
		pid: pid, parent: number(1), group: number(2), session: number(3),
		started: started, dead: state == 'Z' || state == 'X', busy: state == 'R' || state == 'D', kernel: flags&kernelThread != 0, tty: number(4) != 0,
	}, true
}
