package permissions

import (
	"slices"
	"strings"

	"parley/internal/lazy"

	"mvdan.cc/sh/v3/syntax"
)

// valueKinds are patterns of values that profiles name.
var valueKinds = strings.NewReplacer("word", `[A-Za-z0-9_][A-Za-z0-9_.,:+-]*`, "level", `[0-9]{1,3}|true|false|yes|no|on|off|always|never|auto`)

// onlyChooses reports whether NAME=value only chooses between ways to do the same thing, by the profiles. It names no
// file, program, host or option, as other values might.
func onlyChooses(assignment string) bool {
	name, value, found := strings.Cut(assignment, "=")
	values := knownPrograms().variables[name]
	return found && values != nil && values().MatchString(value)
}

// assigns says which other variable a command sets, or "".
func assigns(all []*syntax.Assign) (why string) {
	for _, a := range all {
		name := ""
		if a.Name != nil {
			name = a.Name.Value
		}
		plain := !a.Append && !a.Naked && a.Index == nil && a.Array == nil && a.Value != nil
		if plain {
			value, doubt := literal(a.Value)
			plain = doubt == "" && onlyChooses(name+"="+value)
		}
		if !plain {
			return "it sets the variable " + name
		}
	}
	return ""
}

// Variables that every shell sets and that hold no secret.
var (
	numbers = strings.Fields("? # $ ! PPID UID LINENO SECONDS RANDOM")
	texts   = strings.Fields("PWD OLDPWD HOME USER LOGNAME SHELL HOSTNAME TERM LANG PATH")
)

// pipeStatus matches the exit codes of a pipe in bash.
var pipeStatus = lazy.Regexp(`^\$\{PIPESTATUS\[[0-9]\]\}$`)

// ownVariable reports whether an expansion in a line is one of these variables. zsh reads
// brackets or a colon after it as part of the expansion.
func ownVariable(line string, e *syntax.ParamExp) bool {
	from, to := int(e.Pos().Offset()), int(e.End().Offset())
	if from > to || to > len(line) || continues(line, to) {
		return false
	}
	source := line[from:to]
	name := strings.TrimPrefix(source, "$")
	if inner, ok := strings.CutPrefix(name, "{"); ok {
		name = strings.TrimSuffix(inner, "}")
	}
	return slices.Contains(numbers, name) || slices.Contains(texts, name) || pipeStatus().MatchString(source)
}
