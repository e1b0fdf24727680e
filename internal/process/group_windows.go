package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// killedCode is the exit code of programs ended by Kill, since Windows has no signals.
const killedCode = 1

// members is the job that holds the program and everything it starts; zero after it was closed.
type members struct {
	job windows.Handle
}

func setAttributes(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP
}

// mark does nothing: the job knows its members.
func mark(*exec.Cmd, string) {}

// adopt puts the started program into a new job. Processes it starts in the microseconds before are
// not in the job, but a program takes far longer to load.
func (g *Group) adopt() error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("create job: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		var inner error
		err = g.cmd.Process.WithHandle(func(handle uintptr) {
			inner = windows.AssignProcessToJobObject(job, windows.Handle(handle))
		})
		err = errors.Join(err, inner)
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		windows.CloseHandle(job)
		return fmt.Errorf("fill job: %w", err)
	}
	g.job = job
	return nil
}

func (g *Group) free() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
		g.job = 0
	}
}

func (g *Group) track() {}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	totalUserTime, totalKernelTime           int64
	periodUserTime, periodKernelTime         int64
	pageFaults, total, active, terminatedBad uint32
}

func (g *Group) anyLeft() bool {
	if g.job == 0 {
		return false
	}
	var info accounting
	err := windows.QueryInformationJobObject(g.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.active > 0
}

func (g *Group) terminate() error {
	if err := windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.pid)); err != nil {
		return fmt.Errorf("break group %d: %w", g.pid, err)
	}
	return nil
}

func (g *Group) kill() error {
	if g.job == 0 {
		return nil
	}
	err := windows.TerminateJobObject(g.job, killedCode)
	g.free()
	if err != nil {
		return fmt.Errorf("end job of %d: %w", g.pid, err)
	}
	return nil
}

// SignalName returns "": Windows has no signals.
func SignalName(*os.ProcessState) string { return "" }
