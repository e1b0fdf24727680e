package permissions

import (
	"regexp"
	"strings"
	"sync"
)

// sedHarmless reports whether a sed script only prints, deletes and replaces. Other commands
// may read and write files and run programs.
func sedHarmless(script string) bool { return script != "" && sedScript().MatchString(script) }

// sedScript matches scripts of harmless commands. Where implementations disagree on the end of a text, as
// with the delimiter in a bracket, it matches nothing.
var sedScript = sync.OnceValue(func() *regexp.Regexp {
	text := strings.NewReplacer("char", `(?:\[:[a-z]+:\]|[^\]\[\\\n/])`).Replace(`(?:[^\\\n\[/]|\\[^\n]|\[\^?(?:\]|char)char*\])*/`)
	address := `(?:\$|[0-9]+|/` + text + `)`
	var replace []string
	for end := range strings.SplitSeq(`/ \| # , : @ ! % _ \+`, " ") {
		replace = append(replace, end+strings.ReplaceAll(text+`(?:[^\\\n/]|\\[^\n])*/`, "/", end))
	}
	command := `(?:` + address + ` *(?:, *[+~]?` + address + ` *)?(?:! *)?)?(?:[pdq=]|s(?:` + strings.Join(replace, "|") + `)[gpiIm0-9]*)`
	return regexp.MustCompile(`^[ \t;\n]*(?:` + command + `[ \t]*(?:[;\n][ \t;\n]*|$))*$`)
})
