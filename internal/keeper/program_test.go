//go:build unix

package keeper

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
)

// roles are what the test binary runs when its first argument is the name.
var roles = map[string]func() int{
	Command: func() int {
		shorten(os.Getenv(graces))
		return Serve(os.Args[2:])
	},
	"kept":   runKept,
	"attach": runAttach,
	"child": func() int { // as long as the test's socket is there
		for {
			if _, err := os.Stat(os.Getenv(orders)); err != nil {
				return 0
			}
			time.Sleep(20 * time.Millisecond)
		}
	},
}

// Variables for the roles: where the kept program gets its orders, and times of the keeper.
const (
	orders = "KEEPER_TEST_ORDERS"
	graces = "KEEPER_TEST_GRACES"
)

// shorten changes times of the keeper, such as "end=1s".
func shorten(list string) {
	times := map[string]*time.Duration{"start": &startGrace, "restore": &restoreGrace, "end": &endGrace, "stall": &stallGrace, "again": &saveAgain}
	for _, field := range strings.Fields(list) {
		name, value, _ := strings.Cut(field, "=")
		*times[name], _ = time.ParseDuration(value)
	}
}

// task is what the kept program is to do.
type task struct {
	Write   string // to the terminal
	Report  *Status
	Detach  bool
	Switch  string
	Restore string // what it writes when the terminal leaves
	Deaf    bool   // SIGTERM and SIGHUP do not end it
	Leave   bool   // it leaves a child that has the terminal
	Inside  bool   // it attaches to itself
	Exit    *int
}

// event is what the kept program has seen.
type event struct {
	Name    string // of what is kept
	Change  *Change
	Input   string
	Size    []int // columns, rows
	Done    bool  // an order
	Signal  string
	Ignored []string // signals that it inherited as ignored
	PID     int
	Args    []string
	Dir     string
	Kept    string // the variable, which it must not have
	Refused string // why it cannot attach
}

// runKept is the program that is kept: it does what it is told.
func runKept() int {
	k := Kept()
	conn, err := net.Dial("unix", os.Getenv(orders))
	if err != nil {
		return 99
	}
	var mu sync.Mutex
	say := func(e event) {
		mu.Lock()
		defer mu.Unlock()
		b, _ := json.Marshal(e)
		conn.Write(append(b, '\n'))
	}
	if _, err := term.MakeRaw(os.Stdin.Fd()); err != nil {
		return 98
	}
	var ignored []string
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE} {
		if signal.Ignored(s) {
			ignored = append(ignored, s.String())
		}
	}
	sized, ended := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(sized, syscall.SIGWINCH)
	signal.Notify(ended, syscall.SIGTERM, syscall.SIGHUP)
	size := func() []int {
		cols, rows, _ := term.GetSize(os.Stdout.Fd())
		return []int{cols, rows}
	}
	dir, _ := os.Getwd()
	say(event{Name: k.Name(), Size: size(), Ignored: ignored, PID: os.Getpid(), Args: os.Args[2:], Dir: dir, Kept: os.Getenv(variable)})
	var current task // guarded by mu
	get := func() task {
		mu.Lock()
		defer mu.Unlock()
		return current
	}
	go func() {
		for c := range k.Changes() {
			say(event{Change: &c})
			if !c.Attached {
				os.Stdout.WriteString(get().Restore)
				k.Left()
			}
		}
	}()
	go func() {
		for range sized {
			say(event{Size: size()})
		}
	}()
	go func() {
		for s := range ended {
			say(event{Signal: s.String()})
			if !get().Deaf {
				os.Exit(128 + int(s.(syscall.Signal)))
			}
		}
	}()
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := os.Stdin.Read(b)
			if err != nil {
				return
			}
			say(event{Input: string(b[:n])})
		}
	}()
	for lines := bufio.NewReader(conn); ; {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return 96
		}
		var o task
		if json.Unmarshal(text, &o) != nil {
			return 97
		}
		mu.Lock()
		current = o
		mu.Unlock()
		os.Stdout.WriteString(o.Write)
		if o.Report != nil {
			k.Report(*o.Report)
		}
		if o.Detach {
			k.Detach()
		}
		if o.Switch != "" {
			k.Switch(o.Switch)
		}
		if o.Inside {
			_, _, _, err := Attach(forever, k.Name(), os.Stdin, os.Stdout)
			say(event{Refused: fmt.Sprint(err)})
		}
		if o.Leave {
			cmd := exec.Command(os.Args[0], "child")
			cmd.Stdout = os.Stdout
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if cmd.Start() != nil {
				return 95
			}
		}
		if o.Exit != nil {
			return *o.Exit
		}
		say(event{Done: true})
	}
}

// runAttach attaches its terminal, and says how that ended.
func runAttach() int {
	how, last, code, err := Attach(contextOfSignals(), os.Args[2], os.Stdin, os.Stdout)
	fmt.Printf("[%d %s %d %v]\r\n", how, last, code, err)
	return 0
}
