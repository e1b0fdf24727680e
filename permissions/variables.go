package permissions

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Patterns of harmless values.
const (
	aWord  = `[A-Za-z0-9_][A-Za-z0-9_.,:+-]*`
	aLevel = `[0-9]{1,3}|true|false|yes|no|on|off|always|never|auto`
)

// choosing are variables that only choose between ways to do the same thing, each with its
// allowed values. They name no file, program, host or option, as other values might.
var choosing = func() map[string]func() *regexp.Regexp {
	all := map[string]func() *regexp.Regexp{}
	for _, line := range [][2]string{
		{aWord, "GOOS GOARCH GOARM GOARM64 GOAMD64 GO386 GOMIPS GOPPC64 GORISCV64 GOWASM GOTRACEBACK GOMAXPROCS"},
		{`[01]`, "CGO_ENABLED"},
		{`off`, "GOPROXY GOWORK"},
		{`local`, "GOTOOLCHAIN"},
		{aLevel + `|full|short`, "RUST_BACKTRACE RUST_LIB_BACKTRACE CARGO_INCREMENTAL CARGO_NET_OFFLINE CARGO_TERM_QUIET CARGO_TERM_VERBOSE RUST_TEST_THREADS RUST_TEST_NOCAPTURE"},
		{aLevel, "CARGO_TERM_COLOR CI FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES PY_COLORS"},
		{aLevel, "PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONUTF8 PYTHONFAULTHANDLER NODE_NO_WARNINGS NODE_DISABLE_COLORS NEXT_TELEMETRY_DISABLED DO_NOT_TRACK"},
		{`[0-9]+|random`, "PYTHONHASHSEED"},
		{aWord, "NODE_ENV RUST_LOG TERM LANG LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME"},
		{`[A-Za-z0-9+-]+(/[A-Za-z0-9_+-]+){0,2}`, "TZ"},
		{`cat`, "PAGER GIT_PAGER GH_PAGER"},
		{`0`, "GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS"},
	} {
		values := late(`^(` + line[0] + `)$`)
		for name := range strings.FieldsSeq(line[1]) {
			all[name] = values
		}
	}
	return all
}()

// onlyChooses reports whether NAME=value sets one of them to an allowed value.
func onlyChooses(assignment string) bool {
	name, value, found := strings.Cut(assignment, "=")
	values := choosing[name]
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
var pipeStatus = late(`^\$\{PIPESTATUS\[[0-9]\]\}$`)

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

// printers are the programs whose words may contain these variables.
var printers = strings.Fields("echo printf test [")
