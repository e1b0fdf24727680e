package jsonrpc_test

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
)

// greeter answers the method "greet".
type greeter struct{}

func (greeter) Notification(string, []byte) {}

func (greeter) Request(r jsonrpc.Request) jsonrpc.Work {
	if r.Method != "greet" {
		return nil // answered with -32601
	}
	var p struct{ Name string }
	if err := json.Unmarshal(r.Params, &p); err != nil {
		return func(context.Context) (any, error) { return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%v", err) }
	}
	return func(context.Context) (any, error) { return "hello, " + p.Name, nil }
}

// Two peers over an in-memory connection.
func ExamplePeer() {
	a, b := transport.Pipe()
	server, client := jsonrpc.NewPeer(a, greeter{}, jsonrpc.Options{}), jsonrpc.NewPeer(b, greeter{}, jsonrpc.Options{})
	server.Start()
	client.Start()
	defer client.Close(nil)
	defer server.Close(nil)

	var answer string
	err := client.Call(context.Background(), "greet", map[string]string{"name": "Ada"}, &answer)
	fmt.Println(answer, err)
	err = client.Call(context.Background(), "leave", nil, nil)
	fmt.Println(err)
	// Output:
	// hello, Ada <nil>
	// Method not found (-32601)
}
