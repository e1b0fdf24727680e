package jsonrpc_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/acpclient/jsonrpc"
)

func TestCase31BatchOfRequestsAndANotification(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		r.send(`[` + request(`1`, "echo", `"A"`) + `,` + note("B", `{}`) + `, ` + request(`"3"`, "echo", `"C"`) + `]`)
		r.expectArray(result(`1`, `"A"`), result(`"3"`, `"C"`))
		if got := r.noted(); !slices.Equal(got, []string{"B {}"}) {
			t.Errorf("handled %q", got)
		}
	})
}

func TestCase37BatchOfAnswersReversed(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		a, b := r.peer.Begin("a", nil), r.peer.Begin("b", nil)
		r.written()
		r.send(`[` + result(fmt.Sprint(b.ID), `"B"`) + `,` + result(fmt.Sprint(a.ID), `"A"`) + `]`)
		var gotA, gotB string
		if err := a.Wait(r.t.Context(), &gotA); err != nil || gotA != "A" {
			t.Errorf("a: %q, %v", gotA, err)
		}
		if err := b.Wait(r.t.Context(), &gotB); err != nil || gotB != "B" {
			t.Errorf("b: %q, %v", gotB, err)
		}
		r.expect()
	})
}

func TestCase38AnswerAndRequestInOneBatch(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		c := r.peer.Begin("m", nil)
		r.written()
		id := fmt.Sprint(c.ID)
		r.send(`[` + result(id, `"ours"`) + `,` + request(id, "echo", `"theirs"`) + `]`)
		r.expectArray(result(id, `"theirs"`))
		var got string
		if err := c.Wait(r.t.Context(), &got); err != nil || got != "ours" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestCase40BatchWaitsForItsSlowestEntry(t *testing.T) {
	batch := `[` + request(`1`, "permission", `{}`) + `,` + request(`2`, "echo", `"read"`) + `,` + request(`3`, "gate", `{}`) + `]`
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		r.send(batch)
		r.expect()
		r.send(request(`9`, "echo", `"flows"`)) // other messages continue
		r.expect(result(`9`, `"flows"`))
		close(r.gate)
		r.expect()
		r.send(note("$/cancel_request", `{"requestId":1}`))
		r.expectArray(result(`1`, `"cancelled"`), result(`2`, `"read"`), result(`3`, `"open"`))
		r.expect()
	})
}

func TestCase41NothingOfOursIsAnArray(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		for range 3 {
			r.peer.Begin("m", nil)
			r.peer.Notify("n", []int{1})
		}
		r.send(request(`1`, "echo", `[1]`), request(`2`, "echo", `[2]`))
		got := r.written()
		if len(got) != 8 {
			t.Errorf("wrote %q", got)
		}
		for _, m := range got {
			if strings.HasPrefix(m, "[") {
				t.Errorf("an array: %s", m)
			}
		}
	})
}

func TestCase43AnswerInAnArrayOfOne(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		c := r.peer.Begin("m", nil)
		r.written()
		r.send(`[` + result(fmt.Sprint(c.ID), `"yes"`) + `]`)
		var got string
		if err := c.Wait(r.t.Context(), &got); err != nil || got != "yes" {
			t.Errorf("got %q, %v", got, err)
		}
		r.expect()
	})
}

func TestCase44OneIDTwiceInABatch(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		r.send(`[` + request(`1`, "echo", `"a"`) + `,` + request(`1`, "echo", `"b"`) + `]`)
		r.expectArray(result(`1`, `"a"`), result(`1`, `"b"`))
	})
}

func TestBatchEntriesRunInOrder(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		var entries, want []string
		for i := range 200 {
			entries = append(entries, note("u", fmt.Sprint(i)))
			want = append(want, fmt.Sprintf("u %d", i))
		}
		r.send(`[` + strings.Join(entries, ",") + `]`)
		if got := r.noted(); !slices.Equal(got, want) {
			t.Errorf("handled %q", got)
		}
	})
}

func TestOversizedBatch(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		r.send(`[` + strings.Repeat("1,", 100_000) + `1]`)
		r.expect(emptyBatch)
	})
}
