//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// CanAttend reports whether this system supports attended commands.
const CanAttend = true

// OpenPTY opens a pseudo terminal and returns our end and the command's. Reads from our end return
// when it is closed, and writes support deadlines where the system can poll such a file.
func OpenPTY() (ours, theirs *os.File, err error) {
	blocking, theirs, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNoPTY, err)
	}
	defer blocking.Close()
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		theirs.Close()
		return nil, nil, fmt.Errorf("%w: %w", ErrNoPTY, err)
	}
	ours = os.NewFile(uintptr(fd), blocking.Name())
	if ours.SetDeadline(time.Time{}) != nil { // it cannot be polled
		err = unix.SetNonblock(fd, false)
	}
	return ours, theirs, err
}

// Control makes the first stream of a command its controlling terminal. The command must lead its
// own session, as all commands here do.
func Control(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = true, true, 0
}

// SetSize sets the size of a pseudo terminal, in cells.
func SetSize(ours *os.File, cols, rows int) error {
	conn, err := ours.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
	return errors.Join(err, failed)
}
