package acpclient_test

import (
	"context"
	"fmt"
	"os"

	"parley/acpclient"
	"parley/acpclient/event"
)

// A client starts an agent, opens a session, sends a prompt and reads events until the
// turn ends. Without services, an agent gets no files and no commands.
func ExampleLaunch() {
	ctx := context.Background()
	events := event.NewQueue()
	client, err := acpclient.Launch(ctx, acpclient.AgentCommand{Path: "my-agent", Args: []string{"--acp"}},
		acpclient.Options{Name: "example", Version: "1.0", Sink: events})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	session, err := client.NewSession(ctx, acpclient.NewSession{Cwd: os.TempDir()})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := session.Prompt(event.Block{Text: "hello"}); err != nil {
		fmt.Println(err)
		return
	}
	for range events.Ready() {
		for _, e := range events.Drain() {
			switch e := e.(type) {
			case event.TextArrived:
				fmt.Print(e.Text)
			case event.TurnEnded:
				fmt.Println("\nstopped:", e.StopReason, e.Err)
				return
			}
		}
	}
}
