//go:build unix

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// A server that comes back with another token: the whole reason and what to type are on the screen at
// once.
func TestServedAgainWithAnotherToken(t *testing.T) {
	t.Parallel()
	const reason = "the server answered 401 Unauthorized; the token differs from the server's: set AUTH='Bearer TOKEN' in the environment and add --header-env Authorization=AUTH"
	for i, scheme := range profiles {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			tokens := t.TempDir()
			write(t, filepath.Join(tokens, "one"), aToken+"\n")
			write(t, filepath.Join(tokens, "two"), strings.Repeat("another", 3)+"\n")
			server := Serve(t, "--token-file", filepath.Join(tokens, "one"))
			s := StartEnv(t, []int{80, 120}[i], 24, workDir(t), []string{"AUTH=Bearer " + aToken}, server.URL(scheme), "--header-env", "Authorization=AUTH")
			s.WaitFor(placeholder)
			server.Kill()
			s.WaitFor("Connection lost")
			Serve(t, "--token-file", filepath.Join(tokens, "two"), "--listen", server.address())
			shown := func(rows []string) bool {
				text := strings.Join(strings.Fields(strings.Join(rows, " ")), " ")
				return strings.Contains(text, reason) && strings.Contains(text, "Not connected · enter tries again") && !strings.Contains(text, "The agent has ended")
			}
			s.WaitFunc("the reason", shown)
			s.PressUntil("ctrl+c", "again to quit")
			s.Press("ctrl+c")
			s.ExitCode()
		})
	}
}

// A server that is gone is one sentence, with the address once.
func TestServedNoMore(t *testing.T) {
	t.Parallel()
	for i, scheme := range profiles {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			server := Serve(t)
			s := Start(t, []int{80, 120}[i], 24, workDir(t), server.URL(scheme))
			s.WaitFor(placeholder)
			server.Kill()
			s.WaitFor("Connection lost")
			lost := "✗ no connection to " + server.URL(scheme) + ": "
			want := map[string]string{"http": lost + "connection refused", "ws": lost + "the connection broke off: the server ended it without a goodbye"}[scheme]
			s.WaitFunc(want, func(rows []string) bool {
				return strings.Contains(strings.Join(strings.Fields(strings.Join(rows, " ")), " "), want+" ")
			})
			s.PressUntil("ctrl+c", "again to quit")
			s.Press("ctrl+c")
			s.ExitCode()

			r := run(t, workDir(t), "", "run", "--agent", server.URL(scheme), "hello")
			if want := "parley: no connection to " + server.URL(scheme) + ": connection refused\n"; r.code != 1 || r.stderr != want {
				t.Errorf("got %+v\nwant %s", r, want)
			}
		})
	}
}

// Where TLS keeps a client from connecting, the error names the flag or the URL that would help.
func TestServedTLSMistakes(t *testing.T) {
	t.Parallel()
	ca, cert, key := certificates(t)
	plain, secure := Serve(t), Serve(t, "--tls-cert", cert, "--tls-key", key)
	_, port, _ := strings.Cut(secure.place, ":")
	for _, schemes := range [][2]string{{"http", "https"}, {"ws", "wss"}} {
		for _, c := range []struct{ url, reason string }{
			{schemes[1] + "://" + plain.place, "the server does not speak TLS; use " + plain.URL(schemes[0])},
			{schemes[0] + "://" + secure.place, "the server expects TLS; use " + secure.URL(schemes[1])},
			{schemes[1] + "://" + secure.place, "its certificate is signed by an unknown authority; trust the authority with --ca-file FILE, or accept any certificate with --insecure"},
			{schemes[1] + "://localhost:" + port, "its certificate is for 127.0.0.1, not for localhost; use a name that the certificate has, or accept any certificate with --insecure"},
		} {
			flags := []string{"run", "--agent", c.url, "hello"}
			if strings.Contains(c.url, "localhost") {
				flags = append(flags, "--ca-file", ca)
			}
			r := run(t, workDir(t), "", flags...)
			if want := "parley: no connection to " + c.url + ": " + c.reason; r.code != 1 || !strings.HasPrefix(r.stderr, want) || strings.Count(r.stderr, "\n") != 1 {
				t.Errorf("got %+v\nwant %s", r, want)
			}
		}
	}
	s := Start(t, 80, 24, workDir(t), plain.URL("wss"))
	s.WaitFor("does not speak TLS;", "use ws://", "which is not encrypted", "enter try again")
	s.Press("ctrl+c")
	s.ExitCode()
}
