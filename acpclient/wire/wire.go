// Package wire holds the messages of ACP as Go types, and how they are encoded and
// decoded.
//
// Messages to the peer are encoded with encoding/json. For messages from the peer each
// type has a shape beside it, which declares its members: which of them are required,
// and what a malformed one means. shape.decode applies all of these rules. The
// protocol needs more tolerance than encoding/json has: a malformed optional member
// counts as absent, only the malformed item of a list is dropped, unknown members are
// ignored, and unknown kinds are kept raw. If a member occurs more than once the last
// well-formed one counts. Requests that act on this machine are strict.
//
// Unless a field says otherwise, decoded values own their memory.
package wire

import "encoding/json"

// Raw is a JSON value, verbatim.
type Raw = json.RawMessage
