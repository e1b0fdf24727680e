// Package hello is the first line on the socket by which other ACP clients join a live parley: who
// connects, and what it may do. After it, both sides speak newline-delimited JSON-RPC, with parley as
// the ACP agent.
//
// The line is trusted: only programs of the same user can connect, and it is they, `parley acp` and
// `parley serve --sessions`, that know which role a client has.
package hello

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Version is the version of the line.
const Version = 1

// maxLine bounds the line, and maxName the name of a client, in bytes.
const (
	maxLine = 4 << 10
	maxName = 40
)

// Role says what a client may do. Each includes the one before it.
type Role string

// The roles.
const (
	Watch   Role = "watch"   // list sessions and follow them
	Talk    Role = "talk"    // prompt, cancel, open sessions, change their settings
	Approve Role = "approve" // answer questions of agents
)

// ParseRole returns the role with that name.
func ParseRole(name string) (Role, error) {
	switch r := Role(name); r {
	case Watch, Talk, Approve:
		return r, nil
	}
	return "", fmt.Errorf("unknown role %q: watch, talk or approve", name)
}

// Talks reports whether the role includes prompts.
func (r Role) Talks() bool { return r == Talk || r == Approve }

// Approves reports whether the role includes answers to questions.
func (r Role) Approves() bool { return r == Approve }

// Hello is the line.
type Hello struct {
	Parley int    `json:"parley"` // Version
	Client string `json:"client"` // the name that the user knows the client by; one plain word when received
	Role   Role   `json:"role"`
}

// Send writes the line for a client.
func Send(w io.Writer, client string, role Role) error {
	line, err := json.Marshal(Hello{Version, client, role})
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Receive reads the line and nothing after it. Its error is safe to send to the client.
func Receive(r *bufio.Reader) (Hello, error) {
	var line []byte
	for {
		piece, err := r.ReadSlice('\n')
		if line = append(line, piece...); len(line) > maxLine {
			return Hello{}, errors.New("the first line is too long")
		}
		if err == nil {
			break
		}
		if err != bufio.ErrBufferFull {
			return Hello{}, err
		}
	}
	var h Hello
	if err := json.Unmarshal(bytes.TrimSpace(line), &h); err != nil {
		return Hello{}, errors.New("the first line is not a greeting of parley's")
	}
	if h.Parley != Version {
		return Hello{}, fmt.Errorf("this parley speaks version %d of the socket's protocol, not %d", Version, h.Parley)
	}
	role, err := ParseRole(string(h.Role))
	if err != nil {
		return Hello{}, err
	}
	h.Role = role
	h.Client = plainName(h.Client)
	return h, nil
}

// plainName makes one word of a name, as the names of tokens are. A client may have given it itself: it must not
// read like a sentence, nor look like another name.
func plainName(name string) string {
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '_'
	}), "-")
	if name = strings.TrimRight(name[:min(len(name), maxName)], "-"); name == "" {
		return "unnamed"
	}
	return name
}
