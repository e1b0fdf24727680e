package process

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxOuter bounds the marks of outer Groups in bytes: who nests deeper loses the outermost.
const maxOuter = 2 << 10

// maxEnviron is more than an environment can be, arguments and stack limit as usual.
const maxEnviron = 8 << 20

// blankTries and blankPause are how often a process without an environment is looked at again: for the moment of an
// exec it has none.
const (
	blankTries = 3
	blankPause = time.Millisecond
)

// mark gives a command the mark, whatever its environment says of such.
func mark(cmd *exec.Cmd, token string) {
	env := cmd.Env
	if env == nil {
		env = os.Environ()
	}
	marked := make([]string, 0, len(env)+1)
	for _, v := range env {
		if !strings.HasPrefix(v, TreeVar+"=") {
			marked = append(marked, v)
		}
	}
	if who, ok := ourselves(); ok {
		token += between + who.String()
	}
	value := token
	if outer := os.Getenv(TreeVar); outer != "" {
		if over := len(outer) - maxOuter; over > 0 {
			_, outer, _ = strings.Cut(outer[over:], "/")
		}
		value = outer + "/" + token
	}
	cmd.Env = append(marked, TreeVar+"="+value)
}

// endWithParent has the kernel end the program when the thread ends that started it. SIGTERM, since a program that
// takes it can end its own children, which nobody else would.
func endWithParent(attr *syscall.SysProcAttr) {
	if attr.Pdeathsig == 0 {
		attr.Pdeathsig = syscall.SIGTERM
	}
}

// addMarked adds the processes with the mark of g to ours.
func (g *Group) addMarked(table map[int]entry, ours map[int]bool) {
	var unsure []int
	for pid, e := range table {
		if ours[pid] || e.dead || e.kernel || e.started < g.started || pid == os.Getpid() {
			continue
		}
		switch found, blank := g.marked(pid); {
		case found:
			ours[pid] = true
		case blank && g.blank[pid] != e.started:
			unsure = append(unsure, pid)
		}
	}
	for try := 0; try < blankTries && len(unsure) > 0; try++ {
		time.Sleep(blankPause)
		rest := unsure[:0]
		for _, pid := range unsure {
			switch found, blank := g.marked(pid); {
			case found:
				ours[pid] = true
			case blank:
				rest = append(rest, pid)
			}
		}
		unsure = rest
	}
	blank := make(map[int]uint64, len(unsure))
	for pid, started := range g.blank {
		if table[pid].started == started {
			blank[pid] = started
		}
	}
	for _, pid := range unsure {
		blank[pid] = table[pid].started
	}
	g.blank = blank
}

// marked tells whether the environment that a process was started with has the mark of g, and whether it has none at
// all. That of somebody else's process cannot be read; nor could it be killed.
func (g *Group) marked(pid int) (found, blank bool) {
	env, err := environOf(pid)
	if err != nil {
		return false, false
	}
	for rest := env; len(rest) > 0; {
		var variable []byte
		variable, rest, _ = bytes.Cut(rest, []byte{0})
		if value, ok := bytes.CutPrefix(variable, []byte(TreeVar+"=")); ok && bytes.Contains(value, []byte(g.token)) {
			return true, false
		}
	}
	return false, len(env) == 0
}

// environOf reads the environment that a process was started with, "NAME=value" with
// zeros between.
func environOf(pid int) ([]byte, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxEnviron))
}
