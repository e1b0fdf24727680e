package host

import (
	"fmt"
	"strings"

	lines "znkr.io/diff"
	"znkr.io/diff/textdiff"

	"parley/acpclient/jsonrpc"
)

// Bounds of what an agent is told of a change that the user made: of the texts that
// are compared, and of the difference, in bytes.
const (
	maxCompared   = 8 << 20
	maxDifference = 16 << 10
)

// errChangedByUser is what the agent hears when the user has had another text
// written than it asked for. An empty result would leave its model believing in its
// own text: only what failed is read. The code is that of errDenied, and for the
// same reason: what the agent asked for was not done, and there is nothing to mend.
func errChangedByUser(path, wanted, written string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInternalError, "The user changed this before it was written: %s does not hold the text that you sent. "+
		"It was written as the user wants it, so do not write yours again. %s", path, difference(wanted, written))
}

// difference says how two texts differ, in so many bytes.
func difference(wanted, written string) string {
	const read = "Read the file to see what it holds now."
	if len(wanted)+len(written) > maxCompared {
		return read
	}
	patch := textdiff.Unified(wanted, written, lines.Fast())
	cut := ""
	if len(patch) > maxDifference {
		end := strings.LastIndexByte(patch[:maxDifference], '\n') + 1
		cut = fmt.Sprintf("… and %d more lines of it. %s\n", strings.Count(patch[end:], "\n"), read)
		patch = strings.ToValidUTF8(patch[:end], "")
	}
	return "From your text to what the file holds now:\n\n--- wanted\n+++ written\n" + patch + cut
}
