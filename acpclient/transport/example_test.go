package transport_test

import (
	"fmt"
	"io"

	"parley/acpclient/transport"
)

// A connection carries whole messages. What Recv returns is valid until the next Recv.
func ExamplePipe() {
	a, b := transport.Pipe()
	go func() {
		if err := a.Send(transport.Message{Data: []byte(`{"jsonrpc":"2.0","method":"hello"}`)}); err != nil {
			fmt.Println(err)
		}
		a.Close()
	}()
	for {
		message, err := b.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(string(message))
	}
	// Output: {"jsonrpc":"2.0","method":"hello"}
}
