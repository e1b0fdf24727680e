package localsock

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func peerOf(fd int) (peer, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	return peer{int(cred.Uid), int(cred.Pid)}, nil
}

var errRestricted = errors.New("the other side runs in a sandbox, or was started by this parley")

// checkProcess refuses a process at the other end of a socket that is restricted if this one is not and, with descent, one
// that descends from this one.
func checkProcess(fd, pid int, descent bool) error {
	if err := checkStatus(pid, os.Getpid(), descent, statusOf); err != nil {
		return err
	}
	if !lives(fd) {
		return errors.New("the other side has ended")
	}
	return nil
}

// lives reports whether the process at the other end of a socket lives. If it does, nothing that was read of its number
// was about a later process with that number. Kernels before 6.5 cannot tell.
func lives(fd int) bool {
	process, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	if err != nil {
		return errors.Is(err, unix.ENOPROTOOPT)
	}
	defer unix.Close(process)
	return unix.PidfdSendSignal(process, 0, nil, 0) == nil
}

// status is what the kernel says of a process.
type status struct {
	parent     int
	restricted bool // it can gain no privileges
}

func statusOf(pid int) (s status, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return s, err
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); name {
		case "PPid":
			s.parent, err = strconv.Atoi(value)
		case "NoNewPrivs":
			s.restricted = value == "1"
		}
	}
	return s, err
}

func checkStatus(pid, own int, descent bool, of func(pid int) (status, error)) error {
	self, err := of(own)
	if err != nil {
		return nil // there is no /proc
	}
	s, err := of(pid)
	if err != nil {
		return err // it has ended
	}
	if s.restricted && !self.restricted {
		return errRestricted
	}
	if !descent {
		return nil
	}
	for range 1000 {
		if s.parent == own {
			return errRestricted
		}
		if s.parent <= 1 {
			break
		}
		if s, err = of(s.parent); err != nil {
			break
		}
	}
	return nil
}
