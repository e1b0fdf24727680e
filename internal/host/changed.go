package host

import (
	"fmt"
	"strings"

	lines "znkr.io/diff"
	"znkr.io/diff/textdiff"

	"parley/acpclient/jsonrpc"
)

// Bounds of the difference an agent is told after the user changed its text: of the compared texts
// and of the difference itself, in bytes.
const (
	maxCompared   = 8 << 20
	maxDifference = 16 << 10
)

// errChangedByUser is sent to the agent when the user had another text written. An empty result would
// leave its model believing in its own text, since it only reads errors. The code is that of errDenied
// for the same reason: the request was not carried out, and nothing needs to be repaired.
func errChangedByUser(path, wanted, written string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInternalError, "The user changed this before it was written: %s does not hold the text that you sent. "+
		"It was written as the user wants it, so do not write yours again. %s", path, difference(wanted, written))
}

// difference describes how two texts differ, within a number of bytes.
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
