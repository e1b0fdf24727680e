//go:build unix

package attacks

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"strconv"
	"testing"

	"parley/internal/decoy"
	"parley/ui/uitest"
)

// socketVar makes this test binary an agent that is controlled over the socket of that name.
const socketVar = "PARLEY_ATTACK_SOCKET"

func TestMain(m *testing.M) {
	if name := os.Getenv(socketVar); name != "" {
		os.Exit(relay(name))
	}
	uitest.KeepTime()
	os.Exit(decoy.Run(m))
}

// A command to the agent is one of these bytes, a length, and that many bytes of data.
const (
	toStdout = 'o'
	toStderr = 'e'
	toClose  = 'c' // stdout
	toExit   = 'x' // with the code in decimal
)

// relay is the agent: it writes what it receives and has no logic.
func relay(name string) int {
	conn, err := net.Dial("unix", name)
	if err != nil {
		return 9
	}
	go func() {
		io.Copy(conn, os.Stdin)
		conn.(*net.UnixConn).CloseWrite()
	}()
	for {
		var head [5]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return 0
		}
		data := make([]byte, binary.BigEndian.Uint32(head[1:]))
		if _, err := io.ReadFull(conn, data); err != nil {
			return 0
		}
		switch head[0] {
		case toStdout:
			os.Stdout.Write(data)
		case toStderr:
			os.Stderr.Write(data)
		case toClose:
			os.Stdout.Close()
		case toExit:
			code, _ := strconv.Atoi(string(data))
			return code
		}
	}
}
