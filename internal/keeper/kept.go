package keeper

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
)

// variable tells parley that it is kept: the number of its file for the keeper, and its name.
const variable = "PARLEY_KEPT"

// Keeper is the keeper as the parley that it keeps sees it. Its methods may be called on any goroutine; those of a
// nil Keeper do nothing.
type Keeper struct {
	name    string
	conn    io.ReadWriteCloser
	changes chan Change

	mu       sync.Mutex
	reported Status
}

// Kept returns the keeper of this process, nil if it is not kept. It removes the variable that says so, which
// nothing that this process starts may see.
var Kept = sync.OnceValue(func() *Keeper {
	value, ok := os.LookupEnv(variable)
	os.Unsetenv(variable)
	if !ok {
		return nil
	}
	var fd int
	var name string
	if _, err := fmt.Sscan(value, &fd, &name); err != nil || fd < 3 || !ValidName(name) {
		return nil
	}
	conn, err := inherited(fd)
	if err != nil {
		return nil
	}
	return New(name, conn)
})

// New returns the keeper at the other end of a connection, for the parley with this name.
func New(name string, conn io.ReadWriteCloser) *Keeper {
	k := &Keeper{name: name, conn: conn, changes: make(chan Change, 16)}
	go k.read()
	return k
}

func (k *Keeper) read() {
	defer close(k.changes)
	for messages := json.NewDecoder(k.conn); ; {
		var m toKept
		if messages.Decode(&m) != nil {
			return
		}
		k.changes <- m.Change
	}
}

// Name returns the name by which a terminal attaches.
func (k *Keeper) Name() string {
	if k == nil {
		return ""
	}
	return k.name
}

// Changes yields what happens to the terminal, in order. It is closed when the keeper has ended. Of a nil Keeper
// nothing ever happens.
func (k *Keeper) Changes() <-chan Change {
	if k == nil {
		return nil
	}
	return k.changes
}

// Left says that the terminal which leaves has been restored.
func (k *Keeper) Left() { k.send(toKeeper{Left: true}) }

// Detach asks for the terminal to leave. A Change follows.
func (k *Keeper) Detach() { k.send(toKeeper{Detach: true}) }

// Switch asks for the terminal to attach to another kept parley. A Change follows.
func (k *Keeper) Switch(name string) { k.send(toKeeper{Switch: name}) }

// Report says what this parley does. A report that equals the last one costs nothing.
func (k *Keeper) Report(s Status) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if s = s.clipped(); !k.reported.equal(s) {
		k.reported = s
		k.write(toKeeper{Status: &s})
	}
}

func (k *Keeper) send(m toKeeper) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.write(m)
}

// write sends a message. k.mu is held.
func (k *Keeper) write(m toKeeper) {
	_, _ = k.conn.Write(line(m)) // a keeper that has ended reads nothing: parley ends soon, too
}
