package localsock

import (
	"errors"
	"os"
	"testing"
)

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
