package process

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// owner identifies the process that started a Group, so that it can be determined for certain
// whether that still runs.
type owner struct {
	installation string // of SetInstallation, as a hash; "" without one
	pids, time   string // the namespaces of pid and started: inode numbers
	pid          int
	started      uint64 // in clock ticks: a pid alone can be reused
}

// between separates a Group's own mark from its owner's name, and inName the parts of that.
const (
	between = ":"
	inName  = "."
)

func (o owner) String() string {
	return strings.Join([]string{o.installation, o.pids, o.time, strconv.Itoa(o.pid), strconv.FormatUint(o.started, 10)}, inName)
}

// parseOwner parses what String returns.
func parseOwner(name string) (o owner, ok bool) {
	parts := strings.Split(name, inName)
	if len(parts) != 5 || parts[1] == "" || parts[2] == "" {
		return owner{}, false
	}
	var pidErr, startErr error
	o = owner{installation: parts[0], pids: parts[1], time: parts[2]}
	o.pid, pidErr = strconv.Atoi(parts[3])
	o.started, startErr = strconv.ParseUint(parts[4], 10, 64)
	return o, pidErr == nil && startErr == nil && o.pid > 0 && o.started > 0 && o.String() == name
}

// parseMark returns the owners of all Groups named by the value of TreeVar; false if one of them
// names none.
func parseMark(value string) ([]owner, bool) {
	var all []owner
	for one := range strings.SplitSeq(value, "/") {
		token, name, _ := strings.Cut(one, between)
		o, ok := parseOwner(name)
		if !ok || token == "" {
			return nil, false
		}
		all = append(all, o)
	}
	return all, true
}

var installation atomic.Pointer[string]

// SetInstallation sets the installation this process belongs to, as any text: Sweep only looks for what
// processes of the same installation have left. Call it before starting anything.
func SetInstallation(name string) {
	sum := sha256.Sum256([]byte(name))
	short := hex.EncodeToString(sum[:8])
	installation.Store(&short)
}

// ourselves returns the owner of what this process starts; false if /proc is unavailable or
// describes another pid namespace.
func ourselves() (owner, bool) {
	o, ok := identity()
	if h := installation.Load(); h != nil {
		o.installation = *h
	}
	return o, ok
}

var identity = sync.OnceValues(func() (owner, bool) {
	pid := os.Getpid()
	seen, err := os.Readlink("/proc/self")
	e, ok := readEntry(pid, make([]byte, statSize))
	pids, known := namespace("pid")
	if err != nil || seen != strconv.Itoa(pid) || !ok || !known || e.started == 0 {
		return owner{}, false
	}
	clock, known := namespace("time")
	if !known {
		clock = "0" // a kernel without time namespaces
	}
	return owner{pids: pids, time: clock, pid: pid, started: e.started}, true
})

// namespace returns the id of one of this process's namespaces.
func namespace(kind string) (string, bool) {
	name, err := os.Readlink("/proc/self/ns/" + kind) // "pid:[4026531836]"
	id, ok := strings.CutPrefix(name, kind+":[")
	id, closed := strings.CutSuffix(id, "]")
	return id, err == nil && ok && closed && id != ""
}

// gone reports whether a process of our namespaces has certainly ended.
func (o owner) gone() bool {
	if e, ok := readEntry(o.pid, make([]byte, statSize)); ok {
		return e.dead || e.started != o.started
	}
	// /proc may hide it.
	return errors.Is(unix.Kill(o.pid, 0), unix.ESRCH)
}
