package editor

import "strings"

// vimCommand is a command of normal mode: how often, what to do, over what.
type vimCommand struct {
	count int  // 0 if none was typed
	op    rune // d, c or y; 0 for none
	key   rune // a motion, or a command of one key; i or a with arg: a text object; the operator itself: whole lines
	arg   rune // the key after f, t, r or a text object; g of gg
}

// changes reports whether . can repeat the command.
func (c vimCommand) changes() bool {
	return c.op == 'd' || c.op == 'c' || c.op == 0 && strings.ContainsRune("iaIAoOxXsSDCpPr~J", c.key)
}

type vimState int

const (
	vimComplete vimState = iota
	vimIncomplete
	vimInvalid
)

// parseVim reads the keys typed so far.
func parseVim(keys []rune, mode vimMode) (cmd vimCommand, state vimState) {
	i := 0
	count := func() int {
		n := 0
		for i < len(keys) && keys[i] >= '0' && keys[i] <= '9' && (n > 0 || keys[i] != '0') {
			n = min(n*10+int(keys[i]-'0'), 10_000)
			i++
		}
		return n
	}
	cmd.count = count()
	visual := mode == vimVisual || mode == vimVisualLine
	if i < len(keys) && strings.ContainsRune("dcy", keys[i]) && !visual {
		cmd.op = keys[i]
		i++
		if n := count(); n > 0 {
			cmd.count = n * max(1, cmd.count)
		}
	}
	if i == len(keys) {
		return cmd, vimIncomplete
	}
	cmd.key = keys[i]
	i++
	object := (cmd.op != 0 || visual) && (cmd.key == 'i' || cmd.key == 'a')
	switch {
	case object || strings.ContainsRune("fFtTg", cmd.key) || cmd.key == 'r':
		if i == len(keys) {
			return cmd, vimIncomplete
		}
		cmd.arg = keys[i]
		i++
	}
	switch {
	case i < len(keys):
	case object && strings.ContainsRune("wW\"'`()b{}B[]<>", cmd.arg):
		return cmd, vimComplete
	case object:
	case cmd.key == 'g' && cmd.arg != 'g':
	case cmd.op != 0 && (cmd.key == cmd.op || strings.ContainsRune("hjklwbeWBE0^$gGfFtT;,%", cmd.key)):
		return cmd, vimComplete
	case cmd.op == 0 && visual && strings.ContainsRune("hjklwbeWBE0^$gGfFtT;,%dcyxsrJ~ovVpu", cmd.key):
		return cmd, vimComplete
	case cmd.op == 0 && !visual && strings.ContainsRune("hjklwbeWBE0^$gGfFtT;,%iaIAoOxXsSDCYpPr~JuvV.", cmd.key):
		return cmd, vimComplete
	}
	return cmd, vimInvalid
}
