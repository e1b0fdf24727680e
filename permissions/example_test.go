package permissions_test

import (
	"context"
	"fmt"

	"parley/permissions"
)

// The broker posts a question to the front end, which answers it once, by its key.
func ExampleBroker() {
	events := make(chan permissions.Event, 2)
	broker := permissions.NewBroker(func(e permissions.Event) { events <- e }, nil)
	pending := broker.Ask(permissions.Question{
		Session: "s1", Heading: "Run a command", Body: []permissions.Part{{Kind: permissions.Command, Text: "make install"}},
		Options: []permissions.Option{{ID: "yes", Name: "Allow", Kind: permissions.AllowOnce}, {ID: "no", Name: "Reject", Kind: permissions.RejectOnce}},
	})
	go func() { // the front end
		asked := (<-events).(permissions.Asked).Question
		if err := broker.Answer(asked.Key, "no"); err != nil {
			fmt.Println(err)
		}
	}()
	fmt.Println(pending.Wait(context.Background()).OptionID)
	// Output: no
}

// Rules judge every part of a command line separately.
func ExampleRulebook_Judge() {
	rules, err := permissions.ParseRules("rules.toml", []byte(`
[[allow]]
command = "go test *"

[[deny]]
command = "rm *"
`), false)
	if err != nil {
		fmt.Println(err)
		return
	}
	book, err := permissions.NewRulebook(rules)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range []string{"go test -run Lexer", "go test && rm -rf build", "go test && make"} {
		judgement := book.Judge(permissions.Facts{Kind: "execute", Commands: []permissions.CommandFact{{Line: line}}})
		fmt.Printf("%s: %s\n", line, judgement.Effect)
	}
	// Output:
	// go test -run Lexer: allow
	// go test && rm -rf build: deny
	// go test && make: no rule
}
