package process

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/alive"
	"parley/internal/must"

	"golang.org/x/sys/unix"
)

// callerVar makes the test binary a caller that starts a Group and waits to be killed.
const callerVar = "PROCESS_TEST_CALLER"

func TestMain(m *testing.M) {
	if name := os.Getenv(installationVar); name != "" {
		SetInstallation(name)
	}
	script := os.Getenv(callerVar)
	switch script {
	case "":
		os.Exit(m.Run())
	case "sweep":
		fmt.Println(Sweep(context.Background(), patience))
		return
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.Stdout = os.Stdout
	g, err := Start(cmd)
	if err != nil {
		panic(err)
	}
	fmt.Println(g.Pid())
	select {}
}

// doubleFork is a daemon that has forked twice into its own session, whose parents end before a survey.
const doubleFork = "(setsid sh -c 'sleep 1000 & echo $!; exec sleep 1000 >/dev/null' & echo $!) ; exit 0"

func needSetsid(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
}

func TestKillFindsDaemonsByTheirMark(t *testing.T) {
	needSetsid(t)
	g, out := running(t, doubleFork)
	a, b := readPid(t, out), readPid(t, out)
	g.Wait()
	table := readTable()
	for _, pid := range []int{a, b} { // otherwise the test proves nothing
		if e := table[pid]; e.session == g.Pid() || e.group == g.Pid() || e.parent == g.Pid() {
			t.Fatalf("%+v still hangs together with %d", e, g.Pid())
		}
	}
	if !g.Alive() {
		t.Fatal("the daemon is not seen")
	}
	must.Do(t, g.Kill())
	waitDead(t, a, b)
	if !g.WaitGone(patience) {
		t.Fatal("group is not gone")
	}
}

// Processes of another Group, and of none, survive.
func TestKillFindsItsOwnMarkOnly(t *testing.T) {
	needSetsid(t)
	g, out := running(t, doubleFork)
	other, otherOut := running(t, doubleFork)
	a, b := readPid(t, out), readPid(t, out)
	c, d := readPid(t, otherOut), readPid(t, otherOut)
	nobodys := exec.Command("sleep", "1000")
	must.Do(t, nobodys.Start())
	t.Cleanup(func() { nobodys.Process.Kill(); nobodys.Wait() })
	g.Wait()
	g.Kill()
	waitDead(t, a, b)
	for _, pid := range []int{c, d, nobodys.Process.Pid} {
		if !alive.PID(pid) {
			t.Errorf("process %d is gone too", pid)
		}
	}
	other.Kill()
	waitDead(t, c, d)
}

// A process that sleeps without an environment has none. One that runs may be in an exec, which can take long
// while a disk is slow, so it is looked at again by the next survey.
func TestWithoutEnvironment(t *testing.T) {
	g, _ := running(t, "exec sleep 1000")
	var pids []int
	for _, cmd := range []*exec.Cmd{exec.Command("sleep", "1000"), exec.Command("yes")} {
		cmd.Env = []string{}
		must.Do(t, cmd.Start())
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		pids = append(pids, cmd.Process.Pid)
	}
	sleeps, runs := pids[0], pids[1]
	for deadline := time.Now().Add(patience); g.blank[sleeps] == 0; g.survey() {
		if time.Now().After(deadline) {
			t.Fatal("the one that sleeps is looked at each time")
		}
	}
	if g.blank[runs] != 0 {
		t.Error("the one that runs is never looked at again")
	}
}

// The environment is what was asked for and one mark, even if the command sets a mark itself.
func TestMark(t *testing.T) {
	t.Setenv(TreeVar, "outer")
	for _, env := range [][]string{nil, {"A=1", TreeVar + "=forged"}} {
		cmd := exec.Command("env")
		cmd.Env = env
		mark(cmd, "own")
		var marks []string
		for _, v := range cmd.Env {
			if value, ok := strings.CutPrefix(v, TreeVar+"="); ok {
				marks = append(marks, value)
			}
		}
		if who, ok := ourselves(); !ok || !slices.Equal(marks, []string{"outer/own:" + who.String()}) || env != nil && !slices.Contains(cmd.Env, "A=1") {
			t.Errorf("%q: got %q", env, cmd.Env)
		}
	}
	t.Setenv(TreeVar, strings.Repeat("mark/", maxOuter)+"last")
	cmd := exec.Command("env")
	mark(cmd, "own")
	value, _ := Getenv(cmd.Env, TreeVar)
	who, _ := ourselves()
	if len(value) > maxOuter+len("/own:"+who.String()) || !strings.HasPrefix(value, "mark/") || !strings.HasSuffix(value, "/last/own:"+who.String()) {
		t.Errorf("%d bytes: %.40q...", len(value), value)
	}
}

// A Group finds what a nested Group has started: both marks are set.
func TestMarksNest(t *testing.T) {
	needSetsid(t)
	self := must.Get(os.Executable())(t)
	t.Setenv(callerVar, doubleFork)
	g, out := running(t, "exec '"+self+"'")
	pids := []int{readPid(t, out), readPid(t, out), readPid(t, out)}
	unix.Kill(g.Pid(), unix.SIGKILL) // it does not clean up
	g.Wait()
	g.Kill()
	waitDead(t, pids...)
}

// A program ends when its caller is killed.
func TestProgramEndsWithItsCaller(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	caller := exec.Command(self)
	caller.Env = append(os.Environ(), callerVar+"=exec sleep 1000")
	pipe, err := caller.StdoutPipe()
	if err == nil {
		err = caller.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	pid := readPid(t, bufio.NewReader(pipe))
	if !alive.PID(pid) {
		t.Fatal("the program does not run")
	}
	caller.Process.Kill()
	caller.Wait()
	waitDead(t, pid)
}

// The thread that started a program must stay, since its end counts as the caller's.
func TestProgramOutlivesTheGoroutineThatStartedIt(t *testing.T) {
	started := make(chan *Group)
	go func() { // not unlocked: the thread ends with the goroutine
		lockThread()
		cmd := exec.Command("sleep", "1000")
		g, err := Start(cmd)
		if err != nil {
			t.Error(err)
		}
		started <- g
	}()
	g := <-started
	if g == nil {
		t.FailNow()
	}
	defer g.Kill()
	for range 50 { // new threads come and go
		done := make(chan struct{})
		go func() { lockThread(); close(done) }()
		<-done
	}
	select {
	case <-g.Done():
		t.Fatalf("ended by %s", SignalName(g.Wait()))
	default:
	}
}
