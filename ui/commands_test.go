package ui

import (
	"testing"
	"time"
)

// If a command of the agent has the name of one of parley's, both are listed, parley's with
// its prefix.
func TestCommandsOfTheSameName(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.agent.update(commands)
		d.wait(100 * time.Millisecond)
		d.types("/hel")
		d.sees("/help", "The agent's own help", "/parley:help")
		d.types("p\n")
		d.wait(100 * time.Millisecond)
		d.prompts("/help")
		d.types("/parley:help\n")
		d.sees("╭ Keys")
		d.press("esc")
		d.types("/parley:log\n")
		d.sees("╭ Log")
		d.press("esc")
		d.prompts("/help")
	})
}

// Names that other programs have for it do what they do there.
func TestCommandsByOtherNames(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("/resume\n")
		d.sees("╭ Sessions")
		d.press("esc")
		d.types("/clear\n")
		d.soon()
		d.called("session/new", 2)
		d.types("/exit\n")
		d.soon()
		if !d.quit {
			t.Error("/exit does not quit")
		}
	})
}
