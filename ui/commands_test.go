package ui

import (
	"context"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/template"
	"parley/internal/workspace"
)

// A name of parley's runs parley's. The agent's command of that name is listed beside it, with a prefix
// that is not sent.
func TestCommandsOfTheSameName(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.Agent().Update("s1", commands)
		d.wait(100 * time.Millisecond)
		d.types("/hel")
		d.sees("/help", "parley", "/agent:help", "The agent's own help", "fake")
		d.types("p\n")
		d.sees("╭ Keys")
		d.press("esc")
		d.prompts("")
		d.types("/agent:help me\n")
		d.wait(time.Second)
		d.prompts("/help me")
		d.sees("▌ /help me")
		d.press("esc", "esc")
		d.press("ctrl+e") // as it is typed
		d.draft("/agent:help me")
		d.press("ctrl+c")
		d.types("/log\n")
		d.sees("╭ Log")
		d.press("esc")
		d.types("/help me\n")
		for range 2 { // the name is parley's, however often
			d.sees("/help is parley's and takes nothing after it · /agent:help runs fake's")
			d.press("enter")
		}
		d.prompts("/help me")
	})
}

// What looks like a command and is none is not sent, unless enter is pressed again.
func TestUnknownCommand(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("/rewiev\n")
		d.sees("No command /rewiev (did you mean /review?) · enter again sends it as text")
		d.draft("/rewiev")
		d.press("ctrl+c")
		d.types("/rewiev main.go\n")
		d.sees("No command /rewiev (did you mean /review?)")
		d.prompts("")
		d.press("enter")
		d.wait(time.Second)
		d.prompts("/rewiev main.go")
		d.draft("")
		d.misses("enter again sends")
		d.types("/zzzz\n")
		d.sees("No command /zzzz · enter again sends it as text")
		d.press("ctrl+c")
		d.types("/help me\n")
		d.sees("/help takes nothing after it · enter again sends it as text")
		d.press("ctrl+c")
		for _, text := range []string{"/usr/bin/x is broken", "// a comment", "/ x"} {
			d.types(text + "\n")
			d.wait(time.Second)
		}
		d.prompts("/rewiev main.go|/usr/bin/x is broken|// a comment|/ x")
	})
}

// slowly makes the start of the agent take three seconds.
func slowly(o *Options) {
	connect := o.Connect
	o.Connect = func(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
		time.Sleep(3 * time.Second)
		return connect(ctx, a, sink, log)
	}
}

// What is typed while the agent starts means the same as later.
func TestCommandsDuringTheStart(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		slowly(o)
		d.fake.Answer("session/new", `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}`)
		d.fake.Answer("session/set_mode", "{}")
		o.Templates = []template.Template{
			{Name: "hello", Body: "Say hello to $1.", Mode: "code", Path: "/c/hello.md"},
			{Name: "deploy", Body: "Deploy to $1.", Path: "/p/.parley/commands/deploy.md", Project: true},
		}
	}, func(d *driver) {
		d.sees("Starting fake")
		d.types("/theme\n")
		d.sees("╭ Theme", "plain")
		d.press("esc")
		d.misses("╭ Theme")
		d.types("/hello amy\n")
		d.sees(`queued 1  "/hello amy"`)
		d.types("/deploy prod\n")
		d.sees("╭ Template", "Deploy to prod.")
		d.press("esc", "enter")
		d.sees(`queued 2  "/deploy prod"`)
		d.types("/rewiev\n")
		d.sees("No command /rewiev (did you mean /review?) · enter again sends it as text")
		d.press("ctrl+c")
		d.types("/mode\n")
		d.sees("/mode runs when fake is ready", `queued 3  "/mode"`)
		d.types("and this\n")
		d.wait(10 * time.Second)
		d.called("session/set_mode", 1)
		d.sees("▌ Say hello to amy.", "▌ Deploy to prod.", "╭ Mode", `queued 1  "and this"`)
		d.prompts("Say hello to amy.|Deploy to prod.")
		d.press("esc", "enter")
		d.wait(time.Second)
		d.prompts("Say hello to amy.|Deploy to prod.|and this")
	})
}

// A command of the agent's that is typed before the agent has listed it is sent when it has.
func TestCommandBeforeItIsListed(t *testing.T) {
	drive(t, func(_ *driver, o *Options) { slowly(o) }, func(d *driver) {
		d.types("/web now\n")
		d.sees("No command /web · enter again sends it as text")
		d.wait(5 * time.Second)
		d.draft("/web now")
		d.prompts("")
		d.Agent().Update("s1", commands)
		d.wait(time.Second)
		d.prompts("/web now")
	})
}

// The first prompt of the command line means the same as a typed one.
func TestFirstPromptIsACommand(t *testing.T) {
	for prompt, shows := range map[string]string{"/theme": "╭ Theme", "/rewiev": "No command /rewiev (did you mean /review?)"} {
		drive(t, func(_ *driver, o *Options) { o.Prompt = prompt }, func(d *driver) {
			d.connected()
			d.sees(shows)
			d.prompts("")
		})
	}
}

// Names that other programs have for it do what they do there.
func TestCommandsByOtherNames(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("/resume\n")
		d.sees("╭ Sessions")
		d.press("esc")
		d.types("/clear\n")
		d.soon()
		d.called("session/new", 2)
		d.types("/exit\n")
		d.soon()
		if !d.quit {
			t.Error("/exit does not quit")
		}
	})
}
