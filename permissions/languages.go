package permissions

import (
	"fmt"
	"strings"

	"parley/internal/lazy"
)

// languages say, by class, why * may not match a word that is more than plain text, or "". What
// such a word refers to is not on the command line.
var languages = map[class]func(text string) string{
	classPlain: func(text string) string {
		return orWhy(!strings.ContainsAny(text, "[$`="), "a shell may evaluate "+text)
	},
	classFormat: func(text string) string {
		return orWhy(printsOnly().MatchString(text), "a shell may set a variable by this format")
	},
	classSed: func(text string) string {
		return orWhy(sedHarmless(text), "parley does not understand this sed script")
	},
	classJQ: func(text string) string {
		return orWhy(jqHarmless(text), "this jq filter may read other files")
	},
	className: func(text string) string {
		return orWhy(nameOnly().MatchString(text) && !strings.Contains(text, "__"), text+" is not a plain name")
	}, // cargo clippy splits at __
	classInput: inputOnly,
	classShown: shownOnly,
	classRefspec: func(text string) string {
		return orWhy(!strings.HasPrefix(text, "+") && !strings.HasPrefix(text, ":"), "a rule must name what it overwrites or deletes: "+text)
	},
	classWriteOut: func(text string) string {
		return orWhy(!strings.HasPrefix(text, "@") && !strings.Contains(text, "%output"), text+" reads or writes a file")
	},
	classQuery: func(text string) string {
		return orWhy(!strings.HasPrefix(text, "+") || querySettings().MatchString(text), text+" is not a dig setting that parley knows")
	},
	classForge: func(text string) string {
		return orWhy(strings.Contains(text, "://") || strings.Count(text, "/") <= 1 && !strings.Contains(text, ":"), text+" may name a host")
	},
}

func orWhy(fine bool, why string) string {
	if fine {
		return ""
	}
	return why
}

// printsOnly is a format of printf without %n, which sets a variable, and without escapes that
// could produce one.
var printsOnly = lazy.Regexp(`^([^%\\]|\\[abefnrtvE\\"']|\\(033|x1b)|%%|%[-+ #0-9.*']*[hjlLtqz]*[aAbcdeEfFgGiosuxXq])*$`)

// nameOnly is a plain name: pkg, @scope/pkg, pkg@1.2, clippy::all, a,b.
var nameOnly = lazy.Regexp(`^(@[A-Za-z0-9._-]+/)?[A-Za-z0-9]([A-Za-z0-9._@+,-]|::)*$`)

// choices are braces of a pattern that only list alternatives.
var choices = lazy.Regexp(`\{[A-Za-z0-9_-]+(,[A-Za-z0-9_-]+)*\}`)

// versioned matches an @ that does not begin a name in a directory: @options, pkg@v1.
var versioned = lazy.Regexp(`(^|[^/])@`)

// inputOnly is for files to check: @ may begin a file with options, or a version.
func inputOnly(text string) string {
	if versioned().MatchString(text) {
		return fmt.Sprintf("the @ in %s may name options or a version", text)
	}
	rest := choices().ReplaceAllString(text, "")
	return orWhy(!strings.ContainsAny(rest, "{}()") && (!strings.ContainsAny(text, "*?[{") || !strings.Contains(text, "..")), "which files "+text+" means is not known")
}

// shownOnly is for kinds of objects and output formats that show no secrets and read no files.
func shownOnly(text string) string {
	low := strings.ToLower(text)
	return orWhy(!environment().MatchString(low) && !strings.Contains(low, "secret") && !strings.Contains(low, "file=") && !strings.HasSuffix(low, "file") && !strings.Contains(text, "module"), "a rule must name what it shows: "+text)
}

// environment matches the columns of ps that show the variables of programs.
var environment = lazy.Regexp(`(^|[ ,])env(iron(ment)?)?($|[ ,=:])`)

// querySettings are the settings of dig that read no file and ask no server but the named one.
var querySettings = lazy.Regexp(`^\+(no)?(all|answer|additional|authority|cmd|comments|question|stats|short|multiline|dnssec|tcp|vc|recurse|rec|ttlid|class|crypto|identify|qr|search|ttlunits|nsid)$|^\+(time|timeout|tries|retry|bufsize|ndots)=[0-9]+$`)

// jqReaches are the words with which a jq filter reads the environment or a file. A filter
// cannot build such a word from text.
var jqReaches = lazy.Regexp(`(^|[^A-Za-z0-9_])(env|ENV|import|include|modulemeta)($|[^A-Za-z0-9_])`)

// jqHarmless reports whether a jq filter reads only its input.
func jqHarmless(filter string) bool { return !jqReaches().MatchString(filter) }
