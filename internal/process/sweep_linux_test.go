package process

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/alive"
	"parley/internal/must"

	"github.com/creack/pty"
)

// installationVar is the installation of the test binary when it runs as a caller.
const installationVar = "PROCESS_TEST_INSTALLATION"

// uniqueInstallation gives the test a unique installation.
func uniqueInstallation(t *testing.T) string {
	t.Helper()
	name, before := t.TempDir(), installation.Load()
	SetInstallation(name)
	t.Cleanup(func() { installation.Store(before) })
	return name
}

// called runs the test binary as a caller that starts a shell script, until the test ends or kills it.
func called(t *testing.T, installation, script string, env ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	caller := exec.Command(self)
	caller.Env = append(append(os.Environ(), callerVar+"="+script, installationVar+"="+installation), env...)
	out, err := caller.StdoutPipe()
	if err == nil {
		err = caller.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { caller.Process.Kill(); caller.Wait() })
	return caller, bufio.NewReader(out)
}

// readBoth reads the pid of the program from the caller, and that of its child from the script, in any order.
func readBoth(t *testing.T, out *bufio.Reader) (program, child int) {
	t.Helper()
	for program == 0 || child == 0 {
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if left, ok := strings.CutPrefix(line, "left "); ok {
			child, err = strconv.Atoi(strings.TrimSpace(left))
		} else {
			program, err = strconv.Atoi(strings.TrimSpace(line))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return program, child
}

// What a killed caller left is found and ended, even if it ignores SIGTERM.
func TestSweepEndsWhatWasLeft(t *testing.T) {
	for name, script := range map[string]string{
		"willing":  "sh -c 'echo left $$; sleep 1000; :' & sleep 1000; :",
		"stubborn": "sh -c 'trap \"\" TERM; echo left $$; while :; do sleep 0.1; done' & sleep 1000; :",
		"spread":   "for i in 1 2 3 4 5; do sh -c 'sleep 1000; :' & done; sh -c 'echo left $$; sleep 1000; :' & sleep 1000; :",
	} {
		t.Run(name, func(t *testing.T) {
			home := uniqueInstallation(t)
			caller, out := called(t, home, script)
			program, child := readBoth(t, out)
			if found, left := Sweep(t.Context(), patience); found != 0 || left != 0 {
				t.Fatalf("%d found and %d left of a caller that lives", found, left)
			}
			caller.Process.Kill()
			caller.Wait()
			waitDead(t, program) // the kernel signals it
			if !alive.PID(child) {
				t.Fatal("nothing was left: the test shows nothing")
			}
			found, left := Sweep(t.Context(), 300*time.Millisecond)
			if found == 0 || left != 0 {
				t.Errorf("%d found, %d left", found, left)
			}
			waitDead(t, child)
			if found, left := Sweep(t.Context(), patience); found != 0 || left != 0 {
				t.Errorf("%d found and %d left afterwards", found, left)
			}
		})
	}
}

// ended returns the pid of a process that has ended.
func ended(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	must.Do(t, cmd.Run())
	return cmd.Process.Pid
}

// Only what is certain is ended.
func TestSweepSparesWhatIsNotCertain(t *testing.T) {
	home := uniqueInstallation(t)
	us, ok := ourselves()
	if !ok {
		t.Fatal("the owner of this process is unknown")
	}
	gone := us
	gone.pid, gone.started = ended(t), 1
	with := func(change func(*owner)) string {
		o := gone
		change(&o)
		return "t:" + o.String()
	}
	other, _ := called(t, home, "exec sleep 1000")
	living, _ := readEntry(other.Process.Pid, make([]byte, statSize))
	sure := with(func(*owner) {})
	for name, test := range map[string]struct {
		mark string
		ends bool
	}{
		"gone":                            {sure, true},
		"gone, its pid used again":        {with(func(o *owner) { o.pid = living.pid }), true},
		"all of a chain gone":             {sure + "/" + with(func(o *owner) { o.started = 2 }), true},
		"lives":                           {with(func(o *owner) { o.pid, o.started = living.pid, living.started }), false},
		"the outer one lives":             {with(func(o *owner) { o.pid, o.started = living.pid, living.started }) + "/" + sure, false},
		"we":                              {"t:" + us.String(), false},
		"another installation":            {with(func(o *owner) { o.installation = "0011223344556677" }), false},
		"no installation":                 {with(func(o *owner) { o.installation = "" }), false},
		"another namespace of pids":       {with(func(o *owner) { o.pids = "7" }), false},
		"another namespace of time":       {with(func(o *owner) { o.time = "7" }), false},
		"a mark without an owner":         {"token", false},
		"an outer mark without one":       {"token/" + sure, false},
		"no token":                        {sure[1:], false},
		"more than an owner":              {sure + ".1", false},
		"less than an owner":              {sure[:strings.LastIndexByte(sure, '.')], false},
		"a pid that is none":              {with(func(o *owner) { o.pid = -4 }), false},
		"a number that is not written so": {strings.Replace(sure, "."+strconv.Itoa(gone.pid)+".", ".0"+strconv.Itoa(gone.pid)+".", 1), false},
		"older than who started it":       {with(func(o *owner) { o.started = 1 << 62 }), false},
		"nothing":                         {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("sleep", "1000")
			cmd.Env = append(os.Environ(), TreeVar+"="+test.mark)
			must.Do(t, cmd.Start())
			t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
			found, left := Sweep(t.Context(), patience)
			if (found == 1) != test.ends || left != 0 || alive.PID(cmd.Process.Pid) == test.ends {
				t.Errorf("%q: %d found, %d left, lives %v", test.mark, found, left, alive.PID(cmd.Process.Pid))
			}
		})
	}
}

// What has a terminal is left alone with everything of the same owner, and so are our ancestors.
func TestSweepSparesWhatIsUsed(t *testing.T) {
	home := uniqueInstallation(t)
	us, _ := ourselves()
	us.pid, us.started = ended(t), 1
	env := append(os.Environ(), TreeVar+"=t:"+us.String(), installationVar+"="+home)
	beside := exec.Command("sleep", "1000") // without the exception it would be ended
	beside.Env = env
	must.Do(t, beside.Start())
	defer func() { beside.Process.Kill(); beside.Wait() }()

	inside := exec.Command("sleep", "1000")
	inside.Env = env
	terminal, err := pty.Start(inside)
	if err != nil {
		t.Skip(err)
	}
	found, _ := Sweep(t.Context(), patience)
	if found != 0 || !alive.PID(inside.Process.Pid) || !alive.PID(beside.Process.Pid) {
		t.Errorf("%d found while somebody works there", found)
	}
	inside.Process.Kill()
	inside.Wait()
	terminal.Close()

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self)
	child.Env = append(slices.Clone(env), callerVar+"=sweep")
	if out, err := child.Output(); err != nil || string(out) != "0 0\n" || !alive.PID(beside.Process.Pid) {
		t.Errorf("a sweep from inside has ended what it runs in: %q, %v", out, err)
	}
	if found, left := Sweep(t.Context(), patience); found != 1 || left != 0 {
		t.Errorf("got %d found and %d left, want none after all have ended", found, left)
	}
}

// An owner survives formatting and parsing, and no other text parses.
func FuzzOwner(f *testing.F) {
	for _, seed := range []string{"", "a.1.2.3.4", ".1.2.3.4", "a.1.2.03.4", "a.1.2.3", "a.1.2.3.4.5", "a..2.3.4", "a.1.2.-3.4", "a.1.2.3.0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if o, ok := parseOwner(name); ok && (o.String() != name || o.pid <= 0 || strings.ContainsRune(o.pids+o.time+o.installation, '.')) {
			t.Errorf("%q is read as %+v", name, o)
		}
	})
}
