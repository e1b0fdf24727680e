package process

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxOuter bounds the marks of outer Groups, in bytes; the outermost are dropped first.
const maxOuter = 2 << 10

// maxEnviron is larger than an environment can be with the usual stack limit.
const maxEnviron = 8 << 20

// During an exec a process has no environment, for as long as its program is read from the disk. So one
// without is looked at again: blankTries times if it sleeps, which no exec does for long, else execTries times.
const (
	blankTries = 3
	execTries  = 20
	blankPause = time.Millisecond
)

// mark sets the mark of a command and replaces one that its environment has.
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

// endWithParent makes the kernel signal the program when the thread that started it ends. SIGTERM
// lets a program end its own children, which nothing else would.
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
	blank := make(map[int]uint64, len(unsure))
	for pid, started := range g.blank {
		if table[pid].started == started {
			blank[pid] = started
		}
	}
	buf := make([]byte, statSize)
	for try := 1; try <= execTries && len(unsure) > 0; try++ {
		time.Sleep(blankPause)
		unsure = slices.DeleteFunc(unsure, func(pid int) bool {
			found, empty := g.marked(pid)
			if e, _ := readEntry(pid, buf); empty && try >= blankTries && !e.busy {
				blank[pid] = table[pid].started
				return true
			}
			if found {
				ours[pid] = true
			}
			return !empty
		})
	}
	g.blank, g.unsure = blank, len(unsure)
}

// marked reports whether the environment a process was started with has the mark of g, and whether
// it is empty. That of another user's process cannot be read; that process could not be killed
// either.
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

// environOf reads the environment that a process was started with: "NAME=value" separated by zeros.
func environOf(pid int) ([]byte, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxEnviron))
}
