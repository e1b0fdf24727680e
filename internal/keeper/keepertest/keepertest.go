// Package keepertest is a keeper for tests: they say what happens to the terminal, and see what the kept parley says.
package keepertest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"

	"parley/internal/keeper"
)

// Keeper is the keeper of a kept parley.
type Keeper struct {
	conn net.Conn

	mu      sync.Mutex
	said    []string
	status  keeper.Status
	reports int
}

// New returns a keeper, and how the parley that it keeps sees it.
func New(name string) (*Keeper, *keeper.Keeper) {
	ours, theirs := net.Pipe()
	k := &Keeper{conn: ours}
	go k.listen()
	return k, keeper.New(name, theirs)
}

func (k *Keeper) listen() {
	for lines := bufio.NewScanner(k.conn); lines.Scan(); {
		var m struct {
			Left, Detach bool
			Switch       string
			Status       *keeper.Status
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			panic(err)
		}
		k.mu.Lock()
		switch {
		case m.Left:
			k.said = append(k.said, "left")
		case m.Detach:
			k.said = append(k.said, "detach")
		case m.Switch != "":
			k.said = append(k.said, "switch "+m.Switch)
		case m.Status != nil:
			k.status = *m.Status
			k.reports++
		}
		k.mu.Unlock()
	}
}

// Attach attaches a terminal with variables.
func (k *Keeper) Attach(environ ...string) {
	env, _ := json.Marshal(environ)
	fmt.Fprintf(k.conn, `{"change":{"attached":true,"environ":%s}}`+"\n", env)
}

// Detach lets the terminal leave.
func (k *Keeper) Detach() { fmt.Fprintln(k.conn, `{"change":{"attached":false}}`) }

// Said returns what was said since the last call: left, detach, switch NAME.
func (k *Keeper) Said() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	said := strings.Join(k.said, ", ")
	k.said = nil
	return said
}

// Status returns the last report, and how many there were.
func (k *Keeper) Status() (last keeper.Status, reports int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.status, k.reports
}

// Close ends the keeper.
func (k *Keeper) Close() { k.conn.Close() }
