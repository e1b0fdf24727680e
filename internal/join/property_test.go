package join

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/thread/threadtest"
	"parley/internal/hello"
	"parley/internal/seeds"
)

// Whenever a client joins, and whatever happens in the session, it has the conversation word for word: nothing
// twice, nothing left out.
func TestAnyMomentOfJoining(t *testing.T) {
	for seed := range uint64(seeds.Of(120)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			with(t, []string{"1", "2"}[seed%2], Options{}, func(r *rig) {
				data := make([]byte, 600)
				for i := range data {
					data[i] = byte(rnd.Uint32())
				}
				var guests []*guest
				for _, e := range mixed(threadtest.Events(data), rnd) {
					r.on(func() { r.session().Agent.Post(e) })
					if rnd.IntN(12) == 0 && len(guests) < 12 {
						guests = append(guests, r.follow("guest", hello.Watch, 1+rnd.IntN(2)))
					}
					if rnd.IntN(3) == 0 {
						time.Sleep(time.Duration(rnd.IntN(20)) * time.Millisecond)
					}
				}
				guests = append(guests, r.follow("guest", hello.Watch, 1), r.follow("guest", hello.Watch, 2))
				for _, g := range guests {
					g.matches()
					if seed < 10 {
						g.valid()
					}
				}
			})
		})
	}
}

// mixed adds replaced messages, changed tool calls and long texts to events, and has all of them be of the session.
func mixed(events []event.Event, rnd *rand.Rand) (out []event.Event) {
	of := event.For{Session: "s1"}
	for _, e := range events {
		switch e.(type) {
		case event.TextArrived, event.ContentArrived, event.ToolChanged, event.TerminalOutput, event.TerminalStarted, event.TerminalExited,
			event.TurnStarted, event.TurnEnded, event.PlanChanged, event.PermissionAnswered:
			moved := reflect.New(reflect.TypeOf(e)).Elem()
			moved.Set(reflect.ValueOf(e))
			moved.FieldByName("For").Set(reflect.ValueOf(of))
			out = append(out, moved.Interface().(event.Event))
		}
		switch rnd.IntN(10) {
		case 0:
			out = append(out, event.MessageReplaced{For: of, Role: event.Role(rnd.IntN(3)), MessageID: fmt.Sprint(1 + rnd.IntN(3)), Text: strings.Repeat("other ", rnd.IntN(4)), At: threadtest.Start})
		case 1:
			out = append(out, event.TextArrived{For: of, Role: event.Role(rnd.IntN(3)), MessageID: fmt.Sprint(1 + rnd.IntN(3)), Text: strings.Repeat("長い text ", rnd.IntN(40)*rnd.IntN(40)*rnd.IntN(40))})
		case 2:
			out = append(out, thread.ShellAsked{For: of, Key: rnd.Uint64(), Command: "ls", Dir: "/w", At: threadtest.Start})
		}
	}
	return out
}
