package keeper

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// version is that of the messages on the socket. A keeper ends on the binary with which it began, so it may
// be older than the terminal's parley, or newer.
const version = 1

// Kinds of frames. A frame is its kind, the length of what follows in four bytes, and that.
const (
	// From the terminal.
	helloFrame = 'H' // a hello, first
	inputFrame = 'I' // keys
	sizeFrame  = 'S' // columns and rows, two bytes each
	stopFrame  = 'Q' // ends parley, instead of hello

	// From the keeper.
	outputFrame   = 'O'
	detachedFrame = 'D' // parley was asked to
	takenFrame    = 'T' // another terminal has attached
	switchFrame   = 'N' // the name of another session to attach to
	endedFrame    = 'E' // parley has ended: its exit code
	refusedFrame  = 'X' // why, for the user
)

// maxFrame is the longest content of a frame; more comes in several.
const maxFrame = 64 << 10

// hello is the first message of a terminal.
type hello struct {
	Version int      `json:"version"`
	Cols    int      `json:"cols"`
	Rows    int      `json:"rows"`
	Environ []string `json:"environ"`
}

const headerSize = 5

// putHeader writes the header of a frame in front of its content.
func putHeader(b []byte, kind byte, n int) {
	b[0] = kind
	binary.BigEndian.PutUint32(b[1:], uint32(n))
}

func writeFrame(w io.Writer, kind byte, content []byte) error {
	b := make([]byte, headerSize+len(content))
	putHeader(b, kind, len(content))
	copy(b[headerSize:], content)
	_, err := w.Write(b)
	return err
}

func writeJSON(w io.Writer, kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFrame(w, kind, b)
}

// readFrame reads a frame into b, which it returns longer if it must be. The content is valid until the next call.
func readFrame(r *bufio.Reader, b []byte) (kind byte, content, buffer []byte, err error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return 0, nil, b, err
	}
	size := binary.BigEndian.Uint32(header[1:])
	if size > maxFrame {
		return 0, nil, b, fmt.Errorf("a frame of %d bytes", size)
	}
	n := int(size)
	if cap(b) < n {
		b = make([]byte, n)
	}
	_, err = io.ReadFull(r, b[:n])
	return header[0], b[:n], b, err
}

func sizeContent(cols, rows int) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(cols))
	return binary.BigEndian.AppendUint16(b, uint16(rows))
}

func sizeOf(content []byte) (cols, rows int) {
	if len(content) != 4 {
		return 0, 0
	}
	return int(binary.BigEndian.Uint16(content)), int(binary.BigEndian.Uint16(content[2:]))
}
