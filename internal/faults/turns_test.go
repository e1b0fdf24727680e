package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"parley/acpclient/transport"
	"parley/internal/alive"
	"parley/internal/must"
	"parley/internal/seeds"
)

// profile is a transport and the weather for it.
type profile struct {
	name, scheme, h2c string
	weather
}

// HTTP/1.1 uses several connections, each of which lives for a shorter time.
var profiles = []profile{
	{"websocket", "ws", "", weather{cut: 0.6, far: 300_000, marked: 0.3, pause: 3 * time.Millisecond}},
	{"http1", "http", "off", weather{cut: 0.3, far: 100_000, marked: 0.4, pause: 3 * time.Millisecond}},
	{"h2c", "http", "on", weather{cut: 0.6, far: 200_000, marked: 0.4, pause: 3 * time.Millisecond}},
}

// Whatever the network does: updates arrive in order and without gaps; a turn ends as the agent
// ended it, or is reported lost; loading restores what was lost; no prompt arrives twice; and
// nothing is left at the end.
func TestTurns(t *testing.T) {
	nothingLeft(t, func(t *testing.T) {
		t.Run("through", func(t *testing.T) {
			for _, seed := range seedsToTry(t) {
				for _, p := range profiles {
					t.Run(fmt.Sprintf("%s/%d", p.name, seed), func(t *testing.T) {
						t.Parallel()
						p.turns(t, seed)
					})
				}
			}
		})
	})
}

const (
	users          = 5 // conversations at the same time
	turnsOf        = 20
	turnsByDefault = 8
)

func (p profile) turns(t *testing.T, seed uint64) {
	l := newLedger(t)
	buffer := int64(0)
	if seed%2 == 0 { // so that a stream sometimes loses more than is retained
		buffer = 256 << 10
	}
	s := serve(t, l, buffer)
	turns := turnsOf
	if !seeds.All() {
		turns = turnsByDefault
	}
	var all []*user
	for n := range users {
		own := seed<<8 + uint64(n)
		proxy := newProxy(t, s.addr, p.weather, own)
		u := newUser(t, fmt.Sprint("user", n), l, transport.Remote{URL: p.scheme + "://" + proxy.addr(), H2C: p.h2c}, proxy, own)
		all = append(all, u)
	}
	runTurns(all, turns)
	eventually(t, func() string {
		for _, u := range all {
			if n := u.proxy.open(); n > 0 {
				return fmt.Sprintf("%s: %d connections are open in the proxy", u.name, n)
			}
		}
		return ""
	})
	finished(t, l, s)
	for _, u := range all {
		u.proxy.close()
	}
	s.close()
	l.close()
	if t.Failed() && testing.Verbose() {
		t.Logf("the server's log:\n%s", &s.log)
	}
	p.report(t, all, s, turns, seed)
}

func runTurns(all []*user, turns int) {
	var work sync.WaitGroup
	for _, u := range all {
		work.Go(func() { u.runTurns(turns) })
	}
	work.Wait()
}

// finished checks that nothing is left on the server before it is shut down.
func finished(t *testing.T, l *ledger, s *server) {
	t.Helper()
	eventually(t, func() string {
		if n := l.living(); n > 0 {
			return fmt.Sprintf("%d agents still run", n)
		}
		return s.settled()
	})
	for _, pid := range l.pids {
		if alive.PID(pid) {
			t.Errorf("agent %d still runs", pid)
		}
	}
	for _, double := range l.doubles() {
		t.Errorf("received %s", double)
	}
}

// report logs a summary and checks that enough faults happened.
func (p profile) report(t *testing.T, all []*user, s *server, turns int, seed uint64) {
	var sum user
	cuts := 0
	for _, u := range all {
		sum.complete, sum.lost, sum.unknown = sum.complete+u.complete, sum.lost+u.lost, sum.unknown+u.unknown
		sum.tries, sum.loads, sum.resumes = sum.tries+u.tries, sum.loads+u.loads, sum.resumes+u.resumes
		cuts += u.proxy.cuts
	}
	t.Logf("seed %d: %d turns complete, %d lost, %d not known; %d connections tried, %d cuts, %d loads, %d resumes; %d times more was missed than is retained",
		seed, sum.complete, sum.lost, sum.unknown, sum.tries, cuts, sum.loads, sum.resumes, s.log.count("no longer retained"))
	if all := users * turns; !t.Failed() && (sum.complete < all/3 || sum.lost+sum.unknown < all/20 || sum.loads == 0 || cuts < all/10) {
		t.Errorf("too little or too much went wrong for a meaningful test")
	}
}

// Network connections are closed with the connection of the agent, not by an idle timeout (which is
// longer than this test waits).
func TestCloseEndsLines(t *testing.T) {
	for _, p := range profiles {
		t.Run(p.name, func(t *testing.T) {
			l := newLedger(t)
			defer l.close()
			s := serve(t, l, 0)
			defer s.close()
			proxy := newProxy(t, s.addr, weather{pause: time.Millisecond}, 1)
			defer proxy.close()
			u := newUser(t, "user", l, transport.Remote{URL: p.scheme + "://" + proxy.addr(), H2C: p.h2c}, nil, 1)
			u.runTurns(2)
			within(t, 3*time.Second, func() string {
				if n := proxy.open(); n > 0 {
					return fmt.Sprintf("%d connections are open in the proxy", n)
				}
				return s.settled()
			})
			if u.complete != 2 {
				t.Errorf("%d turns complete", u.complete)
			}
		})
	}
}

// Streams and POST responses that overtake each other change nothing: every turn is complete and in
// order.
func TestAnyOrder(t *testing.T) {
	nothingLeft(t, func(t *testing.T) {
		t.Run("through", func(t *testing.T) {
			for _, seed := range seedsToTry(t) {
				for _, p := range profiles[1:] {
					t.Run(fmt.Sprintf("%s/%d", p.name, seed), func(t *testing.T) {
						t.Parallel()
						p.anyOrder(t, seed)
					})
				}
			}
		})
	})
}

func (p profile) anyOrder(t *testing.T, seed uint64) {
	l := newLedger(t)
	s := serve(t, l, 0)
	ln := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	front := &http.Server{Handler: &reorderer{Handler: s.gateway, chance: rand.New(rand.NewPCG(seed, 7))}, Protocols: new(http.Protocols)}
	front.Protocols.SetHTTP1(true)
	front.Protocols.SetUnencryptedHTTP2(true)
	served := make(chan struct{})
	go func() { defer close(served); front.Serve(ln) }()
	var all []*user
	for n := range users {
		u := newUser(t, fmt.Sprint("user", n), l, transport.Remote{URL: "http://" + ln.Addr().String(), H2C: p.h2c}, nil, seed<<8+uint64(n))
		all = append(all, u)
	}
	for range 2 { // the second time the session is loaded
		runTurns(all, 3)
	}
	finished(t, l, s)
	front.Shutdown(context.Background())
	<-served
	s.close()
	l.close()
	for _, u := range all {
		if u.complete != 6 || u.lost+u.unknown > 0 || u.loads+u.resumes != 1 {
			t.Errorf("%s: %d turns complete, %d lost, %d not known, %d times opened again", u.name, u.complete, u.lost, u.unknown, u.loads+u.resumes)
		}
	}
}
