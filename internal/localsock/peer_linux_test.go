package localsock

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"parley/internal/must"
)

// connects is the variable with the socket to which the test binary connects, and then ends.
const connects = "LOCALSOCK_TEST_CONNECTS"

func TestMain(m *testing.M) {
	if path := os.Getenv(connects); path != "" {
		if _, err := net.Dial("unix", path); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// What the system says of a process that has ended may be about another one: it is told apart from one that lives.
func TestLives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ln := must.Get(net.Listen("unix", path))(t)
	defer ln.Close()
	accepted := func() (alive bool) {
		conn := must.Get(ln.Accept())(t)
		defer conn.Close()
		raw := must.Get(conn.(*net.UnixConn).SyscallConn())(t)
		must.Do(t, raw.Control(func(fd uintptr) {
			if _, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD); errors.Is(err, unix.ENOPROTOOPT) {
				t.Skip("this kernel does not say")
			}
			alive = lives(int(fd))
		}))
		return alive
	}
	self := must.Get(net.Dial("unix", path))(t)
	defer self.Close()
	if !accepted() {
		t.Error("this process does not live")
	}
	cmd := exec.Command(must.Get(os.Executable())(t))
	cmd.Env = append(os.Environ(), connects+"="+path)
	must.Do(t, cmd.Run())
	if accepted() {
		t.Error("one that has ended lives")
	}
}

// A peer in the sandbox, or below the listener, is refused; everything else of the user's is not.
func TestCheckStatus(t *testing.T) {
	processes := map[int]status{
		2: {parent: 1}, 3: {parent: 2}, // the listener and what it has started
		4: {parent: 1, restricted: true}, 5: {parent: 4, restricted: true}, 6: {parent: 3}, 7: {parent: 1}, 8: {parent: 99}, 9: {parent: 9},
	}
	of := func(pid int) (status, error) {
		s, ok := processes[pid]
		if !ok {
			return s, errors.New("no such process")
		}
		return s, nil
	}
	for pid, refused := range map[int]bool{3: true, 4: true, 5: true, 6: true, 7: false, 8: false, 9: false, 99: true} {
		if err := checkStatus(pid, 2, true, of); (err != nil) != refused {
			t.Errorf("%d: got %v", pid, err)
		}
	}
	if err := checkStatus(5, 4, true, of); err == nil { // restricted, too, but it descends from the listener
		t.Error("a child of a restricted listener connects")
	}
	processes[10] = status{parent: 1, restricted: true}
	if err := checkStatus(10, 4, true, of); err != nil {
		t.Errorf("of two that are restricted: %v", err)
	}
	// A listener may have been started by the one that connects, but may not be restricted.
	for pid, refused := range map[int]bool{3: false, 6: false, 7: false, 4: true, 5: true} {
		if err := checkStatus(pid, 2, false, of); (err != nil) != refused {
			t.Errorf("listener %d: got %v", pid, err)
		}
	}
	if s, err := statusOf(os.Getpid()); err != nil || s.parent != os.Getppid() {
		t.Errorf("this process: %+v, %v", s, err)
	}
}
