// Package wire holds the messages of ACP as Go types, and nothing beyond
// encoding and decoding them.
//
// What this side sends is encoded with encoding/json. For what a peer sends, each
// type has a shape beside it, which declares the members that count: which must be
// there, and what a malformed one means. One routine, shape.decode, applies them all.
// The protocol asks for more patience than encoding/json has: a malformed optional
// member counts as absent, a malformed item of a list is dropped alone, unknown
// members are ignored, and unknown kinds are kept raw. Of a member that comes twice
// the last sound one counts. What touches this machine is declared strict.
//
// Unless a field says otherwise, decoded values own their memory.
package wire

import "encoding/json"

// Raw is a JSON value kept as it came.
type Raw = json.RawMessage
