package terminal

import (
	"bytes"
	"regexp"
	"sync"
	"time"

	"parley/internal/lazy"
)

// WaitFor says what a command seems to wait for, as a phrase that completes "it waits for ...".
// Unless a front end is attached, it waits in vain.
type WaitFor string

// What a command can be seen to wait for.
const (
	WaitPassword WaitFor = "a password"
	WaitYesNo    WaitFor = "a yes or no"
	WaitKey      WaitFor = "a key"
	WaitPager    WaitFor = "a key, in a pager"
)

const (
	// quietWait is how long a command must be silent after what looks like a question.
	quietWait = 2 * time.Second
	// lineEndSize is how much is kept of an unfinished line, in bytes: questions end it.
	lineEndSize = 512
)

// lineEnd is the end of an output's last line, while it has no line break.
type lineEnd []byte

func (e *lineEnd) add(p []byte) {
	if cut := bytes.LastIndexByte(p, '\n'); cut >= 0 {
		p, *e = p[cut+1:], (*e)[:0]
	}
	p = p[max(0, len(p)-lineEndSize):]
	if over := len(*e) + len(p) - lineEndSize; over > 0 {
		*e = append((*e)[:0], (*e)[over:]...)
	}
	*e = append(*e, p...)
}

// controls matches sequences that change how a line looks, not what it says. Like questions it is
// compiled when the first command has become silent.
var controls = lazy.Regexp(`\x1b\[[0-9:;<=>?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()][0-9A-Za-z]|\x1b[=>78]`)

type question struct {
	what WaitFor
	ends *regexp.Regexp
}

// questions are the line ends after which a program waits; the first match wins.
var questions = sync.OnceValue(func() []question {
	return []question{
		{WaitPassword, regexp.MustCompile(`(?i)\b(password|passwd|passphrase|passcode|passwort|kennwort|mot de passe|pin|verification code|one-time code|otp)\b[^:]{0,120}:$`)},
		{WaitYesNo, regexp.MustCompile(`(?i)[\[(](y|yes|j|n|no)/(y|yes|j|n|no)(/[^()]{0,40})?[\])]\s*[?:>]?$`)},
		{WaitPager, regexp.MustCompile(`^:$|\(END\)$|--More--(\([^()]{0,20}\))?$|\(press h for help or q to quit\)$`)},
		{WaitKey, regexp.MustCompile(`(?i)\bpress (\[?(enter|return)\]?|any key|a key)\b[^.]{0,60}[.:]*$`)},
	}
})

// waitsFor returns what a program whose output ends like this waits for; "" if nothing is
// recognised.
func (e *lineEnd) waitsFor() WaitFor {
	if len(*e) == 0 {
		return ""
	}
	line := bytes.TrimRight(controls().ReplaceAll(*e, nil), " \t\r")
	line = bytes.TrimLeft(line[bytes.LastIndexByte(line, '\r')+1:], " \t") // a carriage return overwrites the line
	for _, q := range questions() {
		if q.ends.Match(line) {
			return q.what
		}
	}
	return ""
}
